/** What the page calls the fields of records and events, and the codes that they hold. */
import i18next from 'i18next';

interface Named {
  label: string;
  /** What its codes are called. */
  words: Record<string, string>;
}

const fields = new Map<string, Named>();

/** Keeps what the columns of a type are called, for sentences that name their fields. */
export function learnFields(columns: { field: string; label: string; labels: Record<string, string> }[]): void {
  for (const c of columns)
    fields.set(c.field, { label: c.label, words: { ...fields.get(c.field)?.words, ...c.labels } });
}

/** Returns the field that a fault is about, without its place in the request: items[0].stated.distanceKm is distanceKm. */
export const bareField = (field: string): string =>
  field
    .replace(/^items\[\d+\]\.?/, '')
    .replace(/^stated\./, '')
    .replace(/[.[].*$/, '');

/** Returns what a field is called; undefined where the page does not know it. */
export function nameOf(field: string): string | undefined {
  const known = fields.get(field)?.label;
  if (known !== undefined) return known;
  for (const key of [`field.${field}`, `factor.${field}`])
    if (i18next.exists(key)) return i18next.t(key as 'field.title');
  return undefined;
}

/** Returns what records of a type are called; undefined for what is no type. */
const typeNamed = (type: string): string | undefined =>
  i18next.exists(`type.${type}`) ? i18next.t(`type.${type as 'flights'}`) : undefined;

/**
 * Returns what a part of a field is called, with the field that it is of: of origins.mode, Origins: Mode. What would
 * be better than a purchase is a record of another type.
 */
export const partNamed = (path: string, name: (field: string) => string | undefined = () => undefined): string =>
  path
    .split('.')
    .map((part) => name(part) ?? typeNamed(part) ?? nameOf(part) ?? part)
    .join(': ');

/** Returns what a code of a field is called; where a heading of a file stands in its place, of whichever field has it. */
export const wordOf = (field: string, code: string): string =>
  [fields.get(field), ...fields.values()].find((f) => f?.words[code] !== undefined)?.words[code] ??
  code.replaceAll('_', ' ');

/** Returns a text with the fields that it names by their names in the API called as the page calls them. */
export const named = (text: string, name: (field: string) => string | undefined = nameOf): string =>
  text.replace(/\b[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+\b/g, (field) => {
    const label = name(field);
    return label ? i18next.t('said.quoted', { text: label }) : field;
  });
