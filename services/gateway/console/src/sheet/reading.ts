/** Tables with headings that were pasted, or that an import left out, as the server reads them. */
import { cellNumber, groupedFormat } from '../format';
import { asRead, isBare, type ReadColumn, unitOf } from './choices';
import { type Cells, type Column, cellsOf } from './columns';
import type { Mapping } from './table';
import { dayIn, type Import, noRecords, numberIn, type Options } from './upload';

/** A row of the sheet that a row of a table becomes. */
export interface Line {
  type: string;
  cells: Cells;
}

export interface ReadTable {
  answer: Import;
  lines: Line[];
  /** Why rows are no records, such as totals: one reason of each. */
  left: Import['errors'];
}

/** How numbers and days of a table are written. */
type Form = Pick<Options, 'numberFormat' | 'dateOrder'>;

/** How many rows a rehearsal tells as they are read. */
const toldMax = 2000;

/** A number that a comma or a point may group or divide. */
const isAmbiguous = (text: string): boolean => /(?:^|[^\d.,])\d{1,3}[.,]\d{3}(?![\d.,])/.test(text);

/** A number without decimals, with or without a mark between its thousands. */
const wholeNumber = /^\d+$|^\d{1,3}([.,'’\s])\d{3}(?:\1\d{3})*$/;

/** Returns a number that has one reading as a cell has it, with its unit; any other text as it is. */
export function heard(text: string): string {
  const [, sign = '', digits = '', unit = ''] =
    /^([-+−]?)(\d(?:[\d.,'’\s]*\d)?)(\s*[^\d.,'’\s].*)?$/u.exec(text.trim()) ?? [];
  if (digits === '' || isAmbiguous(digits)) return text;
  const marks = digits.match(/[.,]/g) ?? [];
  const point = marks.filter((m) => m === marks.at(-1)).length === 1 ? digits.lastIndexOf(marks.at(-1) ?? '') : -1;
  const front = point < 0 ? digits : digits.slice(0, point);
  if (!wholeNumber.test(front)) return text; // such as 1.2.3, which is not 123
  const whole = front.replace(/\D/g, '');
  const value = Number(point < 0 ? whole : `${whole}.${digits.slice(point + 1)}`);
  return Number.isNaN(value) ? text : `${sign === '+' ? '' : sign.replace('−', '-')}${cellNumber(value)}${unit}`;
}

const written = (form: string | undefined, text: string): string =>
  (form ? numberIn(form, text) : undefined) ?? heard(text);

/** Returns the position of a column by its letters. */
export const positionOf = (letters: string): number =>
  [...letters].reduce((n, c) => n * 26 + c.charCodeAt(0) - 64, 0) - 1;

/** Returns the cells of a row that could not be read: what it has in the columns of fields, with the units of their headings. */
export function rawCells(line: string[], told: ReadColumn[], form: Form, columns: Column[]): Cells {
  const cells: Cells = {};
  for (const c of told) {
    const column = columns.find(({ field }) => field === c.field);
    const text = line[positionOf(c.column)] ?? '';
    if (!column || text === '') continue;
    const cell = rawCell(text, c, form, column);
    cells[column.field] = cells[column.field] ? `${cells[column.field]} ${cell}` : cell;
  }
  return cells;
}

function rawCell(text: string, c: ReadColumn, form: Form, column: Column): string {
  if (column.kind === 'date') return dayIn(form.dateOrder, text) ?? text;
  if (column.kind !== 'number' && column.kind !== 'integer') return text;
  const cell = written(form.numberFormat, text);
  if (!isBare(text)) return cell;
  // The server asks for the unit; in that of the field it would be off by a factor.
  const unit = c.noUnit ? '?' : unitOf(c, column);
  return unit ? `${cell} ${unit}` : cell;
}

/** Returns the cells of a row as the server has read it, with numbers as the page writes them. */
export function readCells(fields: Record<string, unknown>, columns: Column[]): Cells {
  const cells = cellsOf(columns, fields);
  const form = typeof fields.numberFormat === 'string' ? fields.numberFormat : undefined;
  for (const [field, text] of Object.entries((fields.stated ?? {}) as Record<string, string>))
    if (cells[field] !== undefined) cells[field] = written(form, text);
  return cells;
}

/** Reports whether numbers of a table can be read in two ways, so that the language of the page decides. */
function hasAmbiguous(lines: string[][], told: ReadColumn[], columns: Column[]): boolean {
  const counted = told.filter((c) => /^(number|integer)$/.test(columns.find((x) => x.field === c.field)?.kind ?? ''));
  return counted.some((c) => lines.some((line) => isAmbiguous(line[positionOf(c.column)] ?? '')));
}

/**
 * Returns the rows of a table, which begins with its headings, as the server reads them. Of one that has more rows than
 * a rehearsal tells, the others are sent after them, as the first ones are written.
 */
export async function readTable(
  send: (table: string[][], o: Options) => Promise<Import>,
  table: string[][],
  options: Options,
  type: string,
  columns: Column[],
): Promise<ReadTable> {
  let o = options;
  let first: Import | undefined;
  let part = table;
  const lines: Line[] = [];
  const left: Import['errors'] = [];
  for (;;) {
    let answer = await send(part, o);
    if (!first) {
      if (!answer.numberFormat && hasAmbiguous(part.slice(1), answer.columns ?? [], columns)) {
        o = { ...o, numberFormat: groupedFormat() };
        answer = await send(part, o);
      }
      first = answer;
      o = { ...o, numberFormat: answer.numberFormat ?? '', dateOrder: answer.dateOrder ?? '' };
    }
    const told = answer.records ?? [];
    const begin = told[0]?.row ?? part.length + 1;
    // The last row that is told may be more records than are.
    const end = told.length < toldMax ? part.length : Math.max(begin, (told.at(-1)?.row ?? 0) - 1);
    const of = new Map<number, typeof told>();
    for (const r of told) of.set(r.row, [...(of.get(r.row) ?? []), r]);
    for (const [row, records] of of) {
      if (row > end) continue;
      const why = records.flatMap((r) => r.errors).find((e) => noRecords.includes(e.code));
      if (why) left.push(why);
      else {
        const read = records.map((r) => ({ type: r.type || type, cells: readCells(r.fields, columns) }));
        const whole = records.every((r) => r.read);
        // Of a row that was read, numbers are missing of which nothing says the unit.
        const missing = (answer.columns ?? []).filter((c) => !whole || (read.length === 1 && c.noUnit));
        const raw = rawCells(part[row - 1] ?? [], missing, o, columns);
        if (whole) lines.push(...read.map((line) => ({ ...line, cells: { ...raw, ...line.cells } })));
        else lines.push({ type, cells: Object.assign(raw, ...read.map((line) => line.cells)) });
      }
    }
    if (end >= part.length) return { answer: first, lines, left };
    part = [...part.slice(0, begin - 1), ...part.slice(end)];
  }
}

/** Returns the rows of a table whose headings are refused, in the columns that were chosen. */
export function rawTable(
  [, ...lines]: string[][],
  told: ReadColumn[],
  mapping: Mapping,
  o: Form,
  type: string,
  columns: Column[],
): Line[] {
  const chosen = told.map(({ field, ...c }, n) => {
    const of = mapping[n] === asRead ? field : mapping[n];
    return of ? { ...c, field: of } : c;
  });
  return lines.map((line) => ({ type, cells: rawCells(line, chosen, o, columns) }));
}
