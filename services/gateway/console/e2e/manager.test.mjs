// All that a manager does with an event, as one walk: from the invitation to the report that is opened again.
import assert from 'node:assert/strict';
import { signIn } from './browser.mjs';
import { anonymous, test, the, until } from './setup.mjs';

test('a manager goes from the invitation through review and signature to the report, and opens the event again', async () => {
  const { server } = the;
  const id = await server.event('Walked');
  const submit = async (type, fields) => {
    const { _id } = await server.api('user', 'POST', `/events/${id}/${type}`, fields);
    await server.api('user', 'POST', `/events/${id}/${type}/${_id}/submit`, {});
  };
  const evidence = [{ name: 'List.pdf', url: 'https://example.org/list.pdf' }];
  await submit('flights', { from: 'LHR', to: 'JFK', passengers: 12, evidence });
  await submit('flights', { from: 'MAN', to: 'DUB', passengers: 140 });
  await submit('venue', { name: 'Main hall', electricityKWh: 4200 });
  const { setupToken } = await server.api('admin', 'POST', '/users', {
    email: 'mara@demo.test',
    name: 'Mara',
    role: 'manager',
  });

  const { page } = await anonymous(`/setup#${encodeURIComponent(setupToken)}`);
  await page.getByRole('heading', { level: 1, name: /^Invitation to / }).waitFor();
  await page.getByLabel('Password', { exact: true }).fill(server.password);
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('The password is set').waitFor();
  await signIn(page, 'mara@demo.test', server.password);

  await page.getByRole('link', { name: /Walked/ }).click();
  const places = page.getByRole('navigation', { name: 'Places of the event' });
  await places.getByRole('link', { name: /^Review/ }).click();
  const open = (title) => page.locator('main').getByText(title).first().click();
  const dialog = page.getByRole('dialog');
  await open(/^LHR · JFK/);
  await page.getByRole('link', { name: 'List.pdf' }).waitFor();
  await page.getByRole('button', { name: 'Request changes' }).first().click();
  await dialog.getByRole('textbox').fill('Which class?');
  await dialog.getByRole('button', { name: 'Request changes' }).click();
  await page.getByText('Changes requested: LHR').waitFor();
  await open(/^MAN · DUB/);
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('Approving in').waitFor();
  await open(/^Main hall/);
  await page.getByRole('button', { name: 'Reject' }).first().click();
  await dialog.getByRole('textbox').fill('In the invoice of the hotel already.');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Rejected: Main hall').waitFor();
  await page.getByText('Approved: MAN').waitFor();
  const result = () => server.api('manager', 'GET', `/events/${id}/results`).catch(() => undefined);
  await until('it counts', async () => (await result())?.status === 'current');

  await places.getByRole('link', { name: /^Footprint/ }).click();
  await page.getByText('from one approved record').waitFor();
  await page.getByText('and one sent back').or(page.getByText('One record was sent back')).first().waitFor();
  await page.getByRole('button', { name: /^Flights/ }).click();
  await page.locator('.explained > summary').filter({ hasText: 'MAN · DUB' }).click();
  await page
    .getByText(/UK Government GHG conversion factors .* Open Government Licence/)
    .first()
    .waitFor();

  await places.getByRole('link', { name: 'Sign and report' }).click();
  await page.getByText('One rejected record does not count.').waitFor();
  await page.getByLabel('Your statement').fill('Final.');
  await page.getByLabel('I have seen the open items').check();
  await page.getByRole('button', { name: 'Sign', exact: true }).click();
  await page.getByText('Signed by Mara').first().waitFor();
  const report = page.frameLocator('iframe');
  await report.getByText('All of it is from flights.').waitFor();
  await report.getByText('Statement at sign-off: “Final.”').waitFor();

  await page.getByRole('button', { name: 'Withdraw the signature' }).click();
  await dialog.getByLabel(/^Reason( \*)?$/).fill('A late invoice.');
  await dialog.getByRole('button', { name: 'Withdraw the signature' }).click();
  await page.getByText('The signature is withdrawn.').waitFor();
  await places.getByRole('link', { name: 'History' }).click();
  await page.getByText('Signature withdrawn').waitFor();
  await page.getByText('A late invoice.').waitFor();
  assert.equal((await server.api('manager', 'GET', `/events/${id}`)).signOff.state, 'open');
});
