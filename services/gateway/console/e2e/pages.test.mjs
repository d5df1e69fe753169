// Every page, for every role, in both themes.
import assert from 'node:assert/strict';
import AxeBuilder from '@axe-core/playwright';
import { anonymous, axe, follow, long, settled, test, the, until, visit } from './setup.mjs';

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
      `/events/${example}/footprint`,
      `/events/${id}/history`,
      '/organization',
    ];
    // What administrators see holds all that others see: all pages, and the second theme, are looked at there.
    if (who === 'admin' || long)
      pages.push(
        `/events/${id}/sheet?type=all`,
        `/events/${id}/footprint`,
        `/events/${example}/report`,
        `/events/${id}/report`,
        '/organization?tab=factors',
        '/nowhere',
        '/account',
        '/about',
      );
    if (who === 'manager' || who === 'admin') pages.push(`/events/${id}/review`, `/events/${example}/review`);
    for (const path of pages) {
      await follow(page, path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await settled(page);
      await axe(page, path, who === 'admin' ? undefined : ['light']);
    }
    if (who === 'admin')
      for (const tab of ['People', 'Audit log']) {
        await page.goto('/organization');
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('table').waitFor();
        await axe(page, tab);
      }
  });

test('axe finds nothing on a phone', async () => {
  const { page } = await visit('admin', '/', { viewport: { width: 390, height: 844 } });
  const id = await the.server.event('Pages on a phone, with a title that takes more than one line of it');
  await the.server.approved(id);
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'AMS',
    passengers: 2,
  });
  await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
  const example = await the.server.example();
  for (const path of [
    '/',
    `/events/${id}/sheet`,
    `/events/${id}/sheet?type=energy`,
    `/events/${id}/review`,
    `/events/${id}/review?show=approved`,
    `/events/${example}/footprint`,
    `/events/${id}/report`,
    `/events/${id}/history`,
    '/organization',
    '/organization?tab=factors',
    '/organization?tab=members',
    '/organization?tab=audit',
    '/nowhere',
    '/account',
    '/about',
  ]) {
    await follow(page, path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    await axe(page, `${path} on a phone`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${path} is ${width} px wide`);
  }
  // Where a table is wider than the page, its frame is reached by keys.
  const third = await the.server.event('A third to compare');
  await page.goto(`/compare?events=${id},${example},${third}`);
  const frame = page.getByRole('region', { name: 'Compare events' });
  await frame.focus();
  await page.keyboard.press('ArrowRight');
  await until('the table has moved', () => frame.evaluate((f) => f.scrollLeft > 0));
});

/** Finds what is pressed and lower than that, or narrower than 24 px; not what its label or row is pressed for, nor links in a sentence. */
const smallerThan = (page, least, inField) =>
  page.evaluate(
    ([least, inField]) =>
      [...document.querySelectorAll('a, button, select, summary, .mantine-SegmentedControl-label, [role=menuitem]')]
        .filter((e) => {
          const { display, visibility } = getComputedStyle(e);
          const { width, height } = e.getBoundingClientRect();
          if (display === 'inline' || visibility === 'hidden' || width < 2 || e.closest('.skip, [aria-hidden=true]'))
            return false;
          return height < (e.closest('.mantine-PasswordInput-root') ? inField : least) || width < 24;
        })
        .map((e) => `${e.outerHTML.slice(0, 120)} ${e.offsetWidth}x${e.offsetHeight}`),
    [least, inField],
  );

test('what is pressed with a mouse is 24 px high and wide', async () => {
  const { page } = await visit('admin', '/', { viewport: { width: 640, height: 400 } });
  await the.server.signIn('admin'); // another session, which can be ended
  for (const path of ['/', `/events/${await the.server.example()}/footprint`, '/account']) {
    await follow(page, path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    assert.deepEqual(await smallerThan(page, 23.5, 20), [], path);
  }
});

test('what is pressed on a touch screen is as large as a finger needs it', async () => {
  const { page } = await visit('admin', '/', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const id = await the.server.event('For fingers');
  await the.server.approved(id);
  for (let n = 0; n < 2; n++) {
    const { _id } = await the.server.api('user', 'POST', `/events/${id}/waste`, {
      treatment: 'landfill',
      weightKg: 3 + n,
    });
    await the.server.api('user', 'POST', `/events/${id}/waste/${_id}/submit`, {});
  }
  await the.server.signIn('admin'); // another session, which can be ended
  const small = () => smallerThan(page, 43.5, 34);
  for (const path of [
    '/',
    `/events/${id}/sheet`,
    `/events/${id}/review`,
    `/events/${id}/review?show=approved`,
    `/events/${id}/footprint`,
    `/events/${id}/report`,
    `/events/${id}/history`,
    `/compare?events=${id},${await the.server.example()}`,
    '/organization?tab=members',
    '/account',
    '/about',
  ]) {
    await follow(page, path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await settled(page);
    assert.deepEqual(await small(), [], path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${path} is ${width} px wide`);
  }
  await page.getByRole('button', { name: /account and settings/ }).tap();
  await page.getByRole('menuitem', { name: 'Your account' }).waitFor();
  assert.deepEqual(await small(), [], 'the menu of the account');
  await page.keyboard.press('Escape');
  await follow(page, '/');
  await page.getByRole('button', { name: 'New event' }).tap();
  await page.getByRole('dialog').getByLabel('Title').waitFor();
  assert.deepEqual(await small(), [], 'the dialog of a new event');
  await page.getByRole('dialog').locator('.mantine-Modal-close').tap();
  // The mark of a record is smaller than what is pressed for it; a finger beside it marks, and opens nothing.
  await follow(page, `/events/${id}/review`);
  const second = page.getByRole('option').nth(1);
  const { x, y, width } = await second.locator('.marker').boundingBox();
  await page.touchscreen.tap(x + width + 9, y + 9);
  await until('it is marked', async () => (await second.getAttribute('aria-checked')) === 'true');
  assert.equal(await second.getAttribute('aria-selected'), 'false');
});

test('on a tablet in German nothing that is pressed is cut off, nor a name or a title', async () => {
  const id = await the.server.event(
    'A title that is longer than a tablet is wide, and that no mouse shows the rest of',
  );
  await the.server.approved(id);
  const { page } = await visit('admin', `/events/${id}/report`, {
    viewport: { width: 800, height: 1100 },
    hasTouch: true,
    isMobile: true,
  });
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate(() => localStorage.setItem('ecf.language', 'de'));
  for (const [path, button] of [
    [`/events/${id}/report`, /drucken/i],
    ['/organization?tab=members', 'Person einladen'],
  ]) {
    await page.goto(path);
    await page.getByRole('button', { name: button }).waitFor();
    await settled(page);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.mantine-Button-label, .eventtitle')]
        .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 4)
        .map((e) => e.innerText),
    );
    assert.deepEqual(cut, [], path);
  }
  const name = await page.getByRole('rowheader', { name: /Demo user/ }).boundingBox();
  assert.ok(name.width >= 190, `a name has ${name.width} px`);
});

test('a report of the policy, an error and a request to another host are each noticed', async () => {
  const { page, faults } = await anonymous();
  await page.getByLabel('Email').waitFor();
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.unsafe = true';
    document.body.append(script);
    setTimeout(() => {
      throw new Error('an error of the page');
    });
    fetch('http://127.0.0.1:1/').catch(() => {});
  });
  for (const what of [/policy: script-src/, /an error of the page/, /policy: connect-src|a request to/])
    await until(`${what} is noticed`, () => faults.some((f) => what.test(f)));
  assert.equal(await page.evaluate(() => window.unsafe), undefined);
  faults.length = 0; // they were made on purpose
});

test('axe finds nothing on the page to sign in', async () => {
  const { page } = await anonymous();
  await page.getByLabel('Email').waitFor();
  await axe(page, 'sign in');
});

test('the report can be read on a phone, in both themes, with the words of its charts', async () => {
  const id = await the.server.event('Narrow');
  await the.server.approved(id, { from: 'LHR', to: 'JFK', passengers: 40 });
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await visit('manager', `/events/${id}/report`, {
      viewport: { width: 320, height: 700 },
      colorScheme,
    });
    // Followed from the page: the door to the API opens to its own console only.
    await page.locator('iframe').evaluate((frame) => location.assign(frame.src));
    await page.waitForURL('**/results/report?lang=en');
    await page.getByRole('heading', { level: 1, name: 'Narrow' }).waitFor();
    const seen = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      // Their size on the screen: what scales a chart as a whole scales its words as well.
      words: [...document.querySelectorAll('.bars .name, .bars .value, svg text')].map(
        (e) => e.getBoundingClientRect().height,
      ),
      cut: [...document.querySelectorAll('.frame')]
        .filter((f) => f.scrollWidth > f.clientWidth)
        .map((f) => f.getAttribute('aria-label')),
      scrolls: [...document.querySelectorAll('.frame')].every(
        (f) => f.scrollWidth === f.clientWidth || f.tabIndex === 0,
      ),
    }));
    assert.ok(seen.width <= 320, `${seen.width} px wide`);
    assert.ok(seen.words.length > 3 && Math.min(...seen.words) >= 11, `words of ${Math.min(...seen.words)} px`);
    assert.ok(seen.scrolls);
    // A figure that is cut off reads as another one, so those of the tables are all there without scrolling.
    assert.deepEqual(seen.cut, []);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    assert.deepEqual(
      violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(' | ')}`),
      [],
    );
    // On paper what explains a table is on its page.
    await page.emulateMedia({ media: 'print' });
    const apart = await page.evaluate(() =>
      [...document.querySelectorAll('table + .note')].map((e) => getComputedStyle(e).breakBefore),
    );
    assert.deepEqual([...new Set(apart)], ['avoid']);
  }
});

test('the report is in the language of the console, in its frame and in its link, on a phone as well', async () => {
  const id = await the.server.event('Tagung');
  await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/report`, { viewport: { width: 390, height: 800 } });
  const frame = page.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Emissions by source' }).waitFor();
  // Whatever the browser prefers.
  await page.evaluate(() => localStorage.setItem('ecf.language', 'de'));
  await page.reload();
  await frame.getByRole('heading', { name: 'Emissionen nach Quelle' }).waitFor();
  assert.equal(await frame.locator('html').getAttribute('lang'), 'de');
  const link = await page.getByRole('link', { name: 'In eigenem Tab öffnen' }).getAttribute('href');
  assert.match(link, /\/results\/report\?lang=de$/);
  await until('the report can be printed', () => page.getByRole('button', { name: /drucken/i }).isEnabled());
  await page.evaluate((address) => location.assign(address), link);
  await page.getByRole('heading', { level: 1, name: 'Tagung' }).waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} px wide`);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  assert.deepEqual(
    violations.map((v) => v.id),
    [],
  );
});

test('a report that cannot be had is said as other failures are, and asked for again', async () => {
  const id = await the.server.event('Refused');
  await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/footprint`);
  let answer = {
    status: 503,
    contentType: 'application/json',
    body: JSON.stringify({
      success: false,
      error: { code: 'UNAVAILABLE', message: 'Too many reports are being made.', requestId: 'r1', docs: '' },
    }),
  };
  await page.route('**/results/report?lang=en', (route) =>
    answer === 'none' ? route.abort() : answer ? route.fulfill(answer) : route.continue(),
  );
  await page.getByRole('link', { name: 'Sign and report' }).click();
  await page.getByText('Too many reports are being made.').waitFor();
  const print = page.getByRole('button', { name: 'Print or save as PDF' });
  assert.ok(await print.isDisabled(), 'there is nothing to print');
  const again = page.getByRole('button', { name: 'Try again' });
  answer = 'none';
  await again.click();
  await page.getByText('The server cannot be reached').waitFor();
  // What stands between has pages of its own, which may claim to be anything.
  for (const [contentType, body] of [
    ['application/json', '{"error":'],
    ['text/html', '<h1>502 Bad Gateway</h1>'],
  ]) {
    answer = { status: 502, contentType, body };
    await again.click();
    await page.getByText('Unexpected response (HTTP 502)').waitFor();
    assert.ok(await page.locator('iframe').isHidden(), `${body} is shown`);
  }
  answer = undefined;
  await again.click();
  await page.frameLocator('iframe').getByRole('heading', { level: 1, name: 'Refused' }).waitFor();
  assert.equal(await again.count(), 0);
  await until('the report can be printed', () => print.isEnabled());
});

test('the address of a report leads whoever opens it to it, or to a page that says why not', async () => {
  const id = await the.server.event('Shared');
  await the.server.approved(id);
  const address = `/session/api/events/${id}/results/report`;
  const { page } = await anonymous(address);
  await page.getByLabel('Email').fill('user@demo.test');
  await page.getByLabel('Password', { exact: true }).fill(the.server.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.frameLocator('iframe').getByRole('heading', { level: 1, name: 'Shared' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/events/${id}/report`);
  // The button of the page still opens the report itself.
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Open in a new tab' }).click(),
  ]);
  await tab.getByRole('heading', { level: 1, name: 'Shared' }).waitFor();
  assert.equal(new URL(tab.url()).pathname, address);
  await page.goto(address.replace(id, 'another'));
  await page.getByRole('heading', { level: 1, name: 'Event not found' }).waitFor();
});

test('in forced colors it can be seen what is chosen, how long bars are and where the sheet is', async () => {
  const id = await the.server.event('Forced');
  await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/footprint`, { forcedColors: 'active' });
  const style = (selector, property) =>
    page
      .locator(selector)
      .first()
      .evaluate((e, p) => getComputedStyle(e)[p], property);
  await page.locator('.bars .bar').first().waitFor();
  const paper = await style('body', 'backgroundColor');
  assert.notEqual(await style('.bars .bar', 'backgroundColor'), paper);
  assert.notEqual(await style('.bars .whisker', 'backgroundColor'), paper);
  assert.equal(await style('.tab:not([aria-current])', 'borderBottomColor'), paper);
  assert.notEqual(await style('.tab[aria-current]', 'borderBottomColor'), paper);
  assert.equal(await style('.mantine-SegmentedControl-label[data-active]', 'outlineStyle'), 'solid');
  await page.goto('/organization');
  await page.getByRole('tab', { selected: true }).waitFor();
  assert.equal(await style('[role=tab]:not([data-active])', 'borderBottomColor'), paper);
  assert.notEqual(await style('[role=tab][data-active]', 'borderBottomColor'), paper);
  await page.goto('/');
  await page.getByRole('button', { name: 'New event' }).click();
  await page.getByRole('dialog').waitFor();
  assert.equal(await style('.mantine-Modal-content', 'borderTopStyle'), 'solid');
  await page.goto(`/events/${id}/sheet`);
  await page.getByRole('grid').focus();
  await page.locator('.cell[data-active]').waitFor();
  assert.equal(await style('.cell[data-active]', 'outlineStyle'), 'solid');
  await page.keyboard.press('Shift+ArrowRight');
  await page.locator('.cell[data-selected]:not([data-active])').waitFor();
  assert.equal(await style('.cell[data-selected]:not([data-active])', 'outlineStyle'), 'dotted');
  assert.notEqual(await style('.dot[data-status="approved"]', 'backgroundColor'), paper);
});
