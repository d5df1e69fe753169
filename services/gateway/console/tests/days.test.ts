import i18next from 'i18next';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { day, dayIn, dayPattern } from '../src/format';
import { de } from '../src/i18n/de';
import { en } from '../src/i18n/en';
import { columnsOf, shown, typedIn } from '../src/sheet/columns';
import { inOneOrder, isoDate } from '../src/sheet/days';
import { faultsOf } from '../src/sheet/store';

const letters = { day: 'D', month: 'M', year: 'Y' };
const reads = (...languages: string[]): void => void vi.stubGlobal('navigator', { languages });
const [column] = columnsOf({ properties: { date: { type: 'string', format: 'date' } } });
if (!column) throw new Error('a date has no column');

beforeEach(() => i18next.init({ lng: 'en', resources: { en: { translation: en }, de: { translation: de } } }));
afterEach(() => void vi.unstubAllGlobals());

test('a day is shown and read as it is written where the page is read', async () => {
  reads('en-GB');
  expect(shown(column, '2026-04-03')).toBe('03/04/2026');
  expect(typedIn(column, '3/4/2026')).toBe('2026-04-03');
  expect(typedIn(column, '2026-04-03')).toBe('2026-04-03');
  expect(dayPattern(letters)).toBe('D/M/Y');
  reads('en-US');
  expect(day('2026-04-03')).toBe('04/03/2026');
  expect(dayIn('4/3/2026')).toBe('2026-04-03');
  reads('de-DE');
  await i18next.changeLanguage('de');
  expect(day('2026-04-03')).toBe('03.04.2026');
  expect(dayIn('3.4.2026')).toBe('2026-04-03');
  for (const none of ['', '31.02.2026', '1.2.26', 'morgen', '2026', '1.2.3.2026'])
    expect(dayIn(none), none).toBe(undefined);
  expect(day('morgen')).toBe('morgen');
});

test('who reads in another language than at home has days year first: the order of day and month is not known', () => {
  reads('fr-FR', 'en-US');
  expect(day('2026-04-03')).toBe('2026-04-03');
  expect(dayIn('3/4/2026')).toBe(undefined);
  expect(dayPattern(letters)).toBe('Y-M-D');
});

test('a day that is pasted and can be read in two ways is asked about, with what is read here first', () => {
  const fault = { field: 'items[0].date', code: 'BAD_FORMAT', message: 'date must be a date such as 2026-05-31.' };
  const asked = (text: string) => faultsOf([fault], '', { date: text }).date;
  reads('en-GB');
  expect(asked('3/4/2026')).toMatchObject({ code: 'AMBIGUOUS_DATE', suggestions: ['2026-04-03', '2026-03-04'] });
  reads('en-US');
  expect(asked('3/4/2026')?.suggestions).toEqual(['2026-03-04', '2026-04-03']);
  expect(asked('13/13/2026')).toBe(fault);
  expect(asked('soon')).toBe(fault);
  expect(isoDate('9/9/2026')).toBe('2026-09-09');
});

test.each(['Pacific/Pago_Pago', 'America/New_York', 'Europe/Berlin', 'Pacific/Kiritimati'])(
  'a day is the same in %s, and a moment is of the day there',
  async (zone) => {
    vi.stubEnv('TZ', zone);
    vi.resetModules(); // formats are made once
    const here = await import('../src/format');
    reads('en-GB');
    expect(here.date('2026-03-29')).toBe('29 Mar 2026');
    expect(here.dates('2026-12-31', '2027-01-01')).toMatch(/^31 Dec 2026\s–\s1 Jan 2027$/);
    expect(here.dates('2026-10-25', '2026-10-25')).toBe('25 Oct 2026');
    for (const iso of ['2026-01-01', '2026-03-29', '2026-10-25', '2028-02-29', '2026-12-31'])
      expect(here.dayIn(here.day(iso))).toBe(iso);
    expect(here.day('2026-01-01')).toBe('01/01/2026');
    expect(here.dayPattern(letters)).toBe('D/M/Y');
    const local = zone === 'Pacific/Kiritimati' ? '2 Jun 2026' : '1 Jun 2026';
    expect(here.date('2026-06-01T12:00:00Z')).toBe(local);
    expect(here.time('2026-06-01T12:00:00Z')).toContain(local);
    expect([here.date(null), here.dates()]).toEqual(['–', '']);
    vi.unstubAllEnvs();
  },
);

test('the days of a column are in the order that one of them tells', () => {
  expect(inOneOrder(['01/02/2026', '12/31/2026', '', 'later'])).toEqual(['2026-01-02', '2026-12-31', '', 'later']);
  expect(inOneOrder(['01/02/2026', '31/12/2026'])).toEqual(['2026-02-01', '2026-12-31']);
  expect(inOneOrder(['01/02/2026', '03/04/2026'])).toEqual(['01/02/2026', '03/04/2026']); // nothing tells it
  expect(inOneOrder(['01/02/2026', '31/12/2026', '12/31/2026'])).toEqual(['01/02/2026', '31/12/2026', '12/31/2026']);
});
