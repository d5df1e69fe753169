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
