// A page that fails says so and leads on, and no answer that the document allows makes one fail.
import assert from 'node:assert/strict';
import { Answers, fetchAnew } from './answers.mjs';
import { axe, cell, follow, grid, paste, says, settled, test, the, until, visit } from './setup.mjs';

const flight = { from: 'LHR', to: 'JFK', passengers: 2, class: 'economy' };

const supplied = {
  name: 'Green Power Ltd, certified',
  kgCO2ePerUnit: 0.021,
  unit: 'kWh',
  validFrom: '2026-01-01',
  source: 'Fuel mix disclosure 2025, page 2',
  evidence: [{ name: 'disclosure-2025.pdf', sha256: '0'.repeat(64) }],
};

/** An event with something of all that an event can have, and an organization with something of what it can have. */
let made;
const whole = () => {
  made ??= make();
  return made;
};
async function make() {
  const { server } = the;
  const event = await server.event('Whole');
  const of = `/events/${event}`;
  await server.api('manager', 'PATCH', of, {
    place: 'Manchester',
    boundary: { included: ['flights', 'venue'], excluded: [{ type: 'catering', reason: 'Nothing was served.' }] },
    compensation: [{ kind: 'offset', kgCO2e: 100, description: 'A forest', registry: 'A register' }],
  });
  await server.api('user', 'POST', `${of}/venue`, { electricityKWh: 4700 });
  const move = async (type, fields, step, body = {}) => {
    const { _id } = await server.api('user', 'POST', `${of}/${type}`, fields);
    await server.api('user', 'POST', `${of}/${type}/${_id}/submit`, {});
    if (step) await server.api('manager', 'POST', `${of}/${type}/${_id}/${step}`, body);
  };
  await move('waste', { treatment: 'landfill', weightKg: 120 }, 'approve');
  await move('attendee-travel', { origins: [{ place: 'Paris', country: 'FR', people: 40 }] }, 'approve');
  await move('accommodation', { country: 'DE', nights: 2, rooms: 10 }, 'request-changes', { comment: 'Which hotel?' });
  await move('flights', { ...flight, to: 'AMS' }, 'reject', { comment: 'Twice.' });
  await server.approved(event, flight, 3);
  await server.approved(event, { ...flight, passengers: 4000 }, 4);
  const { revision } = await server.api('manager', 'GET', `${of}/results`);
  await server.api('manager', 'POST', `${of}/sign-off`, { revision, statement: 'Final.' });
  const state = async () => (await server.api('manager', 'GET', of)).signOff?.state;
  await until('it is signed', async () => (await state()) === 'signed');
  await server.api('manager', 'POST', `${of}/sign-off/withdraw`, { comment: 'A late invoice.' });
  await until('it is open', async () => (await state()) === 'open');
  await move('flights', { ...flight, passengers: 3 });
  await move('venue', { electricityKWh: 470_000 });
  await server.api('manager', 'POST', '/supplier-factors', supplied);
  await server.api('admin', 'PATCH', '/organization', { policy: { fourEyes: true } });
  await server.api('manager', 'PATCH', of, { attendees: 240, comment: 'Counted at the door.' });
  return event;
}

/** Answers a request with something that the document does not allow. */
const breakAnswer = (page, path, change) =>
  page.route(path, async (route) => {
    const response = await fetchAnew(route);
    const json = await response.json();
    change(json.data);
    await route.fulfill({ response, json });
  });

for (const [locale, title, back, reload, copy] of [
  ['en-GB', 'This page could not be shown', 'Back to the events', 'Reload', 'Copy'],
  ['de-DE', 'Diese Seite kann nicht angezeigt werden', 'Zurück zu den Veranstaltungen', 'Neu laden', 'Kopieren'],
])
  test(`a page that fails says so in the language of the console, and leads on: ${locale}`, async () => {
    const event = await the.server.event('Fails');
    await the.server.approved(event, flight);
    const { page, faults } = await visit('manager', `/events/${event}/sheet`, { locale });
    await grid(page).waitFor();
    const broken = page.getByRole('heading', { level: 1, name: title });
    const results = `**/session/api/events/${event}/results`;
    await breakAnswer(page, results, (r) => {
      r.byType = null;
    });
    await page.locator('.tab[href$="/footprint"]').click();
    await broken.waitFor();
    await until('the heading has the focus', () => broken.evaluate((e) => e === document.activeElement));
    await axe(page, 'a page that failed');
    // What is around the page still works; coming back asks again.
    await page.unroute(results);
    await page.locator('.tab[href$="/sheet"]').click();
    await grid(page).waitFor();
    assert.equal(await broken.count(), 0);
    await page.locator('.tab[href$="/footprint"]').click();
    await page.locator('.bars').first().waitFor();

    // The frame of all pages fails, on a phone.
    await page.setViewportSize({ width: 390, height: 844 });
    await breakAnswer(page, '**/session/api/auth/me', (me) => {
      me.memberships = null;
    });
    await page.reload();
    await broken.waitFor();
    await axe(page, 'a frame that failed');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await page.getByRole('button', { name: copy }).click();
    const copied = await until('the message is copied', () => page.evaluate(() => navigator.clipboard.readText()));
    assert.match(copied, /^TypeError: /);
    assert.ok(copied.includes(`/events/${event}/footprint`), copied);
    await page.unroute('**/session/api/auth/me');
    await page.getByRole('button', { name: reload }).click();
    await page.locator('.bars').first().waitFor();
    assert.ok(faults.length > 0 && faults.every((f) => f.includes('TypeError')), faults.join('\n'));
    faults.length = 0; // they were made on purpose

    await page.route('**/session/api/auth/me', (route) => route.fulfill({ json: { success: true, data: 7 } }));
    await page.reload();
    await broken.waitFor();
    await page.unroute('**/session/api/auth/me');
    await page.getByRole('link', { name: back }).click();
    await page.getByRole('link', { name: /Fails/ }).first().waitFor();
    faults.length = 0;
  });

test('what is typed into a sheet survives that it fails', async () => {
  const event = await the.server.event('Typed');
  const { page, faults } = await visit('user', `/events/${event}/sheet?type=flights`);
  await paste(page, 'LHR\tXQX');
  await says(page, 1, 2, 'XQX');
  await cell(page, 1, 3).click();
  await page.keyboard.type('47');
  const all = `**/session/api/events/${event}`;
  await breakAnswer(page, all, (e) => {
    e.signOff = { state: 'signed', edition: null };
    e.title = { a: 'title' };
  });
  // The event is read again when somebody comes back to the window after a while.
  const broken = page.getByRole('heading', { name: 'This page could not be shown' });
  await until('the page fails', async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    return broken.count();
  });
  await page.unroute(all);
  await page.getByRole('button', { name: 'Reload' }).click();
  await says(page, 1, 2, 'XQX');
  await says(page, 1, 3, '47');
  faults.length = 0;
});

/** What a page says that has failed, or has a gap: an error, a value of the program, a text that there is none for. */
const faulty =
  /This page could not be shown|Something went wrong|.*(?:\bundefined\b|\bNaN\b|\[object |Invalid Date).*|\b\w+\.(?:not\.known-yet|NOT_KNOWN_YET)\b/g;

for (const [how, what] of [
  ['least', 'has only what is required, and no items'],
  ['sparse', 'has items with only what is required'],
  ['most', 'has long texts, many items and values that are not known yet'],
])
  test(`no page fails where an answer ${what}`, async () => {
    const answers = await Answers.of(the.server);
    const { page, faults } = await visit('admin', '/', { viewport: { width: 320, height: 640 } });
    await answers.route(page, how);
    const event = await whole();
    const found = [];
    const look = async (at) => {
      await settled(page);
      const said = (await page.locator('body').innerText()).match(faulty) ?? [];
      const { wide, width } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        width: window.innerWidth,
      }));
      if (wide > width) said.push(`${wide} px wide`);
      found.push(...[...said, ...faults.splice(0)].map((f) => `${at}: ${f}`));
    };
    for (const path of [
      '/',
      ...['sheet', 'sheet?type=all', 'footprint', 'review', 'review?show=approved', 'report', 'history'].map(
        (place) => `/events/${event}/${place}`,
      ),
      `/compare?events=${event},${await the.server.example()}`,
      ...['', '?tab=members', '?tab=factors', '?tab=audit'].map((tab) => `/organization${tab}`),
      '/account',
      '/about',
    ]) {
      await (path === '/' ? page.goto(path) : follow(page, path));
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await settled(page);
      // What opens down, from the last, since what is opened moves those below it.
      for (const closed of (await page.locator('main button[aria-expanded=false]').all()).reverse())
        if (await closed.isVisible()) await closed.dispatchEvent('click');
      await look(path);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const dialog = page.getByRole('dialog');
    // Where there are no types of records, nothing is imported.
    if (how !== 'least') {
      await page.goto(`/events/${event}/sheet?type=flights`);
      await grid(page).waitFor();
      await page.locator('input[type=file]').setInputFiles({
        name: 'flights.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('from,to,passengers,Unknown,\nLHR,JFK,2,x,\nLHR,XQX,,y,\n'),
      });
      await dialog.waitFor();
      await look('an import');
    }
    for (const name of ['Edit event', 'Duplicate event', 'Team']) {
      await page.goto(`/events/${event}/history`);
      await page.getByRole('button', { name: 'Event actions' }).click();
      await page.getByRole('menuitem', { name }).click();
      await dialog.waitFor();
      await look(name);
    }
    assert.deepEqual(found, []);
    assert.ok(answers.varied.size > 20, [...answers.varied].join('\n'));
  });
