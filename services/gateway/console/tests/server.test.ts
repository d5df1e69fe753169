import { readdirSync, readFileSync } from 'node:fs';
import i18next from 'i18next';
import { expect, it } from 'vitest';
import { learnSets, setName } from '../src/api/factorSets';
import { de } from '../src/i18n/de';
import { en } from '../src/i18n/en';
import { learn, say, sayFormula, sayOfOne } from '../src/i18n/server';
import { server } from '../src/i18n/server.de';

const source = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url).pathname, 'utf8');

interface Document {
  components: { schemas: { ErrorCode: { enum: string[] } } };
  'x-codes': { code: string; of: 'detail' | 'notice' | 'finding' }[];
}

// The document lists what the server can say, and a test of it fails where a code of the
// sources is not there. A code without a sentence would be English on a German page.
it('has a German sentence for every code of the server', () => {
  const document = JSON.parse(source('libs/spec/openapi.json')) as Document;
  const of = (what: string): string[] => document['x-codes'].filter((c) => c.of === what).map((c) => c.code);
  // A code is listed once, and some findings have the code of a notice.
  const found = source('services/calculation/findings/findings.go').matchAll(/^\t\w+ += "([A-Z]+_[A-Z0-9_]+)"/gm);
  for (const [kind, wanted] of [
    ['error', document.components.schemas.ErrorCode.enum],
    ['notice', of('notice')],
    ['fault', of('detail')],
    ['finding', [...of('finding'), ...[...found].map((m) => m[1] ?? '')]],
  ] as const) {
    expect(wanted.length, kind).toBeGreaterThan(10);
    expect(
      wanted.filter((c) => !server[kind][c]),
      kind,
    ).toEqual([]);
  }
});

// The sheet and the report have the names of the server.
it('has the German names that the server has for types, groups and categories', () => {
  const { types, values } = JSON.parse(source('libs/footprint/words/de.json')) as {
    types: Record<string, { name: string }>;
    values: Record<string, string>;
  };
  expect(de.type).toEqual(Object.fromEntries(Object.entries(types).map(([type, { name }]) => [type, name])));
  const { unspecified: _, ...groups } = de.group;
  const { optional: __, ...categories } = de.category;
  for (const [value, name] of Object.entries({ ...groups, ...categories })) expect(name, value).toBe(values[value]);
});

it('names in German what the server counted and misses, and falls back to its sentence', async () => {
  await i18next.init({ lng: 'de', resources: { de: { translation: de } } });
  learn('de', server);
  const finding = say('finding', {
    code: 'INCLUDED_TYPE_WITHOUT_RECORDS',
    message:
      "The event's boundary includes freight, but there is no approved record of this type, so the total does not include it.",
  });
  expect(finding).toContain(de.type.freight);
  const excluded = say('finding', {
    code: 'EXCLUDED_TYPE_COUNTED',
    message: '2 records of the type freight are counted, although the boundary of the event excludes it.',
  });
  expect(excluded).toContain(`(${de.type.freight})`);
  const companion = say('finding', {
    code: 'EXPECTED_COMPANION_MISSING',
    message:
      'Flights are recorded but no ground transport: the journeys from and to airports are missing. Add and approve at least one ground-transport or attendee-travel record, or exclude the type in the boundary with a reason.',
  });
  expect(companion).toContain(`(${de.type['ground-transport']}, ${de.type['attendee-travel']})`);
  const identical = say('finding', {
    code: 'DUPLICATE_RECORD',
    message:
      '12 water records of 2026-09-15 are identical except for texts and evidence. Check whether the same record was entered more than once.',
    records: 12,
  });
  expect(identical).toContain(`(${de.type.water}, 15.09.2026, 12 `);
  const notice = say('notice', {
    code: 'UK_PROXY',
    message: 'UK factors stand in for places outside the UK. It is about 3 records of 12.300000 kg together.',
  });
  expect(notice).toMatch(/\(3 Zeilen, 12,3\skg\)$/);
  // What was taken for what is the point of such a notice.
  for (const [code, message, named] of [
    [
      'CODE_IS_ALSO_A_PLACE',
      'MAN was taken as the code of Manchester Airport. If Man, Montagnes, CI is meant, write its country behind it.',
      'MAN: Manchester Airport',
    ],
    [
      'PLACE_TAKEN_BY_NAME',
      'Brighton, GB was taken, in the country of the event; Brighton, US has the name too. If that is meant, write its country behind it.',
      'Brighton, GB',
    ],
    [
      'AIRPORT_OF_TOWN',
      'The airports are those that people of the towns are assumed to use: LGW for Brighton, GB, 37 km away; EMA for Derby, GB, 14 km away.',
      'Brighton, GB: LGW, Derby, GB: EMA',
    ],
  ] as const)
    expect(say('notice', { code, message })).toBe(`${server.notice[code]} (${named})`);
  const unknown = {
    code: 'UNKNOWN_FIELD_IGNORED',
    field: 'cabin',
    message: 'The field is not known to flights and was dropped.',
  };
  expect(say('notice', unknown)).toContain('cabin');
  const older = say('notice', {
    code: 'FACTOR_SET_OLDER_THAN_EVENT',
    message:
      'The event is of 2028; the factors are those of 2024. The event can adopt desnz-2026, which is newer. The rows of the pack a-v1 are not in it.',
  });
  expect(older).toMatch(/\(desnz-2026\)$/);
  const alike = say('finding', {
    code: 'DUPLICATE_FLIGHT',
    message: '2 flight records look the same: LHR to AMS on 2024-09-10, 400 passengers, same class and group.',
    records: 2,
  });
  expect(alike).toMatch(/\(LHR – AMS, 10\.09\.2024, 2 Zeilen\)$/);
  const large = (message: string) =>
    say('finding', { code: 'LARGE_WITHOUT_DATE_OR_GROUP', message, records: 1 }).replace(/^[^(]*/, '');
  expect(
    large(
      'The flights record (4611.250000 kg) is at least 5 % of the total but has no date, so it cannot be checked against others.',
    ),
  ).toMatch(/^\(Flüge, 4,61\st, ohne Datum, eine Zeile\)$/);
  expect(
    large(
      'The freight record (12.000000 kg) is at least 5 % of the total but has no date and no group, so it cannot be checked against others.',
    ),
  ).toMatch(/^\(Fracht, 12,0\skg, ohne Datum, ohne Gruppe, eine Zeile\)$/);
  // What was given, and the range that would be right, are of the cell that is mended.
  const given = { code: 'UNKNOWN_CODE', field: 'to', message: 'to must be a known code; got "JKF". With distanceKm …' };
  expect(say('fault', given, 'Nach')).toBe('Nach: dieser Wert ist nicht bekannt. („JKF“)');
  const many = { code: 'OUT_OF_RANGE', message: 'passengers must be a whole number from 1 to 10000; got 0.' };
  expect(say('fault', many, 'Reisende')).toBe('Reisende liegt außerhalb der erlaubten Werte. (von 1 bis 10.000)');
  expect(say('fault', { code: 'REQUIRED', message: 'from is required', field: 'from' }, 'Von')).toBe('Von fehlt.');
  expect(say('fault', { code: 'NEW_CODE', message: 'is new' })).toBe('is new');
});

it('says a formula of the server in German, with every digit', async () => {
  await i18next.init({ lng: 'de', resources: { de: { translation: de } } });
  learn('de', server);
  expect(
    sayFormula('5,539.833 km × 12 passengers × 3 trips × 2 (return) × 0.11704 kg per passenger-km = 46,683.507911 kg'),
  ).toBe(
    '5.539,833 km × 12 Reisende × 3 Reisen × 2 (hin und zurück) × 0,11704 kg je Personenkilometer = 46.683,507911 kg',
  );
  expect(sayFormula('50 kg × 1/1,000 × 520.58023 kg per tonne + 1.5 kg re-based on AR6 = 27.5 kg')).toBe(
    '50 kg × 1/1.000 × 520,58023 kg je Tonne + 1,5 kg durch Umrechnung auf AR6 = 27,5 kg',
  );
  expect(sayFormula('7 of the survey × 2 shells')).toBe('7 der Umfrage × 2 shells');
  expect(sayFormula('900 m² × 259 kWh per m² a year × 12.5 % of the space × 2/365 of the year')).toBe(
    '900 m² × 259 kWh je m² im Jahr × 12,5 % der Fläche × 2/365 des Jahres',
  );
  await i18next.changeLanguage('en');
  expect(sayFormula('1,000.5 km × 2 passengers')).toBe('1,000.5 km × 2 passengers');
});

// The words that quantities are counted in stand in the sources of the record types. One
// without a German word would be English in the middle of a German formula.
it('has a German word for everything that formulas count', () => {
  const sources = readdirSync(new URL('../../../../libs/footprint/', import.meta.url).pathname).filter(
    (name) => name.endsWith('.go') && !name.endsWith('_test.go'),
  );
  const words = sources.flatMap((name) =>
    [
      ...source(`libs/footprint/${name}`).matchAll(/\bq\.(count|amount|measure|remainder|ratio|percent)\(([^\n]*)\)/g),
    ].flatMap((m) =>
      [...(m[2] ?? '').matchAll(/"([^"]+)"/g)].map((w) => (m[1] === 'percent' ? `% ${w[1]}` : (w[1] ?? ''))),
    ),
  );
  expect(words.length).toBeGreaterThan(15);
  expect(words.filter((w) => !['km', 'kg', 'g', 'kWh', 'm²', 'm³'].includes(w) && !(w in server.formula))).toEqual([]);
});

it('says of one record what the server says of many at once', async () => {
  const others = { code: 'DUPLICATE_FLIGHT', message: 'And 18 more of the same kind.', records: 36 };
  await i18next.init({ lng: 'en', resources: { en: { translation: en }, de: { translation: de } } });
  expect(say('finding', others)).toBe('And 18 more of the same kind.');
  expect(sayOfOne(others)).toBe(en.finding.DUPLICATE_FLIGHT);
  expect(sayOfOne({ ...others, message: 'They are alike.' })).toBe('They are alike.');
  await i18next.changeLanguage('de');
  expect(sayOfOne(others)).toBe(de.finding.DUPLICATE_FLIGHT);
});

it('sets of factors are called by what was published, and factors by their sources', async () => {
  await i18next.changeLanguage('en');
  learnSets([
    {
      id: 'desnz-2026',
      year: 2026,
      sources: [
        { source: 'DESNZ, UK Government GHG conversion factors 2025 v1 (June 2025)' },
        { source: 'DESNZ, UK Government GHG conversion factors 2026 full set v1' },
      ],
    },
    {
      id: 'desnz-2019',
      year: 2019,
      sources: [{ source: 'DESNZ (before 2023 BEIS) UK Government GHG conversion factors 2019 (OGL v3.0)' }],
    },
    {
      id: 'pack-2026',
      year: 2026,
      sources: [{ source: 'derived from DESNZ, UK Government GHG conversion factors 2026' }],
    },
  ]);
  expect(setName('desnz-2026')).toBe('UK Government GHG conversion factors 2026 (DESNZ)');
  expect(setName('desnz-2019')).toBe('UK Government GHG conversion factors 2019 (DESNZ)');
  expect(setName('pack-2026')).toBe('pack-2026');
  const older = { code: 'FACTOR_SET_OLDER_THAN_EVENT', message: 'The event can adopt desnz-2026, which is newer.' };
  expect(say('notice', older)).toBe(
    'The event can adopt UK Government GHG conversion factors 2026 (DESNZ), which is newer.',
  );
  const missing = { code: 'FACTOR_UNAVAILABLE', message: 'desnz-2026-rail-national is not in desnz-2019.' };
  expect(say('fault', missing)).toBe(
    'desnz-2026-rail-national is not in UK Government GHG conversion factors 2019 (DESNZ).',
  );
  const priced = {
    code: 'SPEND_BASED',
    message:
      'Priced by what it cost: 12.300000 kg by spend.us-541.usd (US EPA factors v1.3 (2022)), deflated; for comparison 9.100000 kg by spend.gb-62 (UK multipliers).',
  };
  const said = say('notice', priced);
  expect(said).toMatch(/12\.3 kg \(US EPA factors v1\.3 \(2022\)\)/);
  expect(said).not.toMatch(/spend\./);
});
