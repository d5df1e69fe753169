// Every page, for every role, in both themes.
import { anonymous, axe, settled, test, the, visit } from './setup.mjs';

for (const who of ['viewer', 'user', 'manager', 'admin'])
  test(`axe finds nothing on any page: ${who}`, async () => {
    if (who === 'viewer') await the.server.viewer();
    const { page } = await visit(who);
    const id = await the.server.event(`Pages for ${who}`);
    const record = await the.server.api('user', 'POST', `/events/${id}/flights`, {
      from: 'LHR',
      to: 'JFK',
      passengers: 2,
    });
    await the.server.api('user', 'POST', `/events/${id}/flights/${record._id}/submit`, {});
    await the.server.api('user', 'POST', `/events/${id}/flights`, { from: 'LHR', to: 'AMS', passengers: 2 });
    const example = await the.server.example();
    const pages = [
      '/',
      `/events/${id}/sheet`,
      `/events/${id}/sheet?type=all`,
      `/events/${id}/footprint`,
      `/events/${example}/footprint`,
      `/events/${example}/report`,
      `/events/${id}/report`,
      `/events/${id}/history`,
      '/organization',
      '/organization?tab=factors',
      '/nowhere',
      '/account',
      '/about',
    ];
    if (who === 'manager' || who === 'admin') pages.push(`/events/${id}/review`, `/events/${example}/review`);
    for (const path of pages) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await settled(page);
      // What administrators see holds all that others see: the second theme is looked at there.
      await axe(page, path, who === 'admin' || path.endsWith('/review') ? undefined : ['light']);
    }
    if (who === 'admin')
      for (const tab of ['People', 'Audit log']) {
        await page.goto('/organization');
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('table').waitFor();
        await axe(page, tab);
      }
  });

test('axe finds nothing on the page to sign in', async () => {
  const { page } = await anonymous();
  await page.getByLabel('Email').waitFor();
  await axe(page, 'sign in');
});
