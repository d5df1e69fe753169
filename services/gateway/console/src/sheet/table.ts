/** Tables from a spreadsheet, an email or a CSV file, and the mapping of their columns to fields. */
import type { Column } from './columns';

/** Returns a text with line feeds only, and without a byte order mark or empty lines at its end. */
const linesOf = (text: string): string =>
  text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n+$/, '');

const isBlank = (row: string[] | undefined): boolean => row?.every((c) => c.trim() === '') ?? false;

const trimmed = (rows: string[][]): string[][] => rows.map((r) => r.map((c) => c.trim()));

/** Reads a table: quoted cells may hold separators and line breaks. The separator is the one the first line has most of. */
export function parseTable(text: string): string[][] {
  const lines = linesOf(text);
  return trimmed(split(lines, separatorOf(lines)).filter((r) => !isBlank(r)));
}

/**
 * Reads cells without headings, as they are copied from a spreadsheet: an empty row keeps its place among the others.
 * Commas and semicolons separate cells only in a text that is a table by them. They also stand within numbers, amounts
 * and sentences, each of which is one cell.
 */
export function parseBlock(text: string): string[][] {
  const lines = linesOf(text);
  const separator = separatorOf(lines);
  const table = split(lines, separator);
  const rows = separator === '\t' || isTable(table, separator) ? table : split(lines, '\t');
  while (isBlank(rows.at(-1))) rows.pop();
  // What is copied from a page may begin with an empty line; a column is as high as it was copied.
  const filled = rows.filter((r) => !isBlank(r));
  return trimmed(filled.length === 1 ? filled : rows);
}

/** A number that a comma divides or groups, with its unit or currency: 1,5 or 1,234.5 km. */
const numberWithComma = /^[^\d,]*(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d.'’\s]*,\d+)[^\d,]*$/;

/** Reports whether rows were separated by what separates cells: in several lines alike, and other than in prose and numbers. */
function isTable(rows: string[][], separator: string): boolean {
  const filled = rows.filter((r) => !isBlank(r));
  const width = filled[0]?.length ?? 0;
  if (filled.length < 2 || width < 2 || filled.some((r) => r.length !== width)) return false;
  if (filled.some((r) => r.slice(1).some((c) => /^\s/.test(c)))) return false;
  return separator !== ',' || !filled.every((r) => numberWithComma.test(r.join(',')));
}

/** Splits lines into cells, as they are written. */
function split(lines: string, separator: string): string[][] {
  // A quotation mark that no other one closes at the end of its cell is part of the text: "Grand" Hotel.
  const quoted = new RegExp(`"([^"]*(?:""[^"]*)*)"(?=[${separator}\n]|$)`, 'y');
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  for (let i = 0; i < lines.length; i++) {
    const ch = lines[i];
    quoted.lastIndex = i;
    const [whole, inner] = (ch === '"' && cell === '' && quoted.exec(lines)) || [];
    if (whole !== undefined && inner !== undefined) {
      cell = inner.replaceAll('""', '"');
      i += whole.length - 1;
    } else if (ch === separator) {
      row.push(cell);
      cell = '';
    } else if (ch === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += ch;
  }
  rows.push([...row, cell]);
  return rows;
}

function separatorOf(text: string): string {
  const line = /^.*\S.*$/m.exec(text.replace(/"[^"]*"/g, ''))?.[0] ?? '';
  const count = (s: string): number => line.split(s).length - 1;
  if (count('\t') > 0) return '\t';
  const commas = line.match(/(?<!\d),|,(?!\d)/g)?.length ?? 0; // but for those of numbers
  return count(';') > commas ? ';' : ',';
}

/** Writes a range for the clipboard, as spreadsheets read it. */
export function writeTable(rows: string[][]): string {
  return rows.map((r) => r.map((c) => (/[\t\n"]/.test(c) ? `"${c.replaceAll('"', '""')}"` : c)).join('\t')).join('\n');
}

/** Returns what is compared of a heading: its letters and digits, without what is in brackets. */
export const bare = (s: string): string =>
  s
    .toLowerCase()
    .replace(/\(.*?\)|\[.*?\]/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Returns the field that a heading means; undefined when none. */
export function matchHeading(heading: string, columns: Column[]): string | undefined {
  const h = bare(heading);
  if (!h) return undefined;
  const exact = columns.find((c) => bare(c.field) === h || bare(c.label) === h || bare(c.label + c.unit) === h);
  if (exact) return exact.field;
  return columns.find((c) => c.headings.some((a) => bare(a) === h))?.field;
}

/** Reports whether the first row of a table names columns: at least half of its cells do. */
export function hasHeading(table: string[][], columns: Column[]): boolean {
  const head = table[0] ?? [];
  if (table.length < 2 || head.length < 2) return false;
  // A sentence has a comma too; other lines of text have other numbers of them.
  if (head.length === 2 && table.some((row) => row.length < 2)) return false;
  const named = head.filter((h) => matchHeading(h, columns) !== undefined).length;
  return named * 2 >= head.filter(Boolean).length && named > 0;
}

/** How many rows of titles a pasted table may have above its headings, and how many cells such a row fills at most. */
const titlesMax = 9;
const titleCells = 2;

/** Returns a table from its headings on, without the titles above them; undefined if it has no headings. */
export function fromHeading(table: string[][], columns: Column[]): string[][] | undefined {
  if (hasHeading(table, columns)) return table;
  const filled = (row: string[]): number => row.filter(Boolean).length;
  const head = table.findIndex((row) => filled(row) > titleCells);
  if (head < 1 || head > titlesMax) return undefined;
  const below = table.slice(head);
  const fields = new Set(below[0]?.map((h) => matchHeading(h, columns)).filter((f) => f !== undefined));
  return fields.size > 1 && hasHeading(below, columns) ? below : undefined;
}

/** The field of each column of a table; an empty string ignores the column. */
export type Mapping = string[];
