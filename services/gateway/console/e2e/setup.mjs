// What every file of flows begins with: a server and a browser of its own.
import assert from 'node:assert/strict';
import { after, afterEach, before, test as run } from 'node:test';
import AxeBuilder from '@axe-core/playwright';
import { launch, open, patience, signIn, slowness } from './browser.mjs';
import { Server } from './server.mjs';

/** The server and the browser of this file; both are there when its flows run. */
export const the = { server: undefined, browser: undefined };
const opened = [];

before(async () => {
  // Each is ended below where the other does not come.
  await Promise.all([
    Server.start().then((s) => {
      the.server = s;
    }),
    launch().then((b) => {
      the.browser = b;
    }),
  ]);
});
after(async () => {
  await the.browser?.close();
  await the.server?.stop();
});

/** Every flow ends with no report of the policy, no error and no request to another host. */
afterEach(async (t) => {
  // SHOTS=folder keeps a picture of the page that each flow ended with.
  if (process.env.SHOTS)
    for (const [n, o] of opened.entries())
      if (!o.page.isClosed())
        await o.page.screenshot({ path: `${process.env.SHOTS}/${t.name.replace(/\W+/g, '-')}-${n}.png` });
  // What a flow that failed was looking at says more than what it waited for.
  if (t.error || t.passed === false)
    for (const o of opened) {
      const text = await o.page.evaluate(() => document.body.innerText).catch(String);
      console.log(`${t.name}: ${o.page.url()} shows:\n${text.slice(0, 3_000)}`);
    }
  const faults = opened.flatMap((o) => o.faults);
  await Promise.all(opened.map((o) => o.context.close()));
  opened.length = 0;
  assert.deepEqual(faults, []);
});

/** Whether flows run at full length, which takes longer than is left for them in CI. */
export const long = Boolean(process.env.ECF_TEST_LONG);

/** How long a flow may take: several times what the longest does beside much other work. */
const longest = 300_000;

export const test = (name, flow) => run(name, { timeout: longest }, flow);

/** Opens a page of a browser nobody has signed in with. */
export async function anonymous(path = '/', options = {}) {
  const o = await open(the.browser, the.server.url, options);
  opened.push(o);
  await o.page.goto(path);
  return o;
}

/** The cookies of who has signed in already: passwords are slow to check, on purpose. */
const sessions = new Map();

/**
 * Opens a page as somebody. The session is that of the flow before, in a browser
 * of its own; a flow that ends its session asks for a fresh one.
 */
export async function visit(who, path = '/', { fresh = false, ...options } = {}) {
  const cookies = fresh ? undefined : sessions.get(who);
  if (cookies) {
    const o = await anonymous(path, { ...options, storageState: { cookies, origins: [] } });
    if (path === '/') await o.page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    return o;
  }
  const o = await anonymous('/', options);
  await signIn(o.page, `${who}@demo.test`, the.server.password);
  if (!fresh) sessions.set(who, await o.context.cookies());
  if (path !== '/') await o.page.goto(path);
  return o;
}

export const until = async (what, f) => {
  const deadline = Date.now() + patience;
  for (;;) {
    const got = await f();
    if (got) return got;
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((r) => setTimeout(r, 100));
  }
};

/**
 * Waits until a page has what it asked for: nothing is awaited or stands in for what comes, for a while.
 * The browser's own word for it, networkidle, does not come at times where a page has a frame.
 */
export async function settled(page) {
  let quiet = 0;
  await until(`${page.url()} has loaded`, async () => {
    const loading = await page.evaluate(
      () => window.unanswered > 0 || document.querySelector('.mantine-Loader-root, .mantine-Skeleton-root') !== null,
    );
    quiet = loading ? 0 : quiet + 1;
    return quiet > 4;
  });
}

/**
 * Leads a page on to another one as a link within the console does. Loading each anew takes several times as long, and
 * shows what the first one that is loaded has shown.
 */
export async function follow(page, path) {
  await page.evaluate((to) => window.__TSR_ROUTER__.navigate({ href: to }), path);
  await until(`the page of ${path} is drawn`, () =>
    page.evaluate(() => {
      const { status, location, resolvedLocation: drawn } = window.__TSR_ROUTER__.state;
      return status === 'idle' && drawn?.href === location.href;
    }),
  );
}

/**
 * Ends the session of a page, which finds it out by what is done next: whatever it reads by itself in between waits
 * until it says so, and would open the dialog too early.
 */
export async function endSession(page, context) {
  const said = page
    .getByRole('dialog', { name: 'Your session has ended' })
    .waitFor()
    .catch(() => {}); // whoever waits for the dialog fails
  await page.route('**/session/api/**', async (route) => {
    if (route.request().method() === 'GET') await said;
    await route.continue();
  });
  await context.clearCookies();
}

/** Signs in over a page whose session has ended. */
export async function signInAgain(page, who) {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Email').fill(`${who}@demo.test`);
  await dialog.getByLabel('Password', { exact: true }).fill(the.server.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
}

export const grid = (page) => page.getByRole('grid');
export const cell = (page, row, col) =>
  page.locator(`[role=row][aria-rowindex="${row + 1}"] [role=gridcell][aria-colindex="${col + 1}"]`);

/** What a cell says, without the fault that stands in it until the row is checked again. */
export const textIn = (page, row, col) => cell(page, row, col).locator('.celltext').innerText();
export const says = (page, row, col, text) =>
  until(`row ${row} says ${text} in column ${col}`, async () => (await textIn(page, row, col)) === text);

export async function paste(page, text) {
  await page.evaluate((t) => navigator.clipboard.writeText(t), text);
  await grid(page).focus();
  await page.keyboard.press('Control+v');
}

/** Pastes a table with headings into a sheet without rows, which the server reads before they are there. */
export async function pasteTable(page, text) {
  await paste(page, text);
  await until('its rows are there', async () =>
    (await page.locator('[role=row][aria-rowindex="2"] .celltext').allInnerTexts()).some((t) => t.trim() !== ''),
  );
}

export const flights = 'From\tTo\tPAX\tClass\nLHR\tJFK\t2\teconomy\nCDG\tJKF\t3\tbusiness\nMAN\tDUB\t14\teconomy';

/**
 * Fails on anything axe finds on the page as it is, in both themes. A theme
 * changes colours only, so the second is looked at for what depends on them.
 * An open menu or list is beside the landmarks of its page, and no fault of them.
 */
export async function axe(page, what, themes = ['light', 'dark'], { menu = false } = {}) {
  if (slowness > 1) return; // what it finds does not depend on speed, and it takes minutes then
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-mantine-color-scheme="${theme}"]`).waitFor({ state: 'attached' });
    // The report is a page of the server's own, with tests of its own.
    // So it needs no second page to gather what it found in frames, either.
    const builder = new AxeBuilder({ page }).exclude('iframe').setLegacyMode();
    builder.options({ resultTypes: ['violations'] });
    if (menu) builder.disableRules('region');
    if (theme === 'dark') builder.withRules(['color-contrast', 'link-in-text-block']);
    const { violations } = await builder.analyze();
    assert.deepEqual(
      violations.map(
        (v) =>
          `${what}, ${theme}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160) + n.any.map((a) => a.message).join()).join(' | ')}`,
      ),
      [],
    );
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
