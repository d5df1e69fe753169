// Menus and dialogs: what axe finds in them, and where the focus is once they are closed.
import assert from 'node:assert/strict';
import { axe, settled, test, the, until, visit } from './setup.mjs';

const named = (page, name) => until(`${name} has the focus`, () => page.evaluate(focused, name));
function focused(name) {
  const e = document.activeElement;
  return (e?.getAttribute('aria-label') ?? e?.innerText) === name;
}

for (const [language, words] of Object.entries({
  en: {
    actions: 'Event actions',
    you: 'Demo admin: account and settings',
    create: 'New event',
    invite: 'Invite a person',
    people: ['Rename: Demo user', 'Remove: Demo user'],
    factor: 'Propose a factor',
  },
  de: {
    actions: 'Aktionen der Veranstaltung',
    you: 'Demo admin: Konto und Einstellungen',
    create: 'Neue Veranstaltung',
    invite: 'Person einladen',
    people: ['Umbenennen: Demo user', 'Entfernen: Demo user'],
    factor: 'Faktor vorschlagen',
  },
}))
  test(`axe finds nothing in menus and dialogs, and the focus goes back to where they were opened: ${language}`, async () => {
    const id = await the.server.event('Dialogs');
    const locale = { en: 'en-GB', de: 'de-DE' }[language];
    const { page } = await visit('admin', `/events/${id}/footprint`, { locale });
    const dialog = page.getByRole('dialog');
    const button = (name) => page.getByRole('button', { name, exact: true });
    // The words of a language change no colour.
    const themes = language === 'en' ? undefined : ['light'];
    const seen = new Set();
    /** Looks at a dialog once, and leaves it by Escape. */
    const look = async (what, opener) => {
      await dialog.waitFor();
      if (!seen.has(what)) {
        await settled(page);
        await axe(page, what, themes);
        seen.add(what);
      }
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await named(page, opener);
    };
    for (const [n, what] of ['edit', 'duplicate', 'team', 'delete'].entries())
      for (const by of n === 0 ? ['keyboard', 'mouse'] : ['keyboard']) {
        if (by === 'keyboard') await button(words.actions).press('Enter');
        else await button(words.actions).click();
        await page.getByRole('menu').waitFor();
        if (n === 0) await axe(page, 'the menu of an event', themes, { menu: true });
        if (by === 'mouse') await page.getByRole('menuitem').nth(n).click();
        else {
          // The menu takes the focus once it has opened, at an item or before the first.
          const item = page.getByRole('menuitem').nth(n);
          await until(`item ${n} of the menu has the focus`, async () => {
            if (await item.evaluate((e) => e === document.activeElement)) return true;
            await page.keyboard.press('ArrowDown');
            return false;
          });
          await page.keyboard.press('Enter');
        }
        await look(what, words.actions);
      }

    await button(words.you).click();
    await page.getByRole('menu').waitFor();
    await axe(page, 'the menu of the account', themes, { menu: true });
    // What is chosen is not only bold.
    const chosen = page.getByRole('menuitemradio', { checked: true });
    assert.deepEqual(
      await chosen.allInnerTexts(),
      language === 'de' ? ['Deutsch', 'Wie das System'] : ['English', 'System'],
    );
    await page.keyboard.press('Escape');
    await named(page, words.you);

    for (const [path, names] of [
      ['/', [words.create]],
      ['/organization?tab=members', [words.invite, ...words.people]],
      ['/organization?tab=factors', [words.factor]],
    ]) {
      await page.goto(path);
      for (const name of names) {
        await button(name).first().click();
        await look(name, name);
      }
    }
  });
