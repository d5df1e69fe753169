/** The fields of a record in one line, each number with what it counts. */
import i18next from 'i18next';
import { useMemo } from 'react';
import { useRecordTypes } from '../api/types';
import { rounded } from '../format';
import { type Column, columnsOf, said } from '../sheet/columns';

const most = 6;
const apart = new Set(['evidence', 'origins', 'survey']);
const aside = new Set(['currency', 'country', 'externalReference', 'dataQuality', 'group', 'site']);

export function describe(columns: Column[], fields: Record<string, unknown>): string {
  // What the server worked out of the others, such as a price's factor, was not recorded.
  const derived = (fields.derived ?? {}) as Record<string, unknown>;
  const set = fields.originSet as { people?: number; rows?: number } | undefined;
  const from = set ? [i18next.t('sheet.origins', { people: set.people ?? 0, count: set.rows ?? 0 })] : [];
  return columns
    .filter((c) => !apart.has(c.kind) && !aside.has(c.field) && !(c.field in derived))
    .map((c) => partOf(c, fields[c.field], fields.currency))
    .filter((text) => text !== '')
    .concat(from)
    .slice(0, most)
    .join(' · ');
}

/** German capitalizes nouns anywhere. */
const inSentence = (label: string): string => (i18next.resolvedLanguage === 'de' ? label : label.toLowerCase());

function partOf(c: Column, value: unknown, currency: unknown): string {
  if (value === undefined || value === null || value === false || value === '') return '';
  if (value === true) return inSentence(c.label);
  if (c.field === 'amount' && currency) return `${rounded(Number(value))} ${currency}`;
  if (typeof value === 'number') {
    const counted = c.unit || inSentence(c.label);
    // The labels are plurals, except the singular before a count of one. Symbols (km, kWh) are the same for both.
    if (value === 1 && (!c.unit || /^\p{L}{4}/u.test(c.unit))) return `${counted}: 1`;
    return `${rounded(value)} ${counted}`;
  }
  return said(c, value);
}

/** Returns a description of a record of a type; empty before the types are loaded. */
export function useSummary(): (type: string | undefined, fields: Record<string, unknown>) => string {
  const types = useRecordTypes();
  const columns = useMemo(() => new Map(types.data?.items.map((x) => [x.type, columnsOf(x.schema)])), [types.data]);
  return (type, fields) => describe(columns.get(type ?? '') ?? [], fields);
}
