/** Tables from a spreadsheet, an email or a CSV file, and the mapping of their columns to fields. */
import type { Column } from './columns';

/** Reads a table: quoted cells may hold separators and line breaks. The separator is the one the first line has most of. */
export function parseTable(text: string): string[][] {
  const bare = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\n+$/, '');
  const separator = separatorOf(bare);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < bare.length; i++) {
    const ch = bare[i];
    if (quoted) {
      if (ch !== '"') cell += ch;
      else if (bare[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (ch === '"' && cell === '') quoted = true;
    else if (ch === separator) {
      row.push(cell);
      cell = '';
    } else if (ch === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += ch;
  }
  rows.push([...row, cell]);
  return rows.filter((r) => r.some((c) => c.trim() !== '')).map((r) => r.map((c) => c.trim()));
}

function separatorOf(text: string): string {
  const line = text.split('\n', 1)[0]?.replace(/"[^"]*"/g, '') ?? '';
  const count = (s: string): number => line.split(s).length - 1;
  if (count('\t') > 0) return '\t';
  return count(';') > count(',') ? ';' : ',';
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
