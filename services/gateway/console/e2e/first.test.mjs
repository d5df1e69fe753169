// The first minutes of an organization: who they are, an event, records, a figure and its report.
import assert from 'node:assert/strict';
import { signIn } from './browser.mjs';
import { anonymous, axe, cell, grid, test, the } from './setup.mjs';

test('an organization that has nothing is led to its first report', async () => {
  await the.server.setPassword(the.server.organization('First Ltd', 'first@first.test'), the.server.password);
  const { page } = await anonymous('/');
  await signIn(page, 'first@first.test', the.server.password);
  // The first account has no name, and what it decides and signs would have none.
  await page.getByRole('textbox', { name: 'Your name' }).fill('Fiona First');
  await axe(page, 'the first page', ['light']);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('textbox', { name: 'Your name' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'New event' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('First fair');
  await dialog.getByLabel('First day').fill('2026-09-01');
  // What the figure is meant to cover is asked of who wants to say so.
  assert.equal(await dialog.getByRole('checkbox', { name: 'Venue' }).count(), 0);
  await dialog.getByRole('button', { name: 'New event' }).click();
  await page.getByRole('heading', { level: 1, name: 'First fair' }).waitFor();
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Sheet', exact: true }).last().click();
  await page.getByRole('tab', { name: /^Attendee travel/ }).click();
  const head = page.getByRole('columnheader', { name: /Origins/ });
  const destination = page.getByRole('columnheader', { name: /^To/ });
  await grid(page).waitFor();
  const at = async (h) => Number(await h.first().getAttribute('aria-colindex')) - 1;
  await cell(page, 1, await at(head)).click();
  await page.keyboard.type('12 Manchester, GB (rail); 3 Berlin, DE (plane)');
  await page.keyboard.press('Tab');
  await cell(page, 1, await at(destination)).click();
  await page.keyboard.type('London, GB');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Submit one row' }).click();
  await page.getByText('One row is now waiting for review.').waitFor();
  await page.getByRole('link', { name: 'Review' }).click();
  // Where the people come from is there to decide on, and who says so.
  const main = page.getByRole('main');
  await main.getByRole('rowheader', { name: 'Manchester, GB' }).waitFor();
  await main
    .getByText(/Fiona First, /)
    .first()
    .waitFor();
  await main.getByText('15 people from 2 places').first().waitFor();
  await axe(page, 'origins to decide on');
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page
    .getByText(/15 people from 2 places/)
    .first()
    .waitFor();
  await main.getByRole('link', { name: 'Footprint', exact: true }).last().click();
  await main.getByText(/^With 95 % certainty/).waitFor();
  await page.getByRole('link', { name: 'Sign and report' }).click();
  // What the checklist misses is given in the form that it opens.
  await main.getByRole('button', { name: 'The boundary is not stated' }).click();
  await dialog.getByRole('checkbox', { name: 'State what the footprint is meant to cover' }).check();
  await dialog.getByRole('checkbox', { name: 'Venue' }).uncheck();
  await dialog.getByLabel('Reason for excluding Venue').fill('Held outdoors.');
  await axe(page, 'the boundary');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await main.getByText('The boundary is stated').waitFor();
  await main.getByRole('button', { name: 'The number of attendees is not stated' }).click();
  await dialog.getByLabel('Attendees in person').fill('15');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await main.getByText('The number of attendees is stated').waitFor();
});
