/** The columns of a record type, made from its JSON Schema, and what their cells say. */
import i18next from 'i18next';
import { countryNamed } from '../countries';
import { cellNumber, date, day, dayIn, groupedFormat, parseNumber } from '../format';
import { named } from '../i18n/fields';
import { isoDate } from './days';
import { evidenceIn, evidenceText } from './evidence';
import { isKept, keptText, originsOf } from './origins';

type Labels = Record<string, string>;

/** A field of a record type, as far as its column depends on it. */
interface Property {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  title?: string;
  properties?: Record<string, { title?: string }>;
  items?: { properties?: Record<string, Property> };
  'x-labels'?: Labels;
  'x-unit'?: string;
  'x-units'?: string[];
  'x-headings'?: string[];
  'x-synonyms'?: Labels;
}

interface Schema {
  properties?: Record<string, Property>;
  required?: string[];
}

export type Kind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'list'
  | 'amounts'
  | 'survey'
  | 'origins'
  | 'evidence';

export interface Column {
  field: string;
  label: string;
  unit: string;
  /** What a number may be stated in; the server converts it. */
  units: string[];
  /** Headings used in tables, in addition to its name and label. */
  headings: string[];
  /** What tables have in place of its options. */
  synonyms: Record<string, string>;
  kind: Kind;
  required: boolean;
  options: string[];
  /** What options are called in the language of the page, where that is not what they say themselves. */
  labels: Record<string, string>;
  place: boolean;
  description: string;
  fallback: string;
  /** The columns of a table of its items; absent where no file has one. */
  rows?: Column[];
}

/** A type of records as the sheet has it. */
export interface TypeInfo {
  type: string;
  formula: string;
  description: string;
  columns: Column[];
}

/** Fields at the end, regardless of the order in the schema. */
const common = [
  'description',
  'date',
  'country',
  'subdivision',
  'control',
  'site',
  'group',
  'dataQuality',
  'externalReference',
  'evidence',
  'respondents',
  'population',
  'sampleCV',
];

/** Formats a field name as words: distanceKm is "Distance"; its unit is shown separately. */
export function labelOf(field: string, unit = ''): string {
  const bare = unit ? field.replace(/(KWh|Km|Kg|M2|M3|Litres|Percent)$/, '') : field;
  const words = (bare || field).replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function columnsOf(schema: object): Column[] {
  const { properties = {}, required = [] } = schema as Schema;
  const columns: Column[] = [];
  for (const [field, p] of Object.entries(properties)) {
    // The notation of numbers with units follows the language of the page.
    if (field === 'numberFormat') continue;
    const type = (Array.isArray(p.type) ? p.type : [p.type ?? 'string']).find((t) => t !== 'null') ?? 'string';
    const parts = Object.keys(p.properties ?? {});
    const kind = type === 'object' && parts.length > 0 ? 'amounts' : kindOf(field, type, p.format);
    if (!kind) continue;
    const unit = p['x-unit'] ?? '';
    const label = p.title ?? labelOf(field, unit);
    const counted = i18next.t(`unit.${unit as 'm2'}`, { defaultValue: unit }) || unit;
    columns.push({
      field,
      // "Nights" already states the unit.
      unit: counted.toLowerCase() === label.toLowerCase() ? '' : counted,
      labels: kind === 'amounts' ? titlesOf(p.properties ?? {}) : (p['x-labels'] ?? surveyLabels(p)),
      units: p['x-units'] ?? [],
      headings: p['x-headings'] ?? [],
      synonyms: p['x-synonyms'] ?? {},
      kind,
      label,
      required: required.includes(field),
      options:
        kind === 'amounts'
          ? parts
          : kind === 'boolean'
            ? ['yes', 'no']
            : (p.enum ?? []).filter((o): o is string => typeof o === 'string'),
      place: (field === 'from' || field === 'to') && kind === 'text',
      description: p.description ?? '',
      fallback: textOf({ kind }, p.default),
      ...(kind === 'origins' && p.items?.properties ? { rows: columnsOf({ properties: p.items.properties }) } : {}),
    });
  }
  const rank = (c: Column): number => {
    const at = common.indexOf(c.field);
    return c.required ? 0 : at >= 0 ? 100 + at : c.place ? 1 : 2;
  };
  const called = namesIn(columns);
  for (const c of columns) c.description = named(c.description, called);
  // Array.prototype.sort is stable: within a rank the order of the schema stays.
  return columns.sort((a, b) => rank(a) - rank(b));
}

/** Returns the columns of a file whose rows are items of a record; undefined where each row is a record. */
export const rowColumns = (columns: Column[]): Column[] | undefined => columns.find((c) => c.rows)?.rows;

/** Returns what the columns of a type call its fields. */
export function namesIn(columns: Column[]): (field: string) => string | undefined {
  const labels = new Map(columns.map((c) => [c.field, c.label]));
  return (field) => labels.get(field);
}

/** The labels of the items that amounts count. */
const titlesOf = (parts: NonNullable<Property['properties']>): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, { title }]) => [name, title ?? name.replaceAll('_', ' ')]));

const surveyLabels = (p: Property): Record<string, string> => p.items?.properties?.mode?.['x-labels'] ?? {};

const hasWords = (column: Column): boolean =>
  column.kind === 'amounts' || column.kind === 'survey' || (column.kind !== 'boolean' && column.options.length > 0);

/** Returns the displayed text of a cell: codes are replaced by labels. */
export function shown(column: Column, text: string): string {
  if (column.kind === 'boolean') return text === 'yes' || text === 'no' ? i18next.t(`state.${text}`) || text : text;
  if (column.kind === 'date') return day(text);
  if (!hasWords(column)) return text;
  const word = (code: string): string => column.labels[code] ?? code.replaceAll('_', ' ');
  if (column.kind !== 'amounts' && column.kind !== 'survey') return word(text);
  return text.replace(/\p{L}[\p{L}\p{N}_]*/gu, word);
}

/** Returns the text of a value where nobody types: a day in digits would be read in another order by some. */
export const said = (column: Column, value: unknown): string =>
  column.kind === 'date' ? date(textOf(column, value)) : shown(column, textOf(column, value));

/** Normalizes a word by removing separators, as the server does for files: R-410A is r410a. */
const joined = (word: string): string => word.replace(/[_\s-]+/g, '');

/** Returns what a word says of a truth value; of a return journey the day of the way back says yes, as in files. */
function truthOf(column: Column, word: string): 'yes' | 'no' | undefined {
  if (yes.has(word)) return 'yes';
  if (no.has(word)) return 'no';
  const bare = joined(word);
  const said = bare ? Object.entries(column.synonyms).find(([synonym]) => joined(synonym) === bare)?.[1] : undefined;
  if (said !== undefined) return said === 'true' ? 'yes' : 'no';
  return column.field === 'roundTrip' && (isoDate(word) || /^\d{1,2}([./])\d{1,2}\1\d{4}$/.test(word))
    ? 'yes'
    : undefined;
}

/** Returns the content of a cell for the input: labels are replaced by codes. */
export function codesIn(column: Column, text: string): string {
  const low = text.trim().toLowerCase();
  if (column.kind === 'boolean') return truthOf(column, low) ?? text;
  if (column.field === 'country') return countryNamed(low) ?? text;
  if (!hasWords(column)) return text;
  if (column.kind !== 'amounts' && column.kind !== 'survey') {
    const word = joined(low);
    if (word === '') return text;
    const own = column.options.find(
      (o) => joined(o) === word || joined(column.labels[o]?.toLowerCase() ?? '') === word,
    );
    return own ?? Object.entries(column.synonyms).find(([synonym]) => joined(synonym) === word)?.[1] ?? text;
  }
  // The longest first: a bottle of wine is more than wine. Words may hold commas, as the text between amounts may.
  const words = Object.entries(column.labels).sort(([, a], [, b]) => b.length - a.length);
  let out = '';
  let rest = text;
  while (rest !== '') {
    const start = rest.length - rest.trimStart().length;
    const bare = rest.slice(start).toLowerCase();
    const found = words.find(
      ([, w]) => bare.startsWith(w.toLowerCase()) && !/^[\p{L}\p{N}_]/u.test(bare.slice(w.length)),
    );
    const from = found ? start + found[1].length : 0;
    const next = rest.slice(from).search(/[;\n]|,(?!\d)/);
    const end = next < 0 ? rest.length : from + next + 1;
    out += (found ? rest.slice(0, start) + found[0] : '') + rest.slice(from, end);
    rest = rest.slice(end);
  }
  return out;
}

/** Returns what a cell holds for what was typed into it by hand, where days are written as the page writes them. */
export const typedIn = (column: Column, text: string): string =>
  (column.kind === 'date' ? dayIn(text) : undefined) ?? codesIn(column, text);

function kindOf(field: string, type: string, format?: string): Kind | undefined {
  if (field === 'evidence') return 'evidence';
  if (field === 'origins') return 'origins';
  if (field === 'modeSurvey') return 'survey';
  if (field === 'metadata' || type === 'object') return undefined;
  if (type === 'array') return 'list';
  if (type === 'boolean' || type === 'integer' || type === 'number') return type;
  return format === 'date' ? 'date' : 'text';
}

export type Cells = Record<string, string>;

const yes = new Set(['yes', 'y', 'true', '1', 'x', 'ja', 'j', 'wahr', '✓']);
const no = new Set(['no', 'n', 'false', '0', 'nein', 'falsch', '-']);

/** Returns the value of a cell for the API; invalid input is sent unchanged, so that the server suggests a correction. */
export function cellValue(column: Column, text: string): unknown {
  const bare = codesIn(column, text).trim();
  if (bare === '') return undefined;
  switch (column.kind) {
    case 'integer':
    case 'number':
      return parseNumber(withoutOwnUnit(column, bare)) ?? bare;
    case 'boolean': {
      const low = bare.toLowerCase();
      return yes.has(low) ? true : no.has(low) ? false : bare;
    }
    case 'date':
      return isoDate(bare) ?? bare;
    case 'list':
      return bare.split(/[,;\s]+/).filter(Boolean);
    case 'amounts':
      return amountsOf(bare) ?? bare;
    case 'survey': {
      const amounts = amountsOf(bare);
      return amounts ? Object.entries(amounts).map(([mode, people]) => ({ mode, people })) : bare;
    }
    case 'origins':
      return isKept(bare) ? undefined : (originsOf(bare) ?? bare);
    case 'evidence':
      return evidenceIn(bare) ?? bare;
    default:
      return bare;
  }
}

/** Parses amounts by name: "coffee 900, wine bottle 180". Undefined if a part is not a name with a number. */
export function amountsOf(text: string): Record<string, number> | undefined {
  const amounts: Record<string, number> = {};
  for (const part of text.split(/[;\n]|,(?!\d)/)) {
    if (part.trim() === '') continue;
    const m = /^\s*(\p{L}[\p{L}\p{N}_ ]*?)\s*[:=\s]\s*(\d[\d.,]*)\s*$/u.exec(part);
    const value = m?.[2] === undefined ? undefined : parseNumber(m[2]);
    if (!m?.[1] || value === undefined) return undefined;
    amounts[m[1].trim().toLowerCase().replaceAll(' ', '_')] = value;
  }
  return amounts;
}

/** Returns what a cell shows of a value of a record. */
export function textOf(column: Pick<Column, 'kind'>, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return cellNumber(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (column.kind === 'evidence' && Array.isArray(value)) return evidenceText(value);
  if (column.kind === 'amounts' && typeof value === 'object')
    return Object.entries(value)
      .map(([name, amount]) => `${name} ${cellNumber(Number(amount))}`)
      .join('; ');
  if (column.kind === 'survey' && Array.isArray(value))
    return value.map((s: { mode: string; people: number }) => `${s.mode} ${cellNumber(s.people)}`).join('; ');
  if (Array.isArray(value)) return value.join(', ');
  return String(value);
}

/** Returns a number without the unit behind it that is its column's own and the only one: 35 of 35%, 80 of 80 g/m². */
function withoutOwnUnit(column: Column, text: string): string {
  const same = (word: string): string => word.toLowerCase().replace('²', '2').replace('³', '3').replace(/\s/g, '');
  const [, number = '', word = ''] = /^(\d[\d.,'’\s]*?)\s*([^\d\s.,'’].*)$/.exec(text) ?? [];
  return column.units.length === 0 && word !== '' && same(word) === same(column.unit) ? number : text;
}

/** Reports whether a cell contains a number with a unit, such as "112 miles", which the server converts. */
export function isStated(column: Column, text: string): boolean {
  if (column.unit === '' || (column.kind !== 'number' && column.kind !== 'integer')) return false;
  return /^\d[\d.,'\s]*[^\d.,'\s]/.test(withoutOwnUnit(column, text.trim()));
}

/** Returns what a row states with units, and how its numbers are written where that could be read in two ways. */
function statedOf(columns: Column[], cells: Cells): Record<string, unknown> {
  const stated: Record<string, string> = {};
  for (const c of columns) {
    const text = (cells[c.field] ?? '').trim();
    if (isStated(c, text)) stated[c.field] = text;
  }
  const texts = Object.values(stated);
  if (texts.length === 0) return {};
  const ambiguous = texts.some((t) => /[.,]\d{3}(?!\d)/.test(t));
  return { stated, ...(ambiguous ? { numberFormat: groupedFormat() } : {}) };
}

/** Returns the fields of a row for the API. */
export function fieldsOf(columns: Column[], cells: Cells): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const c of columns) {
    const text = cells[c.field] ?? '';
    const v = isStated(c, text) ? undefined : cellValue(c, text);
    if (v !== undefined) fields[c.field] = v;
  }
  return { ...fields, ...statedOf(columns, cells) };
}

/** Returns a PATCH with the differences of a row from its saved state; emptied fields are null. */
export function patchOf(columns: Column[], cells: Cells, saved: Cells): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const c of columns) {
    const now = (cells[c.field] ?? '').trim();
    if (now === (saved[c.field] ?? '').trim()) continue;
    // What is stated is written as a whole.
    if (isStated(c, now)) Object.assign(patch, statedOf(columns, cells));
    else patch[c.field] = cellValue(c, now) ?? null;
  }
  return patch;
}

export function cellsOf(columns: Column[], record: Record<string, unknown>): Cells {
  const cells: Cells = {};
  const stated = (record.stated ?? {}) as Record<string, string>;
  for (const c of columns) {
    // As the paper has it, not as it was converted.
    const text =
      c.kind === 'origins' && record.originSet
        ? keptText(record.originSet)
        : (stated[c.field] ?? textOf(c, record[c.field]));
    if (text !== '') cells[c.field] = text;
  }
  return cells;
}
