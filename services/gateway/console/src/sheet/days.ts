/** Days as people write them, where they can be read one way only. */

/** The languages whose names of months are known. A name that is another month in one of them is none: listopada. */
const languages = 'en de fr es it nl pt pl cs hr hu tr ro el da sv nb fi'.split(' ');

let named: Map<string, number> | undefined;

/** Returns the months by their names and short names, as days have them. */
function months(): Map<string, number> {
  if (named) return named;
  const found = new Map<string, number>();
  for (const language of languages) {
    for (const style of ['long', 'short'] as const) {
      const f = new Intl.DateTimeFormat(language, { day: 'numeric', month: style, timeZone: 'UTC' });
      for (let month = 1; month <= 12; month++) {
        const part = f.formatToParts(new Date(Date.UTC(2026, month - 1, 1))).find((p) => p.type === 'month');
        const name = part?.value.toLowerCase().replace(/\.$/, '') ?? '';
        if (!/^\p{L}+$/u.test(name)) continue;
        found.set(name, found.has(name) && found.get(name) !== month ? 0 : month);
      }
    }
  }
  named = found;
  return found;
}

/** Returns a day of the calendar as the API has it; undefined if there is none. */
function dayOf(year: string, month: string, day: string): string | undefined {
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const read = new Date(iso);
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(iso) ? iso : undefined;
}

/** Returns the day of a text with its month as a word: 12 mai 2026, May 12, 2026, 2026. május 12. */
function withMonth(text: string): string | undefined {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const numbers = text.match(/\d+/g) ?? [];
  const [month = 0, ...others] = words.map((w) => months().get(w) ?? 0).filter((m) => m > 0);
  const year = numbers.find((n) => n.length === 4);
  const day = numbers.find((n) => n.length < 3);
  if (month === 0 || others.length > 0 || numbers.length !== 2 || !year || !day || !/^[\p{L}\d\s.,'-]+$/u.test(text))
    return undefined;
  return dayOf(year, String(month), day);
}

/** The day of a number by which spreadsheets keep days, of this century: 46154 is 12 May 2026. */
function serialDay(text: string): string | undefined {
  const iso = new Date(Date.UTC(1899, 11, 30) + Number(text) * 86_400_000).toISOString().slice(0, 10);
  return iso.startsWith('20') ? iso : undefined;
}

/** Understands days that can be read one way only: year first, a named month, or a day above twelve; a time of day is left out. */
export function isoDate(text: string): string | undefined {
  const bare = text.trim().replace(/(?<=\d{4}.*\d)(?:T|\s+)\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/, '');
  if (/^\d{4}-\d\d-\d\d$/.test(bare)) return bare;
  if (/^\d{5}$/.test(bare)) return serialDay(bare);
  const [, y, mo, d] = /^(\d{4})(?:[./] ?|年)(\d{1,2})(?:[./] ?|月)(\d{1,2})[.日]?$/.exec(bare) ?? [];
  if (y && mo && d) return dayOf(y, mo, d);
  const m = /^(\d{1,2})([./])(\d{1,2})\2(\d{4}|\d\d)$/.exec(bare);
  if (!m) return withMonth(bare);
  const [, first = '', separator = '', second = '', last = ''] = m;
  const pad = (s: string): string => s.padStart(2, '0');
  if (last.length === 2 && separator !== '.') return undefined; // either end may be the year
  const year = last.length === 2 ? `20${last}` : last;
  // Points are written between day and month in the countries that use them.
  if (separator === '.' || Number(first) > 12) return `${year}-${pad(second)}-${pad(first)}`;
  if (Number(second) > 12 || Number(first) === Number(second)) return `${year}-${pad(first)}-${pad(second)}`;
  return undefined;
}

const inSlashes = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** Returns the days of a column that are written in one order, which one of them tells: with 12/31/2026 the month is first in 01/02/2026 too. */
export function inOneOrder(texts: string[]): string[] {
  const parts = texts.map((text) => inSlashes.exec(text.trim()));
  const above = (part: number): boolean => parts.some((p) => Number(p?.[part]) > 12);
  if (above(1) === above(2)) return texts;
  const [day, month] = above(1) ? [1, 2] : [2, 1];
  return texts.map((text, n) => {
    const p = parts[n];
    return (p && dayOf(p[3] ?? '', p[month] ?? '', p[day] ?? '')) ?? text;
  });
}
