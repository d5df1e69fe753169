import { readdirSync, readFileSync } from 'node:fs';
import i18next from 'i18next';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../src/api/client';
import { en } from '../src/i18n/en';
import { learnFields, named, partNamed } from '../src/i18n/fields';
import { meant, meantList, say, sayError } from '../src/i18n/server';
import { columnsOf } from '../src/sheet/columns';
import { problemText } from '../src/ui/states';

beforeEach(async () => {
  vi.stubGlobal('navigator', { languages: ['en-GB'] });
  await i18next.init({ lng: 'en', resources: { en: { translation: en } }, interpolation: { escapeValue: false } });
  learnFields(
    columnsOf({
      properties: {
        to: { type: 'string' },
        distanceKm: { type: 'number', title: 'Distance', 'x-unit': 'km', description: 'Instead of roundTrip and to.' },
        roundTrip: { type: 'boolean', title: 'There and back' },
        class: { type: 'string', enum: ['economy'], 'x-labels': { premium_economy: 'Premium economy' } },
        externalReference: { type: 'string', title: 'Your reference' },
        date: { type: 'string', format: 'date' },
      },
    }),
  );
});
afterAll(() => void vi.unstubAllGlobals());

const fault = (field: string, message: string, code = 'ANY'): string => say('fault', { code, message, field });

const said: [string, string, string][] = [
  [
    'to',
    '"1,200" may be 1200 or 1.200; declare how numbers are written, or leave the separator out. numberFormat declares it, such as 1,234.5 or 1.234,5. It is one number.',
    '"1,200" may be 1200 or 1.200; declare how numbers are written, or leave the separator out. It is one number.',
  ],
  [
    'items[0].to',
    'to must be a known IATA, ICAO or city code; got "JKF". With distanceKm an unknown airport is accepted.',
    'To must be a known IATA, ICAO or city code; got "JKF". With “Distance” an unknown airport is accepted.',
  ],
  [
    'roundTrip',
    'roundTrip must be true or false; got the text "maybe".',
    'There and back must be yes or no; got "maybe".',
  ],
  [
    'items[0].class',
    'class must be one of economy, premium_economy; got "busines".',
    'Class: choose one of economy, Premium economy.',
  ],
  [
    'items[0].class',
    'class must be one of a1, b2, c3, d4, e5, f6, g7, h8, i9, j10, k11, l12; got "x".',
    'Class: choose one of a1, b2, c3, d4, e5, f6, g7, h8, i9, j10, ….',
  ],
  ['date', 'date must be a date such as 2026-05-31; got "x".', 'Date must be a date such as 31/05/2026; got "x".'],
  ['weightKg', 'At least one of distanceKm, to is required.', 'At least one of these is required: Distance, To.'],
  ['endDate', 'endDate is on or after startDate (2026-09-09).', 'Last day is on or after “First day” (09/09/2026).'],
];

test('a fault is said in the words of the page', () => {
  for (const [field, message, words] of said) expect(fault(field, message), field).toBe(words);
});

test('a fault of a file begins with its field, and names its column elsewhere', () => {
  expect(say('fault', { code: 'X', message: 'to must be known; got "XQX".' })).toBe('To must be known; got "XQX".');
  expect(say('fault', { code: 'X', message: 'it is empty.' })).toBe('it is empty.');
});

test('what stands under its own field does not repeat its name', () => {
  expect(say('fault', { code: 'X', field: 'endDate', message: 'endDate is before startDate.' }, '')).toBe(
    'Is before “First day”.',
  );
});

test('an error names fields and states as the page does', () => {
  const error = new ApiError(409, 'INVALID_TRANSITION', 'Another flights record has this externalReference.', '', [
    { field: 'status', code: 'changes_requested', message: 'The record is changes_requested.' },
  ]);
  expect(sayError(error)).toBe('Another flights record has this “Your reference”. It is now “Changes requested”.');
});

test('a file without a known heading is told names of columns, and nobody is sent to suggestions that are not shown', () => {
  const heads = {
    field: 'row 1',
    code: 'REQUIRED',
    message:
      'The first row names no field of flights, and none of the next ones names several; they are in suggestions. Write them above the columns.',
    suggestions: ['externalReference', 'title', 'unheardOf'],
  };
  expect(sayError(new ApiError(400, 'VALIDATION_ERROR', 'The request has one fault.', '', [heads]))).toContain(
    'No column has a name that is known for Flights. Write names above the columns, such as Your reference, Title.',
  );
  expect(say('fault', { code: 'NOT_ALLOWED', message: 'There is no record type "x"; they are in suggestions.' })).toBe(
    'There is no record type "x".',
  );
});

test('days and times of findings are written as elsewhere on the page', () => {
  const said = say('finding', { code: 'X', message: 'LHR to AMS on 2024-09-10, since 2026-11-27T00:17:49.123Z.' });
  expect(said).toContain('LHR to AMS on 10 Sept 2024, since 27 Nov 2026');
});

test('descriptions and formulas call fields as their columns', () => {
  const [column] = columnsOf({
    properties: { distanceKm: { type: 'number', title: 'Distance', description: 'Of distanceKm, in kWh.' } },
  });
  expect(column?.description).toBe('Of “Distance”, in kWh.');
  expect(named('× 2 if roundTrip × otherThing')).toBe('× 2 if “There and back” × otherThing');
});

test('a part of a field is called as its field and itself are', () => {
  const ofRow = (field: string): string | undefined => ({ origins: 'Where from', mode: 'By' })[field];
  expect(partNamed('origins.mode', ofRow)).toBe('Where from: By');
  expect(partNamed('distanceKm', ofRow)).toBe('Distance');
  expect(partNamed('origins.unheardOf', ofRow)).toBe('Where from: unheardOf');
  expect(partNamed('ground-transport', ofRow)).toBe('Ground transport');
});

// What the server says is for people and for programs. What a program would send stands in parentheses, which are left
// out here; the field that is meant is in the error, and is called as the page calls it.
test('no sentence of the server names a request', () => {
  const request = /\b(?:GET|POST|PUT|PATCH|DELETE)\b|…\/|\/events\/|\bin comment\b/;
  const sources = (dir: string): string[] =>
    readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory()
        ? /^(?:cmd|client|console|spec|testkit)$/.test(entry.name)
          ? []
          : sources(`${dir}/${entry.name}`)
        : /(?<!_test)\.go$/.test(entry.name)
          ? [`${dir}/${entry.name}`]
          : [],
    );
  const sentences = ['libs', 'services']
    .flatMap((dir) => sources(new URL(`../../../../${dir}`, import.meta.url).pathname))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/"([A-Za-z][a-z](?:[^"\\\n]|\\.)*\.)"/g)])
    .flatMap(([, text = '']) => (request.test(text) && !text.includes('Set by the server') ? [text] : []));
  expect(sentences.length).toBeGreaterThan(5);
  const left = sentences.map((message) => say('fault', { code: 'X', message }));
  expect(left.filter((text) => request.test(text))).toEqual([]);
});

test('a reason that is asked for, and a password, are called as the forms call them', () => {
  expect(fault('comment', 'comment is required, to explain the reason to those whose records use the factor.')).toBe(
    'Reason is required, to explain the reason to those whose records use the factor.',
  );
  expect(fault('currentPassword', 'currentPassword is not the password of this account.')).toBe(
    'Current password is not the password of this account.',
  );
});

test('an error of the page itself is said in a sentence around its own words', () => {
  expect(problemText(new TypeError('x is null'))).toBe(
    'This page has an error. If it comes again after reloading, tell whoever runs this service: x is null',
  );
});

test('a role is called as it is among the people of the organization', () => {
  const refused = { code: 'FORBIDDEN', message: 'This requires the role user.', requestId: 'r' };
  expect(sayError(refused)).toBe('This requires the role Member.');
});

test('days that may be either of two are told apart by their months', () => {
  const unclear = {
    code: 'AMBIGUOUS_DATE',
    message:
      '"01/09/2026" may be 2026-09-01 or 2026-01-09; declare the order of day, month and year (dateOrder=dmy or mdy), or write the date as 2026-05-31.',
    suggestions: ['2026-09-01', '2026-01-09'],
  };
  expect(say('fault', unclear)).toBe(
    '"01/09/2026" may be 1 Sept 2026 or 9 Jan 2026; declare the order of day, month and year, or write the date as 31/05/2026.',
  );
  expect(meant(unclear)).toEqual(['1 Sept 2026', '9 Jan 2026']);
});

test('what a fault suggests is written as the page writes it', () => {
  expect(meantList({ code: 'ANY', message: '', suggestions: ['Narni, Umbria, IT', 'Nagīna, IN'] })).toBe(
    'Narni, Umbria, IT; Nagīna, IN',
  );
  expect(meantList({ code: 'ANY', message: '', suggestions: ['kg', 't', 'lb', 'oz'] })).toBe('kg, t, lb');
  const suggests = (field: string, ...suggestions: string[]) => meant({ code: 'ANY', message: '', field, suggestions });
  expect(suggests('items[0].class', 'premium_economy', 'economy')).toEqual(['Premium economy', 'economy']);
  expect(suggests('date', '2026-09-01', '2026-01-09')).toEqual(['01/09/2026', '09/01/2026']);
  expect(suggests('to', 'JFK', '1.200')).toEqual(['JFK', '1.200']);
  // Faults of a file name its heading in place of a field.
  expect(suggests('Reiseklasse', 'premium_economy', 'distanceKm')).toEqual(['Premium economy', 'Distance']);
  const number = { code: 'AMBIGUOUS_NUMBER', message: '', suggestions: ['1234', '1.234'] };
  expect(meantList(number)).toBe('1,234; 1.234');
});
