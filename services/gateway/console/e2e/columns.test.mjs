// Files whose headings mean nothing, or not what is meant: which column is which is chosen.
import assert from 'node:assert/strict';
import { axe, cell, grid, test, the, until, visit } from './setup.mjs';

const choose = (page, name, content) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
const book = new URL('./testdata/bins.xlsx', import.meta.url).pathname;
const records = (id, type) => the.server.api('user', 'GET', `/events/${id}/${type}`);

test('the columns of any sheet of a workbook are chosen, once for each kind of sheet', async () => {
  const id = await the.server.event('Bins');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`);
  await grid(page).waitFor();
  await page.locator('input[type=file]').setInputFiles(book);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('row', { name: /^Read me first The bins/ }).waitFor();
  const sheet = dialog.getByLabel('Sheet');
  assert.deepEqual(await sheet.locator('option').allInnerTexts(), [
    'Notes (2 rows)',
    'Bins (4 rows)',
    'Winter (2 rows, hidden)',
  ]);
  assert.equal(await sheet.inputValue(), 'Notes');
  await sheet.focus();
  await page.keyboard.type('B');
  await dialog.getByLabel('Import Went where as').waitFor();
  // Whoever goes through the sheets with the keyboard is not led away from their list.
  assert.equal(await sheet.evaluate((e) => e === document.activeElement && e.value), 'Bins');
  await dialog.getByLabel('Import Went where as').selectOption('treatment');
  await dialog.getByLabel('Import How much (t) as').selectOption('weightKg');
  await axe(page, 'the columns of a sheet');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('Ignored columns: Hall.').waitFor();
  await dialog.getByText('The headings are in row 3; the rows above are ignored.').waitFor();
  // What was chosen can be looked at again, and chosen anew.
  await dialog.getByRole('button', { name: 'Match the columns' }).click();
  assert.equal(await dialog.getByLabel('Import Went where as').inputValue(), 'treatment');
  await dialog.getByLabel('Import Hall as').selectOption('description');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  assert.deepEqual(
    (await records(id, 'waste')).items.map((r) => [r.treatment, r.weightKg, r.description]),
    [
      ['recycling', 2000, 'B'],
      ['landfill', 1500, 'A'],
    ],
  );

  const again = await the.server.event('Bins again');
  await page.goto(`/events/${again}/sheet?type=waste`);
  await grid(page).waitFor();
  await page.locator('input[type=file]').setInputFiles(book);
  await dialog.getByRole('row', { name: /^Read me first/ }).waitFor();
  await sheet.selectOption('Bins');
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  // One sheet was imported; the next one is chosen from the same list.
  await page.locator('input[type=file]').setInputFiles(book);
  await sheet.selectOption('Bins');
  await dialog.getByText('This file was already imported').waitFor();
  await sheet.selectOption('Winter');
  await dialog.getByText('The sheet "Winter" is hidden in the workbook.').waitFor();
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await dialog.getByText('One row was imported.').waitFor();
  assert.equal((await records(again, 'waste')).items.length, 3);
});

test('the sheet of a workbook is chosen in a narrow window, in German', async () => {
  const id = await the.server.event('Bins on the way');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`, { locale: 'de-DE' });
  await grid(page).waitFor();
  const dialog = page.getByRole('dialog');
  await page.locator('input[type=file]').setInputFiles(book);
  const sheet = dialog.getByLabel('Blatt');
  await sheet.waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await sheet.locator('option', { hasText: 'Winter (2 Zeilen, ausgeblendet)' }).waitFor({ state: 'attached' });
  await sheet.selectOption('Bins');
  const { width: choice } = await dialog.getByLabel('Ziel für Went where').boundingBox();
  assert.ok(choice > 250, `what a column is stands in ${choice} pixels`);
  await axe(page, 'the sheets of a workbook in a narrow window');
  const { width } = await sheet.boundingBox();
  assert.ok(width > 300, `the list is ${width} pixels wide`);
});

test('a column that was read is left out, or is another field, and a field is one column', async () => {
  const id = await the.server.event('Other columns');
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`);
  await grid(page).waitFor();
  await choose(page, 'flights.csv', 'from,to,passengers,description\nLHR,JFK,2,x\n');
  const dialog = page.getByRole('dialog');
  // The server reads all of it, so nothing is asked.
  await dialog.getByText('One row can be imported.').waitFor();
  await dialog.getByRole('button', { name: 'Match the columns' }).click();
  await dialog.getByLabel('Import to as').selectOption('from');
  assert.equal(await dialog.getByLabel('Import from as').inputValue(), '');
  await dialog.getByLabel('Import from as').selectOption('to');
  await dialog.getByLabel('Import description as').selectOption('');
  await dialog.getByRole('button', { name: 'Add one row' }).click();
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await dialog.getByText('One row was imported.').waitFor();
  const [flight] = (await records(id, 'flights')).items;
  assert.deepEqual([flight.from, flight.to, flight.description], ['JFK', 'LHR', undefined]);
});

test('where people live is chosen, and of whom a name is left out is not asked', async () => {
  const id = await the.server.event('People');
  const { page } = await visit('user', `/events/${id}/sheet?type=attendee-travel`);
  await grid(page).waitFor();
  const dialog = page.getByRole('dialog');
  await choose(page, 'people.csv', 'Who,Lives\nAnn,Bonn\nBob,Lyon\n');
  await dialog.getByLabel('Import Lives as').selectOption('place');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByLabel('Travel to').fill('London, GB');
  await dialog.getByLabel('Travel to').press('Tab');
  await dialog.getByText('2 rows can be imported.').waitFor();
  await dialog.getByText('Ignored columns: Who.').waitFor();
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  assert.equal((await records(id, 'attendee-travel')).items[0].originSet.people, 2);
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  await choose(page, 'more.csv', 'Name,Town\nAnn,Paris\n');
  // Nothing has failed: the field says what is missing.
  await dialog.getByRole('alert').getByText('Travel to is required because the event has no place.').waitFor();
  assert.equal(await dialog.getByText('Something went wrong').count(), 0);
  await dialog.getByLabel('Travel to').fill('London, GB');
  await dialog.getByLabel('Travel to').press('Tab');
  await dialog.getByText('One row can be imported.').waitFor();
});

test('an import stays open where the window becomes narrow, and what is being typed into a cell is kept', async () => {
  const id = await the.server.event('Turned');
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`);
  await grid(page).waitFor();
  const wide = page.viewportSize();
  const narrow = { width: 390, height: 844 };
  await choose(page, 'flights.csv', 'from,to,passengers,description\nLHR,JFK,2,x\n');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('One row can be imported.').waitFor();
  await page.setViewportSize(narrow);
  await dialog.getByRole('button', { name: 'Match the columns' }).click();
  await dialog.getByLabel('Import description as').selectOption('externalReference');
  await page.setViewportSize(wide);
  await page.setViewportSize(narrow);
  assert.equal(await dialog.getByLabel('Import description as').inputValue(), 'externalReference');
  await dialog.getByRole('button', { name: 'Add one row' }).click();
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await dialog.getByText('One row was imported.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('Row 1 of 1').waitFor();

  await page.setViewportSize(wide);
  await grid(page).waitFor();
  await cell(page, 2, 1).click();
  await page.keyboard.type('AMS');
  await page.setViewportSize(narrow);
  await page.getByRole('button', { name: 'Next row' }).click();
  assert.equal(await page.getByLabel('From').inputValue(), 'AMS');
});

test('a file in another encoding is read in the one that is chosen, and a document that is no table is named', async () => {
  const id = await the.server.event('Encodings');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`);
  await grid(page).waitFor();
  const send = (name, buffer) => page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
  const dialog = page.getByRole('dialog');
  // Łódź and Poznań in Windows-1250.
  const polish = 'treatment,weightKg,description\nlandfill,1,\xa3\xf3d\x9f\nlandfill,2,Pozna\xf1\n';
  await send('odpady.csv', Buffer.from(polish, 'latin1'));
  await dialog.getByRole('button', { name: 'Read as Central Europe (Windows-1250)' }).click();
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await until('the rows are in the sheet', async () => /Łódź[\s\S]*Poznań/.test(await grid(page).innerText()));
  await send('odpady.csv', Buffer.from('<html><table><tr><td>treatment</td></tr></table>'));
  await dialog.getByText('The file is a web page (HTML)').waitFor();
});

test('which column of a workbook is which is asked before one is left out', async () => {
  const id = await the.server.event('Stays');
  const { page } = await visit('user', `/events/${id}/sheet?type=accommodation`);
  await grid(page).waitFor();
  await page.locator('input[type=file]').setInputFiles(new URL('./testdata/stays.xlsx', import.meta.url).pathname);
  const dialog = page.getByRole('dialog');
  // The day of arrival says nothing of a stay without that of departure; days stand as days.
  const arrival = dialog.getByRole('row', { name: /^Anreise 2026-09-01/ });
  assert.equal(await arrival.getByRole('combobox').inputValue(), '');
  await dialog.getByText('2 rows were found.').waitFor();
  await axe(page, 'the columns of a workbook');
  await arrival.getByRole('combobox').selectOption('date');
  await dialog.getByLabel('Import Rooms booked as').selectOption('rooms');
  await dialog.getByRole('button', { name: 'Add 2 rows' }).click();
  await dialog.getByText('Ignored columns: Guest house, Remark.').waitFor();
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  const { items } = await the.server.api('user', 'GET', `/events/${id}/accommodation`);
  assert.deepEqual(
    items.map((r) => [r.date, r.rooms, r.nights]),
    [
      ['2026-09-02', 1, 2],
      ['2026-09-01', 2, 3],
    ],
  );
});

test('the headings of a file are found below its title, and a column without one is named', async () => {
  const id = await the.server.event('Titles');
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`);
  await grid(page).waitFor();
  await choose(page, 'flights.csv', 'sep=;\nFlights, spring 2026\n\nOrigin;Destination;PAX\nLHR;JFK;2\nLHR;JKF;2\n');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The headings are in row 3; the rows above are ignored.').waitFor();
  await dialog.getByRole('row', { name: /^5 .*JKF/ }).waitFor();
  await dialog.getByRole('button', { name: 'Import one row' }).click();
  await dialog.getByText('One row was imported.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await until('it is in the sheet', async () => (await cell(page, 1, 1).innerText()).includes('LHR'));
  await choose(page, 'more.csv', 'from,to,passengers,\nLHR,JFK,2,x\n');
  await page.getByRole('button', { name: 'Add one row' }).click();
  await dialog.getByText('Ignored columns: column D (without a heading).').waitFor();
});
