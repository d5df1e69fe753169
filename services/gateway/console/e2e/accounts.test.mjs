// One address with accounts in several organizations: what an invitation offers, and how each is signed in to.
import assert from 'node:assert/strict';
import { signIn } from './browser.mjs';
import { anonymous, axe, test, the, until, visit } from './setup.mjs';

const phone = { viewport: { width: 320, height: 640 } };
/** Fails where a page is wider than a phone, or the words of a button are cut off. */
const fits = async (page, what) => {
  const { width, cut } = await page.evaluate(() => ({
    width: document.documentElement.scrollWidth,
    cut: [...document.querySelectorAll('button, a')]
      .filter((e) => [e, ...e.querySelectorAll('*')].some((x) => x.clientWidth && x.scrollWidth > x.clientWidth))
      .map((e) => e.textContent),
  }));
  assert.ok(width <= 320, `${what}: ${width} px wide`);
  assert.deepEqual(cut, [], what);
};
const remembered = (page) => page.evaluate(() => localStorage.getItem('ecf.organization'));

/** Makes an organization with somebody in it, who is invited to the demonstration's; returns the token. */
async function invited(name) {
  const email = `${name}@${name}.test`;
  await the.server.setPassword(the.server.organization(`${name} Ltd`, email), the.server.password);
  const { setupToken } = await the.server.api('admin', 'POST', '/users', { email, name, role: 'user' });
  return { email, token: setupToken };
}

const own = 'a lighthouse behind the dunes';

test('an address that has an account: its owner joins with it, or sets up a separate one', async () => {
  const { email, token } = await invited('quinn');
  const { page, context } = await anonymous(`/setup#${token}`, phone);
  const field = (name) => page.getByLabel(name, { exact: true });
  const way = (name) => page.getByRole('radio', { name });
  // Who knows of the account says so before; who does not is told.
  await page.getByRole('button', { name: 'I have an account with this email address' }).click();
  await field('Password of the existing account').waitFor();
  await page.getByText('it becomes a member of this organization as well').waitFor();
  await page.getByText('Choose this if the other account is not yours').waitFor();
  await page.getByRole('button', { name: 'I have no account yet' }).click();
  await field('Password').fill(own);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('has an account already').waitFor();
  await until('the choice has the focus', () =>
    way('Use the existing account').evaluate((e) => e === document.activeElement),
  );
  assert.ok(await field('Password of the existing account').isVisible());
  await axe(page, 'the choice of an account');
  await fits(page, 'the choice');
  await page.keyboard.press('ArrowDown');
  assert.ok(await way('Set up a separate account').isChecked());
  assert.equal(
    await field('Password of the existing account').count(),
    0,
    'the password of the other account is asked for',
  );
  assert.equal(await field('New password').inputValue(), own, 'what was chosen has to be typed again');
  await axe(page, 'a separate account');
  await page.getByRole('button', { name: 'Set up the account' }).press('Enter');
  await page.getByText('The password is set').waitFor();
  await page.getByText(`${the.server.url}/?organization=demo`).waitFor();
  await axe(page, 'a separate account is set up');
  await fits(page, 'what is said of it');

  // The form below has the password and names the organization, as this browser does from then on.
  assert.equal(await field('Password').inputValue(), own, 'what was set has to be typed again');
  assert.equal(await field('Organization id').inputValue(), 'demo');
  await axe(page, 'signing in to an organization');
  await fits(page, 'signing in');
  await signIn(page, email, own);
  assert.equal(new URL(page.url()).search, '');
  assert.deepEqual(
    await page.evaluate(async () => {
      const r = await fetch('/session/api/auth/me', { headers: { 'X-ECF-Console': '1' } });
      return (await r.json()).data.memberships.map((m) => m.organization);
    }),
    ['demo'],
  );
  await context.clearCookies();
  await page.goto('/');
  assert.equal(await field('Organization id').inputValue(), 'demo');
});

test('an organization is asked for where a sign-in needs it, and kept where it is always needed', async () => {
  const { email, token } = await invited('robin');
  const separate = await the.server.setPassword(token, own, { separateAccount: true });
  assert.deepEqual(separate, { organization: 'demo' });
  const { page, context } = await anonymous('/', phone);
  const organization = page.getByLabel('Organization id', { exact: true });
  const attempt = async (password, id) => {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    if (id !== undefined) await organization.fill(id);
    await page.keyboard.press('Enter');
  };
  await page.getByLabel('Email').waitFor();
  assert.equal(await organization.count(), 0, 'everybody is asked for an organization');
  await attempt(own);
  await page.getByRole('alert').getByText('Incorrect email or password.').waitFor();
  await axe(page, 'a sign-in that was refused');
  await fits(page, 'a sign-in that was refused');
  await page.getByRole('button', { name: 'Enter the organization id' }).press('Enter');
  await until('the field has the focus', () => organization.evaluate((e) => e === document.activeElement));
  await attempt(own, 'nowhere');
  await page.getByRole('alert').getByText('Incorrect email, password or organization id.').waitFor();
  // The password is that of the account in the other organization.
  await attempt(the.server.password, 'demo');
  const elsewhere = page.getByRole('alert').getByText('is not a member of that organization');
  await elsewhere.waitFor();
  assert.equal(await organization.getAttribute('aria-invalid'), 'true');
  await axe(page, 'an organization that is another');
  await attempt(the.server.password, '');
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  assert.equal(await remembered(page), null);

  await context.clearCookies();
  await page.goto('/');
  await attempt(own);
  await page.getByRole('button', { name: 'Enter the organization id' }).click();
  await attempt(own, ' demo ');
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  assert.equal(await remembered(page), 'demo');
  await page.goto('/account');
  await page
    .getByText('This is a separate account for one organization.')
    .locator('code', { hasText: 'demo' })
    .waitFor();
  // Whoever works there can read the id that others have to enter.
  await page.goto('/organization');
  await page.getByText('Organization id: demo').waitFor();

  // A session that ends goes on where it was: nobody has to know the organization for that.
  const { items } = await the.server.api('admin', 'GET', '/users?limit=100');
  const { _id } = items.find((u) => u.email === email);
  const end = async () => {
    for (const disabled of [true, false]) await the.server.api('admin', 'PATCH', `/users/${_id}`, { disabled });
    // What the page asks for next is refused once its service has heard of it.
    const status = () =>
      page.evaluate(() =>
        fetch('/session/api/organization', { headers: { 'X-ECF-Console': '1' } }).then((r) => r.status),
      );
    await until('the session is over', async () => (await status()) === 401);
  };
  await end();
  await page.getByRole('tab', { name: 'Supplier factors' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel('Organization id').count(), 0);
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Password', { exact: true }).fill(own);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Organization id: demo').waitFor();

  // Somebody of another organization may sign in there instead.
  await end();
  await page.getByRole('tab', { name: 'Plan and policy' }).click();
  await dialog.waitFor();
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByLabel('Password', { exact: true }).fill(the.server.password);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'robin Ltd' }).waitFor();
});

test('who is in several organizations is not sent back to the one that was named once', async () => {
  const { email, token } = await invited('sam');
  const { page, context } = await anonymous(`/setup#${token}`, phone);
  await page.getByRole('button', { name: 'I have an account with this email address' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password of the existing account', { exact: true }).fill(the.server.password);
  await page.getByRole('button', { name: 'Sign in and accept' }).click();
  const switcher = (name) => page.getByRole('button', { name: `${name}: switch organization` });
  await switcher('Demo organization').waitFor();
  await context.clearCookies();
  await page.goto('/?organization=demo');
  await signIn(page, email, the.server.password);
  await switcher('Demo organization').waitFor();
  assert.equal(await remembered(page), null);
  // However long the name of an organization is, the account can be reached on a phone.
  for (const [language, account] of [
    ['en', /account and settings/],
    ['de', /Konto und Einstellungen/],
  ]) {
    await page.evaluate((l) => localStorage.setItem('ecf.language', l), language);
    await page.reload();
    for (const button of [
      page.getByRole('button', { name: account }),
      page.getByRole('button', { name: /^Demo organization:/ }),
    ]) {
      const { x, width } = await button.boundingBox();
      assert.ok(x >= 0 && width >= 30 && x + width <= 320, `${account}: ${x} and ${width} px`);
    }
  }

  // Who was a member before has no second account there, and is told why.
  const { items } = await the.server.api('admin', 'GET', '/users?limit=100');
  await the.server.api('admin', 'DELETE', `/users/${items.find((u) => u.email === email)._id}`);
  const again = await the.server.api('admin', 'POST', '/users', { email, name: 'Sam', role: 'user' });
  const other = await anonymous(`/setup#${again.setupToken}`, { ...phone, locale: 'de-DE' });
  await other.page.getByRole('button', { name: 'Ich habe ein Konto mit dieser E-Mail-Adresse' }).click();
  await other.page.getByRole('radio', { name: 'Ein eigenes Konto einrichten' }).check();
  await other.page.getByLabel('Neues Passwort', { exact: true }).fill(own);
  await other.page.getByRole('button', { name: 'Konto einrichten' }).click();
  await other.page.getByRole('alert').getByText('ein eigenes ist daher nicht möglich').waitFor();
  await fits(other.page, 'the German choice');
  await other.page.goto('/');
  await other.page.getByLabel('E-Mail').fill(email);
  await other.page.getByLabel('Passwort', { exact: true }).fill(own);
  await other.page.keyboard.press('Enter');
  await other.page.getByRole('button', { name: 'Kennung eingeben' }).waitFor();
  await fits(other.page, 'a German sign-in that was refused');
});

test('the page behind the links of commands leads to the separate account, also where somebody else is signed in', async () => {
  const { token } = await invited('terry');
  const { page } = await visit('user', `/api/v2/auth/setup#${token}`);
  const form = page.locator('form').first();
  await form.getByLabel('Password', { exact: true }).fill(own);
  await form.getByLabel('Repeat the password').fill(own);
  await form.getByRole('button').click();
  await page.getByRole('link', { name: 'Set up a separate one' }).click();
  await page.waitForURL('**/setup');
  await page.getByRole('button', { name: 'I am somebody else' }).click();
  await page.getByRole('button', { name: 'I have an account with this email address' }).click();
  await page.getByRole('radio', { name: 'Set up a separate account' }).check();
  await page.getByLabel('New password', { exact: true }).fill(own);
  await page.getByRole('button', { name: 'Set up the account' }).click();
  await page.getByText('The password is set').waitFor();
  await page.getByText('user@demo.test is signed in: sign out there first').waitFor();
});

test('the page behind the links of commands leads on to signing in', async () => {
  const made = await the.server.api('admin', 'POST', '/users', { email: 'wim@demo.test', name: 'Wim', role: 'user' });
  const { page } = await anonymous(`/api/v2/auth/setup#${made.setupToken}`);
  const form = page.locator('form').first();
  await form.getByLabel('Password', { exact: true }).fill(own);
  await form.getByLabel('Repeat the password').fill(own);
  await form.getByRole('button').press('Enter');
  const on = page.getByRole('link', { name: 'Sign in' });
  await on.waitFor();
  assert.ok(await on.evaluate((e) => e === document.activeElement));
  await page.keyboard.press('Enter');
  await page.getByLabel('Email').waitFor();
});

test('where somebody is signed in, a link that is over or for another person says so, and one for a password asks for that', async () => {
  const { token } = await invited('uma');
  const { page } = await visit('user', '/about');
  const open = async (text) => {
    await page.goto('/about');
    await page.goto(`/setup#${text}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };
  await open(token);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByRole('alert').getByText('This invitation is not for user@demo.test').waitFor();
  const made = await the.server.api('admin', 'POST', '/users', { email: 'vic@demo.test', name: 'Vic', role: 'user' });
  await the.server.setPassword(made.setupToken, the.server.password);
  for (const over of [made.setupToken, token.slice(0, -8), '%E0%A4%A']) {
    await open(over);
    await page.getByRole('alert').getByText('This link no longer works').waitFor();
    assert.deepEqual(await page.locator('main').getByRole('button').all(), [], over);
    await page.getByRole('link', { name: 'Back to all events' }).waitFor();
  }
  await axe(page, 'a link that is over');
  const link = await the.server.api('admin', 'POST', `/users/${made._id}/setup-link`, {});
  await open(link.setupToken);
  await page.getByLabel('Password', { exact: true }).fill(own);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('user@demo.test is signed in: sign out there first').waitFor();
});
