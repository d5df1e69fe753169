// What waits for a decision, and what was decided.
import assert from 'node:assert/strict';
import { axe, settled, test, the, until, visit } from './setup.mjs';

test('what waits is counted, and led to, where nothing is approved yet', async () => {
  const id = await the.server.event('Nothing approved');
  for (const path of ['footprint', 'report']) {
    const { page } = await visit('manager', `/events/${id}/${path}`);
    await page.locator('main').getByRole('link', { name: 'Sheet', exact: true }).last().waitFor();
  }
  const items = [2, 3].map((nights) => ({ country: 'DE', nights, rooms: 10 }));
  const made = await the.server.api('user', 'POST', `/events/${id}/accommodation/batch`, { items });
  const ids = made.items.map((i) => i.record._id);
  await the.server.api('user', 'POST', `/events/${id}/accommodation/submit`, { ids });
  const { page } = await visit('manager');
  const card = page.getByRole('listitem').filter({ hasText: 'Nothing approved' });
  await card.getByText('2 waiting').waitFor();
  await card.getByRole('link').click();
  await page.getByRole('link', { name: 'Review 2 waiting' }).waitFor();
  for (const path of ['report', 'footprint']) {
    await page.goto(`/events/${id}/${path}`);
    await page.getByText('2 records are waiting for review; only approved records count.').waitFor();
  }
  await page.getByRole('link', { name: 'Review', exact: true }).click();
  await page.getByRole('listbox', { name: 'Queue, 2 records' }).waitFor();
  // A country is called by its name, not by its code.
  await page.getByRole('row', { name: 'Country Germany' }).waitFor();
});

test('of many records all are selected, few are drawn, and the next follows what was decided', async () => {
  const id = await the.server.event('Many wait');
  for (const from of [0, 80]) {
    const items = Array.from({ length: 80 }, (_, n) => ({ from: 'LHR', to: 'JFK', passengers: from + n + 1 }));
    const made = await the.server.api('user', 'POST', `/events/${id}/flights/batch`, { items });
    const ids = made.items.map((i) => i.record._id);
    await the.server.api('user', 'POST', `/events/${id}/flights/submit`, { ids });
  }
  const { page } = await visit('manager');
  const hold = async (pages) => {
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route(pages, (route) => held.then(() => route.continue()));
    return release;
  };
  // The first page is there before the others; what follows from all of them is not.
  // What was decided can be asked for at once, and nothing moves away from under a finger when the queue is there.
  let release = await hold('**/review?page=1*');
  await page.goto(`/events/${id}/review`);
  const outcome = page.locator('.review').getByText('Approved', { exact: true });
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  const at = await outcome.boundingBox();
  release();
  await page.getByRole('option').first().waitFor();
  assert.deepEqual(await outcome.boundingBox(), at);
  await page.unrouteAll({ behavior: 'wait' });
  release = await hold('**/review?page=2*');
  await page.goto(`/events/${id}/review`);
  const queue = page.getByRole('listbox', { name: 'Queue, 160 records' });
  await queue.waitFor();
  await page.getByText('100 of 160 records so far; the rest is being read.').waitFor();
  await page.getByRole('option').first().waitFor();
  assert.equal(await queue.getAttribute('aria-activedescendant'), null);
  assert.equal(await page.getByRole('button', { name: 'Select all' }).count(), 0);
  release();
  await page.getByRole('button', { name: 'Select all' }).waitFor();
  await settled(page);
  assert.ok((await page.locator('.queueitem').count()) < 40);
  const heaviest = await queue.getAttribute('aria-activedescendant');
  await queue.focus();
  await page.keyboard.press('c');
  await page.getByLabel(/^Reason( \*)?$/).fill('Which flight?');
  // The next one is there at once, whenever the queue is read again.
  release = await hold('**/review?page=*');
  await page.getByRole('dialog').getByRole('button', { name: 'Request changes' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const rest = page.getByRole('listbox', { name: 'Queue, 159 records' });
  await rest.waitFor();
  const next = await rest.getAttribute('aria-activedescendant');
  assert.ok(next && next !== heaviest);
  assert.equal(await page.locator(`#${next}`).getAttribute('aria-posinset'), '1');
  release();
  await page.getByRole('button', { name: 'Select all' }).click();
  await page.getByRole('button', { name: 'Approve 159' }).click();
  await page.getByText('159 records would be approved and counted.').waitFor();
  const preview = page.getByRole('region', { name: 'Records and their footprints' });
  await preview.getByRole('listitem').first().waitFor();
  assert.ok((await preview.getByRole('listitem').count()) < 40);
  await preview.evaluate((e) => e.scrollTo(0, e.scrollHeight));
  await preview.locator('[aria-posinset="159"][aria-setsize="159"]').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('Nothing waits for a decision').waitFor();
  await until('the focus is on the page', () => page.evaluate(() => document.activeElement?.id === 'main'));
});

/** The history of the only flight of an event says who approved it, and takes that back. */
async function takesBack(page, id) {
  const history = page.getByRole('region', { name: 'History' });
  await history.getByText('Demo manager').first().waitFor();
  await history.getByRole('button', { name: 'Reverse' }).click();
  await page.getByLabel(/^Reason( \*)?$/).fill('The wrong flight.');
  await page.getByRole('dialog').getByRole('button', { name: 'Reverse' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { items } = await the.server.api('user', 'GET', `/events/${id}/flights`);
  assert.notEqual(items[0].status, 'approved');
}

test('where only some of many are rejected, the reason goes on with the others, and is gone with the last', async () => {
  const id = await the.server.event('Rejected in parts');
  for (const count of [100, 1]) {
    const items = Array.from({ length: count }, () => ({ from: 'LHR', to: 'JFK', passengers: 2 }));
    const made = await the.server.api('user', 'POST', `/events/${id}/flights/batch`, { items });
    const ids = made.items.map((i) => i.record._id);
    await the.server.api('user', 'POST', `/events/${id}/flights/submit`, { ids });
  }
  const { page, faults } = await visit('manager', `/events/${id}/review`);
  await page.getByRole('button', { name: 'Select all' }).click();
  const reject = page.getByRole('button', { name: 'Reject', exact: true });
  await reject.first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Reason( \*)?$/).fill('Not of this event.');
  let sent = 0;
  await page.route('**/review/reject', (route) => (++sent === 2 ? route.abort() : route.continue()));
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await dialog.getByRole('alert').getByText('The server cannot be reached').waitFor();
  await page.getByRole('dialog', { name: 'Reject the record' }).waitFor();
  assert.equal(await dialog.getByLabel(/^Reason( \*)?$/).inputValue(), 'Not of this event.');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Nothing waits for a decision').waitFor();
  const kept = await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('ecf.text.')));
  assert.deepEqual(kept, []);
  faults.length = 0; // the connection was lost
});

test('the sheet says who approved a row, and takes that back', async () => {
  const id = await the.server.event('Verdict');
  await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/sheet`);
  await takesBack(page, id);
});

test('what was decided is found by its outcome and by who decided, and taken back', async () => {
  const id = await the.server.event('Past');
  const waits = async (passengers) => {
    const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, {
      from: 'LHR',
      to: 'JFK',
      passengers,
    });
    await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
    return `/events/${id}/flights/${_id}`;
  };
  const [first, second, third] = [await waits(11), await waits(22), await waits(33)];
  await waits(44);
  await the.server.api('manager', 'POST', `${first}/approve`, { comment: 'As on the invoice.' });
  await the.server.api('admin', 'POST', `${second}/approve`, {});
  await the.server.api('manager', 'POST', `${third}/reject`, { comment: 'Of another event.' });
  const { page } = await visit('manager', `/events/${id}/review`);
  await page.getByRole('listbox', { name: 'Queue, one record' }).waitFor();
  await page.getByText('Approved', { exact: true }).click();
  await page.waitForURL('**/review?show=approved');
  await page.getByText('2 records, latest decision first.').waitFor();
  const entries = page.locator('.entries > li');
  const texts = await entries.allInnerTexts();
  assert.match(texts[0], /22 passengers[\s\S]*Approved by Demo admin, \d/);
  assert.match(texts[1], /11 passengers[\s\S]*Approved by Demo manager, \d[\s\S]*As on the invoice\./);
  await axe(page, 'what is approved');
  await page.getByLabel('By').selectOption('Demo manager');
  await page.getByText('One record.').waitFor();
  assert.match((await entries.allInnerTexts()).join(), /^Flights: [\s\S]*11 passengers/);
  await page.reload();
  await page.getByText('2 records, latest decision first.').waitFor();
  await page.getByText('Rejected', { exact: true }).click();
  await page.getByText('Of another event.').waitFor();
  await entries.getByRole('button', { name: 'Reverse' }).click();
  await page.getByLabel(/^Reason( \*)?$/).fill('It was ours.');
  await page.getByRole('dialog').getByRole('button', { name: 'Reverse' }).click();
  await page.getByRole('heading', { name: 'No records' }).waitFor();
  await page.getByText('Waiting', { exact: true }).click();
  await page.getByRole('listbox', { name: 'Queue, one record' }).waitFor();
  assert.notEqual((await the.server.api('user', 'GET', third)).status, 'rejected');
});

test('on a phone a decision stands at the row, and is taken back there', async () => {
  const id = await the.server.event('Phone verdict');
  await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/sheet`, { viewport: { width: 390, height: 740 } });
  await takesBack(page, id);
  // What gets the focus is not left below the bar at the foot of the page.
  await page.setViewportSize({ width: 320, height: 640 });
  await page.evaluate(() => scrollTo(0, 0));
  const below = [];
  for (const field of await page.locator('#main').locator('input, button').all())
    below.push(
      await field.evaluate((e) => {
        const bar = document.querySelector('.bottombar');
        e.focus();
        const under = e.getBoundingClientRect().bottom > bar.getBoundingClientRect().top + 1;
        return document.activeElement === e && !bar.contains(e) && under ? e.outerHTML.slice(0, 120) : '';
      }),
    );
  assert.ok(below.length > 5, below.join());
  assert.deepEqual(below.filter(Boolean), []);
  // The names of the outcomes are longer in German.
  await page.evaluate(() => localStorage.setItem('ecf.language', 'de'));
  await page.goto(`/events/${id}/review`);
  await page.getByText('Abgelehnt', { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
});
