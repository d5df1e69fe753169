// Measures how soon a page shows something, on this machine and on one four times
// as slow, beside the smallest page of the server: make bench-pages.
import { launch } from './browser.mjs';
import { Server } from './server.mjs';

const rounds = 7;
const pages = ['/api/v2/auth/setup', '/api/v2/docs', '/methodology', '/report-bundles', '/'];

/** The time of the first paint of what the page says; a script of the page's own may not be made of text here. */
async function painted(page) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const at = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    if (at !== undefined) return at;
    if (Date.now() > deadline) throw new Error(`${page.url()} showed nothing`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

const server = await Server.start();
const browser = await launch();
try {
  for (const slower of [1, 4]) {
    let least;
    for (const path of pages) {
      const times = [];
      for (let n = 0; n < rounds; n++) {
        const context = await browser.newContext();
        const page = await context.newPage();
        const client = await context.newCDPSession(page);
        await client.send('Emulation.setCPUThrottlingRate', { rate: slower });
        await page.goto(server.url + path);
        times.push(await painted(page));
        await context.close();
      }
      times.sort((a, b) => a - b);
      const [quickest, median, slowest] = [times[0], times[(rounds - 1) / 2], times.at(-1)].map(Math.round);
      least ??= median;
      console.log(
        `${path} on a processor ${slower === 1 ? 'as it is' : `${slower} times as slow`}: first paint ${quickest} to ${slowest} ms, median ${median} (${(median / least).toFixed(1)} times the smallest page)`,
      );
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
