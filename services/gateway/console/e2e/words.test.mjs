// The console in another language, and what stands beside the figure.
import assert from 'node:assert/strict';
import { runnerImport } from 'vite';
import {
  anonymous,
  axe,
  cell,
  follow,
  grid,
  long,
  paste,
  pasteTable,
  says,
  settled,
  test,
  the,
  until,
  visit,
} from './setup.mjs';

test('somebody who reads German has a German sheet', async () => {
  const id = await the.server.event('Herbsttagung');
  const { page } = await anonymous('/', { locale: 'de-DE' });
  await page.getByLabel('E-Mail').fill('user@demo.test');
  await page.getByLabel('Passwort', { exact: true }).fill(the.server.password);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByRole('heading', { level: 1, name: 'Veranstaltungen' }).waitFor();
  await page.goto(`/events/${id}/sheet?type=catering`);
  await grid(page).waitFor();
  const head = (name) => page.getByRole('columnheader', { name });
  await head(/^Kostform/).waitFor();
  const at = async (name) => Number(await head(name).getAttribute('aria-colindex')) - 1;
  const type = async (name, text) => {
    await cell(page, 1, await at(name)).click();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  // Words of the page are read as the codes they stand for, and decimal commas as such.
  await type(/^Kostform/, 'rotes Fleisch');
  await type(/^Mahlzeiten/, '40');
  await type(/^Getränke/, 'Wein 12,5; Kaffee 8');
  await page.keyboard.press('Control+End');
  const list = () => the.server.api('user', 'GET', `/events/${id}/catering`);
  // A row is saved whenever it is left, as after its first cells: what counts is what it ends as.
  const record = await until('it is saved', async () => (await list()).items.find((r) => r.drinks?.coffee === 8));
  assert.equal(record.diet, 'red_meat');
  assert.equal(record.drinks.wine, 12.5);
  await page.keyboard.press('Control+Home');
  await says(page, 1, await at(/^Kostform/), 'rotes Fleisch');
  await says(page, 1, await at(/^Getränke/), 'Kaffee 8; Wein 12,5'); // in the server's order, when its answer is there
  await cell(page, 1, await at(/^Kostform/)).click();
  await page.getByText('Was die Mahlzeiten waren').waitFor();
  await axe(page, 'a German sheet');
  // Another language is chosen, and the sheet is in it without anything being lost.
  await page.getByRole('button', { name: /Konto und Einstellungen/ }).click();
  await page.getByRole('menuitemradio', { name: 'English' }).click();
  await head(/^Diet/).waitFor();
  await says(page, 1, await at(/^Diet/), 'red meat');
});

test('an import in German names the columns that a file lacks, and reads a pasted table below its title', async () => {
  const id = await the.server.event('Rechnungen');
  await visit('user'); // signs in, in English
  const { page } = await visit('user', `/events/${id}/sheet?type=purchases`, { locale: 'de-DE' });
  await grid(page).waitFor();
  const csv = 'Kategorie;Betrag netto;Betrag (alt)\nSicherheitsdienst;6.200,50;\nDruck;1.250,00 €;\n';
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'rechnungen.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: '2 Zeilen hinzufügen' }).click();
  await dialog.getByRole('cell', { name: 'Währung', exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Abbrechen' }).click();
  await dialog.waitFor({ state: 'hidden' });

  await pasteTable(
    page,
    'Rechnungen\t\t\nKategorie\tBetrag netto (EUR)\tBeschreibung\nSicherheitsdienst\t6.200,50\tAbend\nDruck\t1.250,00 €\tPlakate',
  );
  const list = () => the.server.api('user', 'GET', `/events/${id}/purchases`);
  await page.keyboard.press('Control+End'); // the row in focus is saved when it is left
  await page.keyboard.press('ArrowDown');
  const { items } = await until('both are saved', async () => {
    const got = await list();
    return got.items.length === 2 && got;
  });
  assert.deepEqual(items.map((r) => `${r.amount} ${r.currency}`).sort(), ['1250 EUR', '6200.5 EUR']);
});

test('offsets and removals stand beside the figure, and the place is found by name', async () => {
  const id = await the.server.event('Stated');
  const before = await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/footprint`);
  for (const by of ['Scope', 'Stage']) {
    await page.locator('label').getByText(by, { exact: true }).click();
    await page.getByRole('columnheader', { name: by }).waitFor();
    assert.ok(await page.locator('.bars .whisker').count(), `${by} has no intervals`);
  }
  const open = async () => {
    await page.getByRole('button', { name: 'Event actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit event' }).click();
    return page.getByRole('dialog');
  };
  const form = await open();
  await form.getByLabel('Place').fill('bright');
  await page.getByRole('option', { name: /Brighton, England, GB/ }).click();
  const entry = (n) => form.getByRole('group', { name: `Offset or removal ${n}` });
  for (const [n, kind, kg, what] of [
    [1, 'offset', '1,200.5', 'Cookstoves'],
    [2, 'removal', '300', 'Biochar'],
  ]) {
    await form.getByRole('button', { name: 'Add an offset or removal' }).click();
    await entry(n).getByLabel('Type').selectOption(kind);
    await entry(n).getByLabel('Amount').pressSequentially(kg);
    await entry(n).getByLabel('What was bought or done').fill(what);
  }
  await axe(page, 'the form of an event');
  await form.getByLabel(/^Reason( \*)?$/).fill('Bought in spring.');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'hidden' });
  await page.getByRole('heading', { name: 'Offsets and removals' }).waitFor();
  await page.getByRole('columnheader', { name: 'Offsets', exact: true }).waitFor();
  await page.getByRole('rowheader', { name: 'Biochar' }).waitFor();
  const event = await the.server.api('manager', 'GET', `/events/${id}`);
  assert.deepEqual(
    event.compensation.map((c) => [c.kind, c.kgCO2e]),
    [
      ['offset', 1200.5],
      ['removal', 300],
    ],
  );
  assert.equal(event.place, 'Brighton, GB');
  const after = await the.server.api('manager', 'GET', `/events/${id}/results`);
  assert.equal(after.total.kgCO2e, before.total.kgCO2e, 'nothing is subtracted');
  await axe(page, 'stated beside the figure');
});

test('what is not there says so, with a way back', async () => {
  const { page } = await visit('user', '/nowhere');
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  await axe(page, 'a missing page');
  await page.goto('/events/p2hw6ryhezzjj9ybae1d6t9wh1/sheet');
  await page.getByRole('heading', { level: 1, name: 'Event not found' }).waitFor();
  await page.getByRole('link', { name: 'Back to all events' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
});

test('what the server says is German where the page is', async () => {
  const id = await the.server.event('Frühjahrstagung');
  const fields = { from: 'LHR', to: 'JFK', passengers: 2, date: '2026-09-01' };
  await the.server.approved(id, fields);
  await the.server.approved(id, fields, 2); // alike: a finding
  await the.server.api('user', 'POST', `/events/${id}/flights`, { from: 'LON', to: 'BER', passengers: 3 });
  const [draft] = (await the.server.api('user', 'GET', `/events/${id}/flights?status=unsubmitted`)).items;
  await the.server.api('user', 'POST', `/events/${id}/flights/${draft._id}/submit`, {});
  await visit('manager');
  const english = async (what, place) => {
    await settled(page); // what comes later counts as well
    const words = (await place.innerText()).match(/[^\n]*\b(the|of|and|are|with|must|this|records?|has|not)\b[^\n]*/g);
    assert.equal(words, null, `${what}: ${words}`);
  };
  const { page } = await visit('manager', `/events/${id}/footprint`, { locale: 'de-DE' });
  await page.getByText(/Flüge gleichen sich/).waitFor();
  await english('footprint', page.locator('main'));
  await page.goto(`/events/${id}/review`);
  await page.getByText(/Ein Städtecode steht für einen von mehreren Flughäfen/).waitFor();
  await english('review', page.locator('main'));
  await page.goto(`/events/${id}/sheet?type=flights`);
  await grid(page).waitFor();
  await cell(page, 4, 1).click();
  for (const text of ['CDG', 'JKF', '3']) {
    await page.keyboard.type(text);
    await page.keyboard.press('Tab');
  }
  await until('it is faulty', () => page.locator('[role=gridcell][aria-invalid=true]').count());
  await cell(page, 4, 2).click();
  await page
    .getByText(/dieser Wert ist nicht bekannt|gibt es hier nicht/)
    .first()
    .waitFor();
  await english('sheet', page.locator('main'));
});

test('what an import suggests is German where the page is', async () => {
  const id = await the.server.event('Vorschläge');
  await visit('user');
  const { page } = await visit('user', `/events/${id}/sheet?type=catering`, { locale: 'de-DE' });
  const dialog = page.getByRole('dialog');
  const meant = async (type, csv, ...lists) => {
    await page.goto(`/events/${id}/sheet?type=${type}`);
    await grid(page).waitFor();
    const file = { name: 'liste.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.locator('input[type=file]').setInputFiles(file);
    // Columns that would be left out are asked about first.
    const add = dialog.getByRole('button', { name: /hinzufügen$/ });
    await add.or(dialog.getByText('Gemeint:').first()).first().waitFor();
    if (await add.isVisible()) await add.click();
    for (const list of lists) await dialog.getByText(`Gemeint: ${list}?`).first().waitFor();
  };
  await meant('catering', 'Speise;Mahlzeiten\nGrillbuffet;20\n', 'vegan, vegetarisch, Fisch');
  await meant('flights', 'Von;Nach;Personen;Klasse\nBER;LHR;2;Holzklasse\n', 'Economy');
  await meant('waste', 'Abfallart;Menge\nGlas;3\n', 'Gewicht, Volumen');
  await meant('freight', 'Von;Nach;Gewicht;Transport\nBerlin;Rom;1.200;LKW\n', '1.200; 1,2');
  // What would be better than a purchase is a record of another type.
  const fields = { category: 'catering', amount: 100, currency: 'GBP' };
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/purchases`, fields);
  await page.goto(`/events/${id}/sheet?type=purchases&record=${_id}`);
  await page.getByText(/Mit Verpflegung: \d/).waitFor();
});

/** Returns the texts of a catalogue by their keys. */
const flat = (texts, path = '') =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[path + key, text]] : flat(text, `${path}${key}.`),
  );

/** Returns what tells whether a line is an English text of the page that is another one in German. */
async function englishTexts() {
  const [{ en }, { de }] = await Promise.all(
    ['en', 'de'].map(async (file) => (await runnerImport(`./src/i18n/${file}.ts`)).module),
  );
  const german = new Map(flat(de));
  const known = new Set(german.values());
  const texts = flat(en).filter(([key, text]) => text.length > 3 && german.get(key) !== text && !known.has(text));
  // A placeholder stands for anything: texts that are little else say nothing.
  const patterns = texts
    .filter(([, text]) => text.replace(/{{.*?}}/g, '').match(/\p{L}{3,}/gu)?.length > 1 || !text.includes('{{'))
    .map(([, text]) => text.split(/{{.*?}}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
  const any = new RegExp(`^(?:${patterns.map((parts) => parts.join('.+')).join('|')})$`);
  return (line) => any.test(line);
}

test('no text of the page is English where the page is German', async () => {
  const isEnglish = await englishTexts();
  assert.ok(isEnglish('Nothing waits for a decision') && isEnglish('One row is not saved yet'));
  assert.ok(!isEnglish('Veranstaltungen') && !isEnglish('Demo manager'));
  const id = await the.server.event('Herbsttagung');
  await the.server.approved(id);
  const flight = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LON',
    to: 'BER',
    passengers: 3,
  });
  await the.server.api('user', 'POST', `/events/${id}/flights/${flight._id}/submit`, {});
  const other = await the.server.event('Frühjahrstagung');
  await visit('admin');
  const { page } = await visit('admin', `/events/${id}/sheet`, { locale: 'de-DE' });
  const german = async (what) => {
    await settled(page);
    const lines = await page.evaluate(() => [
      ...document.body.innerText.split('\n'),
      ...['aria-label', 'title', 'placeholder', 'alt'].flatMap((name) =>
        [...document.querySelectorAll(`[${name}]`)].map((e) => e.getAttribute(name)),
      ),
      document.title,
    ]);
    assert.deepEqual([...new Set(lines.map((l) => l.trim()).filter(isEnglish))], [], what);
  };
  const often = [`/events/${id}/sheet`, `/events/${id}/review`];
  const others = [
    `/events/${id}/footprint`,
    `/events/${id}/report`,
    '/organization?tab=members',
    `/events/${id}/sheet?type=all`,
    `/events/${id}/review?show=approved`,
    `/events/${id}/history`,
    `/events/${other}/footprint`,
    `/events/${other}/report`,
    `/events/${other}/review`,
    `/compare?events=${id},${other}`,
    '/organization',
    '/organization?tab=factors',
    '/organization?tab=audit',
    '/account',
    '/about',
    '/nowhere',
  ];
  for (const path of [...often, ...(long ? others : []), '/']) {
    await follow(page, path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await german(path);
  }
  await page.getByRole('button', { name: 'Neue Veranstaltung' }).first().click();
  await page.getByRole('dialog').waitFor();
  await german('the form of an event');
});

test('days are written as at home, and one that could be two is asked about', async () => {
  const id = await the.server.event('Days');
  const { page } = await visit('user', `/events/${id}/sheet`);
  await grid(page).waitFor();
  // Below one another the second would say what the first one is.
  await pasteTable(page, 'From\tTo\tPAX\tDate\nLHR\tJFK\t2\t3/4/2026');
  await paste(page, 'From\tTo\tPAX\tDate\nLHR\tCDG\t2\t13/4/2026');
  await says(page, 2, 2, 'CDG');
  await page.getByText('Date can be read as two days.').first().waitFor();
  await page.getByRole('button', { name: '03/04/2026' }).click();
  await cell(page, 3, 1).click(); // a row is saved when it is left
  await until('both rows are saved', async () => {
    const { items } = await the.server.api('user', 'GET', `/events/${id}/flights`);
    const days = items.map((r) => r.date).sort();
    return days.join() === '2026-04-03,2026-04-13';
  });
  // The server has them before the page knows; a page that is left till then sends them once more.
  await page.getByText('All changes saved').waitFor();
  await page.goto(`/events/${id}/sheet?type=all`);
  const date = page.getByRole('gridcell').filter({ hasText: /^03\/04\/2026$/ });
  await date.dblclick();
  const editor = page.getByRole('combobox', { name: /Date/ });
  assert.equal(await editor.inputValue(), '03/04/2026');
  await editor.fill('5/6/2026');
  await editor.press('Enter');
  await until('the day is that of the page', async () => {
    const { items } = await the.server.api('user', 'GET', `/events/${id}/flights`);
    return items.some((r) => r.date === '2026-06-05');
  });
});
