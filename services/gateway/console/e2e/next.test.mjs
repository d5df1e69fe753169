// What is left to do, and what it is about: rows sent back, what to measure, an empty queue, little room.
import assert from 'node:assert/strict';
import { axe, cell, grid, settled, test, the, until, visit } from './setup.mjs';

const flight = { from: 'LHR', to: 'LEJ', passengers: 12 };

/** Records something, and submits it. */
async function submitted(event, type, fields) {
  const { _id } = await the.server.api('user', 'POST', `/events/${event}/${type}`, fields);
  await the.server.api('user', 'POST', `/events/${event}/${type}/${_id}/submit`, {});
  return _id;
}

test('what was sent back is counted and led to, in a sheet and on a phone', async () => {
  const event = await the.server.event('Sent back');
  await the.server.approved(event, flight);
  const fields = [
    ['flights', { from: 'JFK', to: 'FRA', passengers: 3 }],
    ['accommodation', { country: 'DE', nights: 2, rooms: 10 }],
  ];
  for (const [type, f] of fields) {
    const id = await submitted(event, type, f);
    const comment = `Which ${type}?`;
    await the.server.api('manager', 'POST', `/events/${event}/${type}/${id}/request-changes`, { comment });
  }
  const { page } = await visit('user');
  const card = page.getByRole('listitem').filter({ hasText: 'Sent back' });
  await card.getByText('2 sent back').waitFor();
  await card.getByRole('link').click();
  await page.getByText('2 rows were sent back, with comments.').waitFor();
  const next = page.getByRole('button', { name: 'Show the next one' });
  const comments = page.getByRole('complementary', { name: 'Selected row' });
  for (const comment of ['Which flights?', 'Which accommodation?', 'Which flights?']) {
    await next.click();
    await comments.getByText(comment).waitFor();
  }
  // Also where another row of the same kind has the focus since.
  await cell(page, 1, 1).click();
  await comments.getByText('Which flights?').waitFor({ state: 'detached' });
  await next.click();
  await comments.getByText('Which accommodation?').waitFor();
  await axe(page, 'a sheet with rows sent back');
  await page.goto(`/events/${event}/footprint`);
  await page.getByText('and 2 sent back', { exact: true }).waitFor();

  const phone = await visit('user', `/events/${event}/sheet`, { viewport: { width: 390, height: 844 } });
  await phone.page.getByRole('button', { name: 'Show the next one' }).click();
  await phone.page.getByText('Row 2 of 2').waitFor();
  assert.equal(await phone.page.getByLabel('From').inputValue(), 'JFK');
});

test('records are named by what they say: among all, by what to measure next, and by findings', async () => {
  const event = await the.server.event('Named');
  await the.server.approved(event, flight);
  const { page } = await visit('manager', `/events/${event}/sheet?type=all`);
  await grid(page).getByRole('gridcell', { name: 'Flights LHR · LEJ · 12 passengers' }).waitFor();
  await page.goto(`/events/${event}/footprint`);
  await page.getByRole('link', { name: 'Flights: LHR · LEJ · 12 passengers' }).waitFor();
  await page.getByRole('note').getByRole('link', { name: 'LHR · LEJ · 12 passengers' }).first().waitFor();
  // What is not measured is said to be what it is.
  const { dataQuality } = await the.server.api('manager', 'GET', `/events/${event}/results`);
  assert.equal(dataQuality.estimatedShare, 1);
  await page.getByText('100% estimated', { exact: true }).waitFor();
});

test('an empty queue leads on to the footprint; who does not decide is not refused but told', async () => {
  const event = await the.server.event('Empty queue');
  await the.server.approved(event, flight);
  const { page } = await visit('manager', `/events/${event}/review`);
  await page.getByRole('heading', { name: 'Nothing waits for a decision' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Footprint', exact: true }).last().click();
  await page.getByRole('heading', { name: 'What to measure next' }).waitFor();
  // The number of a line stands beside the first of its lines of text.
  const apart = await page
    .locator('ol li', { hasText: 'LHR' })
    .first()
    .evaluate((li) => {
      li.style.width = '150px';
      li.style.whiteSpace = 'nowrap';
      const link = li.querySelector('a');
      link.style.whiteSpace = 'normal';
      link.style.width = '130px';
      const mark = document.createElement('span');
      link.before(mark);
      mark.textContent = '1';
      const { top, height } = link.getBoundingClientRect();
      return { distance: mark.getBoundingClientRect().top - top, height };
    });
  assert.ok(apart.height > 30 && Math.abs(apart.distance) < 10, JSON.stringify(apart));

  const member = await visit('user', '/');
  const refused = [];
  member.page.on('response', (r) => r.status() === 403 && refused.push(r.url()));
  await member.page.goto(`/events/${event}/review`);
  await member.page.getByRole('heading', { name: 'Managers decide here' }).waitFor();
  await settled(member.page);
  assert.deepEqual(refused, []);
});

test('who only reads is not told to record or to approve where there is nothing yet', async () => {
  await the.server.viewer();
  const event = await the.server.event('Nothing to read');
  const { page } = await visit('viewer', `/events/${event}/footprint`);
  await page.getByText('The footprint appears here once a manager approves one.').waitFor();
  assert.equal(await page.getByText('Enter and submit').count(), 0);
  await page.goto(`/events/${event}/report`);
  await page.getByRole('heading', { name: 'Nothing to report yet' }).waitFor();
  assert.equal(await page.getByText('Approve some first').count(), 0);
  await page.getByRole('link', { name: 'Report', exact: true }).waitFor(); // only managers sign
  await page.goto(`/events/${event}/review`);
  await page.getByRole('heading', { name: 'Managers decide here' }).waitFor();
  assert.equal(await page.getByText('your records').count(), 0);
  // What is refused to them is said, not tried.
  const refused = [];
  page.on('response', (r) => r.status() === 403 && refused.push(r.url()));
  await page.goto(`/events/${event}/history`);
  await page.getByRole('heading', { name: 'The history is for those who record or decide' }).waitFor();
  // Drafts are not theirs to read: no link leads there, and the sheet does not say that there are none.
  await the.server.approved(event, flight);
  await the.server.api('user', 'POST', `/events/${event}/flights`, flight);
  await page.goto(`/events/${event}/report`);
  await page.getByText('One draft is not submitted').waitFor();
  assert.equal(await page.getByRole('link', { name: 'One draft is not submitted' }).count(), 0);
  await page.goto(`/events/${event}/sheet`);
  const sums = page.getByRole('group', { name: 'Totals of the event' });
  await sums.getByText('Approved · one row').waitFor();
  await settled(page);
  assert.doesNotMatch(await page.locator('.bottombar').innerText(), /Drafts|Waiting|saved/);
  assert.deepEqual(refused, []);
});

test('a waiting record is weighed against what is approved, and says so', async () => {
  const event = await the.server.event('Weighed');
  await the.server.approved(event, { ...flight, passengers: 1 });
  await submitted(event, 'flights', flight);
  const { page } = await visit('manager', `/events/${event}/review`);
  await page.getByText(/1,200% of what is approved/).waitFor();
  // Whose it is stands with it, and its numbers are in groups, so that a slip of the decimal point is seen.
  await submitted(event, 'venue', { electricityKWh: 470000 });
  await page.reload();
  await page
    .getByRole('option', { name: /470,000 kWh/ })
    .getByText('Demo user')
    .waitFor();
  await page.getByRole('cell', { name: '470,000', exact: true }).waitFor();
});

test('on a laptop the kinds of records and their counts are on one line, in both languages', async () => {
  const event = await the.server.event('Tabs');
  for (const locale of ['en-GB', 'de-DE']) {
    const { page } = await visit('user', `/events/${event}/sheet`, { viewport: { width: 1366, height: 768 }, locale });
    await grid(page).waitFor();
    const lines = await page.getByRole('tab').evaluateAll((tabs) => {
      // As in an event that has rows of every kind.
      for (const tab of tabs) tab.lastElementChild.textContent = '12';
      return new Set(tabs.map((tab) => tab.offsetTop)).size;
    });
    assert.equal(lines, 1, locale);
  }
});

test('at 200 % zoom the sheet has rows, and what is known of the row in focus', async () => {
  const event = await the.server.event('Zoomed');
  await the.server.approved(event, flight);
  // A window of 1366 by 768 pixels has half of each.
  const { page } = await visit('manager', `/events/${event}/sheet?type=flights`, {
    viewport: { width: 683, height: 384 },
  });
  await settled(page);
  const box = await grid(page).boundingBox();
  assert.ok(box.height >= 200, `the grid is ${box.height} px high`);
  assert.ok((await cell(page, 1, 1).innerText()).includes('LHR'));
  const about = page.getByRole('complementary', { name: 'Selected row' });
  await about.getByText('Approved', { exact: true }).first().waitFor();
  // The page scrolls to it; nothing scrolls sideways but the grid.
  await about.scrollIntoViewIfNeeded();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 683);
});

test('a browser with larger text has larger words everywhere, also in what leads to the pages', async () => {
  const event = await the.server.event('Large text');
  const { page } = await visit('manager', `/events/${event}/sheet`);
  await page.locator('.typetab').first().waitFor();
  const sizes = () =>
    page.evaluate(() =>
      ['.navlink', '.tab', '.typetab'].map((s) =>
        Number.parseFloat(getComputedStyle(document.querySelector(s)).fontSize),
      ),
    );
  const before = await sizes();
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
  });
  assert.deepEqual(
    await sizes(),
    before.map((size) => 2 * size),
  );
});

test('on a phone the buttons of a decision stay where they are while one can be undone', async () => {
  const event = await the.server.event('Thumb');
  for (const passengers of [1, 2, 3, 4, 5, 6]) await submitted(event, 'flights', { ...flight, passengers });
  const { page } = await visit('manager', `/events/${event}/review`, { viewport: { width: 390, height: 844 } });
  const approve = page.getByRole('button', { name: 'Approve', exact: true });
  await approve.waitFor();
  await settled(page);
  const before = await approve.boundingBox();
  assert.ok(before.y + before.height <= 844, 'the button is in view');
  await approve.click();
  await page.getByText(/^Approving in/).waitFor();
  await page.getByRole('listbox', { name: 'Queue, 5 records' }).waitFor();
  await until('the next is shown', async () => (await approve.count()) === 1);
  const after = await approve.boundingBox();
  assert.ok(Math.abs(after.y - before.y) <= 1, `from ${before.y} to ${after.y}`);
  await page.getByRole('button', { name: 'Undo' }).click();
});

test('an empty row says what its kind of records is for, and what its cells take', async () => {
  const event = await the.server.event('Empty kinds');
  const { items } = await the.server.api('user', 'GET', '/record-types?limit=100');
  const { description } = items.find((x) => x.type === 'attendee-travel');
  const { page } = await visit('user', `/events/${event}/sheet?type=attendee-travel`);
  const about = page.getByRole('complementary', { name: 'Selected row' });
  await about.getByText(description).waitFor();
  await about.getByText('Origins · required').waitFor();
  await axe(page, 'an empty kind');
  const phone = await visit('user', `/events/${event}/sheet?type=attendee-travel`, {
    viewport: { width: 390, height: 844 },
  });
  await phone.page.getByText(description).waitFor();
});

test('on a phone the title of an event is read whole, beside its badge', async () => {
  const title =
    'International conference on circular economy and the logistics of sustainable events, region of the middle';
  const event = await the.server.event(title);
  const { revision } = await the.server.approved(event);
  await the.server.api('manager', 'POST', `/events/${event}/sign-off`, { revision, statement: 'Final.' });
  const waits = await the.server.event('What waits');
  await submitted(waits, 'flights', flight);
  const { page } = await visit('manager', `/events/${event}/footprint`, { viewport: { width: 390, height: 844 } });
  await page.getByText('Signed, edition 1').waitFor();
  const heading = page.getByRole('heading', { level: 1, name: title });
  assert.ok(await heading.evaluate((e) => e.scrollHeight <= e.clientHeight), 'nothing of it is cut off');
  assert.ok((await heading.boundingBox()).width > 280, 'it has the width of the page');
  for (const locale of ['en-GB', 'de-DE']) {
    const other = await visit('manager', `/events/${event}/footprint`, {
      viewport: { width: 390, height: 844 },
      locale,
    });
    await other.page.locator('.tab[aria-current=page]').waitFor();
    const lines = () =>
      other.page.locator('.tab').evaluateAll((tabs) => new Set(tabs.map((tab) => tab.offsetTop)).size);
    assert.equal(await lines(), 1, `the tabs are on one line: ${locale}`);
    assert.ok(
      (await other.page.locator('.eventhead').boundingBox()).height < 844 / 4,
      'most of the page is below them',
    );
    await other.page.goto('/');
    await other.page
      .getByRole('link', { name: title })
      .getByText(/^(Signed, edition|Unterzeichnet, Ausgabe) 1$/)
      .waitFor();
    await other.page.goto(`/events/${waits}/footprint`);
    await other.page.locator('.tabcount').waitFor();
    assert.equal(await lines(), 1, `the tabs are on one line where something waits: ${locale}`);
  }
});

test('all rows of a sheet are submitted together, also on a phone', async () => {
  const id = await the.server.event('Together');
  const add = (n) => the.server.api('user', 'POST', `/events/${id}/flights`, { from: 'LHR', to: 'JFK', passengers: n });
  for (const n of [1, 2, 3]) await add(n);
  const waiting = async () =>
    (await the.server.api('user', 'GET', `/events/${id}/flights`)).items.filter((r) => r.status === 'submitted').length;
  const { page } = await visit('user', `/events/${id}/sheet?type=flights`);
  await page.getByRole('button', { name: 'Submit one row' }).click();
  await until('one waits', async () => (await waiting()) === 1);
  // The row in focus is locked now, and the others are still offered.
  await page.getByRole('button', { name: 'Submit all 2 rows' }).click();
  await until('all wait', async () => (await waiting()) === 3);
  await page.getByRole('button', { name: /^Submit all/ }).waitFor({ state: 'hidden' });

  for (const n of [4, 5]) await add(n);
  const phone = await visit('user', `/events/${id}/sheet?type=all`, { viewport: { width: 390, height: 844 } });
  await phone.page.locator('.rowform').getByText('Flights', { exact: true }).waitFor();
  await phone.page.getByRole('button', { name: 'Submit all 2 rows' }).click();
  await until('all wait again', async () => (await waiting()) === 5);
});
