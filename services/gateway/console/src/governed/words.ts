/** The texts of an event's field values. */
import i18next from 'i18next';
import { setName } from '../api/factorSets';
import { countryName } from '../countries';
import { date } from '../format';
import { labelOf } from '../sheet/columns';

/** Returns the label of an event's field. */
export const fieldWord = (field: string): string => {
  const key = `field.${field}`;
  return i18next.exists(key) ? i18next.t(key as 'field.title') : labelOf(field);
};

/** Returns the text of a value: labels for codes, names for known people. */
export function valueWord(field: string, value: unknown, people: ReadonlyMap<string, string>): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return i18next.t(value ? 'state.yes' : 'state.no');
  if (typeof value === 'string') return textWord(field, value, people);
  if (Array.isArray(value)) return value.map((v) => valueWord(field, v, people)).join(', ') || '–';
  if (typeof value === 'object' && 'name' in value && 'country' in value)
    return [value.name, 'region' in value && value.region, value.country].filter(Boolean).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([k, v]) => `${fieldWord(k)}: ${valueWord(k, v, people)}`)
      .join('; ');
  return String(value);
}

function textWord(field: string, text: string, people: ReadonlyMap<string, string>): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return date(text);
  if (field === 'userId') return people.get(text) ?? text;
  if (field === 'factorSet') return setName(text);
  if (field === 'country') return countryName(text, i18next.resolvedLanguage ?? 'en');
  const of = { type: 'type', included: 'type', gwp: 'try.gwp', role: 'team', kind: 'comp' }[field];
  const key = field === 'gwp' ? `${of}_${text}` : `${of}.${text}`;
  // The permissions of a role are shown where it is chosen.
  return of && i18next.exists(key) ? i18next.t(key as 'state.yes').replace(/:.*/, '') : text;
}
