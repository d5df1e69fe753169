// Signing a figure, and changes that a second manager decides.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { axe, cell, endSession, grid, says, settled, test, the, until, visit } from './setup.mjs';

const event = async (id) => the.server.api('manager', 'GET', `/events/${id}`);

test('a figure is signed, locked, and opened again with its edition kept', async () => {
  const id = await the.server.event('Signed');
  const { revision } = await the.server.approved(id);
  await the.server.api('user', 'POST', `/events/${id}/flights`, { from: 'LHR', to: 'AMS', passengers: 1 });
  const { page, context } = await visit('manager', `/events/${id}/report`);
  await page.getByRole('link', { name: 'One draft is not submitted' }).waitFor();
  // The marks of the list keep their size beside items of two lines.
  await page.setViewportSize({ width: 240, height: 720 });
  const marks = await page
    .locator('.checklist svg')
    .evaluateAll((all) => all.map((s) => s.getBoundingClientRect().width));
  assert.deepEqual([...new Set(marks)], [16]);
  await page.setViewportSize({ width: 1280, height: 720 });
  const sign = page.getByRole('button', { name: 'Sign', exact: true });
  await page.getByLabel('Your statement').fill('Final, sent to the client.');
  assert.ok(await sign.isDisabled(), 'a draft is open, and nobody has said so');
  await page.getByLabel('I have seen the open items').check();
  // Whoever has to sign in again signs from there: with the focus, and with what was typed and ticked.
  await endSession(page, context);
  await sign.press('Enter');
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await ended.getByLabel('Email').fill('manager@demo.test');
  await ended.getByLabel('Password', { exact: true }).fill(the.server.password);
  await page.keyboard.press('Enter');
  await ended.waitFor({ state: 'detached' });
  await until('the button has the focus', () => sign.evaluate((e) => e === document.activeElement));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Edition 1' }).waitFor();
  await page.getByText('Signed by Demo manager').first().waitFor();
  assert.equal((await event(id)).signOff.state, 'signed');
  await page.frameLocator('iframe').getByRole('heading', { name: 'Signed' }).first().waitFor();
  assert.match(await page.locator('iframe').getAttribute('src'), new RegExp(`/results/${revision}/report\\?lang=en$`));
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Bundle without names (JSON)' }).click();
  const bundle = (await saved).suggestedFilename();
  assert.match(bundle, /^Signed-\d+\.json$/);
  const table = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Table (Excel)' }).click();
  assert.match((await table).suggestedFilename(), /^Signed-\d+\.xlsx$/);
  assert.equal(
    readFileSync(await (await table).path())
      .subarray(0, 2)
      .toString(),
    'PK',
  );
  // What the page says to check the bundle with does so, from where it was saved.
  await (await saved).saveAs(join(the.server.dir, bundle));
  const [program, ...words] = (await page.locator('pre').innerText()).split(' ');
  assert.deepEqual([program, ...words], ['ecf', 'verify', bundle]);
  const checked = await promisify(execFile)(the.server.program, words, {
    cwd: the.server.dir,
    env: the.server.environment(),
  });
  assert.match(checked.stdout, new RegExp(`right to the last digit: .*, revision ${revision}, 1 record`));
  // The report is printed, not the page around it.
  const report = page.frames().find((f) => f.url().endsWith('/report?lang=en') && f !== page.mainFrame());
  for (const f of [page, report])
    await f.evaluate(() => {
      window.print = () => {
        window.printed = true;
      };
    });
  await page.getByRole('button', { name: 'Print or save as PDF' }).click();
  await report.waitForFunction(() => window.printed);
  assert.equal(await page.evaluate(() => window.printed), undefined);
  assert.equal(await page.getByText('This page may be out of date').count(), 0);
  await axe(page, 'signed report');

  const user = await visit('user', `/events/${id}/sheet`);
  await user.page.getByText('The figure of this event is signed, so its sheet').waitFor();
  await user.page.getByText('Signed, edition 1').waitFor();
  await until('the grid is locked', async () => (await grid(user.page).getAttribute('aria-readonly')) === 'true');
  await cell(user.page, 2, 3).click();
  await user.page.keyboard.type('9');
  await user.page.keyboard.press('Enter');
  await says(user.page, 2, 3, '1');

  await page.getByRole('button', { name: 'Withdraw the signature' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Reason( \*)?$/).fill('A late invoice.');
  await dialog.getByRole('button', { name: 'Withdraw the signature' }).click();
  await until('the event is open', async () => (await event(id)).signOff.state === 'open');
  const shown = page.getByLabel('Report version');
  await shown.waitFor();
  await shown.selectOption({ value: '1' });
  await page.getByText('A late invoice.').waitFor();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByText('Signature withdrawn').waitFor();
  await axe(page, 'history');
});

test('what is signed without a network is not signed unseen once there is one, and the statement is kept', async () => {
  const id = await the.server.event('Signed on a train');
  await the.server.approved(id);
  const { page, context } = await visit('manager', `/events/${id}/report`);
  await page.getByLabel('Your statement').fill('Complete');
  await settled(page);
  const seen = page.getByLabel('I have seen the open items');
  if (await seen.count()) await seen.check();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Sign', exact: true }).click();
  await page.locator('main').getByRole('alert').waitFor();
  await context.setOffline(false);
  await settled(page);
  assert.equal(await page.getByLabel('Your statement').inputValue(), 'Complete');
  assert.equal((await the.server.api('manager', 'GET', `/events/${id}`)).signOff, undefined);
  await page.getByRole('button', { name: 'Sign', exact: true }).click();
  await page.getByText('Signed, edition 1').waitFor();
});

test('what another manager signs appears while the page is open', async () => {
  const id = await the.server.event('Signed elsewhere');
  const { revision } = await the.server.approved(id);
  const { page } = await visit('manager', `/events/${id}/report`);
  await page.getByRole('button', { name: 'Sign', exact: true }).waitFor();
  await the.server.api('admin', 'POST', `/events/${id}/sign-off`, { revision, statement: 'Final.' });
  await page.getByText('Signed by Demo admin').first().waitFor();
});

test('under four eyes a change and a signature wait for a second manager', async () => {
  const id = await the.server.event('Two people');
  await the.server.approved(id);
  await the.server.api('admin', 'PATCH', '/organization', { policy: { fourEyes: true, requireReason: true } });
  const { page } = await visit('manager', `/events/${id}/footprint`);
  await page.getByRole('button', { name: 'Event actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit event' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Attendees in person').fill('240');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').waitFor(); // there is no reason yet
  await form.getByLabel(/^Reason( \*)?$/).fill('Counted at the door.');
  await form.getByRole('button', { name: 'Save' }).click();
  const proposal = (p) => p.getByRole('article', { name: 'Change of the event' });
  await proposal(page).getByText('Counted at the door.').waitFor();
  await proposal(page).getByText('another manager has to approve it').waitFor();
  assert.equal((await event(id)).attendees, 120);
  assert.equal(await proposal(page).getByRole('button', { name: 'Approve the change' }).count(), 0);

  const second = await visit('admin', `/events/${id}/footprint`);
  await second.page.getByRole('link', { name: 'One change of this event waits for a second manager.' }).click();
  await proposal(second.page)
    .getByText(/Per attendee: .*→/)
    .waitFor();
  await axe(second.page, 'a proposal');
  // The figure moves meanwhile: what was calculated is out of date, and is calculated again.
  await the.server.approved(id, { from: 'LHR', to: 'AMS', passengers: 3 }, 2);
  await second.page.reload();
  await proposal(second.page).getByText('Out of date').waitFor();
  assert.ok(await proposal(second.page).getByRole('button', { name: 'Approve the change' }).isDisabled());
  await proposal(second.page).getByRole('button', { name: 'Calculate the effect again' }).click();
  await second.page.getByText('Calculated again.', { exact: true }).waitFor();
  await proposal(second.page).getByRole('button', { name: 'Approve the change' }).click();
  await until('it is made', async () => (await event(id)).attendees === 240);
  await second.page.getByText('four-eyes control').first().waitFor();
  await until(
    'it counts',
    async () => (await the.server.api('manager', 'GET', `/events/${id}/results`)).status === 'current',
  );

  await page.goto(`/events/${id}/footprint`);
  await page.getByText(/with (its|their) causes/).waitFor();
  await page.evaluate(() => {
    for (const d of document.querySelectorAll('details')) d.open = true;
  });
  await page.getByRole('list', { name: 'Causes' }).first().waitFor();
  await page.getByText('Approved: one record').first().waitFor();
  await page.getByRole('link', { name: 'Sign and report' }).click();
  await page.getByLabel('Your statement').fill('Final.');
  const anyway = page.getByLabel('I have seen the open items');
  const propose = page.getByRole('button', { name: 'Propose the signature' });
  if (await anyway.count()) await anyway.check();
  await propose.click();
  const signature = page.getByRole('article', { name: 'Signature' });
  await signature.waitFor();
  assert.equal(await signature.getByText('Final.').count(), 1, 'what is declared is said twice');
  await second.page.goto(`/events/${id}/report`);
  await second.page.getByRole('button', { name: 'Approve and sign' }).click();
  await second.page.getByText('Proposed by another manager.').waitFor();
  assert.equal((await event(id)).signOff.state, 'signed');
  // Who signed is told, not refused once a reason is written; the other one withdraws it.
  await second.page.getByText('You signed it, so another manager has to withdraw the signature.').waitFor();
  const withdraw = (p) => p.getByRole('button', { name: 'Withdraw the signature' });
  assert.equal(await withdraw(second.page).count(), 0);
  await page.reload();
  await withdraw(page).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Kept with the edition and in the history.').waitFor();
  await dialog.getByLabel(/^Reason( \*)?$/).fill('A late invoice.');
  await withdraw(dialog).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Sign the figure').waitFor();
  await until('the focus is in the page', () => page.evaluate(() => document.activeElement?.id === 'main'));
});
