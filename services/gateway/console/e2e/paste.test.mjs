// Cells that are copied from a spreadsheet are stored as they stood there, each in its place.
import assert from 'node:assert/strict';
import { cell, grid, paste, says, test, the, until, visit } from './setup.mjs';

/** Returns the position of a column by its heading. */
const columnOf = async (page, heading) =>
  (await page.getByRole('columnheader').allInnerTexts()).findIndex((h) => h.split('\n')[0].startsWith(heading));

test('a column with decimal commas, sentences and gaps stays one column', async () => {
  const id = await the.server.event('One column');
  for (const passengers of [1, 2, 3])
    await the.server.api('user', 'POST', `/events/${id}/ground-transport`, {
      mode: 'rail',
      distanceKm: 10 * passengers,
      passengers,
    });
  await visit('user'); // signs in, in English
  const { page } = await visit('user', `/events/${id}/sheet?type=ground-transport`, {
    locale: 'de-DE',
    viewport: { width: 4_000, height: 800 }, // all columns are drawn
  });
  await grid(page).waitFor();
  const distance = await columnOf(page, 'Entfernung');
  const text = await columnOf(page, 'Beschreibung');
  const first = await Promise.all([1, 2, 3].map((n) => cell(page, n, distance).locator('.celltext').innerText()));
  await cell(page, 1, distance).click();
  await paste(page, '1,5\r\n\r\n2,75\r\n');
  await says(page, 1, distance, '1,5');
  await says(page, 2, distance, '');
  await says(page, 3, distance, '2,75');
  await page.keyboard.press('Control+z');
  for (const [n, was] of first.entries()) await says(page, n + 1, distance, was);
  await page.keyboard.press('Control+y');
  await says(page, 2, distance, '');
  await cell(page, 1, text).click();
  await paste(page, 'Bus, hin und zurück\n"Zwei\nZeilen, und ""Zitat"""\n"Grand" Hotel; Taxi\n');
  await cell(page, 2, distance).click();
  await page.keyboard.type('0,5');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+End');
  const stored = async () =>
    (await the.server.api('user', 'GET', `/events/${id}/ground-transport`)).items
      .sort((a, b) => a.passengers - b.passengers)
      .map((r) => [r.distanceKm, r.description]);
  await until('all three are stored', async () => (await stored()).every(([, d]) => d !== undefined && d !== ''));
  assert.deepEqual(await stored(), [
    [1.5, 'Bus, hin und zurück'],
    [0.5, 'Zwei\nZeilen, und "Zitat"'],
    [2.75, '"Grand" Hotel; Taxi'],
  ]);
});

test('days with the month first are read so in all rows of a column where one tells it', async () => {
  const id = await the.server.event('Month first');
  const { page } = await visit('user', `/events/${id}/sheet?type=ground-transport`, {
    viewport: { width: 4_000, height: 800 },
  });
  await grid(page).waitFor();
  const at = await Promise.all(['Mode', 'Distance', 'Passengers', 'Date'].map((h) => columnOf(page, h)));
  const days = ['01/02/2026', '12/31/2026', '03/04/2026'];
  const line = (day) => {
    const cells = Array(Math.max(...at)).fill('');
    for (const [n, text] of ['rail', '10', '2', day].entries()) cells[at[n] - 1] = text;
    return cells.join('\t');
  };
  await paste(page, days.map(line).join('\r\n'));
  await page.keyboard.press('Control+End');
  const stored = async () => (await the.server.api('user', 'GET', `/events/${id}/ground-transport`)).items;
  await until('all are stored', async () => (await stored()).length === 3);
  assert.deepEqual((await stored()).map((r) => r.date).sort(), ['2026-01-02', '2026-03-04', '2026-12-31']);
});

test('a day that cannot be read is shown on a phone as it was pasted', async () => {
  const id = await the.server.event('Unread day');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`, { viewport: { width: 4_000, height: 800 } });
  await grid(page).waitFor();
  await cell(page, 1, await columnOf(page, 'Date')).click();
  await paste(page, '31.02.2026');
  await page.getByRole('gridcell', { name: '31.02.2026' }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const day = page.getByLabel('Date', { exact: true });
  await until('it is shown', async () => (await day.inputValue().catch(() => '')) === '31.02.2026');
  await day.fill('2026-02-28');
  assert.equal(await day.getAttribute('type'), 'date');
});
