import i18next from 'i18next';
import { beforeAll, expect, test, vi } from 'vitest';

beforeAll(async () => {
  vi.stubGlobal('localStorage', { getItem: () => 'en', setItem: () => {} });
  vi.stubGlobal('document', { documentElement: { lang: '' } });
  vi.stubGlobal('navigator', { language: 'en-GB', languages: ['en-GB'] });
  const { initI18n } = await import('../src/i18n');
  await initI18n();
});

test('how many there are is written as the language groups digits; what is numbered is not', async () => {
  expect(i18next.t('review.approveMany', { count: 2000 })).toBe('Approve 2,000');
  expect(i18next.t('governed.revision', { n: 2000 })).toBe('revision 2000');
  const { setLanguage } = await import('../src/i18n');
  await setLanguage('de');
  expect(i18next.t('review.approveMany', { count: 2000 })).toBe('2.000 freigeben');
});

test('a text in a sentence does not turn the rest of it around', () => {
  expect(i18next.t('import.title', { name: 'a\u202eb' })).toBe(i18next.t('import.title', { name: 'a\ufffdb' }));
});
