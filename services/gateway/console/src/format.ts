/** Numbers, dates and amounts as people read them, by locale. */
import i18next from 'i18next';

/** The language of the page, in the variety the browser is set to: days and numbers are written as at home. */
function locale(): string {
  const language = i18next.resolvedLanguage ?? 'en';
  return globalThis.navigator?.languages?.find((l) => l.split('-')[0] === language) ?? language;
}

// Making a formatter costs a hundred times what using it does.
const formatters = new Map<string, Intl.NumberFormat>();

function formatter(least: number, most: number): Intl.NumberFormat {
  const lang = locale();
  const key = `${lang} ${least} ${most}`;
  let f = formatters.get(key);
  if (!f) {
    f = new Intl.NumberFormat(lang, { minimumFractionDigits: least, maximumFractionDigits: most });
    formatters.set(key, f);
  }
  return f;
}

export function number(value: number, digits = 0): string {
  return formatter(digits, digits).format(value);
}

/** Three significant digits at least, and grams below a tenth; what is there but less is said to be less, as in the report. */
function significant(value: number): string {
  const size = Math.abs(value);
  if (value > 0 && size < 0.0005) return `<${number(0.001, 3)}`;
  return number(value, size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}

/** An amount with its unit: kilograms below a tonne, tonnes from there. */
export function amount(kg: number): string {
  return Math.abs(kg) < 999.5 ? `${significant(kg)} kg` : `${significant(kg / 1000)} t`;
}

export const co2e = (kg: number): string => `${amount(kg)} CO₂e`;

/** The ends of an interval, in the unit of the figure it belongs to. */
export function range(low: number, high: number, of = high): string {
  if (Math.abs(of) < 999.5) return `${significant(low)}–${significant(high)} kg`;
  const digits = high / 1000 >= 100 ? 0 : high / 1000 >= 10 ? 1 : 2;
  return `${number(low / 1000, digits)}–${number(high / 1000, digits)} t`;
}

/** A message of the server, with its kilograms rounded as elsewhere on the page. */
export const readable = (message: string): string =>
  message.replace(/\b(\d+\.\d+) kg\b/g, (_, kg: string) => amount(Number(kg)));

/** The figure to its last digit, as the server sent it. */
export const exact = (kg: number): string => `${formatter(0, 6).format(kg)} kg CO₂e`;

/** A number of a record in a text: an integer if large, otherwise with two decimals. */
export function rounded(n: number): string {
  const size = Math.abs(n);
  return formatter(0, size >= 100 ? 0 : size >= 1 ? 2 : 6).format(n);
}

/** A number with all its digits. */
export const exactNumber = (n: number): string => formatter(0, 6).format(n);

export function signed(kg: number): string {
  return `${kg > 0 ? '+' : kg < 0 ? '−' : '±'}${amount(Math.abs(kg))}`;
}

export const percent = (share: number): string =>
  new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: share < 0.1 && share > 0 ? 1 : 0 }).format(
    share,
  );

export function date(text: string | null | undefined): string {
  if (!text) return '–';
  const day = /^\d{4}-\d\d-\d\d$/.test(text);
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', ...(day ? { timeZone: 'UTC' } : {}) }).format(
    new Date(text),
  );
}

/** Whether dates have the local format: users of another language may expect another order of day and month. */
const localDays = (): boolean => locale().split('-')[0] === (globalThis.navigator?.languages?.[0] ?? '').split('-')[0];

const daysOf = new Map<string, Intl.DateTimeFormat>();

/** Returns what writes days in digits; a sheet has one in every line. */
function inDigits(): Intl.DateTimeFormat {
  const lang = locale();
  const f =
    daysOf.get(lang) ??
    new Intl.DateTimeFormat(lang, { day: '2-digit', month: '2-digit', year: 'numeric', timeZone: 'UTC' });
  daysOf.set(lang, f);
  return f;
}

/** A date of a record in digits, as typed; other text is unchanged. */
export function day(iso: string): string {
  if (!localDays() || !/^\d{4}-\d\d-\d\d$/.test(iso) || Number.isNaN(Date.parse(iso))) return iso;
  return inDigits().format(new Date(iso));
}

/** Parses a date in the local format; undefined if invalid. */
export function dayIn(text: string): string | undefined {
  const parts = text.trim().split(/\D+/).filter(Boolean);
  if (!localDays() || parts.length !== 3 || !/^[\d\s./-]+$/.test(text)) return undefined;
  const order = inDigits()
    .formatToParts(0)
    .flatMap((p) => (p.type === 'day' || p.type === 'month' || p.type === 'year' ? [p.type] : []));
  const at = (part: 'year' | 'month' | 'day'): string => parts[order.indexOf(part)] ?? '';
  const iso = `${at('year')}-${at('month').padStart(2, '0')}-${at('day').padStart(2, '0')}`;
  const read = new Date(iso);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(iso) ? iso : undefined;
}

/** The input format of a date, as letters. */
export function dayPattern(letters: Record<'year' | 'month' | 'day', string>): string {
  if (!localDays()) return [letters.year, letters.month, letters.day].join('-');
  return inDigits()
    .formatToParts(0)
    .map((p) => (p.type === 'year' || p.type === 'month' || p.type === 'day' ? letters[p.type] : p.value))
    .join('');
}

export const time = (text: string): string =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(text));

export function dates(from?: string, to?: string): string {
  if (!from) return '';
  if (!to || to === from) return date(from);
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
    new Date(from),
    new Date(to),
  );
}

/** Reads a number as people of the locale write it; undefined when it is none. */
export function parseNumber(text: string, lang = locale()): number | undefined {
  const point = lang.startsWith('de') ? ',' : '.';
  const group = point === ',' ? '.' : ',';
  const bare = text.trim().replace(/[\s\u00a0\u202f']/g, '');
  const escaped = group === '.' ? '\\.' : ',';
  const grouped = new RegExp(`^\\d{1,3}(${escaped}\\d{3})+(\\${point}\\d+)?$`);
  const plain = new RegExp(`^\\d+(\\${point}\\d+)?$`);
  if (grouped.test(bare)) return Number(bare.replaceAll(group, '').replace(point, '.'));
  if (plain.test(bare)) return Number(bare.replace(point, '.'));
  // A decimal point is understood everywhere, unless it may group thousands.
  if (/^\d+\.\d+$/.test(bare) && !/^\d{1,3}\.\d{3}$/.test(bare)) return Number(bare);
  return undefined;
}

/** A number as typed into a cell: without grouping, with the decimal separator of the locale. */
export const cellNumber = (value: number): string =>
  locale().startsWith('de') ? String(value).replace('.', ',') : String(value);

/** The number format of the locale, in the API's notation. */
export const groupedFormat = (): string => (locale().startsWith('de') ? '1.234,5' : '1,234.5');

/** Returns what a form sends for an amount: null for none, and invalid input unchanged, so that the server says what is wrong. */
export function amountIn(text: string): number | string | null {
  const typed = text.trim();
  return typed === '' ? null : (parseNumber(typed) ?? typed);
}

/** Parses a number of people: null for none, undefined for an invalid one. */
export function peopleIn(text: string): number | null | undefined {
  if (text.trim() === '') return null;
  const n = parseNumber(text);
  return n !== undefined && Number.isInteger(n) ? n : undefined;
}
