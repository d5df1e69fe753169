// A sheet of ten thousand rows.
import assert from 'node:assert/strict';
import { slowness } from './browser.mjs';
import { grid, test, the, until, visit } from './setup.mjs';

test('10,000 rows scroll and edit smoothly', async () => {
  const id = await the.server.event('Large');
  const items = Array.from({ length: 100 }, (_, n) => ({
    treatment: 'recycling',
    material: 'paper_card',
    weightKg: n + 1,
  }));
  for (let n = 0; n < 100; n += 5)
    await Promise.all(
      Array.from({ length: 5 }, () => the.server.api('user', 'POST', `/events/${id}/waste/batch`, { items })),
    );
  const { page, context } = await visit('user', `/events/${id}/sheet?type=waste`);
  await grid(page).waitFor();
  await until('all rows are there', async () => (await grid(page).getAttribute('aria-rowcount')) === '10021');
  assert.ok((await page.locator('[role=row]').count()) < 100, 'the rows are not virtualized');
  const client = await context.newCDPSession(page);
  // The time of the page's own thread: what else the machine does is not in it.
  await client.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await client.send('Performance.getMetrics');
    const of = (name) => metrics.find((m) => m.name === name).value;
    return 1000 * (of('ScriptDuration') + of('LayoutDuration') + of('RecalcStyleDuration'));
  };
  await grid(page).focus();
  let worst = 0;
  for (const [what, step] of [
    ['three rows', 96],
    ['a page', 480],
    ['156 rows', 5000],
  ]) {
    const frames = [];
    for (let n = 1; n <= 60; n++) {
      const begun = await busy();
      await page.evaluate(
        (top) =>
          new Promise((done) => {
            document.querySelector('[role=grid]').scrollTop = top;
            requestAnimationFrame(() => requestAnimationFrame(done));
          }),
        n * step,
      );
      frames.push((await busy()) - begun);
    }
    frames.sort((a, b) => a - b);
    worst = Math.max(worst, frames[30]);
    console.log(
      `scripting, style and layout of scrolling by ${what}: median ${frames[30].toFixed(1)} ms, p95 ${frames[57].toFixed(1)} ms`,
    );
  }
  if (slowness > 1) return; // a figure of a processor that is slow on purpose
  // 16 ms are the aim, and reported. Above 50 ms nobody would call it smooth on any machine. It is the median: where other
  // programs share the processors, their caches are cold in some frames, which then take several times as long.
  assert.ok(worst <= 50, `half of the frames take more than ${worst.toFixed(1)} ms`);
  assert.ok((await page.locator('[role=gridcell]').count()) < 500, 'more cells than can be seen are drawn');
});
