/** The texts of the console. English is the reference catalogue. */
import i18next, { type FormatterModule } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { number } from '../format';
import { type Catalogue, en } from './en';
import { learn } from './server';

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Catalogue };
    returnNull: false;
  }
}

export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;
const stored = 'ecf.language';

export function initialLanguage(): Language {
  const wanted = localStorage.getItem(stored) ?? navigator.language;
  return wanted.startsWith('de') ? 'de' : 'en';
}

/** The characters that change the direction of the text after them; what was stored before they were refused may have some. */
const turns = /[\u202a-\u202e\u2066-\u2069]/g;

/** Formats counts with the locale's separators, but not revisions or years, and makes characters that change the direction of texts visible. */
const counts: FormatterModule = {
  type: 'formatter',
  init: () => {},
  add: () => {},
  addCached: () => {},
  format: (value: unknown, _format, _language, options) => {
    if (typeof value === 'string') return value.replace(turns, '\ufffd');
    return typeof value === 'number' && options?.interpolationkey === 'count' ? number(value) : (value as string);
  },
};

async function load(language: Language): Promise<void> {
  if (language === 'de' && !i18next.hasResourceBundle('de', 'translation')) {
    const [{ de }, { server }] = await Promise.all([import('./de'), import('./server.de')]);
    learn('de', server);
    i18next.addResourceBundle('de', 'translation', de);
  }
}

export async function setLanguage(language: Language): Promise<void> {
  await load(language);
  localStorage.setItem(stored, language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

export async function initI18n(): Promise<void> {
  await i18next
    .use(initReactI18next)
    .use(counts)
    .init({
      resources: { en: { translation: en } },
      lng: 'en',
      fallbackLng: 'en',
      interpolation: { escapeValue: false, alwaysFormat: true },
      returnNull: false,
    });
  const language = initialLanguage();
  await load(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
