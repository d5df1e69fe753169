// What is done in one tab, or by somebody else, while another tab is worked in.
import assert from 'node:assert/strict';
import { axe, cell, grid, says, test, the, visit } from './setup.mjs';

const flight = { from: 'LHR', to: 'JFK', passengers: 2 };

test('a file that is imported in two tabs is imported once, and again only if that is meant', async () => {
  const id = await the.server.event('Same file');
  const { page, context } = await visit('user', `/events/${id}/sheet`);
  const other = await context.newPage();
  await other.goto(`/events/${id}/sheet`);
  const buffer = Buffer.from('From,To,Passengers\nLHR,JFK,2\n');
  for (const p of [page, other]) {
    await grid(p).waitFor();
    await p.locator('input[type=file]').setInputFiles({ name: 'f.csv', mimeType: 'text/csv', buffer });
    await p.getByText('One row can be imported.').waitFor();
  }
  await page.getByRole('button', { name: 'Import one row' }).click();
  await page.getByText('One row was imported.').waitFor();
  const dialog = other.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await dialog.getByRole('alert').getByText('This file was already imported').waitFor();
  assert.equal(await dialog.getByText('may have been imported').count(), 0);
  const total = async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total;
  assert.equal(await total(), 1);
  await dialog.getByRole('button', { name: 'Import it again' }).click();
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await dialog.getByText('One row was imported.').waitFor();
  assert.equal(await total(), 2);
});

test('what is typed into a record that somebody deletes is told, led to, and there after a reload', async () => {
  const id = await the.server.event('Deleted');
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, flight);
  const { page } = await visit('user', `/events/${id}/sheet`);
  await cell(page, 1, 3).click();
  await page.keyboard.type('9');
  await the.server.api('user', 'DELETE', `/events/${id}/flights/${_id}`);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+End');
  const told = page.getByRole('status').filter({ hasText: 'One row is not saved as you typed it' });
  await told.waitFor();
  await page.reload();
  await says(page, 1, 3, '9');
  await page.keyboard.press('Control+End');
  await told.waitFor();
  await axe(page, 'a row that is not saved', ['light', 'dark']);
  await told.getByRole('button', { name: 'Show it' }).click();
  await page.getByRole('complementary', { name: 'Selected row' }).getByText('was deleted by somebody else').waitFor();
  assert.equal((await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total, 0);
  // Its writer gives it up.
  page.on('dialog', (asked) => void asked.accept());
  await page.getByRole('button', { name: 'Delete rows' }).click();
  await told.waitFor({ state: 'detached' });
  await page.getByText('All changes saved').waitFor();
});

test('on a phone it is said why a row was sent back, and why one cannot be saved', async () => {
  const id = await the.server.event('Sent back on a phone');
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, flight);
  await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
  const comment = 'The invoice names three people.';
  await the.server.api('manager', 'POST', `/events/${id}/flights/${_id}/request-changes`, { comment });
  const { page } = await visit('user', `/events/${id}/sheet`, { viewport: { width: 390, height: 844 } });
  await page.getByText(comment).waitFor();
  await page.getByLabel('Passengers').fill('3');
  await the.server.api('user', 'DELETE', `/events/${id}/flights/${_id}`);
  await page.getByRole('button', { name: 'Save row' }).click();
  await page.getByRole('alert').getByText('was deleted by somebody else').waitFor();
  assert.equal(await page.getByLabel('Passengers').inputValue(), '3');
});
