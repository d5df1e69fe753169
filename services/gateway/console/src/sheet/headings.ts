/** Where the headings of a CSV file are, and how it is sent on with others. */
import type { Column } from './columns';
import { unitIn } from './headunits';
import { matchHeading, parseTable, separatorOf } from './table';

/** How many rows with something in them are looked at for the headings. */
const looked = 10;

/** The table of a file, from its headings on. */
export interface TextTable {
  text: string;
  /** How many rows the file has above the headings. */
  above: number;
  separator: string;
}

interface FirstRow {
  cells: string[];
  number: number;
  at: number;
  separator: string;
}

/** Returns where the first record ends: at the first line break that is not in quotes. */
function endOfRecord(text: string): number {
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (!quoted && (text[i] === '\n' || text[i] === '\r')) return i;
  }
  return text.length;
}

const lineBreak = (text: string): string => /^(?:\r\n|\r|\n)/.exec(text)?.[0] ?? '';

/** Removes the byte order mark, and the line that declares the separator. */
function declared(text: string): { text: string; separator?: string } {
  const bare = text.replace(/^\ufeff/, '');
  const line = /^ *"?sep=([,;\t|])\1*"? *(?:\r\n|\r|\n|$)/i.exec(bare);
  return line?.[1] ? { text: bare.slice(line[0].length), separator: line[1] } : { text: bare };
}

/** Returns the first rows of a file that have something in them. */
export function firstRows(file: string): FirstRow[] {
  const { text, separator: own } = declared(file);
  const rows: FirstRow[] = [];
  for (let at = 0, number = 0; at < text.length && rows.length < looked; number++) {
    const rest = text.slice(at);
    const end = endOfRecord(rest);
    const separator = own ?? separatorOf(rest.slice(0, end));
    const [cells] = parseTable(rest.slice(0, end), separator);
    if (cells) rows.push({ cells, number, at, separator });
    at += end + lineBreak(rest.slice(end)).length;
  }
  return rows;
}

/** Finds the headings of a file as the server does: in the first row, or below titles where a row names several fields. */
export function tableOf(file: string, columns: Column[]): TextTable {
  const named = (r: FirstRow): number =>
    new Set(r.cells.map((c) => matchHeading(c, columns)).filter((f) => f !== undefined)).size;
  const rows = firstRows(file);
  // A title stands alone in its row, above headings and what is below them.
  const [wide, below] = rows.filter((r) => r.cells.filter((c) => c.trim() !== '').length > 1);
  const first = (below && wide) ?? rows[0];
  const { text, separator } = declared(file);
  if (!first) return { text, above: 0, separator: separator ?? ',' };
  const least = named(first) > 0 ? 3 : 2;
  const head = named(first) < 2 ? (rows.find((r) => named(r) >= least) ?? first) : first;
  return { text: text.slice(head.at), above: head.number, separator: head.separator };
}

/**
 * Returns a table with other headings: those of the fields it was mapped to. A column without one keeps its own, and so
 * does one whose heading the server knows as that of the field: the language of headings says how numbers are written.
 * A heading with a unit or a currency keeps it: Weight (t) is not the field in kg.
 * Rows above the headings are empty, so that the others keep their numbers.
 */
export function withHead({ text, above, separator }: TextTable, fields: string[], columns: Column[]): string {
  const end = endOfRecord(text);
  const [head = []] = parseTable(text.slice(0, end), separator);
  const names = headsFor(head, fields, columns).map((h) => (/["\n,;\t|]/.test(h) ? `"${h.replaceAll('"', '""')}"` : h));
  const ends = lineBreak(text.slice(end)) || '\n';
  const sep = separator === '|' ? `sep=|${ends}` : '';
  return sep + ends.repeat(above) + names.join(separator) + text.slice(end);
}

/** Returns the headings that tell the server which field each column was mapped to. */
export function headsFor(head: string[], fields: string[], columns: Column[]): string[] {
  const known = (h: string, field: string): boolean =>
    head.filter((other) => matchHeading(other, columns) === field).length === 1 &&
    columns.some((c) => c.field === field && c.headings.includes(h.trim().toLowerCase()));
  const renamed = (h: string, field: string): string => {
    const column = columns.find((c) => c.field === field);
    const unit = column && unitIn(h, column, columns);
    if (!column || !unit) return known(h, field) ? h : field;
    return matchHeading(h, columns) === field ? h : `${column.label} (${unit})`;
  };
  return head.map((h, n) => (fields[n] ? renamed(h, fields[n]) : h));
}
