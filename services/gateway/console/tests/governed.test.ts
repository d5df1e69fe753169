import i18next from 'i18next';
import { beforeEach, expect, test } from 'vitest';
import { fieldWord, valueWord } from '../src/governed/words';
import { de } from '../src/i18n/de';
import { en } from '../src/i18n/en';

const people = new Map([['u1', 'Ada']]);

beforeEach(() =>
  i18next.init({
    lng: 'en',
    resources: { en: { translation: en }, de: { translation: de } },
    interpolation: { escapeValue: false },
  }),
);

test('the history of an event has words for codes and names for ids', async () => {
  const said = (field: string, value: unknown): string => `${fieldWord(field)}: ${valueWord(field, value, people)}`;
  expect(said('boundary', { excluded: [{ type: 'ground-transport', reason: 'not surveyed' }] })).toBe(
    'Boundary: Excluded: Type: Ground transport; Reason: not surveyed',
  );
  expect(said('team', { members: [{ userId: 'u1', role: 'reviewer' }] })).toBe(
    'Team: Members: Name: Ada; Role: Reviewer',
  );
  expect(said('method', { gwp: 'AR6', radiativeForcing: false })).toBe(
    'Method: Global warming potentials: AR6 values; High-altitude effects: no',
  );
  expect(said('country', 'GB')).toBe('Country: United Kingdom');
  expect(said('newField', 'as it is')).toBe('New field: as it is');
  expect(said('attendees', null)).toBe('Attendees in person: –');
  await i18next.changeLanguage('de');
  expect(said('compensation', [{ kind: 'offset', kgCO2e: 5 }])).toMatch(
    /^Ausgleich und Entnahme: Art: .+; Menge in kg CO₂e: 5$/,
  );
});
