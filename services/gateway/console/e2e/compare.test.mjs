// Events side by side.
import assert from 'node:assert/strict';
import { axe, settled, test, the, until, visit } from './setup.mjs';

test('events stand side by side, with what they were calculated by, and others are chosen', async () => {
  const make = async (title, day, more = {}) => {
    const { _id } = await the.server.api('manager', 'POST', '/events', {
      title,
      country: 'GB',
      startDate: `${day}-01`,
      endDate: `${day}-02`,
      attendees: 100,
      ...more,
    });
    return _id;
  };
  const spring = await make('Spring fair', '2027-03');
  const summer = await make('Summer fair', '2027-06', { method: { radiativeForcing: false } });
  const autumn = await make('Autumn fair', '2027-09', {
    boundary: { excluded: [{ type: 'flights', reason: 'Nobody flew.' }] },
  });
  /** Makes an event with the same records as another, by the factors of an earlier year. */
  const other = async (like) => {
    const set = (await the.server.api('manager', 'GET', `/events/${like}`)).factorSet;
    assert.equal(set, 'desnz-2026');
    const id = await make('Winter fair', '2027-12');
    await the.server.api('manager', 'POST', `/events/${id}/factor-set`, { factorSet: 'desnz-2025' });
    for (const event of [like, id]) {
      const waste = `/events/${event}/waste`;
      const { _id } = await the.server.api('user', 'POST', waste, { treatment: 'landfill', weightKg: 120_000 });
      await the.server.api('user', 'POST', `${waste}/${_id}/submit`, {});
      await the.server.api('manager', 'POST', `${waste}/${_id}/approve`, {});
    }
    await the.server.approved(id, undefined, 2);
    return id;
  };
  const first = await the.server.approved(spring);
  await the.server.approved(summer);
  const { page } = await visit('user');
  await page.getByRole('link', { name: 'Compare' }).click();
  const table = page.getByRole('table');
  // What has a figure stands there first; what has none is named, also where it is chosen.
  await table.getByRole('columnheader', { name: /Summer fair/ }).waitFor();
  await page.getByText('none of its records is approved yet: Autumn fair.').waitFor();
  await page.getByLabel('Add an event').selectOption({ label: 'Autumn fair, 1 – 2 Sept 2027 (nothing approved yet)' });
  await table.getByRole('columnheader', { name: /Autumn fair/ }).waitFor();
  await page.getByRole('button', { name: /^Remove Example/ }).click();
  await settled(page);
  const line = async (name) => {
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
    return row.getByRole('cell').allInnerTexts();
  };
  const [one, two, three] = await line('Total');
  assert.match(one, /t CO₂e/);
  assert.notEqual(one, two);
  assert.equal(three, 'nothing approved yet');
  // It is the server's figure that is shown, to the last digit on demand.
  const shown = await table
    .getByTitle(/ kg CO₂e$/)
    .first()
    .getAttribute('title');
  assert.equal(Number(shown.replace(/[^\d.]/g, '').replace(/2$/, '')), first.total.kgCO2e);
  assert.deepEqual((await line('Attendees in person')).slice(0, 2), ['100', '100']);
  assert.match((await line('Flights'))[2], /excluded/);
  assert.deepEqual((await line('High-altitude effects')).slice(0, 2), ['included', 'excluded']);
  await page.getByText('calculated differently: High-altitude effects').waitFor();
  await axe(page, 'events side by side');
  await page.getByRole('button', { name: 'Remove Summer fair' }).click();
  await page.getByText('calculated differently').waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).search, `?events=${spring}%2C${autumn}`);
  await page.getByLabel('Add an event').selectOption({ label: 'Summer fair, 1 – 2 Jun 2027' });
  await until('it is there again', async () => (await table.getByRole('columnheader').count()) === 3);
  await page.getByLabel('Replace Autumn fair with another event').selectOption(await the.server.example());
  await table.getByRole('columnheader', { name: /Example/ }).waitFor();
  await page.reload();
  await table.getByRole('columnheader', { name: /Example/ }).waitFor();
  // Of events with other factors it is said which; what the factors account for is calculated for managers.
  await page.goto(`/compare?events=${spring},${autumn},${await other(spring)}`);
  await page.getByText(/^Winter fair: UK Government .*2025/).waitFor();
  assert.equal(await table.getByRole('rowheader', { name: /^Total with / }).count(), 0);
  const manager = await visit('manager', page.url());
  const alike = manager.page.getByRole('row', { name: /^Total with UK Government .*2026/ });
  await alike.getByText(/^due to another factor set: −/).waitFor();
  const [own, none, winter] = await alike.getByRole('cell').allInnerTexts();
  assert.equal(none, '–');
  assert.equal(winter.split('\n')[0], own, 'the same records by the same factors come to the same figure');
  await axe(manager.page, 'events with other factors');
  await page.setViewportSize({ width: 390, height: 844 });
  await axe(page, 'events side by side on a phone');
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
});
