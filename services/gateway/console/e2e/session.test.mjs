// Signing in and out, and sessions that end.
import assert from 'node:assert/strict';
import { signIn } from './browser.mjs';
import { anonymous, endSession, grid, paste, says, signInAgain, test, the, until, visit } from './setup.mjs';

test('no script can read a token, and the cookies are not for scripts', async () => {
  const { page, context } = await visit('user');
  const seen = await page.evaluate(
    () => document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage),
  );
  const cookies = (await context.cookies()).filter((c) => c.name.startsWith(`ecf-${the.server.port}-`));
  assert.equal(cookies.length, 2);
  for (const c of cookies) {
    assert.ok(c.httpOnly && c.sameSite === 'Strict', c.name);
    assert.ok(!seen.includes(c.value), `${c.name} can be read`);
  }
});

test('a session that an administrator ends in mid-edit loses nothing', async () => {
  const email = `mid${Date.now()}@demo.test`;
  const made = await the.server.api('admin', 'POST', '/users', { email, name: 'Mid Edit', role: 'user' });
  const password = 'a quiet harbour at dawn';
  await the.server.setPassword(made.setupToken, password);
  const id = await the.server.event('Ended');
  const { page, context } = await anonymous();
  await signIn(page, email, password);
  await page.goto(`/events/${id}/sheet`);
  await grid(page).focus();
  await page.keyboard.type('LHR');
  await page.keyboard.press('Tab');
  await page.keyboard.type('CDG');
  await page.keyboard.press('Tab');
  await page.keyboard.type('2');
  // Nothing of the page is answered until its end is known everywhere: auth refuses a session at once, while a service that
  // has just asked about it accepts it for a moment longer, and would save the row.
  let ended;
  const end = new Promise((resolve) => {
    ended = resolve;
  });
  await page.route('**/session/**', async (route) => {
    await end;
    await route.continue();
  });
  await the.server.api('admin', 'PATCH', `/users/${made._id ?? made.user._id}`, { disabled: true });
  await the.server.api('admin', 'PATCH', `/users/${made._id ?? made.user._id}`, { disabled: false });
  await until('the session has ended where rows are saved', async () => {
    const save = await context.request.post(`/session/api/events/${id}/flights/batch`, {
      headers: { 'X-ECF-Console': '1', 'X-Dry-Run': 'true', 'Sec-Fetch-Site': 'same-origin', Origin: the.server.url },
      data: { items: [{ from: 'LHR', to: 'CDG', passengers: 2 }] },
    });
    return save.status() === 401;
  });
  const saved = async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total;
  assert.equal(await saved(), 0, 'the row was saved before the session ended');
  // One cell has been entered, and the next one is being typed in when the end becomes known: the dialog waits for a pause.
  await page.keyboard.press('Enter');
  await page.keyboard.type('5');
  const answered = page.waitForResponse((r) => r.status() === 401);
  ended();
  await answered;
  for (const key of '678') await page.keyboard.press(key, { delay: 100 });
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel('Email').inputValue(), '', 'keys that were meant for the cell');
  await page.getByText('Sign in again to continue. Your input is kept.').nth(1).waitFor();
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await says(page, 1, 3, '2');
  await says(page, 2, 3, '5678');
  await grid(page).focus();
  await page.keyboard.press('Control+End'); // a row is saved when it is left
  await until('the row is saved', async () => (await saved()) === 1);
});

test('signing out ends the session in all tabs', async () => {
  const { page, context } = await visit('user', '/', { fresh: true });
  const other = await context.newPage();
  await other.goto('/');
  await other.getByRole('heading', { name: 'Events' }).waitFor();
  await page.getByRole('button', { name: /account and settings/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Email').waitFor();
  await other.getByLabel('Email').waitFor();
  assert.equal((await context.cookies()).filter((c) => c.name.startsWith(`ecf-${the.server.port}-`)).length, 0);
});

test('signing in as somebody else reloads the other tabs, and shows nobody the drafts of another', async () => {
  const id = await the.server.event('Two people, one browser');
  const { page, context } = await visit('user', `/events/${id}/sheet`, { fresh: true });
  await paste(page, 'LHR\tXQX');
  await until('it is faulty', () => page.locator('[role=gridcell][aria-invalid=true]').count());
  await says(page, 1, 2, 'XQX');
  const other = await context.newPage();
  await other.goto('/');
  await other.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  const you = (p, name) => p.getByRole('button', { name: new RegExp(`${name}.*account and settings`) });
  await you(page, 'Demo user').waitFor();
  // The session ends, and somebody else takes the chair.
  await context.clearCookies();
  // Another request of the page may have found it out before, and the dialog be in front of the link.
  await other.getByRole('link', { name: 'Organization' }).dispatchEvent('click');
  await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await other.getByLabel('Email').fill('manager@demo.test');
  await other.getByLabel('Password', { exact: true }).fill(the.server.password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  for (const p of [other, page]) await you(p, 'Demo manager').waitFor();
  await grid(page).waitFor();
  await page.getByText('All changes saved').waitFor();
  await says(page, 1, 2, '');
});

test('a tab of the previous release offers to reload, and what was typed is kept', async () => {
  const id = await the.server.event('Previous release');
  const { page, faults } = await visit('user', `/events/${id}/sheet`);
  await paste(page, 'LHR\tXQX');
  await until('it is faulty', () => page.locator('[role=gridcell][aria-invalid=true]').count());
  // The files of this tab are gone from the server, as after an update: it answers with a 404 of its own.
  const gone = /\/assets\/(Footprint|EventForm)-/;
  const { status } = await fetch(`${the.server.url}/assets/none.js`);
  await page.route(gone, (route) => route.fulfill({ status }));
  await page.getByRole('link', { name: 'Footprint' }).click();
  const offer = page.getByRole('alert').filter({ hasText: 'A new version is available' });
  await offer.getByText('Your input is kept.').waitFor();
  await page.unroute(gone);
  const reloaded = page.waitForEvent('load');
  await offer.getByRole('button', { name: 'Reload' }).click();
  await reloaded; // it would interrupt the navigation below
  await page
    .getByText('Nothing is approved yet')
    .or(page.getByRole('link', { name: 'Sheet' }))
    .first()
    .waitFor();
  await page.goto(`/events/${id}/sheet`);
  await says(page, 1, 2, 'XQX');
  assert.deepEqual(faults, []);
});

test('where there were too many requests the page stays, and says when', async () => {
  const id = await the.server.event('Too many');
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'JFK',
    passengers: 2,
  });
  await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
  const { page } = await visit('manager', `/events/${id}/review`);
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByLabel(/^Reason( \*)?$/).fill('Half a sentence');
  await page.route('**/session/api/events/*/review*', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'Retry-After': '37', 'Content-Type': 'application/json' },
      body: JSON.stringify({
        success: false,
        error: { code: 'RATE_LIMITED', message: 'Too many requests.', requestId: 'r', docs: '/api/v2/docs' },
      }),
    }),
  );
  // The queue is read again by itself.
  await page.getByText('Too many requests. Try again in 37 seconds.').waitFor();
  assert.equal(await page.getByLabel(/^Reason( \*)?$/).inputValue(), 'Half a sentence');
  assert.equal(await page.locator('.queue [role=option]').count(), 1);
});

test('an import that nobody is signed in for says that it has not begun', async () => {
  const id = await the.server.event('Not begun');
  const { page, context } = await visit('user', `/events/${id}/sheet`, { fresh: true });
  await grid(page).waitFor();
  const buffer = Buffer.from('From,To,Passengers\nLHR,JFK,2\n');
  await page.locator('input[type=file]').setInputFiles({ name: 'f.csv', mimeType: 'text/csv', buffer });
  const dialog = page.getByRole('dialog', { name: 'Import f.csv' });
  await dialog.getByText('One row can be imported.').waitFor();
  await endSession(page, context);
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await signInAgain(page, 'user');
  await dialog.getByText('Your session had ended, so this was not done.').waitFor();
  assert.equal(await dialog.getByText('may have been imported').count(), 0);
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await dialog.getByText('One row was imported.').waitFor();
});

test('whoever signs in again in one tab goes on in the others', async () => {
  const id = await the.server.event('Two tabs');
  const { page, context } = await visit('user', `/events/${id}/sheet`, { fresh: true });
  await grid(page).focus();
  const other = await context.newPage();
  await other.goto(`/events/${id}/report`);
  await other.getByRole('heading', { level: 1 }).waitFor();
  await endSession(page, context);
  for (const key of ['LHR', 'CDG', '2']) {
    await page.keyboard.type(key);
    await page.keyboard.press('Tab');
  }
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await other.reload();
  await other.getByLabel('Email').fill('user@demo.test');
  await other.getByLabel('Password', { exact: true }).fill(the.server.password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  // The row that was typed is checked and saved by itself, without another key or a look at the tab.
  await until(
    'the row is saved',
    async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total === 1,
  );
});

test('the reason for a decision is there again for whoever typed it, after somebody else has signed in', async () => {
  const id = await the.server.event('Reason');
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'JFK',
    passengers: 2,
  });
  await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
  const { page, context } = await visit('manager', `/events/${id}/review`, { fresh: true });
  const reason = page.getByLabel(/^Reason( \*)?$/);
  const ask = () => page.getByRole('button', { name: 'Reject', exact: true }).click();
  await ask();
  await reason.fill('The invoice names');
  const over = async (who) => {
    await endSession(page, context);
    await page.getByRole('dialog', { name: 'Reject the record' }).getByRole('button', { name: 'Reject' }).click();
    const loaded = page.waitForEvent('load');
    await signInAgain(page, who);
    await loaded;
    await page.unroute('**/session/api/**');
    await ask();
    return reason.inputValue();
  };
  assert.equal(await over('admin'), '');
  await reason.fill('-');
  assert.equal(await over('manager'), 'The invoice names');
  await page.getByRole('dialog', { name: 'Reject the record' }).getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Nothing waits for a decision').waitFor();
  const kept = await page.evaluate(() => Object.entries(localStorage).filter(([k]) => k.startsWith('ecf.text.')));
  assert.deepEqual(
    kept.map(([, text]) => text),
    ['-'],
  );
});
