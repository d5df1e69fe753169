/** How the numbers of a pasted table are written, which may be otherwise than the page writes them. */
import { cellNumber, parseNumber } from '../format';
import type { Column } from './columns';
import type { Mapping } from './table';

/** A number with its decimals that has one reading: 0,5 and 1.234,5, and the dash of 4.320,- in place of decimals. */
const withComma = /(?:^|[^\d.,])\d+,\d{1,2}(?![\d.,])|\d\.\d{3},(?:\d|\s?[-–—])/;
const withPoint = /(?:^|[^\d.,])\d+\.\d{1,2}(?![\d.,])|\d,\d{3}\.(?:\d|\s?[-–—])/;

/** Returns a table with its numbers as the page writes them, where all that have one reading have the decimals of another language. */
export function asHere(table: string[][], mapping: Mapping, columns: Column[]): string[][] {
  const [head = [], ...lines] = table;
  const numbers = mapping.map((field) => /^(number|integer)$/.test(columns.find((c) => c.field === field)?.kind ?? ''));
  const some = (form: RegExp): boolean => lines.some((line) => line.some((cell, n) => numbers[n] && form.test(cell)));
  const commas = some(withComma);
  if (commas === some(withPoint) || commas === (cellNumber(0.5) === '0,5')) return table;
  const written = (text: string): string => {
    const value = parseNumber(text, commas ? 'de' : 'en');
    return value === undefined ? text : cellNumber(value);
  };
  const converted = (cell: string): string =>
    cell.replace(/\d(?:[\d.,'’ ]*\d)?(?:[.,]\s?[-–—]{1,2})?/g, (text) => written(text.replace(/[.,]\s?[-–—]+$/, '')));
  return [head, ...lines.map((line) => line.map((cell, n) => (numbers[n] ? converted(cell) : cell)))];
}
