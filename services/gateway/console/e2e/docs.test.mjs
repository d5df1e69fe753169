// The pages of documentation, which the server has without the console.
import assert from 'node:assert/strict';
import { anonymous, test, until } from './setup.mjs';

test('the pages of documentation can be read on a phone', async () => {
  const { page } = await anonymous('/methodology', { viewport: { width: 320, height: 700 } });
  for (const path of ['/methodology', '/report-bundles', '/factor-packs', '/api/v2/docs']) {
    await page.goto(path);
    const seen = await page.evaluate(() => {
      // The articles of the reference are laid out when they are scrolled to.
      for (const a of document.querySelectorAll('article')) a.style.contentVisibility = 'visible';
      // Lines of the heads and ids of tables: a cell that is as wide as a letter has as many as its text has letters.
      const lines = (e) => e.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(e).lineHeight);
      return {
        width: document.documentElement.scrollWidth,
        broken: [...document.querySelectorAll('thead th, td > code')]
          .filter((e) => lines(e) > 8)
          .map((e) => e.textContent),
      };
    });
    assert.ok(seen.width <= 320, `${path}: ${seen.width} px wide`);
    assert.deepEqual(seen.broken.slice(0, 5), [], path);
  }
});

test('the documentation is searched by names, then by what it says, and its contents stay at hand on a phone', async () => {
  const { page } = await anonymous('/api/v2/docs', { viewport: { width: 390, height: 844 } });
  const contents = page.getByRole('navigation', { name: 'Contents' });
  const field = contents.getByLabel('Find');
  const found = () => contents.getByRole('link').allInnerTexts();
  await field.fill('sign off');
  assert.deepEqual((await found()).slice(0, 1), ['POST Sign off a result']);
  await field.fill('RATE_LIMITED');
  await contents.getByText('In the text of:').waitFor();
  assert.ok((await found()).includes('Errors'), (await found()).join());
  await field.fill('radiativeForcing');
  assert.ok((await found()).some((name) => name.endsWith('Create an event')));
  await field.fill('xylophone');
  await contents.getByText('Nothing found.').waitFor();
  assert.deepEqual(await found(), []);
  await field.fill('log in');
  await field.press('Enter');
  await page.waitForURL('**/docs#op-login');
  await page.getByRole('link', { name: 'Contents', exact: true }).click();
  await until('the field is in view', () => field.evaluate((e) => e.getBoundingClientRect().top >= 0));
});

test('the first key leads past the contents of the documentation', async () => {
  const { page } = await anonymous('/api/v2/docs');
  for (const path of ['/api/v2/docs', '/methodology', '/changelog']) {
    await page.goto(path);
    await page.keyboard.press('Tab');
    const link = page.getByRole('link', { name: 'Skip to the content' });
    const box = await link.boundingBox();
    assert.ok(box.x >= 0 && box.y >= 0 && box.height >= 24, `${path}: ${JSON.stringify(box)}`);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const inside = () => page.evaluate(() => document.querySelector('main').contains(document.activeElement));
    await until(`the focus is in the text of ${path}`, inside);
  }
});
