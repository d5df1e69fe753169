// From a row to a report, and decisions on the way.
import assert from 'node:assert/strict';
import { anonymous, cell, flights, grid, test, the, until, visit } from './setup.mjs';

test('by keyboard only: sign in, paste, mend, submit, approve, report', async () => {
  const id = await the.server.event('Keyboard');
  const { page } = await anonymous(`/events/${id}/sheet`);
  await page.getByLabel('Email').waitFor();
  await page.keyboard.type('manager@demo.test');
  await page.keyboard.press('Tab');
  await page.keyboard.type(the.server.password);
  await page.keyboard.press('Enter');
  await grid(page).waitFor();
  await page.evaluate((t) => navigator.clipboard.writeText(t), flights);
  await until('the grid has the focus', () =>
    page.evaluate(() => document.activeElement?.getAttribute('role') === 'grid'),
  );
  await page.keyboard.press('Control+v');
  // The fault is in its cell, and what would be right one key away.
  await until('the fault is in its cell', async () => (await cell(page, 2, 2).getAttribute('aria-invalid')) === 'true');
  assert.match(await cell(page, 2, 2).innerText(), /JKF/);
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Alt+Enter');
  await until('the cell is mended', async () => (await cell(page, 2, 2).innerText()).startsWith('JFK'));
  await page.keyboard.press('Control+End'); // a row is saved when it is left
  await until(
    'three records are saved',
    async () => (await the.server.api('manager', 'GET', `/events/${id}/flights`)).pagination.total === 3,
  );
  await page.keyboard.press('Control+a');
  const submit = page.getByRole('button', { name: 'Submit 3 rows' });
  await submit.waitFor();
  await submit.focus();
  await page.keyboard.press('Enter');
  await until(
    'all wait',
    async () => (await the.server.api('manager', 'GET', `/events/${id}/review`)).pagination.total === 3,
  );
  await page.getByRole('link', { name: 'Review' }).focus();
  await page.keyboard.press('Enter');
  const queue = page.getByRole('listbox');
  await queue.waitFor();
  await queue.focus();
  for (let n = 0; n < 3; n++) {
    await until('a record is chosen', () => queue.getAttribute('aria-activedescendant'));
    await page.keyboard.press('a');
  }
  await until(
    'they are approved when the time to undo is over',
    async () => (await the.server.api('manager', 'GET', `/events/${id}/review`)).pagination.total === 0,
  );
  await until('they count', () =>
    the.server.api('manager', 'GET', `/events/${id}/results`).then(
      (r) => r.counts.approved === 3 && r.status === 'current',
      () => false,
    ),
  );
  await page.getByRole('navigation').getByRole('link', { name: 'Footprint' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /Flights/ }).focus();
  await page.keyboard.press('Enter');
  await page.locator('details.explained').first().waitFor();
  await page.getByRole('link', { name: 'Sign and report' }).focus();
  await page.keyboard.press('Enter');
  await page.frameLocator('iframe').getByRole('heading', { name: 'Keyboard' }).first().waitFor();
});

test('what has changed since it was shown is not approved, however soon that is pressed', async () => {
  const id = await the.server.event('Unseen');
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'JFK',
    passengers: 2,
  });
  const path = `/events/${id}/flights/${_id}`;
  await the.server.api('user', 'POST', `${path}/submit`, {});
  const { page } = await visit('manager', `/events/${id}/review`);
  // The record itself is slow to come; the queue shows what it was when it was listed.
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route(`**${path}`, async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await the.server.api('user', 'POST', `${path}/withdraw`, {});
  await the.server.api('user', 'PATCH', path, { passengers: 200 });
  await the.server.api('user', 'POST', `${path}/submit`, {});
  await page.getByText(/^Approving in/).waitFor({ state: 'hidden' });
  release();
  await page.getByText('Nothing was decided').waitFor();
  assert.equal((await the.server.api('manager', 'GET', path)).status, 'submitted');
});

test('of many that are approved together, what was changed after the preview is left', async () => {
  const id = await the.server.event('Many unseen');
  const path = `/events/${id}/flights`;
  const waits = async (to) => {
    const { _id } = await the.server.api('user', 'POST', path, { from: 'LHR', to, passengers: 2 });
    await the.server.api('user', 'POST', `${path}/${_id}/submit`, {});
    return _id;
  };
  const [same, moved] = [await waits('JFK'), await waits('AMS')];
  const { page } = await visit('manager', `/events/${id}/review`);
  const queue = page.getByRole('listbox');
  await queue.waitFor();
  await queue.focus();
  await page.keyboard.press(' ');
  const at = () => queue.getAttribute('aria-activedescendant');
  const first = await until('a record is chosen', at);
  await page.keyboard.press('j');
  await until('the next is', async () => (await at()) !== first);
  await page.keyboard.press('k');
  await until('the first is again', async () => (await at()) === first);
  await page.keyboard.press('j');
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Approve 2' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 records would be approved and counted.').waitFor();
  await dialog.getByText(/AMS/).waitFor();
  await the.server.api('user', 'POST', `${path}/${moved}/withdraw`, {});
  await the.server.api('user', 'PATCH', `${path}/${moved}`, { passengers: 200 });
  await the.server.api('user', 'POST', `${path}/${moved}/submit`, {});
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('One record was not approved.').waitFor();
  // No other record waits: the one that was left keeps the queue, and the queue the focus.
  await page.getByRole('option', { name: /200/ }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement.outerHTML.slice(0, 160));
  await until('the queue has the focus', async () => (await focused()).includes('role="listbox"'));
  assert.equal(await page.getByRole('option', { selected: true }).count(), 1);
  const status = async (record) => (await the.server.api('manager', 'GET', `${path}/${record}`)).status;
  assert.equal(await status(same), 'approved');
  assert.equal(await status(moved), 'submitted');
});

test('two browsers decide on the same record: the second is told', async () => {
  const id = await the.server.event('Two');
  const record = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'JFK',
    passengers: 2,
  });
  await the.server.api('user', 'POST', `/events/${id}/flights/${record._id}/submit`, {});
  const first = await visit('manager', `/events/${id}/review`);
  const second = await visit('admin', `/events/${id}/review`);
  for (const { page } of [first, second]) await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await first.page.getByRole('button', { name: 'Reject' }).click();
  await first.page.getByLabel(/^Reason( \*)?$/).fill('The invoice says otherwise.');
  await first.page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await until(
    'rejected',
    async () => (await the.server.api('manager', 'GET', `/events/${id}/flights/${record._id}`)).status === 'rejected',
  );
  await second.page
    .getByRole('button', { name: 'Approve', exact: true })
    .click({ timeout: 3_000 })
    .catch(() => {});
  await second.page
    .getByText(/Decided elsewhere|Nothing was decided/)
    .first()
    .waitFor();
  assert.equal((await the.server.api('manager', 'GET', `/events/${id}/flights/${record._id}`)).status, 'rejected');
});

test('of an event that is gone to from another one everything begins anew, and what was approved goes to its own', async () => {
  const made = [];
  for (const title of ['One of two', 'The other of two']) {
    const id = await the.server.event(title);
    const flight = { from: 'LHR', to: 'JFK', passengers: 2 };
    const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, flight);
    await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
    made.push({ title, id, path: `/events/${id}/flights/${_id}` });
  }
  const [one, other] = made;
  const { page } = await visit('manager', `/events/${one.id}/review`);
  const queue = page.getByRole('listbox');
  await queue.waitFor();
  await page.getByRole('link', { name: 'Events', exact: true }).last().click();
  await page.getByRole('link', { name: other.title }).click();
  await page.getByRole('link', { name: 'Review one waiting' }).click();
  await queue.waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(/^Approving in/).waitFor();
  // Straight to the other event, as from the list of a browser's back button.
  await page.evaluate(() => history.go(-3));
  await page.getByRole('heading', { level: 1, name: one.title }).waitFor();
  await queue.waitFor();
  assert.equal(await page.getByText(/^Approving in/).count(), 0);
  const status = async ({ path }) => (await the.server.api('manager', 'GET', path)).status;
  await until('it is approved', async () => (await status(other)) === 'approved');
  assert.equal(await status(one), 'submitted');
});

test('approving waits ten seconds, can be undone, and taken back; single keys can be turned off', async () => {
  const id = await the.server.event('Second thoughts');
  const path = `/events/${id}/flights`;
  const { _id } = await the.server.api('user', 'POST', path, { from: 'LHR', to: 'JFK', passengers: 2 });
  await the.server.api('user', 'POST', `${path}/${_id}/submit`, {});
  const status = async () => (await the.server.api('manager', 'GET', `${path}/${_id}`)).status;
  const { page, context } = await visit('manager', `/events/${id}/review`);
  const queue = page.getByRole('listbox');
  const waits = page.getByText(/^Approving in/);
  const sent = [];
  context.on('request', (r) => r.url().endsWith('/approve') && sent.push(Date.now()));
  const press = async (key) => {
    await queue.focus();
    await until('a record is chosen', () => queue.getAttribute('aria-activedescendant'));
    await page.keyboard.press(key);
  };
  await queue.waitFor();
  await press('a');
  await waits.waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await waits.waitFor({ state: 'detached' });
  // Anywhere else, and turned off, a letter does nothing.
  await page.getByRole('button', { name: 'Approve', exact: true }).focus();
  await page.keyboard.press('a');
  const keys = page.getByRole('switch', { name: /keys/i });
  await keys.focus();
  await page.getByRole('tooltip', { name: /A approve/ }).waitFor();
  await page.keyboard.press('Space');
  await page.reload();
  await queue.waitFor();
  assert.ok(!(await keys.isChecked()), 'the choice is not kept');
  await press('a');
  await press('r');
  assert.equal(await waits.count(), 0);
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal(await queue.getAttribute('aria-keyshortcuts'), null);
  await keys.focus();
  await page.keyboard.press('Space');
  // What waits in a tab that is closed is not sent.
  const closed = await context.newPage();
  await closed.goto(`/events/${id}/review`);
  const other = closed.getByRole('listbox');
  await other.focus();
  await until('a record is chosen there', () => other.getAttribute('aria-activedescendant'));
  await closed.keyboard.press('a');
  await closed.getByText(/^Approving in/).waitFor();
  const gone = closed.waitForEvent('close');
  await closed.close({ runBeforeUnload: true });
  await gone;
  assert.deepEqual(sent, []);
  assert.equal(await status(), 'submitted');
  const pressed = Date.now();
  await press('A'); // as with caps lock
  await until('it is approved', async () => (await status()) === 'approved');
  assert.ok(sent.length === 1 && sent[0] - pressed >= 9_900, `sent after ${sent.map((t) => t - pressed)} ms`);
  await page.getByRole('button', { name: 'Reverse' }).click();
  await page.getByLabel(/^Reason( \*)?$/).fill('Not that invoice.');
  await page.getByRole('dialog').getByRole('button', { name: 'Reverse' }).click();
  await until('it is taken back', async () => (await status()) !== 'approved');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});
