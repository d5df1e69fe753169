// People: invited, in several organizations, in teams; and what a supplier states.
import assert from 'node:assert/strict';
import { signIn } from './browser.mjs';
import { anonymous, axe, grid, paste, test, the, until, visit } from './setup.mjs';

/** Opens the link that invites or sets a password, gives it the password of all, and signs in with it, typing it once. */
async function setPassword(page, token, email) {
  await page.goto(`/setup#${token}`);
  await page.getByLabel('Password', { exact: true }).waitFor();
  await page.reload(); // as a phone does with a page that somebody has left for a while
  await page.getByLabel('Password', { exact: true }).fill(the.server.password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('The password is set').waitFor();
  assert.equal(await page.evaluate(() => history.state), null, 'the token is kept after its use');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
}

test('invitations: a new person, and one who has an account and goes on in both organizations', async () => {
  const admin = await visit('admin', '/organization?tab=members');
  const invite = async (name, email, role) => {
    await admin.page.getByRole('button', { name: 'Invite a person' }).click();
    const dialog = admin.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await admin.page.getByRole('option', { name: role }).click();
    await dialog.getByRole('button', { name: 'Invite a person' }).click();
    await admin.page.getByText(`Send this link to ${name}`).waitFor();
    const link = await admin.page.locator('pre.wraps').innerText();
    return decodeURIComponent(link.split('#')[1]);
  };
  const first = await invite('New Nora', 'nora@demo.test', 'Manager');
  await axe(admin.page, 'people');
  // A new link takes the place of the first, in one step: the invitation is never gone.
  const removals = [];
  admin.page.on('request', (r) => r.method() === 'DELETE' && removals.push(r.url()));
  await admin.page
    .getByRole('row', { name: /New Nora/ })
    .getByRole('button', { name: 'New link' })
    .click();
  const second = await until('another link', async () => {
    const link = await admin.page.locator('pre.wraps').innerText();
    return !link.includes(encodeURIComponent(first)) && decodeURIComponent(link.split('#')[1]);
  });
  assert.deepEqual(removals, []);
  const nora = await anonymous(`/setup#${first}`);
  await nora.page.getByRole('heading', { name: 'This link does not work' }).waitFor(); // it was replaced, and names nobody
  await nora.page.getByRole('alert').getByText('This link no longer works').waitFor();
  assert.equal(await nora.page.getByRole('button').count(), 0, 'a link that is over asks for something');
  await axe(nora.page, 'set-up');
  await nora.page.goto('/');
  await nora.page.goto(`/setup#${second}`);
  await nora.page.getByRole('heading', { level: 1, name: 'Invitation to Demo organization' }).waitFor();
  assert.match(await nora.page.title(), /^Invitation to Demo organization - /);
  await nora.page.getByText('Your role: Manager. Creates events, reviews, approves and signs.').waitFor();
  await axe(nora.page, 'an invitation');
  await nora.page.goto('/');
  await setPassword(nora.page, second, 'nora@demo.test');
  await nora.page.getByRole('button', { name: 'New event' }).waitFor();
  // Who has forgotten the password gets a link to set another one.
  await admin.page.reload();
  await admin.page
    .getByRole('row', { name: /New Nora/ })
    .getByRole('button', { name: 'Password link' })
    .click();
  await admin.page.getByText('Send this link to New Nora').waitFor();
  await admin.page.getByText('until then the present one stays valid').waitFor();
  assert.equal(await admin.page.getByText('or joins with an existing account').count(), 0);
  const third = decodeURIComponent((await admin.page.locator('pre.wraps').innerText()).split('#')[1]);
  const forgetful = await anonymous(`/setup#${third}`);
  await forgetful.page.getByRole('heading', { level: 1, name: 'Set your password' }).waitFor();
  await axe(forgetful.page, 'a link to set another password');
  await forgetful.page.goto('/about');
  await setPassword(forgetful.page, third, 'nora@demo.test');

  // Pat has an organization, and is invited to another.
  const pat = await anonymous();
  await the.server.setPassword(the.server.organization('Pat Ltd', 'pat@pat.test'), the.server.password);
  const token = await invite('Pat', 'pat@pat.test', 'Viewer');
  // Whoever is not signed in is asked to, since the address has an account.
  await pat.page.goto('/about');
  await pat.page.goto(`/setup#${token}`);
  await pat.page.getByLabel('Password', { exact: true }).fill(the.server.password);
  await pat.page.getByRole('button', { name: 'Set the password' }).click();
  await pat.page.getByText('has an account already').waitFor();
  await pat.page.getByLabel('Email').fill('pat@pat.test');
  await pat.page.getByLabel('Password of the existing account', { exact: true }).fill(the.server.password);
  await pat.page.getByRole('button', { name: 'Sign in and accept' }).click();
  const switcher = (name) => pat.page.getByRole('button', { name: `${name}: switch organization` });
  await switcher('Demo organization').click();
  await pat.page.getByRole('menuitem', { name: 'Pat Ltd' }).click();
  await switcher('Pat Ltd').waitFor();
  await pat.page.getByRole('button', { name: 'New event' }).waitFor();
  // An expired access token is renewed where the browser is, not where it began.
  await pat.page.evaluate(() => fetch('/session/refresh', { method: 'POST', headers: { 'X-ECF-Console': '1' } }));
  await pat.page.goto('/account');
  await switcher('Pat Ltd').waitFor();
  await pat.page.getByRole('combobox', { name: 'Default organization' }).click();
  await pat.page.getByRole('option', { name: 'Demo organization' }).click();
  await pat.page.getByText('Your next sign-in starts there.').waitFor();
  await axe(pat.page, 'account of two organizations');

  // What is not saved is asked about before the organization changes.
  await pat.page.goto('/');
  await pat.page.getByRole('button', { name: 'New event' }).click();
  const form = pat.page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Title', exact: true }).fill('Of Pat');
  await form.getByRole('button', { name: 'New event' }).click();
  await grid(pat.page).waitFor();
  await paste(pat.page, 'LHR\tXQX');
  await until('it is faulty', () => pat.page.locator('[role=gridcell][aria-invalid=true]').count());
  await switcher('Pat Ltd').click();
  await pat.page.getByRole('menuitem', { name: 'Demo organization' }).click();
  const unsaved = pat.page.getByRole('dialog', { name: 'One row is not saved yet' });
  await unsaved.getByText('until you come back to this organization').waitFor();
  await unsaved.getByRole('button', { name: 'Keep and switch' }).click();
  await switcher('Demo organization').waitFor();

  await admin.page.goto('/organization?tab=members');
  await admin.page.getByRole('row', { name: /Pat/ }).getByRole('button', { name: 'Remove' }).click();
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await until('Pat is gone', async () => (await admin.page.getByRole('row', { name: /Pat/ }).count()) === 0);
});

test('a team: who is not in it does not see the event', async () => {
  const id = await the.server.event('Team only');
  const manager = await visit('manager', `/events/${id}/sheet`);
  await manager.page.getByRole('button', { name: 'Event actions' }).click();
  await manager.page.getByRole('menuitem', { name: 'Team' }).click();
  const dialog = manager.page.getByRole('dialog');
  const add = async (name) => {
    await dialog.getByRole('combobox', { name: 'Add somebody' }).click();
    await manager.page.getByRole('option', { name }).click();
  };
  await add(/Demo manager/);
  await axe(manager.page, 'team');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await manager.page.getByText('team of one').waitFor();
  const out = await visit('user', `/events/${id}/sheet`);
  await out.page.getByRole('heading', { level: 1, name: 'Event not found' }).waitFor();
  assert.equal(await out.page.getByText('Team only').count(), 0);
  // An administrator who is no reviewer there sees it, and is told who decides.
  const admin = await visit('admin', `/events/${id}/review`);
  await admin.page.getByText('You are not a reviewer in the team').waitFor();
  await manager.page.getByRole('button', { name: 'Event actions' }).click();
  await manager.page.getByRole('menuitem', { name: 'Team' }).click();
  await dialog.getByRole('button', { name: 'Remove Demo manager from the team' }).click();
  await dialog.getByRole('button', { name: 'Remove the team' }).click();
  await manager.page.getByText('team of one').waitFor({ state: 'detached' });
  await out.page.goto(`/events/${id}/sheet`);
  await grid(out.page).waitFor();
});

test("a supplier's factor is proposed, approved and used by its name in a row", async () => {
  const { page } = await visit('manager', '/organization?tab=factors');
  await page.getByRole('button', { name: 'Propose a factor' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Green Stage hire');
  await dialog.getByLabel('Kilograms of CO₂e per unit').fill('2.5');
  await dialog.getByLabel('Unit', { exact: true }).fill('piece');
  await dialog.getByLabel('Source').fill('Statement 2026, page 1');
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'statement.pdf', mimeType: 'application/pdf', buffer: Buffer.from('stated') });
  await dialog.getByText('statement.pdf').waitFor();
  await axe(page, 'a factor');
  await dialog.getByRole('button', { name: 'Propose a factor' }).click();
  await page.getByText('2.5 kg CO₂e per piece').first().waitFor();
  await axe(page, 'factors');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('can now be used in records').waitFor();
  const id = await the.server.event('Supplier');
  await page.goto(`/events/${id}/sheet?type=custom`);
  await grid(page).waitFor();
  await paste(page, 'Description\tQuantity\tSupplier factor\nStage\t4\tGreen Stage hire');
  await until('it counts by the factor', async () =>
    (await page.locator('.datarow .kg').first().innerText()).startsWith('10'),
  );
});

test('an event is made anew from another, and deleted by its title; a password is changed', async () => {
  const id = await the.server.event('Once more');
  const { page } = await visit('manager', `/events/${id}/sheet`);
  const act = async (name) => {
    await page.getByRole('button', { name: 'Event actions' }).click();
    await page.getByRole('menuitem', { name }).click();
    return page.getByRole('dialog');
  };
  const copy = await act('Duplicate event');
  await copy.getByRole('textbox', { name: 'Title', exact: true }).fill('The next one');
  await copy.getByRole('button', { name: 'New event' }).click();
  await page.getByRole('heading', { level: 1, name: 'The next one' }).waitFor();
  await grid(page).waitFor();
  const titles = async () => (await the.server.api('manager', 'GET', '/events?limit=100')).items.map((e) => e.title);
  assert.ok((await titles()).includes('Once more'));
  const gone = await act('Delete event');
  await gone.getByText('including approved ones, will be deleted for everybody').waitFor();
  const sure = gone.getByRole('button', { name: 'Delete event' });
  await gone.getByLabel('I understand').check();
  await gone.getByLabel('Type the title').fill('Once more');
  assert.ok(await sure.isDisabled(), 'another title deletes it');
  await gone.getByLabel('Type the title').fill('The next one');
  await sure.click();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  assert.ok(!(await titles()).includes('The next one'));

  const email = `anew${Date.now()}@demo.test`;
  const made = await the.server.api('admin', 'POST', '/users', { email, name: 'Anew', role: 'user' });
  await the.server.setPassword(made.setupToken, the.server.password);
  const anew = await anonymous();
  await signIn(anew.page, email, the.server.password);
  await anew.page.goto('/account');
  const change = async (current, next) => {
    await anew.page.getByLabel('Current password').fill(current);
    await anew.page.getByLabel('New password').fill(next);
    await anew.page.getByRole('button', { name: 'Change password' }).click();
  };
  await change('not the right one at all', 'a lighthouse behind the dunes');
  await anew.page.getByRole('alert').waitFor();
  await change(the.server.password, 'a lighthouse behind the dunes');
  await anew.page.getByText('The password is changed.').waitFor();
  await signIn((await anonymous()).page, email, 'a lighthouse behind the dunes');
});

test('an event of another organization is opened there, from a link and after a switch in another tab', async () => {
  await the.server.setPassword(the.server.organization('Second Ltd', 'second@demo.test'), the.server.password);
  const { _id: second } = await the.server.api('second', 'GET', '/organization');
  const made = await the.server.api('admin', 'POST', '/users', {
    email: 'carla@demo.test',
    name: 'Carla',
    role: 'manager',
  });
  await the.server.setPassword(made.setupToken, the.server.password);
  the.server.join(second, 'carla@demo.test', 'manager');
  const { _id: event } = await the.server.api('second', 'POST', '/events', {
    title: 'Elsewhere',
    country: 'GB',
    startDate: '2026-09-01',
    endDate: '2026-09-02',
    attendees: 10,
  });
  const { page, context } = await visit('carla', `/events/${event}/footprint`);
  await page.getByRole('heading', { name: 'Event not found' }).waitFor();
  await axe(page, 'an event of another organization', ['light']);
  const there = page.getByRole('button', { name: 'Second Ltd', exact: true });
  const cut = (button) => button.locator('.mantine-Button-label').evaluate((l) => l.scrollHeight - l.clientHeight);
  assert.equal(await cut(there), 0, 'letters of the button are cut off');
  await there.click();
  await page.getByRole('heading', { level: 1, name: 'Elsewhere' }).waitFor();
  assert.equal(new URL(page.url()).pathname, `/events/${event}/footprint`);

  const other = await context.newPage();
  await other.setViewportSize({ width: 683, height: 300 });
  await other.goto('/');
  // A low window has all of a menu, and says the name of the organization with its lowest letters.
  await other.getByRole('button', { name: /account and settings/ }).click();
  const menu = other.getByRole('menu');
  await menu.waitFor();
  const { bottom, inner } = await menu.evaluate((m) => ({
    bottom: m.getBoundingClientRect().bottom,
    inner: innerHeight,
  }));
  assert.ok(bottom <= inner, `the menu ends at ${bottom} of ${inner}`);
  await other.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  const switcher = other.getByRole('button', { name: 'Second Ltd: switch organization' });
  assert.equal(await cut(switcher), 0, 'letters of the name are cut off');
  await switcher.click();
  await other.getByRole('menuitem', { name: /Demo organization/ }).click();
  await page.getByRole('heading', { name: 'Event not found' }).waitFor();
  await there.click();
  await page.getByRole('heading', { level: 1, name: 'Elsewhere' }).waitFor();
  await other.getByRole('button', { name: 'Second Ltd: switch organization' }).waitFor();
});
