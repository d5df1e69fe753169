/** Units and currencies that headings name: Weight (t), Distance [miles], Betrag netto (EUR). */
import { cellNumber, parseNumber } from '../format';
import type { Cells, Column } from './columns';
import { bare, type Mapping, matchHeading } from './table';

/** Words in headings that say something else of a quantity than its unit. */
const qualifiers = new Set(
  'net netto gross brutto total gesamt sum summe actual ist estimate estimated est geschätzt approx ca'.split(' '),
);

const currencies: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  zł: 'PLN',
  Kč: 'CZK',
  Ft: 'HUF',
  '₺': 'TRY',
  円: 'JPY',
};

/** Words of three letters behind amounts that are no currencies. */
const noCurrencies = new Set('VAT UST TVA IVA BTW DPH KDV ALV MVA TAX TTC TOT NET QTY PAX'.split(' '));

/** Returns the ISO code of a currency that is written as its code or as a sign that stands for one only. */
const currencyOf = (word: string): string | undefined =>
  currencies[word] ?? (/^[A-Z]{3}$/.test(word) && !noCurrencies.has(word) ? word : undefined);

/** Returns the currency of a unit of thousands, such as T€, kEUR and £'000; undefined for any other text. */
function thousandsOf(word: string): string | undefined {
  if (currencyOf(word)) return undefined;
  const [, behind, before] =
    /^(?:(?:t|k|tsd\.?|tys\.?|tis\.?|'?000s?) ?(\p{L}+|\p{Sc})|(\p{Sc}|\p{L}{3}) ?(?:k|tsd\.?|'?000s?))$/iu.exec(
      word,
    ) ?? [];
  return currencyOf(behind ?? before ?? '');
}

/** Divides a heading into what it names and what stands behind it: in brackets, after "in", or as the last word. */
function divided(heading: string): { stem: string; word: string; marked: boolean } {
  const [, named = '', bracketed] = /^(.*?)\s*[([](?:in )?([^()[\]]+)[)\]]\s*$/.exec(heading) ?? [];
  if (bracketed) return { stem: named, word: bracketed.trim(), marked: true };
  const [, stem = '', marked, word = ''] = /^(.+?)(\s+in)?[\s/_]+([^\s/_]+)$/i.exec(heading.trim()) ?? [];
  return { stem, word, marked: marked !== undefined };
}

/** Returns the unit that a heading names for a column, if it is another than that of the column. */
export function unitIn(heading: string, column: Column, columns: Column[]): string | undefined {
  const { stem, word, marked } = divided(heading);
  if (word === '' || column.headings.includes(heading.trim().toLowerCase())) return undefined;
  const known = column.units.includes(word);
  if (isMoney(column, columns)) return currencyOf(word) ?? (thousandsOf(word) && word);
  if (column.units.length === 0 || word.toLowerCase() === column.unit.toLowerCase()) return undefined;
  if (known) return word;
  // A unit this page does not know is passed on: the server converts it or reports it, and nothing is off by a factor.
  const single = !/\s/.test(word) && !qualifiers.has(word.toLowerCase().replace(/\.$/, ''));
  return single && (marked || matchHeading(stem, columns) === column.field) ? word : undefined;
}

/** Reports whether a heading names a quantity that has several units, and none of them: Distance. */
export const namesNoUnit = (heading: string, column: Column, columns: Column[]): boolean =>
  column.unit !== '' &&
  column.units.length > 0 &&
  bare(heading) === bare(column.label) &&
  bare(heading) !== bare(column.field) &&
  !isMoney(column, columns) &&
  divided(heading).word.toLowerCase() !== column.unit.toLowerCase() &&
  unitIn(heading, column, columns) === undefined;

/** Reports whether a table has numbers of which neither the heading nor the cell says the unit. */
export const saysNoUnit = ([head = [], ...lines]: string[][], mapping: Mapping, columns: Column[]): boolean =>
  mapping.some((field, n) => {
    const column = columns.find((c) => c.field === field);
    if (!column || !namesNoUnit(head[n] ?? '', column, columns)) return false;
    return lines.some((line) => /^[\d.,'’\s+-]*\d[\d.,'’\s]*$/u.test(line[n] ?? ''));
  });

const isMoney = (column: Column, columns: Column[]): boolean =>
  column.field === 'amount' && columns.some((c) => c.field === 'currency');

/** Returns the cells of a row for text below a heading: a number gets the heading's unit, an amount of money its currency. */
function cellsBelow(heading: string, text: string, column: Column, columns: Column[]): Cells {
  const unit = unitIn(heading, column, columns);
  const [, before, number = '', behind] = /^([^\d\s.,-]*)\s*(-?\d(?:[\d.,'’\s]*\d)?)\s*([^\d\s.,]*)$/u.exec(text) ?? [];
  if (number === '') return { [column.field]: text };
  if (!isMoney(column, columns)) return { [column.field]: unit && !before && !behind ? `${number} ${unit}` : text };
  const written = before || behind || unit || '';
  const inThousands = thousandsOf(written);
  const value = inThousands ? parseNumber(number) : undefined;
  // A currency of its own below a heading in thousands may or may not be in thousands, and goes to the server as it is.
  if (inThousands ? value === undefined : unit && thousandsOf(unit)) return { [column.field]: text };
  const currency = inThousands ?? currencyOf(written);
  const amount = value === undefined ? number : cellNumber(Math.round(value * 1e9) / 1e6);
  return currency ? { [column.field]: amount, currency } : { [column.field]: text };
}

/** Returns the cells of a row of a table with headings. The currency of an amount is that of its column, if it has one. */
export function cellsOfLine(head: string[], line: string[], mapping: Mapping, columns: Column[]): Cells {
  const cells: Cells = {};
  const stated = line[mapping.indexOf('currency')];
  mapping.forEach((field, n) => {
    const column = columns.find((c) => c.field === field);
    if (!column || !line[n]) return;
    const found = cellsBelow(head[n] ?? '', line[n], column, columns);
    // An amount in another currency than that of its row goes to the server with it.
    if (stated && found.currency && found.currency !== currencyOf(stated.trim()))
      cells[field] = thousandsOf(unitIn(head[n] ?? '', column, columns) ?? '')
        ? `${line[n]} T${found.currency}`
        : line[n];
    else Object.assign(cells, found);
  });
  return cells;
}
