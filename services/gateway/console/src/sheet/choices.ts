/** What the columns of a file are: as the server reads them, and as somebody chose. */
import { ApiError, type Schemas } from '../api/client';
import type { Column } from './columns';
import { bare, type Mapping, matchHeading } from './table';
import type { Import } from './upload';

export type ReadColumn = Schemas['ImportColumn'];

/** A number without a unit. */
export const isBare = (text: string): boolean => /^[\d.,'’\s+-]*\d[\d.,'’\s]*$/u.test(text);

/** Stands for a column that stays what the server makes of its heading, such as days from which nights are counted. */
export const asRead = '*';

/** The columns of a file, as its rehearsal told. */
export interface Told {
  columns: ReadColumn[];
  /** Which columns are left out, or some of their cells. */
  left: boolean[];
  /** The headings are refused. */
  refused: boolean;
  /** How many rows there are; undefined where the headings are refused. */
  rows?: number;
}

/** Codes of headings that a choice of columns mends. */
const mended = ['REQUIRED', 'DUPLICATE_KEY'];

/** Returns the columns that the answer to a rehearsal tells; undefined where a choice of them would not help. */
export function toldBy(answer: Import | Error): Told | undefined {
  if (!(answer instanceof Error)) {
    if (!answer.columns) return undefined;
    const ignored = new Set(answer.ignoredColumns);
    const left = answer.columns.map((c) => ignored.has(c.heading ?? `column ${c.column}`));
    return { columns: answer.columns, left, refused: false, rows: answer.rows };
  }
  if (!(answer instanceof ApiError) || answer.columns.length === 0) return undefined;
  if (!answer.details.every((d) => mended.includes(d.code))) return undefined;
  return { columns: answer.columns, left: answer.columns.map((c) => c.ignored), refused: true };
}

/** Returns the unit or the currency that the heading of a column names, if it is another than that of a field that has several. */
export const unitOf = (c: ReadColumn, column: Column): string | undefined =>
  c.unit?.toLowerCase() !== column.unit.toLowerCase() && (column.units.length > 0 || column.field === 'amount')
    ? c.unit
    : undefined;

/** Returns the field that the heading of a column is or may be, other than one that its cells only contribute to. */
const meantBy = (c: ReadColumn, left: boolean, columns: Column[]): string | undefined =>
  c.may ?? (left || matchHeading(c.heading ?? '', columns) === c.field ? c.field : undefined);

/** Returns what is proposed for each column: the field that it is, or that its heading may mean. */
export function proposeChoices(told: Told, columns: Column[]): Mapping {
  const known = (field: string | undefined): boolean => columns.some((c) => c.field === field);
  const read = told.columns.map((c, n) => (!told.left[n] && !c.ignored && known(c.field) ? c.field : undefined));
  const used = new Set<string>();
  return told.columns.map((c, n) => {
    const meant = meantBy(c, told.left[n] ?? false, columns);
    const field = read[n] ?? (c.field && !told.left[n] ? undefined : meant);
    const alone = field !== undefined && read.filter((f) => f === field).length <= (read[n] ? 1 : 0);
    if (field && !used.has(field) && (alone || (read[n] && meant === field))) {
      used.add(field);
      return field;
    }
    return told.left[n] || c.ignored || (told.refused && meant !== undefined) ? '' : asRead;
  });
}

/** Reports whether somebody has to say what the columns are: one would be left out, or says no unit. */
export function unsure(told: Told, proposed: Mapping, columns: Column[], people: boolean): boolean {
  // Of people most columns are left out on purpose.
  if (told.refused || (!people && told.left.some(Boolean))) return true;
  return told.columns.some(
    (c, n) => c.noUnit && columns.some((x) => x.field === proposed[n]) && c.examples.some(isBare),
  );
}

/**
 * Returns the choices that an import is sent: only those that the server does not make itself. A heading with a unit or a
 * currency keeps it: Load (t) is not the field in kg.
 */
export function choicesOf(told: Told, mapping: Mapping, columns: Column[]): string[] {
  return told.columns.flatMap((c, n) => {
    const field = mapping[n] ?? asRead;
    const left = c.ignored || told.left[n];
    if (field === '') return left ? [] : [`${c.column}:`];
    const column = columns.find((x) => x.field === field);
    if (!column) return [];
    if (c.field === field && !left && !c.noUnit) return [];
    const unit = unitOf(c, column);
    return [`${c.column}:${unit ? `${column.label} (${unit})` : field}`];
  });
}

const key = (scope: string, type: string, told: Told): string =>
  `ecf.columns.${scope}.${type}.${told.columns.map((c) => bare(c.heading ?? '') || c.column).join('|')}`;

/** Returns what was chosen last for a file with these headings. */
export function recallChoices(scope: string, type: string, told: Told, columns: Column[]): Mapping | undefined {
  const mapping = localStorage.getItem(key(scope, type, told))?.split(',');
  const known = (f: string): boolean => f === '' || f === asRead || columns.some((c) => c.field === f);
  return mapping?.length === told.columns.length && mapping.every(known) ? mapping : undefined;
}

export function rememberChoices(scope: string, type: string, told: Told, mapping: Mapping): void {
  localStorage.setItem(key(scope, type, told), mapping.join(','));
}
