// The sheet: what is typed, checked, kept and saved.
import assert from 'node:assert/strict';
import { axe, cell, flights, grid, paste, says, settled, test, the, until, visit } from './setup.mjs';

test('the grid is in the accessibility tree, with its size, headers and faults', async () => {
  const id = await the.server.event('Tree');
  const { page } = await visit('user', `/events/${id}/sheet`);
  await paste(page, flights);
  await until('checked', async () => (await cell(page, 2, 2).getAttribute('aria-invalid')) === 'true');
  assert.equal(await grid(page).getAttribute('aria-rowcount'), String(3 + 20 + 1));
  assert.ok(await page.getByRole('columnheader', { name: /Passengers/ }).count());
  const active = await grid(page).getAttribute('aria-activedescendant');
  assert.ok(await page.evaluate((id) => document.getElementById(id)?.getAttribute('role') === 'gridcell', active));
  assert.match(await cell(page, 2, 2).innerText(), /must be a known/);
});

/** A range as the page rounds it, where both ends are hundreds of kilograms. */
const kilograms = (low, high) =>
  `${[low, high].map((kg) => kg.toLocaleString('en-GB', { maximumFractionDigits: 0 })).join('–')} kg`;

test('what would be right is one click away, and airports are listed while one types', async () => {
  const id = await the.server.event('One click');
  const { page } = await visit('user', `/events/${id}/sheet`);
  await paste(page, flights);
  await until('checked', async () => (await cell(page, 2, 2).getAttribute('aria-invalid')) === 'true');
  await cell(page, 2, 2).click();
  const about = page.getByRole('complementary', { name: 'Selected row' });
  await about.getByRole('button', { name: 'JFK', exact: true }).click();
  await says(page, 2, 2, 'JFK');
  const saved = async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).items;
  // One is chosen by key, one by a click; neither was typed as a code.
  await cell(page, 4, 1).click();
  await page.keyboard.type('heathr');
  const airports = page.getByRole('listbox').getByRole('option');
  await airports.filter({ hasText: /^LHR · .*Heathrow/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await says(page, 4, 1, 'LHR');
  await cell(page, 4, 2).click();
  await page.keyboard.type('schiph');
  await airports.filter({ hasText: /^AMS · .*Schiphol/ }).click();
  await says(page, 4, 2, 'AMS');
  await cell(page, 4, 3).click();
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await until('all are saved', async () => (await saved()).length === 4);
  assert.deepEqual((await saved()).map((r) => `${r.from} ${r.to}`).sort(), [
    'CDG JFK',
    'LHR AMS',
    'LHR JFK',
    'MAN DUB',
  ]);
});

test('beside the row in focus: its factor with its source, and what better data would narrow', async () => {
  const id = await the.server.event('Beside');
  await the.server.approved(id);
  const { measureNext } = await the.server.approved(id, { from: 'LHR', to: 'AMS', passengers: 3 }, 2);
  const fields = { mode: 'rail', from: 'London, GB', to: 'Paris, FR', passengers: 20 };
  const record = await the.server.api('user', 'POST', `/events/${id}/ground-transport`, fields);
  const { rows } = await the.server.api('user', 'POST', `/events/${id}/results/preview`, {
    items: [{ type: 'ground-transport', fields }],
    explain: true,
  });
  const { page } = await visit('user', `/events/${id}/sheet?type=ground-transport&record=${record._id}`);
  const about = page.getByRole('complementary', { name: 'Selected row' });
  const { low, high } = rows[0].footprint;
  await about.getByText(`95 % range ${kilograms(low, high)}`).waitFor();
  assert.ok(rows[0].lines.length > 1, 'direct and upstream');
  for (const { formula, factor } of rows[0].lines) {
    const line = about.locator('.line').filter({ hasText: formula });
    await line.getByText(`${factor.activity} · `).waitFor();
    for (const text of [factor.source, factor.sourceLocation, factor.licence])
      assert.ok((await line.innerText()).includes(text), `${text} does not stand beside ${formula}`);
  }
  const narrower = record.footprint.notices.find((n) => n.wouldNarrowTo).wouldNarrowTo;
  assert.ok(narrower.low > low && narrower.high < high);
  await about.getByText(`With Distance: ${kilograms(narrower.low, narrower.high)}.`).waitFor();
  // Of what counts already, how much of the width of the event's range is its own.
  const [widest] = measureNext;
  await page.goto(`/events/${id}/sheet?type=flights&record=${widest.recordId}`);
  const share = widest.varianceShare.toLocaleString('en-GB', { style: 'percent' });
  await about.getByText(`This row makes up ${share} of the uncertainty of the total.`).waitFor();
});

test('no key is lost, however late the next frame is drawn', async () => {
  const id = await the.server.event('Quick fingers');
  const { page } = await visit('user', `/events/${id}/sheet`);
  await grid(page).waitFor();
  // A busy machine draws its frames late; here they come long after the keys.
  await page.evaluate(() => {
    const drawn = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (f) => drawn(() => setTimeout(() => f(performance.now()), 2_000));
  });
  await grid(page).focus();
  for (const key of ['L', 'H', 'R', 'Tab', 'J', 'F', 'K', 'Tab', '3', 'Enter', 'ArrowUp', '4', 'Escape', 'ArrowLeft'])
    await page.keyboard.press(key);
  await page.keyboard.type('DUB');
  await page.keyboard.press('Enter');
  for (const [n, text] of ['LHR', 'DUB', '3'].entries()) await says(page, 1, n + 1, text);
});

test('what is typed survives a reload, a crash of the server, and its absence', async () => {
  const id = await the.server.event('Crash');
  const { page, faults } = await visit('user', `/events/${id}/sheet`);
  await grid(page).focus();
  await page.keyboard.type('LHR');
  await page.keyboard.press('Tab');
  await page.keyboard.type('CDG');
  await page.keyboard.press('Tab');
  await the.server.kill();
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await page.getByText('Offline').waitFor();
  await axe(page, 'the sheet without its server', ['light']);
  await the.server.run();
  await page.reload();
  await says(page, 1, 1, 'LHR');
  await says(page, 1, 3, '7');
  await page.keyboard.press('ArrowDown');
  await until(
    'it is saved once',
    async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total === 1,
  );
  await page.getByText('All changes saved').waitFor();
  assert.equal((await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total, 1);
  faults.length = 0; // the server was away
});

test('what is being typed into a cell is there again after a reload, a step back, and in another tab', async () => {
  const id = await the.server.event('Left in mid-word');
  const { page, context } = await visit('user', `/events/${id}/sheet`);
  const typed = async (p, row, cells) => {
    await grid(p).focus();
    await p.keyboard.press('Control+Home');
    for (let n = 1; n < row; n++) await p.keyboard.press('ArrowDown');
    for (const [n, text] of cells.entries()) {
      if (n > 0) await p.keyboard.press('Tab');
      await p.keyboard.type(text);
    }
  };
  // Each row has a fault: it stays where it is, and only the browser has it.
  const says3 = async (p, row, cells) => {
    for (const [n, text] of cells.entries()) await says(p, row, n + 1, text);
  };
  await typed(page, 1, ['LHR', 'XQA', '12']);
  await page.reload();
  await says3(page, 1, ['LHR', 'XQA', '12']);
  await page.getByRole('link', { name: 'Footprint' }).click();
  await page.getByRole('heading', { name: 'No footprint yet' }).waitFor();
  await page.getByRole('link', { name: 'Sheet' }).first().click();
  await says3(page, 1, ['LHR', 'XQA', '12']);
  await typed(page, 2, ['MAN', 'XQB', '34']);
  await page.goBack(); // a step within the page takes no focus away
  await page.getByRole('heading', { name: 'No footprint yet' }).waitFor();
  await page.goForward();
  await says3(page, 2, ['MAN', 'XQB', '34']);
  await typed(page, 3, ['GVA', 'XQC', '56']);
  const other = await context.newPage();
  await page.close();
  await other.goto(`/events/${id}/sheet`);
  await says3(other, 1, ['LHR', 'XQA', '12']);
  await says3(other, 2, ['MAN', 'XQB', '34']);
  await says3(other, 3, ['GVA', 'XQC', '56']);
  // A page that is being left may be gone before its database has committed.
  await other.evaluate(() => {
    IDBDatabase.prototype.transaction = () => {
      throw new Error('too late');
    };
  });
  await typed(other, 4, ['ARN', 'XQD', '78']);
  await other.reload();
  await says3(other, 4, ['ARN', 'XQD', '78']);
});

test('what is typed in one tab is not made in another one too, and is there once the first is closed', async () => {
  const id = await the.server.event('Two tabs');
  const { page, context } = await visit('user', `/events/${id}/sheet`);
  await grid(page).focus();
  for (const text of ['LHR', 'CDG', '7']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await says(page, 1, 3, '7');
  // Its figure comes after what was typed was kept.
  await page.getByRole('gridcell', { name: /kg$/ }).first().waitFor();
  const other = await context.newPage();
  await other.goto(`/events/${id}/sheet`);
  await grid(other).waitFor();
  const saved = () => the.server.api('user', 'GET', `/events/${id}/flights`);
  await grid(other).focus();
  await other.keyboard.type('AMS');
  await other.keyboard.press('Enter');
  await other
    .getByText(/not saved/)
    .first()
    .waitFor();
  assert.equal((await saved()).pagination.total, 0);
  await page.close();
  await until('it is made once', async () => (await saved()).pagination.total === 1);
  assert.equal((await saved()).items[0].from, 'LHR');
});

test('which column is which is asked once for each kind of table', async () => {
  const tables = [await the.server.event('Mapped'), await the.server.event('Mapped again')];
  const { page } = await visit('user', `/events/${tables[0]}/sheet`);
  await paste(page, 'Who\tAb\tFrom\tTo\tPAX\nAda\tx\tLHR\tJFK\t2');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Import Who as').selectOption('description');
  await dialog.getByRole('button', { name: 'Add one row' }).click();
  await says(page, 1, 1, 'LHR');
  await page.goto(`/events/${tables[1]}/sheet`);
  await paste(page, 'Who\tAb\tFrom\tTo\tPAX\nBob\tx\tCDG\tAMS\t3');
  await says(page, 1, 1, 'CDG');
  await page.keyboard.press('ArrowDown');
  const saved = () => the.server.api('user', 'GET', `/events/${tables[1]}/flights`);
  await until('it is saved', async () => (await saved()).pagination.total === 1);
  assert.equal((await saved()).items[0].description, 'Bob');
});

test("somebody else's change is shown, not overwritten", async () => {
  const id = await the.server.event('Conflict');
  const record = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'JFK',
    passengers: 2,
  });
  const { page } = await visit('user', `/events/${id}/sheet`);
  await cell(page, 1, 3).waitFor();
  await the.server.api('manager', 'PATCH', `/events/${id}/flights/${record._id}`, { passengers: 5 });
  await cell(page, 1, 3).click();
  await page.keyboard.type('9');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.getByText('Somebody else changed this row').waitFor();
  assert.match(await cell(page, 1, 3).innerText(), /9\s*5/); // both versions, in the cell
  assert.equal((await the.server.api('user', 'GET', `/events/${id}/flights/${record._id}`)).passengers, 5);
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await cell(page, 4, 1).click();
  await until(
    'mine is kept',
    async () => (await the.server.api('user', 'GET', `/events/${id}/flights/${record._id}`)).passengers === 9,
  );
});

test('what others add and delete moves neither the focus nor what is being typed', async () => {
  const id = await the.server.event('Moved');
  const path = (record) => `/events/${id}/flights${record ? `/${record._id}` : ''}`;
  const make = (to) => the.server.api('user', 'POST', path(), { from: 'LHR', to, passengers: 2 });
  const passengers = async (record) => (await the.server.api('user', 'GET', path(record))).passengers;
  const gone = await make('JFK');
  const mine = await make('AMS');
  const { page } = await visit('user', `/events/${id}/sheet`);
  // The rows are read again as when somebody comes back to the tab.
  const again = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await says(page, 2, 2, 'AMS');
  await cell(page, 2, 3).click();
  await page.keyboard.type('7');
  await the.server.api('user', 'DELETE', path(gone));
  const other = await make('DUB');
  await again();
  await says(page, 1, 2, 'AMS');
  await says(page, 2, 2, 'DUB');
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await says(page, 1, 3, '75');
  await until('it is saved', async () => (await passengers(mine)) === 75);
  // Typed below the last row, into a place that somebody's new record takes.
  await cell(page, 3, 1).click();
  await page.keyboard.type('MA');
  const another = await make('CDG');
  await again();
  await says(page, 3, 2, 'CDG');
  await page.keyboard.type('N');
  await page.keyboard.press('Enter');
  await says(page, 4, 1, 'MAN');
  assert.deepEqual(await Promise.all([other, another].map(passengers)), [2, 2]);
  assert.equal((await the.server.api('user', 'GET', path(another))).from, 'LHR');
});

test('at 360 px the sheet is one row as a form, and no page scrolls sideways', async () => {
  const id = await the.server.event('Phone');
  const { page } = await visit('manager', `/events/${id}/sheet`, { viewport: { width: 360, height: 740 } });
  await page.getByLabel('From').fill('LHR');
  await page.getByLabel('To', { exact: true }).or(page.getByLabel('To *')).first().fill('CDG');
  await page.getByLabel('Passengers').fill('3');
  await page.getByRole('button', { name: 'New row' }).click();
  await until(
    'saved',
    async () => (await the.server.api('user', 'GET', `/events/${id}/flights`)).pagination.total === 1,
  );
  const example = await the.server.example();
  for (const path of [
    '/',
    `/events/${id}/sheet`,
    `/events/${example}/review`,
    `/events/${example}/footprint`,
    `/events/${example}/report`,
    '/organization',
    '/account',
    '/about',
  ]) {
    await page.goto(path);
    await settled(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${path} is ${wide} px wide`);
  }
});

test('a pasted table waits where the server is away, and is there once it answers', async () => {
  const id = await the.server.event('Later');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`);
  await grid(page).waitFor();
  const away = (route) => route.abort('connectionrefused');
  await page.route('**/waste/import?*', away);
  await paste(page, 'Treatment\tWeight (t)\nlandfill\t1.5\nrecycling\t2\nTotal\t3.5');
  const dialog = page.getByRole('dialog', { name: 'Pasted table' });
  await dialog.getByText('3 rows are waiting here.').waitFor();
  await axe(page, 'a pasted table that could not be read');
  await page.unroute('**/waste/import?*', away);
  const again = dialog.getByRole('button', { name: 'Try again' });
  await until('what is to be done has the focus', () => again.evaluate((e) => e === document.activeElement));
  await page.keyboard.press('Enter');
  await says(page, 2, 1, 'recycling');
  await page.getByText('One row was not added.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  assert.ok(await grid(page).evaluate((e) => e.contains(document.activeElement)));
  // Cells without headings need no server.
  await page.route('**/waste/import?*', away);
  await cell(page, 3, 1).click();
  await page.evaluate(() => navigator.clipboard.writeText('landfill\nrecycling'));
  await page.keyboard.press('Control+v');
  await says(page, 4, 1, 'recycling');
});

test('a pasted table is read to its end while another kind of records is shown', async () => {
  const id = await the.server.event('Elsewhere');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`);
  await grid(page).waitFor();
  let answer;
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  await page.route('**/waste/import?*', async (route) => {
    await held;
    await route.continue();
  });
  await paste(page, 'Treatment\tWeight (t)\nlandfill\t1.5');
  // A dialog may say by now that the table is being read.
  await page.evaluate(() => document.querySelector('#tab-flights').click());
  await page.getByRole('columnheader', { name: /^From/ }).waitFor();
  answer();
  await page.getByText('One row was added.').waitFor();
  const saved = async () => (await the.server.api('user', 'GET', `/events/${id}/waste`)).items;
  await until('the row is saved', async () => (await saved()).length === 1);
  assert.equal((await saved())[0].weightKg, 1500);
});

test('a pasted column of which nothing says the unit is asked about, and what cannot be read stays as it is', async () => {
  const id = await the.server.event('Units');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`);
  await grid(page).waitFor();
  await paste(page, 'Treatment\tWeight\nlandfill\t2 t\nlandfill\t3 t\nlandfill\t4 t\nlandfill\t150');
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByLabel('Import Weight as').inputValue(), 'weightKg');
  await dialog.getByRole('button', { name: 'Add 4 rows' }).click();
  await cell(page, 6, 1).click();
  const saved = async () => (await the.server.api('user', 'GET', `/events/${id}/waste`)).items;
  await until('the rows are saved', async () => (await saved()).length === 4);
  assert.deepEqual((await saved()).map((r) => r.weightKg).sort(), [150, 2000, 3000, 4000]);
});

test('a pasted column in another unit than the field is taken in that unit', async () => {
  const id = await the.server.event('Tonnes');
  const { page } = await visit('user', `/events/${id}/sheet?type=waste`);
  await paste(page, 'Treatment\tWeight (t)\nlandfill\t1.5');
  const saved = async () => (await the.server.api('user', 'GET', `/events/${id}/waste`)).items;
  await cell(page, 4, 1).click(); // a row is saved once it is left
  await until('the row is saved', async () => (await saved()).length === 1);
  assert.equal((await saved())[0].weightKg, 1500);
});
