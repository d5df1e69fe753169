// What was typed into a form is not lost: by a slip of the mouse, a step back, a failure or somebody else's change.
import assert from 'node:assert/strict';
import { signIn } from './browser.mjs';
import { endSession, test, the, until, visit } from './setup.mjs';

test('a filled form asks before it goes, also for a step back, and its first field has the focus', async () => {
  const { page } = await visit('manager');
  const asked = [];
  let answer = false;
  page.on('dialog', (d) => {
    asked.push(d.type());
    void (answer ? d.accept() : d.dismiss());
  });
  await page.getByRole('link', { name: 'Organization' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Events' }).last().click();
  await page.getByRole('button', { name: 'New event' }).click();
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.waitFor();
  await until('the title has the focus', () => title.evaluate((e) => e === document.activeElement));
  await page.keyboard.type('Half of a form');
  await page.goBack();
  await until('it asked', () => asked.length === 1);
  await page.keyboard.press('Escape');
  await until('it asked again', () => asked.length === 2);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await until('it asked a third time', () => asked.length === 3);
  assert.equal(new URL(page.url()).pathname, '/');
  assert.equal(await title.inputValue(), 'Half of a form');
  // The end of the page is asked about by the browser itself.
  await page.evaluate(() => location.reload()).catch(() => {});
  await until('the browser asked', () => asked.at(-1) === 'beforeunload');
  assert.equal(await title.inputValue(), 'Half of a form');
  answer = true;
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Demo organization' }).waitFor();
  const before = asked.length;
  await page.goForward();
  await page.getByRole('button', { name: 'New event' }).click();
  assert.equal(await title.inputValue(), '');
  await page.keyboard.press('Escape');
  await title.waitFor({ state: 'detached' });
  assert.equal(asked.length, before);
});

test('a reason that could not be sent is kept, and sent again', async () => {
  const id = await the.server.event('Kept reason');
  const { _id } = await the.server.api('user', 'POST', `/events/${id}/flights`, {
    from: 'LHR',
    to: 'JFK',
    passengers: 2,
  });
  await the.server.api('user', 'POST', `/events/${id}/flights/${_id}/submit`, {});
  const { page } = await visit('manager', `/events/${id}/review`);
  await page.getByRole('link', { name: 'Review one waiting' }).waitFor();
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  const why = page.getByLabel(/^Reason( \*)?$/);
  await why.fill('The invoice names another flight.');
  await page.route('**/review/reject', (route) => route.abort());
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await dialog.getByRole('alert').getByText('The server cannot be reached').waitFor();
  assert.equal(await why.inputValue(), 'The invoice names another flight.');
  await page.unroute('**/review/reject');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Nothing waits for a decision').waitFor();
  const now = await the.server.api('user', 'GET', `/events/${id}/flights/${_id}`);
  assert.equal(now.reviewComment, 'The invoice names another flight.');
  // What waits is counted beside the page that it is decided on, and nothing does now.
  await page.getByRole('link', { name: 'Review', exact: true }).waitFor();
});

test('an event is made once, also where the answer to the first try is lost', async () => {
  const { page } = await visit('manager');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'New event' }).click();
  await dialog.getByLabel('Title').fill('Made once');
  const statuses = [];
  await page.route('**/session/api/events', async (route) => {
    // A proxied request has none of what a browser says of its own.
    const headers = {
      ...(await route.request().allHeaders()),
      'sec-fetch-site': 'same-origin',
      'sec-fetch-dest': 'empty',
    };
    statuses.push((await route.fetch({ headers })).status());
    await route.abort();
  });
  await dialog.getByRole('button', { name: 'New event' }).click();
  await dialog.getByRole('alert').getByText('The server cannot be reached').waitFor();
  assert.deepEqual(statuses, [201]);
  await page.unroute('**/session/api/events');
  await dialog.getByRole('button', { name: 'New event' }).click();
  await page.getByRole('heading', { level: 1, name: 'Made once' }).waitFor();
  const { items } = await the.server.api('manager', 'GET', '/events?limit=100');
  assert.equal(items.filter((e) => e.title === 'Made once').length, 1);
});

test('the boundary stays as it is where the kinds of records cannot be listed', async () => {
  const id = await the.server.event('Bounded');
  const boundary = { included: ['flights', 'rail'], excluded: [{ type: 'catering', reason: 'Nothing was served.' }] };
  await the.server.api('manager', 'PATCH', `/events/${id}`, { boundary });
  const { page } = await visit('manager', '/');
  await page.route('**/session/api/record-types*', (route) => route.abort());
  await page.goto(`/events/${id}/report`);
  await page.getByRole('button', { name: 'Event actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit event' }).click();
  await page.getByRole('textbox', { name: 'Notes' }).fill('Typed here');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const event = await the.server.api('manager', 'GET', `/events/${id}`);
  assert.equal(event.description, 'Typed here');
  assert.deepEqual(event.boundary, boundary);
});

test('what somebody else changed is not overwritten by a form that was open meanwhile', async () => {
  const id = await the.server.event('Two forms');
  const { page } = await visit('manager', `/events/${id}/sheet`);
  await page.getByRole('button', { name: 'Event actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit event' }).click();
  await page.getByRole('textbox', { name: 'Notes' }).fill('Typed here');
  await the.server.api('admin', 'PATCH', `/events/${id}`, { attendees: 4321 });
  // The page reads its event again, as it does whenever it is come back to.
  await until('the page has the change', async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    return page.getByText('4,321 attendees').isVisible();
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Notes' }).inputValue(), 'Typed here');
  assert.equal((await the.server.api('manager', 'GET', `/events/${id}`)).attendees, 4321);
});

test('a session that ends under a filled form leaves it filled, and the focus in it', async () => {
  const id = await the.server.event('Ended');
  const { page, context } = await visit('manager', `/events/${id}/sheet`, { fresh: true });
  await page.getByRole('button', { name: 'Event actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit event' }).click();
  const notes = page.getByRole('textbox', { name: 'Notes' });
  await notes.fill('Typed before');
  await endSession(page, context);
  await page.getByRole('button', { name: 'Save' }).click();
  const ended = page.getByRole('dialog', { name: 'Your session has ended' });
  await ended.getByLabel('Email').fill('manager@demo.test');
  await ended.getByLabel('Password', { exact: true }).fill(the.server.password);
  await ended.getByRole('button', { name: 'Sign in' }).click();
  await ended.waitFor({ state: 'detached' });
  await until('the focus is in the form', () =>
    page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null),
  );
  await page.getByRole('alert').getByText('Your session had ended, so this was not done.').waitFor();
  assert.equal(await notes.inputValue(), 'Typed before');
  await page.getByRole('button', { name: 'Save' }).click();
  await until(
    'it is saved',
    async () => (await the.server.api('manager', 'GET', `/events/${id}`)).description === 'Typed before',
  );
});

test('a statement that is not signed is there again after leaving it by mistake, and shown to nobody else', async () => {
  const id = await the.server.event('Statement');
  await the.server.approved(id);
  const { page, context } = await visit('manager', `/events/${id}/report`, { fresh: true });
  const statement = page.getByLabel('Your statement');
  await statement.fill('Final, but for one invoice');
  await page.getByRole('link', { name: 'Footprint' }).click();
  await page.getByRole('link', { name: 'Sign and report' }).click();
  const kept = async (text) =>
    until(`the statement is ${text}`, async () => (await statement.inputValue().catch(() => '?')) === text);
  await kept('Final, but for one invoice');
  await page.reload();
  await kept('Final, but for one invoice');
  const other = await context.newPage();
  await other.goto(`/events/${id}/report`);
  await other.getByLabel('Your statement').fill('Final.');
  await kept('Final.');
  await other.close();
  await page.getByRole('button', { name: 'Sign', exact: true }).click();
  await page.getByRole('heading', { name: 'Edition 1' }).waitFor();
  // Signing out asks about another one; whoever signs in next does not see it.
  const second = await the.server.event('Another statement');
  await the.server.approved(second);
  await page.goto(`/events/${second}/report`);
  await kept('');
  await statement.fill('Mine');
  await page.getByRole('button', { name: /account and settings/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  const dialog = page.getByRole('dialog', { name: 'One input is not saved or sent yet' });
  await dialog.getByRole('button', { name: 'Keep and sign out' }).click();
  await signIn(page, 'admin@demo.test', the.server.password);
  await page.goto(`/events/${second}/report`);
  await kept('');
});

test('rules of approval that are not saved are asked about before they are left', async () => {
  const { page } = await visit('admin', '/organization?tab=plan');
  const below = page.getByLabel(/^Approve automatically/);
  await below.fill('12');
  const asked = [];
  page.on('dialog', (d) => {
    asked.push(d.message());
    void d.dismiss();
  });
  await page.getByRole('link', { name: 'Events' }).last().click();
  await until('it asked', () => asked.length === 1);
  assert.equal(await below.inputValue(), '12');
});
