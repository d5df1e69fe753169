// Forms and dialogs: what is typed is taken as it stands, and what is over goes.
import assert from 'node:assert/strict';
import { axe, grid, test, the, until, visit } from './setup.mjs';

const choose = (page, name, content) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
/** What has the focus, by its name or its words. */
const focused = (page) =>
  page.evaluate(() => {
    const e = document.activeElement;
    return e?.getAttribute('aria-label') ?? e?.innerText ?? '';
  });

test('what an import left out comes to the sheet as its file meant it, and the same file is chosen again', async () => {
  const id = await the.server.event('Mended');
  const { page } = await visit('user', `/events/${id}/sheet?type=energy`);
  await grid(page).waitFor();
  const csv =
    'source;energyKWh;date;description\ngrid;1.234,5;03/04/2026;good\nnothing;12.345,6;03/04/2026;-20\nTotal;13.580,1;;\n';
  const dialog = page.getByRole('dialog');
  for (const close of ['Cancel', '']) {
    await choose(page, 'energy.csv', csv);
    await dialog.getByLabel('Number format').selectOption('1.234,5');
    await dialog.getByLabel('Date order').selectOption('dmy');
    if (close) {
      await dialog.getByRole('button', { name: close }).click();
      await dialog.waitFor({ state: 'hidden' });
    }
  }
  // While the file is on its way it is neither sent again nor left.
  let arrive;
  const sent = new Promise((resolve) => {
    arrive = resolve;
  });
  await page.route('**/energy/import?*', async (route) => {
    if (!(await route.request().headerValue('X-Dry-Run'))) await sent;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await until('the button waits', () => dialog.getByRole('button', { name: 'Import one row' }).isDisabled());
  assert.ok(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled());
  arrive();
  await dialog.getByText('One row was imported.').waitFor();
  await until('the focus is on the next step', async () => (await focused(page)).startsWith('Correct the row'));
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await until('the bad row is in the sheet', async () => (await grid(page).innerText()).includes('12345.6'));
  const text = await grid(page).innerText();
  assert.ok(!text.includes('Total') && !text.includes('13.580'), text);
});

test('numbers of people are taken as they are written or refused, and a filled form is not lost', async () => {
  const { page } = await visit('manager');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New event' }).click();
  await dialog.getByLabel('Title').fill('People');
  // Escape asks; no goes on with what was typed.
  let asked = '';
  page.once('dialog', (d) => {
    asked = d.message();
    void d.dismiss();
  });
  await page.keyboard.press('Escape');
  await until('it asks', () => asked);
  assert.equal(await dialog.getByLabel('Title').inputValue(), 'People');
  for (const wrong of ['12.5', '1e3', '1.200']) {
    await dialog.getByLabel('Attendees in person').fill(wrong);
    await dialog.getByRole('button', { name: 'New event' }).click();
    await dialog.getByText('Enter a whole number, such as 1200.').waitFor();
    assert.equal(await dialog.getByLabel('Attendees in person').inputValue(), wrong);
    assert.ok(await dialog.getByLabel('Attendees in person').evaluate((e) => e === document.activeElement));
  }
  await dialog.getByLabel('Attendees in person').fill('1,200');
  await dialog.getByRole('button', { name: 'New event' }).click();
  await grid(page).waitFor();
  const id = page.url().split('/')[4];
  assert.equal((await the.server.api('manager', 'GET', `/events/${id}`)).attendees, 1200);
  await until('the title names page and event', async () => (await page.title()).startsWith('Sheet - People - '));
});

test('a rule that another administrator changed meanwhile stays, and is read as it is by who cannot change it', async () => {
  const { page } = await visit('admin', '/organization?tab=plan');
  const organization = () => the.server.api('admin', 'GET', '/organization');
  await the.server.api('admin', 'PATCH', '/organization', { policy: { requireReason: true } });
  await page.reload();
  await page.getByLabel('Approve automatically below').fill('3');
  await the.server.api('admin', 'PATCH', '/organization', { policy: { requireReason: false } });
  await page.getByRole('button', { name: 'Save' }).click();
  await until('the limit is kept', async () => (await organization()).policy.autoApproveBelowKg === 3);
  assert.equal((await organization()).policy.requireReason, false);
  // The form shows what holds now.
  await until(
    'the other rule is shown',
    async () => !(await page.getByRole('switch', { name: 'Require reasons' }).isChecked()),
  );
  const reader = await visit('user', '/organization?tab=plan');
  const rules = reader.page.locator('dl > div');
  await rules.first().waitFor();
  assert.deepEqual(
    (await rules.allInnerTexts()).map((rule) => rule.split('\n').slice(0, 2).join(': ')),
    ['Four-eyes control: no', 'Require reasons: no', 'Approve automatically below (kg CO₂e): 3'],
  );
  assert.equal(await reader.page.getByRole('switch').count(), 0);
  await axe(reader.page, 'the rules of approval, to read');
  await the.server.api('admin', 'PATCH', '/organization', {
    policy: { autoApproveBelowKg: null },
  });
});

test('the rules of approval are taken as they are written, and stay as they are when saved again', async () => {
  const { page } = await visit('admin', '/organization?tab=plan');
  const policy = async () => (await the.server.api('admin', 'GET', '/organization')).policy;
  const save = page.getByRole('button', { name: 'Save' });
  await page.getByLabel('Approve automatically below').fill('0.5 t');
  await save.click();
  await page.getByRole('alert').getByText('autoApproveBelowKg').waitFor();
  await page.getByLabel('Approve automatically below').fill('1,200.5');
  await page.getByLabel('Spot check').fill('10');
  await save.click();
  await until('the limit is kept', async () => (await policy()).autoApproveBelowKg === 1200.5);
  await page.reload();
  await page.getByRole('switch', { name: 'Four-eyes control' }).click({ force: true });
  await save.click();
  await until('the other rule is kept', async () => (await policy()).fourEyes);
  const { autoApproveBelowKg, spotCheckOneIn } = await policy();
  assert.deepEqual([autoApproveBelowKg, spotCheckOneIn], [1200.5, 10]);
  await the.server.api('admin', 'PATCH', '/organization', {
    policy: { fourEyes: false, autoApproveBelowKg: null, spotCheckOneIn: null },
  });
});

test('an invitation begins anew after another one, and its link goes with it', async () => {
  const { page } = await visit('admin', '/organization?tab=members');
  const dialog = page.getByRole('dialog');
  const open = async (name, email) => {
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Email').fill(email);
  };
  await open('Ada', 'ada@demo.test');
  await dialog.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: 'Administrator' }).click();
  await dialog.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByText('Send this link to Ada').waitFor();
  await dialog.waitFor({ state: 'hidden' });
  await open('Ada', 'ada@demo.test');
  assert.notEqual(await dialog.getByRole('combobox', { name: 'Role' }).inputValue(), 'Administrator');
  await dialog.getByRole('button', { name: 'Invite a person' }).click();
  await dialog.getByRole('alert').waitFor();
  page.once('dialog', (d) => void d.accept());
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await dialog.getByLabel('Name').waitFor();
  assert.equal(await dialog.getByRole('alert').count(), 0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Withdraw the invitation: Ada' }).click();
  await dialog.getByRole('button', { name: 'Withdraw the invitation' }).click();
  await page.getByText('Send this link to Ada').waitFor({ state: 'detached' });
  await until('the focus is on the page', async () => (await focused(page)) === 'Invite a person');
});

test('on a phone a row is deleted, brought back and withdrawn', async () => {
  const id = await the.server.event('Phone rows');
  const made = await the.server.api('user', 'POST', `/events/${id}/flights`, { from: 'LHR', to: 'JFK', passengers: 2 });
  await the.server.api('user', 'POST', `/events/${id}/flights/${made._id}/submit`, {});
  const { page } = await visit('user', `/events/${id}/sheet`, { viewport: { width: 360, height: 740 } });
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('button', { name: 'Submit one row' }).waitFor();
  await page.getByRole('button', { name: 'New row' }).click();
  await page.getByLabel('From').fill('XQX');
  await page.getByRole('button', { name: 'Delete row' }).click();
  await page.getByText('Row 1 of 1').or(page.getByText('1 of 1')).first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Next row' }).click();
  assert.equal(await page.getByLabel('From').inputValue(), 'XQX');
  await page.getByRole('button', { name: 'Delete row' }).click();
  page.once('dialog', (d) => void d.accept());
  await page.getByRole('button', { name: 'Delete row' }).click();
  await until('the record is gone', async () => {
    return (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total === 0;
  });
});

test('on a phone the only row is saved and submitted by its buttons, once, also where that begins without a network', async () => {
  const id = await the.server.event('Only row');
  const { page, context } = await visit('user', `/events/${id}/sheet`, { viewport: { width: 390, height: 844 } });
  const records = async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).items;
  const field = (name) => page.getByRole('textbox', { name });
  await field('From').fill('LHR');
  await field('To').fill('JFK');
  await context.setOffline(true);
  await field('Passengers').fill('3');
  const save = page.getByRole('button', { name: 'Save row' });
  const { y, height } = await save.boundingBox();
  assert.ok(y + height <= 844, `what is next is ${y} px down the form`);
  await save.dblclick();
  await page.getByText('Offline. Your input is kept').waitFor();
  assert.deepEqual(await records(), []);
  await context.setOffline(false);
  const submit = page.getByRole('button', { name: 'Submit one row' });
  await submit.waitFor();
  assert.equal((await records()).length, 1);
  await submit.dblclick();
  await page.getByRole('button', { name: 'Withdraw' }).waitFor();
  assert.deepEqual(
    (await records()).map((r) => [r.passengers, r.status]),
    [[3, 'submitted']],
  );
});

test("on a phone somebody else's change is named, and one of both is chosen", async () => {
  const id = await the.server.event('Conflict on a phone');
  const record = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'JFK',
    passengers: 2,
  });
  const passengers = async () =>
    (await the.server.api('user', 'GET', `/events/${id}/flights/${record._id}`)).passengers;
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`, { viewport: { width: 390, height: 844 } });
  const field = page.getByLabel(/^Passengers/);
  await until('the row is there', async () => (await field.inputValue()) === '2');
  await the.server.api('manager', 'PATCH', `/events/${id}/flights/${record._id}`, { passengers: 5 });
  await field.fill('9');
  await page.getByRole('button', { name: 'New row' }).click();
  await page.getByRole('button', { name: 'Previous row' }).click();
  const conflict = page.getByRole('alert').filter({ hasText: 'Somebody else changed this row' });
  await conflict.getByText(/Passengers: yours 9,\s+theirs 5/).waitFor();
  assert.equal(await conflict.getByRole('listitem').count(), 1, 'what is the same is named as well');
  await axe(page, 'a conflict on a phone');
  assert.equal(await passengers(), 5);
  await page.getByRole('button', { name: 'Use theirs' }).click();
  await until('theirs is shown', async () => (await field.inputValue()) === '5');
});

test('on a phone files become evidence of a row', async () => {
  const id = await the.server.event('Phone evidence');
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`, { viewport: { width: 390, height: 844 } });
  await page.getByRole('textbox', { name: 'From', exact: true }).fill('LHR');
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('JFK');
  await page.getByRole('textbox', { name: 'Passengers', exact: true }).fill('2');
  const file = (name) => ({ name, mimeType: 'application/pdf', buffer: Buffer.from(name) });
  const add = page.locator('input[type=file]');
  await page.getByRole('button', { name: 'Add files as evidence' }).waitFor();
  await add.setInputFiles([file('invoice.pdf')]);
  await until('it is named', async () =>
    /^invoice\.pdf \[/.test(await page.getByRole('textbox', { name: 'Evidence', exact: true }).inputValue()),
  );
  await add.setInputFiles([file('boarding passes.pdf')]);
  await page.getByRole('button', { name: 'New row' }).click(); // a row is saved when it is left
  await until('both are stored', async () => {
    const { items } = await the.server.api('user', 'GET', `/events/${id}/flights`);
    return items[0]?.evidence?.map((e) => e.name).join() === 'invoice.pdf,boarding passes.pdf';
  });
});

test('what cannot be withdrawn or undone any more says so, in the sheet and on a phone', async () => {
  const id = await the.server.event('Too late');
  const path = `/events/${id}/flights`;
  const { _id } = await the.server.api('user', 'POST', path, { from: 'LHR', to: 'JFK', passengers: 2 });
  await the.server.api('user', 'POST', `${path}/${_id}/submit`, {});
  const { page } = await visit('user', `/events/${id}/sheet`);
  const withdraw = page.getByRole('button', { name: 'Withdraw' });
  await withdraw.waitFor();
  await the.server.api('manager', 'POST', `${path}/${_id}/approve`, {});
  await withdraw.click();
  await page.getByRole('alert').filter({ hasText: 'approved' }).waitFor();
  const phone = await visit('user', `/events/${id}/sheet`, { viewport: { width: 360, height: 740 } });
  await phone.page.getByRole('button', { name: 'New row' }).click();
  for (const [name, text] of Object.entries({ From: 'LHR', To: 'DUB', Passengers: '3' }))
    await phone.page.getByLabel(name, { exact: false }).first().fill(text);
  await phone.page.getByRole('button', { name: 'Previous row' }).click(); // a row is saved when it is left
  const saved = await until('it is saved', async () => {
    const { items } = await the.server.api('user', 'GET', path);
    return items.find((r) => r._id !== _id);
  });
  await phone.page.getByText('All changes saved').waitFor();
  await the.server.api('user', 'PATCH', `${path}/${saved._id}`, { passengers: 4 });
  for (let steps = 0; steps < 3; steps++) await phone.page.getByRole('button', { name: 'Undo' }).click();
  await phone.page.getByText('This step cannot be undone').waitFor();
});

test('on a phone a row among many is gone to by its number, and a new one begun from any', async () => {
  const id = await the.server.event('Many on a phone');
  const items = Array.from({ length: 12 }, (_, n) => ({ from: 'LHR', to: 'JFK', passengers: n + 1 }));
  await the.server.api('user', 'POST', `/events/${id}/flights/batch`, { items });
  const { page } = await visit('user', `/events/${id}/sheet`, { viewport: { width: 390, height: 844 } });
  await page.getByText('Row 1 of 12').waitFor();
  const go = page.getByLabel('Go to row, 1 to 12');
  await go.fill('9');
  await go.press('Enter');
  await page.getByText('Row 9 of 12').waitFor();
  await go.fill('99');
  await go.press('Enter');
  await page.getByText('Row 12 of 12').waitFor();
  await page.getByRole('button', { name: 'Previous row' }).click();
  await page.getByRole('button', { name: 'New row' }).click();
  await until('the row is new', async () => (await page.getByLabel('From').inputValue()) === '');
  // Who comes back is where the typing ended, not at the first row.
  await page.getByLabel('From').fill('XQX');
  await page.getByText('Row 13 of 13').waitFor();
  await page.getByText('One row is not saved yet').waitFor();
  await page.reload();
  await until('the row is there again', async () => (await page.getByLabel('From').inputValue()) === 'XQX');
});

test('the notice that the server is away can be closed, and goes when it answers', async () => {
  const id = await the.server.event('Away');
  const { page } = await visit('user', `/events/${id}/sheet`);
  await grid(page).waitFor();
  const notice = page.locator('.updated');
  const away = (route) => route.abort();
  await page.route('**', away);
  await page.getByRole('link', { name: 'Footprint' }).click();
  // What the pointer comes to be over on a phone would be asked for as well.
  await page.mouse.move(640, 700);
  await notice.getByText('The server cannot be reached').waitFor();
  await axe(page, 'the notice that the server is away');
  // On a phone it leaves the tabs free.
  await page.setViewportSize({ width: 390, height: 844 });
  const [tabs, shown] = [await page.locator('.tabs').boundingBox(), await notice.boundingBox()];
  assert.ok(tabs.y + tabs.height <= shown.y && shown.y + shown.height <= 844, JSON.stringify({ tabs, shown }));
  await page.setViewportSize({ width: 1280, height: 800 });
  // Asking in vain leaves it there: there is nothing to reload from.
  await notice.getByRole('button', { name: 'Try again' }).click();
  await notice.getByRole('button', { name: 'Close' }).click();
  await notice.waitFor({ state: 'detached' });
  await page.unroute('**', away);
  // The part of the console that was missing comes by itself, closed or not.
  await page.getByRole('heading', { name: 'No footprint yet' }).waitFor();
  await page.route('**', away);
  await page.getByRole('link', { name: 'Report', exact: true }).click();
  await notice.getByText('The server cannot be reached').waitFor();
  await page.unroute('**', away);
  await notice.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Nothing to report yet' }).waitFor();
});
