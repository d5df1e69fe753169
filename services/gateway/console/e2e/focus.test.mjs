// The focus of who uses the keyboard only: it is never lost, and goes on where the work does.
import assert from 'node:assert/strict';
import { anonymous, follow, test, the, until, visit } from './setup.mjs';

const has = (what, locator) =>
  until(`the focus is on ${what}`, () => locator.evaluate((e) => e === document.activeElement));

const main = (page) => page.locator('#main');

test('the focus stays at a button whose request failed, and is in the page once its form is gone', async () => {
  const { page } = await anonymous('/');
  await page.getByLabel('Email').fill('manager@demo.test');
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  const button = page.getByRole('button', { name: 'Sign in', exact: true });
  await button.press('Enter');
  await page.getByText('Incorrect email or password.').waitFor();
  await has('the button', button);
  await page.getByLabel('Password', { exact: true }).fill(the.server.password);
  await button.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  await has('the page', main(page));
});

test('the focus of a review goes on in the queue', async () => {
  const id = await the.server.event('Focus');
  for (const passengers of [1, 2, 3, 4]) {
    const path = `/events/${id}/flights`;
    const { _id } = await the.server.api('user', 'POST', path, { from: 'LHR', to: 'JFK', passengers });
    await the.server.api('user', 'POST', `${path}/${_id}/submit`, {});
  }
  const { page } = await visit('manager');
  await page.getByRole('link', { name: /^Focus/ }).press('Enter');
  await has('the sheet', page.getByRole('grid'));
  await follow(page, `/events/${id}/review`);
  await has('the page, since the sheet is gone', main(page));

  const queue = page.getByRole('listbox');
  const at = async (position) =>
    until(
      `record ${position} is looked at`,
      async () => (await page.getByRole('option', { selected: true }).getAttribute('aria-posinset')) === `${position}`,
    );
  await page.getByRole('option').nth(1).click();
  await has('the queue', queue);
  await page.keyboard.press('j');
  await at(3);
  await page.keyboard.press('End');
  await at(4);
  await page.keyboard.press('Home');
  await at(1);
  await page.keyboard.press('a');
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await has('the queue again', queue);

  for (const key of [' ', 'j', ' ']) await page.keyboard.press(key);
  await page.getByRole('button', { name: 'Approve 2' }).press('Enter');
  await has('what the dialog is for', page.getByRole('dialog').getByRole('button', { name: 'Approve' }));
  await page.keyboard.press('Escape');

  await page.getByRole('radio', { name: 'Waiting' }).press('ArrowRight');
  await page.waitForURL('**/review?show=approved');
  await has('the outcome', page.getByRole('radio', { name: 'Approved' }));
  await page.keyboard.press('ArrowRight');
  await page.waitForURL('**/review?show=changes_requested');
  await has('the next outcome', page.getByRole('radio', { name: 'Sent back' }));
});

test('who goes along the types of a sheet by keys goes on along them', async () => {
  const { page } = await visit('manager', `/events/${await the.server.example()}/sheet`);
  const tab = (name) => page.getByRole('tab', { name });
  await has('the sheet', page.getByRole('grid'));
  await page.getByRole('tab', { selected: true }).press('ArrowRight');
  await page.getByRole('grid', { name: 'Sheet: Accommodation' }).waitFor();
  await has('the tab', tab('Accommodation'));
  await page.keyboard.press('ArrowRight');
  await page.getByRole('grid', { name: 'Sheet: Venue' }).waitFor();
  await has('the next tab', tab('Venue'));
  await tab('Flights').click();
  await has('the sheet', page.getByRole('grid', { name: 'Sheet: Flights' }));
});

test('however fast records are approved, the queue stays in view', async () => {
  const id = await the.server.event('Fast');
  for (let passengers = 1; passengers <= 12; passengers++) {
    const path = `/events/${id}/flights`;
    const { _id } = await the.server.api('user', 'POST', path, { from: 'LHR', to: 'JFK', passengers });
    await the.server.api('user', 'POST', `${path}/${_id}/submit`, {});
  }
  const { page } = await visit('manager', `/events/${id}/review`);
  const queue = page.getByRole('listbox');
  await page.getByRole('option', { selected: true }).waitFor();
  await queue.focus();
  for (let left = 11; left > 1; left--) {
    await page.keyboard.press('a');
    await page.getByRole('listbox', { name: `Queue, ${left} records` }).waitFor();
  }
  const undo = page.getByRole('button', { name: 'Undo' });
  assert.ok((await undo.count()) > 1);
  const bar = await page.locator('.undobar').boundingBox();
  assert.ok(bar.height < 160, `the bar is ${bar.height} high`);
  // The latest is the first: it is what is most likely undone.
  assert.match(await page.locator('.undobar').innerText(), /^Approving in \d+ s: LHR · JFK · 3 passengers/);
});
