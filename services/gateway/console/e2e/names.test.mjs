// What things are called, and found by: sets of factors, people, entries of the log, time zones, events.
import assert from 'node:assert/strict';
import { axe, settled, test, the, until, visit } from './setup.mjs';

test('sets of factors are called by what was published, with their sources', async () => {
  const event = await the.server.event('Published');
  await the.server.approved(event);
  const { page } = await visit('manager', '/about');
  const item = page.getByRole('listitem').filter({ hasText: 'UK Government GHG conversion factors 2026 (DESNZ)' });
  const { items } = await the.server.api('manager', 'GET', '/factor-sets?limit=100');
  const { sources } = items.find((s) => s.id === 'desnz-2026');
  await item.getByText(`${sources.length} sources, with their licences`).first().click();
  await item.getByText(sources[0].source).first().waitFor();
  await axe(page, 'sources');
  const other = await the.server.event('Published, too');
  await the.server.approved(other, { from: 'LHR', to: 'JFK', passengers: 40 });
  await page.goto(`/compare?events=${event},${other}`);
  await page.getByText('The differences are from Published.').waitFor();
  const total = page
    .getByRole('row', { name: /^Total/ })
    .getByRole('cell')
    .last();
  assert.match(await total.innerText(), /[+−][\d.,]+\s(kg|t) \([+−][\d.,]+%\)/);
  await page.getByRole('cell', { name: 'UK Government GHG conversion factors 2026 (DESNZ)' }).first().waitFor();
  await page.goto(`/events/${event}/footprint`);
  await page
    .getByLabel('Factor set', { exact: true })
    .selectOption({ label: 'UK Government GHG conversion factors 2025 (DESNZ)' });
  await page.getByLabel(/^Reason( \*)?$/).fill('As the client has it.');
  await page.getByRole('button', { name: 'Adopt UK Government GHG conversion factors 2025 (DESNZ)' }).click();
  await until(
    'it is adopted',
    async () => (await the.server.api('manager', 'GET', `/events/${event}`)).factorSet === 'desnz-2025',
  );
  await page.goto(`/events/${event}/history`);
  await page.getByRole('cell', { name: 'UK Government GHG conversion factors 2025 (DESNZ)' }).waitFor();
});

test('a long address leaves all that can be done about a person in view, also on a phone', async () => {
  const name = 'عبد الرحمن بن خلدون الحضرمي';
  const email = `${'a.very.long.name.'.repeat(3)}x@department.of.${'an-organization-'.repeat(4)}x.example`;
  await the.server.api('admin', 'POST', '/users', { name, email, role: 'user' });
  for (const viewport of [
    { width: 1366, height: 768 },
    { width: 390, height: 844 },
  ]) {
    const { page } = await visit('admin', '/organization?tab=members', { viewport });
    const row = page.getByRole('row', { name: new RegExp(name) });
    for (const control of [
      row.getByRole('combobox'),
      row.getByRole('button', { name: 'New link' }),
      row.getByRole('button', { name: 'Withdraw the invitation' }),
    ]) {
      const box = await control.boundingBox();
      // Its frame ends where the page has its margin.
      assert.ok(box.x >= 0 && box.x + box.width <= viewport.width - 10, `${JSON.stringify(box)} of ${viewport.width}`);
    }
    assert.ok(
      await page.locator('.scrollx').evaluate((e) => e.scrollWidth <= e.clientWidth),
      'nothing scrolls sideways',
    );
    await axe(page, `people at ${viewport.width} px`);
  }
});

test('a long title is read whole before the event is deleted', async () => {
  const title = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'.repeat(3);
  const id = await the.server.event(title);
  const { page } = await visit('manager', `/events/${id}/footprint`, { viewport: { width: 390, height: 844 } });
  await page.getByRole('button', { name: 'Event actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete event' }).click();
  const text = page.getByRole('dialog').getByText(title);
  assert.ok(await text.evaluate((e) => e.scrollWidth <= e.clientWidth), 'a part of it is cut off');
});

test('administrators rename others, and themselves for what they do from then on', async () => {
  const { page } = await visit('admin', '/organization?tab=members', { fresh: true });
  const rename = async (from, to) => {
    await page.getByRole('button', { name: `Rename: ${from}` }).click();
    const name = page.getByRole('dialog').getByLabel('Name');
    assert.equal(await name.inputValue(), from);
    await name.fill(to);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: new RegExp(to) }).waitFor();
    assert.equal(await page.getByRole('row', { name: new RegExp(from) }).count(), 0);
    await until('the focus is at who was renamed', () =>
      page.getByRole('button', { name: `Rename: ${to}` }).evaluate((e) => e === document.activeElement),
    );
  };
  await rename('Demo user', 'Uma Ufer');
  await rename('Demo admin', 'Ada Amt');
  await page.getByRole('button', { name: 'Ada Amt: account and settings' }).waitFor();
  const event = await page.evaluate(async () => {
    const response = await fetch('/session/api/events', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-ECF-Console': '1' },
      body: JSON.stringify({ title: 'Renamed', country: 'GB', startDate: '2026-09-01', endDate: '2026-09-02' }),
    });
    return (await response.json()).data;
  });
  assert.equal(event.createdBy.name, 'Ada Amt');
  for (const [from, to] of [
    ['Uma Ufer', 'Demo user'],
    ['Ada Amt', 'Demo admin'],
  ])
    await rename(from, to);
});

test('the audit log begins without who came and went, and calls a refused sign-in none', async () => {
  const wrong = { email: 'manager@demo.test', password: 'not the password of anybody' };
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${the.server.url}/api/v2/auth/login`, { method: 'POST', headers, body: JSON.stringify(wrong) });
  const { page } = await visit('admin', '/organization?tab=audit');
  const log = page.getByRole('table');
  await log.getByText('Account created').first().waitFor();
  const signedIn = log.getByText('Signed in', { exact: true });
  assert.equal(await signedIn.count(), 0, 'what people look for is among sign-ins');
  await log
    .getByRole('rowheader', { name: /^Sign-in · denied: wrong password/ })
    .first()
    .waitFor();
  assert.equal(await log.getByRole('rowheader', { name: /^Signed in · denied/ }).count(), 0);
  const signIns = page.getByRole('switch', { name: 'Show sign-ins and sign-outs' });
  await signIns.click();
  await signedIn.first().waitFor();
  await signIns.click();
  await signedIn.first().waitFor({ state: 'detached' });
  await log.getByText('Account created').first().waitFor();
  await log
    .getByRole('rowheader', { name: /^Sign-in · denied/ })
    .first()
    .waitFor();
});

test('time zones are offered, a fault goes as its field is mended, and stands above what is found', async () => {
  const { page } = await visit('manager');
  await page.getByRole('button', { name: 'New event' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Title').fill('Zoned');
  const zone = form.getByLabel('Time zone');
  const offered = await zone.evaluate((e) => [...e.list.options].map((o) => o.value));
  assert.ok(offered.includes('Europe/Berlin'));
  await zone.fill('Berlin');
  await form.getByLabel('Place').fill('Leipz');
  await form.getByRole('button', { name: 'New event' }).click();
  const fault = form.locator('.mantine-TextInput-error').filter({ hasText: 'IANA time zone' });
  await fault.waitFor();
  await zone.fill('Europe/Berlin');
  await fault.waitFor({ state: 'detached' });
  await form.getByRole('button', { name: 'New event' }).click();
  const place = form.getByLabel('Place');
  await until('the place is at fault', async () => (await place.getAttribute('aria-invalid')) === 'true');
  await settled(page);
  const message = form.locator('.mantine-Autocomplete-error');
  assert.ok((await message.boundingBox()).y < (await place.boundingBox()).y, 'the list would stand over the fault');
});

test('of many events one is found by its title', async () => {
  const { page } = await visit('manager');
  assert.equal(await page.getByLabel('Find by title').count(), 0, 'few need no search');
  for (let n = 1; n <= 13; n++) await the.server.event(`Meeting ${n}`);
  await page.reload();
  await page.getByLabel('Find by title').fill('meeting 13');
  await until('one is left', async () => (await page.getByRole('main').getByRole('listitem').count()) === 1);
  await page.getByRole('link', { name: /Meeting 13/ }).waitFor();
  await page.getByLabel('Find by title').fill('nothing of the kind');
  await page.getByText('No event has this title.').waitFor();
});

test('a long title is shown whole in the list of events and beside others', async () => {
  const title = `Annual meeting of the working group on ${'harmonized carbon accounting, '.repeat(4)}fifth edition`;
  const id = await the.server.event(title);
  await the.server.approved(id);
  const second = await the.server.event(`${title} B`);
  await the.server.approved(second);
  const whole = (found) =>
    found.evaluate((e) => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1);
  for (const viewport of [
    { width: 1366, height: 768 },
    { width: 360, height: 740 },
  ]) {
    const { page } = await visit('manager', '/', { viewport });
    const named = page.getByText(title, { exact: true });
    assert.ok(await whole(named), `the list at ${viewport.width} px`);
    assert.ok((await named.boundingBox()).width > 200, `the list at ${viewport.width} px leaves the title no width`);
    const beside = page.locator('.cardparts > .figure').first();
    if (viewport.width < 480)
      assert.equal(
        await beside.evaluate((e) => getComputedStyle(e).textAlign),
        'left',
        'a figure below its title begins where the title does',
      );
    await page.goto(`/compare?events=${id},${second}`);
    const heading = page.getByRole('columnheader').getByRole('link', { name: title, exact: true });
    await heading.waitFor();
    assert.ok(await whole(heading.locator('..')), `the comparison at ${viewport.width} px`);
    const { width } = await heading.boundingBox();
    assert.ok(width > 60 && (await whole(heading)));
  }
});
