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
  await the.server.approved(other);
  await page.goto(`/compare?events=${event},${other}`);
  await page.getByRole('cell', { name: 'UK Government GHG conversion factors 2026 (DESNZ)' }).first().waitFor();
  await page.goto(`/events/${event}/footprint`);
  await page
    .getByLabel('Factors', { exact: true })
    .selectOption({ label: 'UK Government GHG conversion factors 2025 (DESNZ)' });
  await page.getByLabel('Why?').fill('As the client has it.');
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

test('the audit log can be read without who came and went, and calls a refused sign-in none', async () => {
  const wrong = { email: 'manager@demo.test', password: 'not the password of anybody' };
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${the.server.url}/api/v2/auth/login`, { method: 'POST', headers, body: JSON.stringify(wrong) });
  const { page } = await visit('admin', '/organization?tab=audit');
  const log = page.getByRole('table');
  await log.getByText('Signed in', { exact: true }).first().waitFor();
  await log
    .getByRole('rowheader', { name: /^Sign-in · refused: wrong password/ })
    .first()
    .waitFor();
  assert.equal(await log.getByRole('rowheader', { name: /^Signed in · refused/ }).count(), 0);
  await page.getByRole('switch', { name: 'Show who signed in and out' }).click();
  await log.getByText('Signed in', { exact: true }).first().waitFor({ state: 'detached' });
  await log.getByText('Account created').first().waitFor();
  await log
    .getByRole('rowheader', { name: /^Sign-in · refused/ })
    .first()
    .waitFor();
});
