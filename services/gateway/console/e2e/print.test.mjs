// Pages on paper: whole tables in dark ink, without what is for pressing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, the, until, visit } from './setup.mjs';

const count = 90; // several pages, and more than the screen has
const flights = Array.from({ length: count }, (_, n) => ({
  from: 'LHR',
  to: 'JFK',
  passengers: n + 1,
  description: `Group ${n + 1} of the delegation from the north`,
}));

async function made(title) {
  const id = await the.server.event(title);
  await the.server.api('user', 'POST', `/events/${id}/flights/batch`, { items: flights });
  return id;
}

/** Prints the page as a browser does, and returns the text of each page of paper; PAPER=folder keeps the document, to be looked at. */
async function printed(page, name) {
  const folder = process.env.PAPER ?? mkdtempSync(join(tmpdir(), 'ecf-paper-'));
  const path = join(folder, `${name}.pdf`);
  await page.pdf({ path, preferCSSPageSize: true });
  try {
    return execFileSync('pdftotext', ['-layout', path, '-'], { encoding: 'utf8' }).split('\f').slice(0, -1);
  } catch (cause) {
    if (cause.code !== 'ENOENT') throw cause;
    return undefined; // the table below is checked all the same
  } finally {
    if (!process.env.PAPER) rmSync(folder, { recursive: true });
  }
}

/** What a printed page consists of. */
async function onPaper(page) {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const seen = await page.evaluate(() => {
    const table = document.querySelector('.printed');
    const wide = (e) => e.getBoundingClientRect();
    return {
      rows: table.querySelectorAll('tbody tr').length,
      headings: [...table.querySelectorAll('thead th')].map((h) => h.innerText.trim()),
      first: [...table.querySelector('tbody tr').children].map((c) => c.innerText.trim()),
      buttons: [...document.querySelectorAll('button, a, input, [role=grid], [role=listbox]')].filter((e) =>
        e.checkVisibility(),
      ).length,
      beyond: wide(table).right - document.documentElement.clientWidth,
      ink: getComputedStyle(table.querySelector('td')).color,
    };
  });
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await until('the screen is as before', async () => (await page.locator('.printed').count()) === 0);
  await page.emulateMedia({ media: null });
  return seen;
}

test('the sheet is printed with all of its rows and the columns that are filled, also from a dark page', async () => {
  const id = await made('Paper');
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`, { colorScheme: 'dark' });
  await page.getByText('All changes saved').waitFor();
  const seen = await onPaper(page);
  assert.equal(seen.rows, count);
  assert.deepEqual(seen.headings, ['Row', 'From', 'To', 'Passengers', 'Description', 'kg CO₂e', 'State']);
  assert.deepEqual(seen.first.slice(0, 4), ['1', 'LHR', 'JFK', '1']);
  assert.equal(seen.buttons, 0);
  assert.ok(seen.beyond <= 0, `the table is ${seen.beyond} px too wide`);
  const [r, g, b] = seen.ink.match(/\d+/g).map(Number);
  assert.ok(r + g + b < 200, `printed in ${seen.ink}`);
  const pages = await printed(page, 'sheet');
  if (pages) {
    assert.ok(pages.length > 1);
    assert.ok(pages.at(-1).includes(`Group ${count} of the delegation`), pages.at(-1));
    for (const p of pages) assert.match(p, /Passengers/, 'the headings are on each page');
  }
});

test('the report is printed whole by the browser as well, and the footprint in dark ink without what is for pressing', async () => {
  const id = await the.server.event('Report on paper');
  await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/report`, { colorScheme: 'dark' });
  const report = page.frameLocator('iframe');
  const last = await report.locator('h2').last().innerText();
  const pages = await printed(page, 'report');
  if (pages) {
    assert.match(pages[0], /Carbon footprint report/, 'the first page is that of the report');
    assert.doesNotMatch(pages.join(), /Checklist|Your statement/);
    assert.ok(pages.join().includes(last), `${last} is not on paper`);
  }
  await page.goto(`/events/${id}/footprint`);
  await page.getByRole('heading', { name: 'What if' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  const seen = await page.evaluate(() => ({
    inks: [...document.querySelectorAll('.mantine-Alert-message')].map((e) => getComputedStyle(e).color),
    fields: [...document.querySelectorAll('input, select')].filter((e) => e.checkVisibility()).length,
    bar: getComputedStyle(document.querySelector('.bars .bar')).printColorAdjust,
  }));
  assert.ok(seen.inks.length > 0);
  assert.deepEqual([...new Set(seen.inks)], ['rgb(0, 0, 0)']);
  assert.equal(seen.fields, 0);
  assert.equal(seen.bar, 'exact');
});

test('the queue is printed whole, with what a decision needs', async () => {
  const id = await made('Queue on paper');
  const { items } = await the.server.api('user', 'GET', `/events/${id}/flights?limit=100`);
  await the.server.api('user', 'POST', `/events/${id}/flights/submit`, { ids: items.map((r) => r._id) });
  const { page } = await visit('manager', `/events/${id}/review`);
  await page.locator('.queue [role=option]').first().waitFor();
  const seen = await onPaper(page);
  assert.equal(seen.rows, count);
  assert.deepEqual(seen.first.slice(0, 2), ['1', 'Flights']);
  assert.match(seen.first[2], /LHR/);
  assert.equal(seen.first[3], 'Demo user');
  assert.equal(seen.buttons, 0);
  assert.ok(seen.beyond <= 0, `the table is ${seen.beyond} px too wide`);
  const pages = await printed(page, 'queue');
  if (pages) {
    assert.ok(pages.length > 1);
    for (const p of pages) assert.match(p, /Recorded by/, 'the headings are on each page');
  }
});

test('a comparison and the list of people are printed without what is for pressing', async () => {
  const [one, other] = [await the.server.event('One'), await the.server.event('Other')];
  await the.server.approved(one);
  await the.server.event('A third to choose'); // there is something to replace the two with
  const { page } = await visit('admin', `/compare?events=${one},${other}`);
  await page.getByRole('rowheader', { name: 'Flights' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('main').locator('button, select').filter({ visible: true }).count(), 0);
  await page.getByText('One', { exact: true }).waitFor();
  await page.goto('/organization?tab=members');
  await page.getByRole('row', { name: /Demo user/ }).waitFor();
  assert.equal(await page.locator('table button').filter({ visible: true }).count(), 0);
  assert.equal(await page.getByRole('combobox', { name: 'Role of Demo user' }).inputValue(), 'Member');
});
