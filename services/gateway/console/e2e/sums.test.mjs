// Figures of what is typed, files on their way in, and the paper that people have.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signIn } from './browser.mjs';
import { axe, cell, flights, grid, paste, pasteTable, says, test, the, until, visit } from './setup.mjs';

const bar = (page) => page.getByRole('group', { name: 'Totals of the event' });
const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const choose = (page, name, content, type = 'text/csv') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: type, buffer: Buffer.from(content) });

/** Drags a file of the desktop over the sheet, and lets it go there. */
async function drop(page, name, content) {
  const dataTransfer = await page.evaluateHandle(
    ([called, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], called, { type: 'text/csv' }));
      return data;
    },
    [name, content],
  );
  await grid(page).dispatchEvent('dragover', { dataTransfer });
  await page.locator('[role=grid][data-dropping]').waitFor();
  await grid(page).dispatchEvent('drop', { dataTransfer });
  await page.locator('[role=grid]:not([data-dropping])').waitFor();
}

test('the sums move as one types, and say what the row would add', async () => {
  const id = await the.server.event('Sums');
  await the.server.approved(id);
  const { page } = await visit('user', `/events/${id}/sheet`);
  // When the sums were said, by what a screen reader follows.
  await page.evaluate(() => {
    window.said = [];
    new MutationObserver(() => {
      const text = document.querySelector('.bottombar [role=status]')?.textContent ?? '';
      if (text && text !== window.said.at(-1)?.text) window.said.push({ text, at: performance.now() });
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  await cell(page, 2, 1).click();
  await page.keyboard.type('CDG');
  await page.keyboard.press('Tab');
  await page.keyboard.type('JFK');
  await page.keyboard.press('Tab');
  await page.keyboard.type('9');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp'); // back: the row is at work, and perhaps not saved
  await page.getByText(/Approved: .* now, .* with this row/).waitFor();
  const expected = await the.server.api('user', 'POST', `/events/${id}/results/preview`, {
    items: [{ type: 'flights', fields: { from: 'CDG', to: 'JFK', passengers: 10 } }],
  });
  await page.keyboard.press('Home');
  await cell(page, 2, 3).click();
  await page.keyboard.type('10');
  await page.keyboard.press('Enter');
  await until('the drafts follow what is typed', async () =>
    (await bar(page).locator('[title]').nth(0).getAttribute('title'))?.startsWith(
      expected.rows[0].footprint.kgCO2e.toLocaleString('en-GB', { maximumFractionDigits: 6 }),
    ),
  );
  // All together is the server's sum, with its interval.
  await until('all together', async () => /Total · 2 rows/.test(await bar(page).innerText()));
  // They are said politely, and ten seconds apart however often they move.
  const said = () => page.evaluate(() => window.said.map((s) => s.at));
  await until('they were said', async () => (await said()).length > 0);
  for (const passengers of ['11', '12']) {
    await cell(page, 2, 3).click();
    await page.keyboard.type(passengers);
    await page.keyboard.press('Enter');
  }
  const times = await until('they were said again', async () => (await said()).length > 1 && said());
  for (const [n, at] of times.entries())
    if (n > 0) assert.ok(at - times[n - 1] >= 9_500, `said again after ${at - times[n - 1]} ms`);
});

test('a file that comes twice, dragged and chosen, is noticed, and its bad rows are mended', async () => {
  const id = await the.server.event('Twice');
  const { page } = await visit('user', `/events/${id}/sheet`);
  await grid(page).waitFor();
  const csv = 'From;To;PAX\nLHR;JFK;2\nCDG;JKF;3\nMAN;DUB;14\n';
  await drop(page, 'flights.csv', csv);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 rows can be imported.').waitFor();
  await dialog.getByRole('cell', { name: /JKF/ }).waitFor();
  await axe(page, 'an import');
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  await dialog.getByRole('button', { name: 'Correct the row in the sheet' }).click();
  await until('the bad row is in the sheet', async () => (await grid(page).innerText()).includes('JKF'));
  await until('its fault is in its cell', () => page.locator('[role=gridcell][aria-invalid=true]').count());
  await page.locator('[role=gridcell][aria-invalid=true]').first().click();
  await grid(page).focus();
  await page.keyboard.press('Alt+Enter');
  // The row is left downwards: it stands before or after those of the file, as these are read again.
  await page.keyboard.press('Control+End');
  await until(
    'three records',
    async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total === 3,
  );

  await choose(page, 'flights.csv', csv);
  await dialog.getByText('This file was already imported').waitFor();
  await dialog.getByRole('button', { name: 'Do not import' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.equal((await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total, 3);
  await choose(page, 'flights.csv', csv);
  await dialog.getByRole('button', { name: 'Import it again' }).click();
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  await dialog.getByRole('button', { name: 'Undo the import' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('2 records were removed.').waitFor();
  await until(
    'the second import is gone',
    async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total === 3,
  );

  // A document is no table: it is evidence of the row that it is dropped on, beside what was there.
  await grid(page).focus();
  await page.keyboard.press('Control+Home');
  await choose(page, 'Invoice 7.pdf', '%PDF-1.7 seven', 'application/pdf');
  await page.getByText('The document is evidence of row 1.').waitFor();
  await choose(page, 'Invoice 8.pdf', '%PDF-1.7 eight', 'application/pdf');
  await page.locator('[role=gridcell][aria-selected=true]').filter({ hasText: 'Invoice 8.pdf' }).waitFor();
  await page.keyboard.press('ArrowDown'); // the grid has the focus again: the row is left, and saved
  const evidence = async () =>
    (await the.server.api('user', 'GET', `/events/${id}/flights`)).items.flatMap((r) => r.evidence ?? []);
  await until('both are with the row', async () => (await evidence()).length === 2);
  assert.deepEqual(
    await evidence(),
    ['seven', 'eight'].map((what, n) => ({
      name: `Invoice ${n + 7}.pdf`,
      sha256: createHash('sha256').update(`%PDF-1.7 ${what}`).digest('hex'),
    })),
  );

  // The first import can be undone still, long after its dialog is closed; what was changed or mended since stays.
  await page.getByRole('button', { name: 'Imports' }).click();
  await dialog.getByText('Undone by Demo user').waitFor();
  await axe(page, 'the imports of an event');
  page.on('dialog', (asked) => void asked.accept());
  await dialog.getByRole('button', { name: 'Undo the import' }).click();
  await page
    .getByText(/record.* removed/)
    .last()
    .waitFor();
  await dialog.getByText('Undone by Demo user').nth(1).waitFor();
  assert.ok((await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total < 3);
});

test('an import whose answer is lost is found again, and imports nothing twice', async () => {
  const id = await the.server.event('Lost sight of');
  const { page, context, faults } = await visit('user', `/events/${id}/sheet`);
  await grid(page).waitFor();
  const total = async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total;
  await page.route('**/flights/import?*', async (route) => {
    const asked = await route.request().allHeaders();
    if (asked['x-dry-run']) return route.continue();
    // A proxied request has none of what a browser says of its own.
    await route.fetch({ headers: { ...asked, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' } });
    await route.abort();
  });
  await drop(page, 'flights.csv', 'From;To;PAX\nLHR;JFK;2\nMAN;DUB;14\n');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('The rows may have been imported.').waitFor();
  await until('they are there', async () => (await total()) === 2);
  await page.unroute('**/flights/import?*');
  await context.setOffline(true);
  await context.setOffline(false);
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  assert.equal(await total(), 2);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await until('the sheet has them', async () => (await grid(page).innerText()).includes('DUB'));
  faults.length = 0; // the connection was lost
});

test('before an import it is said what the file may bring in again, and what a faulty cell may have meant', async () => {
  const id = await the.server.event('Grown');
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`);
  await grid(page).waitFor();
  // An answer as the document has it, with what can be known of a list that has grown.
  const fault = { row: 3, column: 'To', code: 'UNKNOWN_CODE', message: 'to must be known; got "JKF".' };
  const answer = {
    _id: 'grown',
    eventId: id,
    type: 'flights',
    status: 'completed',
    partial: true,
    rows: 2,
    imported: 0,
    failed: 1,
    errors: [{ ...fault, suggestions: ['JFK'] }],
    errorCount: 1,
    ignoredColumns: [],
    notices: [{ code: 'LIKELY_REPEAT', message: '2 of these rows look like records of the event.' }],
  };
  await page.route('**/flights/import?*', (route) =>
    route.fulfill({ status: 202, json: { success: true, data: answer } }),
  );
  const csv = 'From;To;PAX\nLHR;JFK;2\nCDG;JKF;3\n';
  await choose(page, 'grown.csv', csv);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Check before you import').waitFor();
  await dialog.getByText('2 of these rows look like records of the event.').waitFor();
  await dialog.getByText(/Did you mean JFK/).waitFor();
  await axe(page, 'an import that may repeat something');
});

test('a workbook is imported', async () => {
  const id = await the.server.event('Workbook');
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`);
  await grid(page).waitFor();
  await page.locator('input[type=file]').setInputFiles(new URL('./testdata/flights.xlsx', import.meta.url).pathname);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Import 2 rows' }).click();
  await dialog.getByText('2 rows were imported.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await until('they are in the sheet', async () => (await cell(page, 1, 1).innerText()).includes('LHR'));
});

test('the handle of a cell fills down, and what it filled can be undone', async () => {
  const id = await the.server.event('Fill');
  const { page } = await visit('user', `/events/${id}/sheet`);
  await pasteTable(page, flights);
  await cell(page, 1, 3).click();
  const handle = await page.locator('[data-fill]').boundingBox();
  const end = await cell(page, 3, 3).boundingBox();
  await page.mouse.move(handle.x + 4, handle.y + 4);
  await page.mouse.down();
  await page.mouse.move(end.x + 20, end.y + 10, { steps: 5 });
  await page.mouse.up();
  for (const n of [1, 2, 3]) await says(page, n, 3, '2');
  await grid(page).focus();
  await page.keyboard.press('Control+z');
  await says(page, 3, 3, '14');
});

test('signing out asks what becomes of drafts', async () => {
  const id = await the.server.event('Leaving');
  const { page } = await visit('user', `/events/${id}/sheet`, { fresh: true });
  const leave = async (choice) => {
    await page.getByRole('button', { name: /account and settings/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog', { name: 'One row is not saved yet' }).getByRole('button', { name: choice }).click();
    await page.getByLabel('Email').waitFor();
  };
  const back = async () => {
    await signIn(page, 'user@demo.test', the.server.password);
    await page.goto(`/events/${id}/sheet`);
    await grid(page).waitFor();
  };
  await paste(page, 'LHR\tXQX');
  await until('it is faulty', () => page.locator('[role=gridcell][aria-invalid=true]').count());
  await leave('Keep and sign out');
  await back();
  await says(page, 1, 2, 'XQX');
  assert.equal(await page.evaluate(() => sessionStorage.getItem('ecf.notice')), null);
  // The session ends and the cookies go; the page is told what the door says of it where auth is away.
  await page.route('**/session/sign-out', async (route) => {
    const response = await route.fetch({
      headers: { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(response.status(), 200);
    await route.fulfill({ response, json: { success: true, data: { sessionEnded: false } } });
  });
  await leave('Discard and sign out');
  await page.getByRole('status').getByText('the server could not be reached to end the session').waitFor();
  await back();
  await page.getByText('All changes saved').waitFor();
  await says(page, 1, 2, '');
});

/** What people have on paper, each as the row that says it. */
const paper = readFileSync(new URL('./testdata/paper-lines.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((l) => JSON.parse(l));

/** The row of a line as somebody would type it: numbers with their units, amounts by name. */
function cells({ body, line }) {
  const { stated = {}, numberFormat, servings, ...rest } = body;
  const amounts = servings && {
    servings: Object.entries(servings)
      .map(([name, n]) => `${name} ${n}`)
      .join('; '),
  };
  return { ...rest, ...stated, ...amounts, description: line };
}

test('forty lines of paper are pasted, mended and saved', async () => {
  const id = await the.server.event('Paper');
  const { page } = await visit('manager', `/events/${id}/sheet`);
  const saved = async (type) => (await the.server.api('user', 'GET', `/events/${id}/${type}`)).pagination.total;
  for (const type of new Set(paper.map((p) => p.type))) {
    const lines = paper.filter((p) => p.type === type);
    const rows = lines.map(cells);
    const fields = [...new Set(rows.flatMap((r) => Object.keys(r)))];
    const text = [fields, ...rows.map((r) => fields.map((f) => r[f] ?? ''))].map((r) => r.join('\t')).join('\n');
    const tab = page.locator(`#tab-${type}`);
    await tab.click();
    await until(`the tab of ${type}`, async () => (await tab.getAttribute('aria-selected')) === 'true');
    if (type === 'water') {
      // The server says why it does not count what was drained; without a heading it is what somebody types.
      await paste(page, text);
      await page.getByText('One row was not added.').waitFor();
      await cell(page, 1, 1).click();
      await page.evaluate((t) => navigator.clipboard.writeText(t), rows.map((r) => r.supplyM3).join('\n'));
      await page.keyboard.press('Control+v');
    } else await pasteTable(page, text);
    const wrong = page.locator('[role=gridcell][aria-invalid=true]');
    if (type === 'flights') {
      // A flight number says nothing of where from and where to: the ticket does.
      await until('the flight without places is refused', () => wrong.count());
      const row = Number(await wrong.first().locator('..').getAttribute('aria-rowindex')) - 1;
      for (const [column, place] of [
        ['From', 'LHR'],
        ['To', 'JFK'],
      ]) {
        const at = await page
          .getByRole('columnheader', { name: new RegExp(`^${column}`) })
          .getAttribute('aria-colindex');
        await cell(page, row, at - 1).click();
        await page.keyboard.type(place);
        await page.keyboard.press('Enter');
      }
    }
    await page.keyboard.press('Control+End'); // a row is saved when it is left
    await until(`${type}: ${lines.length} lines are saved`, async () => (await saved(type)) === lines.length).catch(
      async (cause) => {
        const faults = await page.evaluate(() =>
          [...document.querySelectorAll('[data-fault]')].map((c) => `${c.title} (${c.textContent})`),
        );
        throw new Error(`${cause.message}: ${await saved(type)}; ${faults.join(' | ')}`);
      },
    );
  }
  const all = await the.server.api('user', 'POST', `/events/${id}/results/preview`, { items: [] });
  assert.equal(all.drafts.records, paper.length);
});

/** The bytes of a file that the API has. */
const bytes = async (path, accept) => {
  const response = await fetch(`${the.server.url}/api/v2${path}`, {
    headers: { Authorization: `Bearer ${await the.server.signIn('user')}`, Accept: accept, 'Accept-Language': 'en' },
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
};

test('a template is filled in elsewhere, and the records of an event are taken along', async () => {
  const id = await the.server.event('Files');
  await the.server.approved(id);
  const { page } = await visit('user', `/events/${id}/sheet`);
  const file = async (item) => {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    return [(await saved).suggestedFilename(), readFileSync(await (await saved).path())];
  };
  const [name, template] = await file('Template to fill in: Flights (Excel)');
  assert.equal(name, 'flights.xlsx');
  assert.deepEqual(template, await bytes('/record-types/flights/template', workbook));
  const [records, book] = await file('All records of the event (Excel)');
  assert.equal(records, `event-${id}.xlsx`);
  assert.deepEqual(book, await bytes(`/events/${id}/export`, workbook));
  const [table, csv] = await file('All records of the event (CSV)');
  assert.equal(table, `event-${id}.csv`);
  assert.match(csv.toString(), /^_id,type,status,/);
});
