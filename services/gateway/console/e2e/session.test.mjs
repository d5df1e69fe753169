// Signing in and out, and sessions that end.
import assert from 'node:assert/strict';
import { signIn } from './browser.mjs';
import { anonymous, grid, says, test, the, until, visit } from './setup.mjs';

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
  const { page } = await anonymous();
  await signIn(page, email, password);
  await page.goto(`/events/${id}/sheet`);
  await grid(page).focus();
  await page.keyboard.type('LHR');
  await page.keyboard.press('Tab');
  await page.keyboard.type('CDG');
  await page.keyboard.press('Tab');
  // The cell is being typed in when the session ends: the dialog may take the focus at any moment from here.
  await page.keyboard.type('2');
  await the.server.api('admin', 'PATCH', `/users/${made._id ?? made.user._id}`, { disabled: true });
  await the.server.api('admin', 'PATCH', `/users/${made._id ?? made.user._id}`, { disabled: false });
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await says(page, 1, 3, '2'); // what was being typed is there
  await grid(page).focus();
  await page.keyboard.press('Control+End'); // a row is saved when it is left
  await until(
    'the row is saved',
    async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total === 1,
  );
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
