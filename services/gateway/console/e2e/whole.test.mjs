// Decisions on many records, what a change would do, and small or calm windows.
import assert from 'node:assert/strict';
import { axe, cell, grid, settled, test, the, until, visit } from './setup.mjs';

const submitted = async (id, fields) => {
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, fields);
  await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
  return _id;
};
const statusOf = async (id, record) =>
  (await the.server.api('manager', 'GET', `/events/${id}/flights/${record}`)).status;

test('many records are decided together, with a look at what that does', async () => {
  const id = await the.server.event('Bulk');
  const records = [];
  for (const to of ['JFK', 'AMS', 'DUB', 'CDG']) records.push(await submitted(id, { from: 'LHR', to, passengers: 2 }));
  const { page } = await visit('manager', `/events/${id}/review`);
  const marks = page.locator('.queue .marker');
  await until('all wait', async () => (await marks.count()) === 4);
  await marks.nth(0).click();
  await marks.nth(1).click();
  await page.getByRole('button', { name: 'Approve 2' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 records would be approved and counted.').waitFor();
  await axe(page, 'approving many');
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await until('two are left', async () => (await marks.count()) === 2);
  await marks.nth(0).click();
  await marks.nth(1).click();
  // The one beside the record is for that record alone.
  await page.locator('.toolbar').getByRole('button', { name: 'Request changes' }).click();
  await dialog.getByLabel(/^Reason( \*)?$/).fill('Which class?');
  await dialog.getByRole('button', { name: /Request changes/ }).click();
  await until('nothing waits', async () => (await marks.count()) === 0);
  const statuses = await Promise.all(records.map((r) => statusOf(id, r)));
  assert.deepEqual(statuses.sort(), ['approved', 'approved', 'changes_requested', 'changes_requested']);
});

test('another method is tried before it is made, and another set of factors adopted', async () => {
  const id = await the.server.event('Rehearsed');
  const before = await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/footprint`);
  await page.getByLabel('High-altitude effects').selectOption('no');
  await page.getByText(/The total would change by −/).waitFor();
  await axe(page, 'a rehearsal');
  assert.equal((await the.server.api('manager', 'GET', `/events/${id}/results`)).revision, before.revision);
  await page.getByLabel(/^Reason( \*)?$/).fill('Asked for by the client.');
  const make = page.getByRole('button', { name: 'Make this change' });
  await make.click();
  await make.waitFor({ state: 'detached' }); // the page has the event as it is now
  await until('it counts', async () => {
    const now = await the.server.api('manager', 'GET', `/events/${id}/results`);
    return now.status === 'current' && now.total.kgCO2e < before.total.kgCO2e;
  });
  const event = await the.server.api('manager', 'GET', `/events/${id}`);
  const { items } = await the.server.api('manager', 'GET', '/factor-sets?limit=100');
  const other = items.find((s) => s.id !== event.factorSet).id;
  await page.getByLabel('Factor set', { exact: true }).selectOption(other);
  await page.getByLabel(/^Reason( \*)?$/).fill('The set of that year.');
  await page.getByRole('button', { name: /^Adopt / }).click();
  await until(
    'the set is adopted',
    async () => (await the.server.api('manager', 'GET', `/events/${id}`)).factorSet === other,
  );
});

test('the records behind a bar are those of the figure beside them, also where that has moved meanwhile', async () => {
  const id = await the.server.event('Moves while open');
  await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/footprint`);
  await page.getByRole('button', { name: /Flights/ }).click();
  const behind = page.locator('.explained > summary').filter({ hasText: /LHR/ });
  // Behind a figure the formula calls fields as the page does, and each line says what it is of.
  await behind.first().click();
  const explained = page.locator('details.explained').first();
  await explained.getByText('× 2 if “Round trip” ×').waitFor();
  assert.deepEqual(await explained.locator('.line > :first-child').allInnerTexts(), [
    'Direct: combustion and generation',
    'Upstream: the supply chain',
  ]);
  await the.server.approved(id, { from: 'LHR', to: 'DUB', passengers: 3 }, 2);
  await page.getByText('from 2 approved records').or(page.getByText('2 records')).first().waitFor();
  await until('both are there', async () => (await behind.count()) === 2);
});

test('attendees are counted by where they come from, and shown on a map', async () => {
  const id = await the.server.event('Origins');
  await the.server.api('manager', 'PATCH', `/events/${id}`, { place: 'Brighton, GB' });
  const { page } = await visit('manager', `/events/${id}/sheet?type=attendee-travel`);
  await grid(page).waitFor();
  const head = page.getByRole('columnheader', { name: /Origins/ });
  const at = Number(await head.getAttribute('aria-colindex'));
  await cell(page, 1, at - 1).click();
  await page.keyboard.type('12 Manchester, GB (rail); 3 Berlin, DE (plane)');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+End');
  const list = () => the.server.api('manager', 'GET', `/events/${id}/attendee-travel`);
  await until('it is saved', async () => (await list()).pagination.total === 1);
  await page.keyboard.press('Control+Home');
  await until('its cell says so', async () => /15 people from 2 places/.test(await cell(page, 1, at - 1).innerText()));
  const [record] = (await list()).items;
  await the.server.api('manager', 'POST', `/events/${id}/attendee-travel/${record._id}/submit`, {});
  await the.server.approved(id);
  await page.goto(`/events/${id}/footprint`);
  await page.getByRole('button', { name: 'Show the map' }).click();
  await page.getByRole('img', { name: 'Where attendees come from' }).waitFor();
  await page.getByRole('rowheader', { name: 'Manchester, GB' }).waitFor();
  await page.getByLabel('In another place').fill('Edinburgh, GB');
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.getByText(/Attendee travel: .*→/).waitFor();
  await axe(page, 'origins');
});

test('at 400 % zoom and without motion every page is there, in one column', async () => {
  const example = await the.server.example();
  const { page } = await visit('manager', '/', { viewport: { width: 320, height: 256 }, reducedMotion: 'reduce' });
  for (const path of [
    '/',
    `/events/${example}/sheet?type=flights`,
    `/events/${example}/footprint`,
    `/events/${example}/review`,
    `/events/${example}/report`,
    `/events/${example}/history`,
    '/organization',
    '/organization?tab=factors',
    '/account',
    '/about',
  ]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 320, `${path} is ${width} px wide`);
    const bar = await page.locator('.bottombar').evaluateAll((all) => all.map((b) => getComputedStyle(b).position));
    assert.ok(!bar.includes('sticky'), 'the sums cover half of a low window');
  }
  await page.getByRole('button', { name: /account and settings/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
  const moving = await page.evaluate(
    () => document.getAnimations().filter((a) => Number(a.effect?.getComputedTiming().duration) > 1).length,
  );
  assert.equal(moving, 0);
});

test('the footprint says in words what it is, what waits, what looks odd and what to measure next', async () => {
  const id = await the.server.event('In words');
  const { total } = await the.server.approved(id);
  await submitted(id, { from: 'LHR', to: 'AMS', passengers: 1 });
  const { page } = await visit('manager', `/events/${id}/footprint`);
  const main = page.locator('main');
  await main
    .getByText(/^With 95 % certainty it is .* t, from one approved record\. No record type is excluded\./)
    .waitFor();
  for (const text of ['Per attendee', 'Per attendee and day', 'Measured', 'Waiting for review'])
    await main.getByText(text, { exact: true }).waitFor();
  await main.getByText(/of the uncertainty/).waitFor();
  await main.getByText(/no ground transport/).waitFor();
  // Every digit of the figure is behind it, as the server has it.
  const exact = total.kgCO2e.toLocaleString('en-GB', { maximumFractionDigits: 6 });
  assert.match(
    (await main.locator('[title$="kg CO₂e"]').first().getAttribute('title')) ?? '',
    new RegExp(exact.replace('.', '\\.')),
  );
  await page.getByRole('link', { name: 'Review' }).click();
  await page.getByText(/^If all are approved: .* → /).waitFor();
  // Changes are asked for, and records rejected, by their keys.
  const queue = page.getByRole('listbox');
  for (const [key, title] of [
    ['c', /changes/i],
    ['r', /reject/i],
  ]) {
    await queue.focus();
    await until('a record is chosen', () => queue.getAttribute('aria-activedescendant'));
    await page.keyboard.press(key);
    await page.getByRole('dialog', { name: title }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

test('groups, what is measured, and the bridge between two revisions are the figures of the API', async () => {
  const id = await the.server.event('Bridge');
  const api = (method, path, body = {}) => the.server.api('manager', method, `/events/${id}${path}`, body);
  const current = (revision) =>
    until(`revision ${revision}`, async () => {
      const now = await the.server.api('manager', 'GET', `/events/${id}/results`);
      return now.revision === revision && now.status === 'current' && now;
    });
  await the.server.approved(id, { from: 'LHR', to: 'JFK', passengers: 3, dataQuality: 'assumed' });
  const meter = { source: 'grid', country: 'GB', energyKWh: 8_000, group: 'suppliers', dataQuality: 'measured' };
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/energy`, meter);
  for (const move of ['submit', 'approve']) await api('POST', `/energy/${_id}/${move}`);
  await current(2);
  await api('PATCH', '', { method: { radiativeForcing: false }, comment: 'Asked for by the client.' });
  const r = await current(3);
  const { page } = await visit('manager', `/events/${id}/footprint`);
  const main = page.locator('main');
  const digits = (kg) => `${kg.toLocaleString('en-GB', { maximumFractionDigits: 6 })} kg CO₂e`;
  const share = (s) => s.toLocaleString('en-GB', { style: 'percent' });
  const tonnes = (kg) => (kg / 1000).toFixed(2);

  const { measuredShare, assumedShare } = r.dataQuality;
  assert.ok(measuredShare > 0.1 && assumedShare > 0.1, `${measuredShare} and ${assumedShare} are told apart`);
  const measured = main.getByText('Measured', { exact: true }).locator('..');
  await measured.getByText(share(measuredShare), { exact: true }).waitFor();
  await measured.getByText(`${share(assumedShare)} assumed`, { exact: true }).waitFor();

  await main.locator('label').getByText('Group', { exact: true }).click();
  const groups = main.getByRole('table', { name: 'Group' });
  for (const g of r.byGroup) {
    const row = groups.getByRole('row', { name: g.group === 'suppliers' ? /Suppliers/ : /Not specified/ });
    await row.locator(`[title="${digits(g.kgCO2e)}"]`).waitFor();
    await row.getByText(`${tonnes(g.low)}–${tonnes(g.high)} t`).waitFor();
    await row.locator('.whisker').waitFor({ state: 'attached' });
  }
  await groups.getByRole('button', { name: /Suppliers/ }).click();
  await groups.locator('details.explained').waitFor();
  assert.equal(await groups.locator('details.explained').count(), 1);

  // Any two revisions: neither neighbours, nor what the page begins with.
  const bridge = main.getByRole('table', { name: 'The parts add up to the difference exactly.' });
  await main.getByLabel('From revision').selectOption('1');
  await bridge.getByRole('rowheader', { name: 'Revision 1', exact: true }).waitFor();
  const d = await the.server.api('manager', 'GET', `/events/${id}/results/1/diff/3`);
  const shown = await bridge.locator('td[title]').evaluateAll((all) => all.map((td) => td.title));
  assert.deepEqual(
    shown,
    [d.from, ...d.parts, d.to].map((p) => digits(p.kgCO2e)),
  );
  const micro = (text) => {
    const [, sign, whole, rest = ''] = /^(-?)([\d,]+)\.?(\d*) kg CO₂e$/.exec(text);
    return BigInt(`${sign}${whole.replaceAll(',', '')}${rest.padEnd(6, '0')}`);
  };
  const [from, ...parts] = shown.map(micro);
  const to = parts.pop();
  assert.ok(parts.length > 1, 'one part alone adds up to anything');
  assert.equal(
    parts.reduce((a, b) => a + b),
    to - from,
  );
  assert.equal(to - from, micro(digits(d.differenceKgCO2e)));
});

test('older revisions are fetched page by page, and compared', async () => {
  const id = await the.server.event('Older');
  for (const n of [1, 2, 3, 4]) {
    await the.server.approved(id);
    await until(`revision ${n}`, async () => {
      const now = await the.server.api('manager', 'GET', `/events/${id}/results`);
      return now.revision === n && now.status === 'current';
    });
  }
  const { page } = await visit('manager');
  // A page holds a hundred; with one on each, four revisions are as good as four hundred.
  await page.route(/results\/history/, (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
  );
  await page.goto(`${the.server.url}/events/${id}/footprint`);
  const main = page.locator('main');
  const from = main.getByLabel('From revision');
  const options = () => from.locator('option').count();
  await until('the newest alone', async () => (await main.getByLabel('to revision').locator('option').count()) === 1);
  for (const n of [1, 2, 3]) {
    await main.getByRole('button', { name: 'Show older revisions' }).first().click();
    await until(`${n} more`, async () => (await options()) === n);
  }
  assert.equal(await main.getByRole('button', { name: 'Show older revisions' }).count(), 0);
  await from.selectOption('1');
  const bridge = main.getByRole('table', { name: 'The parts add up to the difference exactly.' });
  await bridge.getByRole('rowheader', { name: 'Revision 1', exact: true }).waitFor();
});
