// Opens Debian's Chromium, as the tests of the console need it.
import { chromium } from 'playwright-core';

export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launch = () => chromium.launch({ executablePath, args });

/** Opens a page that collects what must not happen: reports of the policy, errors, requests to other hosts. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ baseURL: url, locale: 'en-GB', ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  const faults = [];
  await page.addInitScript(() => {
    window.addEventListener('securitypolicyviolation', (e) =>
      console.error(`policy: ${e.violatedDirective} ${e.blockedURI} ${e.sourceFile}:${e.lineNumber} ${e.sample}`),
    );
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
