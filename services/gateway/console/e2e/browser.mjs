// Opens Debian's Chromium, as the tests of the console need it.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/**
 * The browser without its user interface, where it is installed: the flows take a third less processor time in it.
 * Undefined: none is installed.
 */
export const executablePath =
  process.env.CHROMIUM ?? ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * ECF_CONSOLE_SLOW=10 makes the pages' processor ten times slower: a flow that
 * passes only on a quick machine is a defect, and so is a key that gets lost.
 */
export const slowness = Number(process.env.ECF_CONSOLE_SLOW ?? 1);

/** How long a condition may take to come about: no verdict depends on a quick machine. */
export const patience = 120_000;

async function slowDown(page) {
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: slowness });
}

export const launch = () => chromium.launch({ executablePath, args, timeout: 300_000 });

/**
 * Opens a page that collects what must not happen: reports of the policy, errors, requests to other hosts.
 * Nothing moves on it: a colour or a place on its way would be looked at by chance.
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ baseURL: url, locale: 'en-GB', reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(patience);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  if (slowness > 1) {
    await slowDown(page);
    context.on('page', (other) => void slowDown(other));
  }
  const faults = [];
  await page.addInitScript(() => {
    window.addEventListener('securitypolicyviolation', (e) =>
      console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber} ${e.sample}`),
    );
    // How many requests of the page are not answered yet.
    const ask = window.fetch.bind(window);
    window.unanswered = 0;
    window.fetch = async (...request) => {
      window.unanswered++;
      try {
        return await ask(...request);
      } finally {
        window.unanswered--;
      }
    };
  });
  page.on('console', (m) => {
    if (m.type() === 'error' && !/Failed to load resource/.test(m.text())) faults.push(m.text());
  });
  page.on('pageerror', (e) => faults.push(String(e)));
  page.on('request', (r) => {
    const to = new URL(r.url());
    if (to.origin !== url && !['data:', 'blob:'].includes(to.protocol)) faults.push(`a request to ${to.origin}`);
  });
  return { context, page, faults };
}

export async function signIn(page, email, password) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
}
