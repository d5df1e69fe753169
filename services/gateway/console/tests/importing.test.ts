// What an import sends, and what it makes of the answers.
import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { en } from '../src/i18n/en';
import { likelyEncodings } from '../src/sheet/ImportForms';
import {
  badRows,
  type Import,
  type Options,
  plain,
  sayUndone,
  sheetsIn,
  Upload,
  undoImport,
} from '../src/sheet/upload';

let sent: Request[];
/** The answers, in turn; the last one stays. */
let answers: (() => Response)[];

const json = (data: unknown, status = 200): (() => Response) => {
  const body = JSON.stringify(status < 400 ? { data } : { error: data });
  return () => new Response(body, { status, headers: { 'Content-Type': 'application/json' } });
};
const text = (body: string): (() => Response) => {
  return () => new Response(body, { headers: { 'Content-Type': 'text/csv' } });
};
const state = (status: string, more: object = {}): Partial<Import> =>
  ({ _id: 'i1', status, imported: 0, rows: 3, failed: 0, errors: [], errorCount: 0, ...more }) as Partial<Import>;

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }));
beforeEach(() => {
  sent = [];
  vi.stubGlobal('location', { origin: 'http://localhost' });
  vi.stubGlobal('fetch', async (r: Request) => {
    sent.push(r);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return (answer ?? json({}))();
  });
});
afterEach(() => vi.unstubAllGlobals());

const query = (r: Request): Record<string, string> => Object.fromEntries(new URL(r.url).searchParams);
const file = (name: string, content = 'From,To\nLHR,JFK'): Upload =>
  new Upload('e1', 'flights', name, new Blob([content]));

describe('the sheets of a workbook', () => {
  const sheets = [
    { name: 'Notes', rows: 2, hidden: false },
    { name: 'Old', rows: 0, hidden: true },
  ];
  const told = async (...answer: Parameters<typeof json>): Promise<unknown> => {
    answers = [json(...answer)];
    return sheetsIn(
      await file('f.xlsx')
        .rehearse(plain)
        .catch((cause: Error) => cause),
    );
  };
  it('are told by a rehearsal, also where the first one is refused or was imported before', async () => {
    expect(await told(state('completed', { sheets }))).toEqual(sheets);
    const refused = { message: 'no', requestId: 'r', sheets };
    expect(await told({ code: 'VALIDATION_ERROR', ...refused }, 400)).toEqual(sheets);
    expect(await told({ code: 'DUPLICATE_FILE', ...refused }, 409)).toEqual(sheets);
  });
  it('are none of any other file', async () => {
    expect(await told(state('completed'))).toEqual([]);
    expect(await told({ code: 'VALIDATION_ERROR', message: 'no', requestId: 'r' }, 400)).toEqual([]);
    expect(sheetsIn(new Error('unreachable'))).toEqual([]);
  });
});

describe('an import', () => {
  it('sends the file and says how it is written, where that was chosen', async () => {
    answers = [json(state('completed'))];
    await file('f.csv').rehearse(plain);
    expect(new URL(sent[0]!.url).pathname).toBe('/session/api/events/e1/flights/import');
    expect(query(sent[0]!)).toEqual({ partial: 'true' });
    expect(sent[0]!.headers.get('Content-Type')).toBe('text/csv');
    expect(sent[0]!.headers.get('X-Dry-Run')).toBe('true');
    expect(sent[0]!.headers.get('Idempotency-Key')).toBeNull();
    const all: Options = {
      numberFormat: '1.234,5',
      dateOrder: 'dmy',
      encoding: 'windows-1252',
      sheet: 'A',
      to: 'BER',
      again: true,
      columns: ['C:from', 'D:Weight (t)', 'F:'],
    };
    await file('f.csv').run(all, () => {});
    const { columns, ...others } = all;
    expect(query(sent[1]!)).toEqual({ ...others, partial: 'true', again: 'true', column: 'F:' });
    expect(new URL(sent[1]!.url).searchParams.getAll('column')).toEqual(columns);
    expect(sent[1]!.headers.get('X-Dry-Run')).toBeNull();
    expect(sent[1]!.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await sent[1]!.text()).toBe('From,To\nLHR,JFK');
  });
  it.each([
    ['People.XLSX', true],
    ['people.xlsx', true],
    ['people.xlsx.csv', false],
    ['people.xls', false],
  ])('knows whether %s is a workbook', async (name, workbook) => {
    answers = [json(state('completed'))];
    await file(name).rehearse(plain);
    expect(sent[0]!.headers.get('Content-Type')).toBe(
      workbook ? 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' : 'text/csv',
    );
  });
  it('is followed until it has finished, and its progress reported', async () => {
    vi.useFakeTimers();
    answers = [
      json(state('validating')),
      json(state('importing', { imported: 1 })),
      json(state('completed', { imported: 3 })),
    ];
    const seen: string[] = [];
    const end = file('f.csv').run(plain, (now) => seen.push(`${now.status} ${now.imported}`));
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(await end).toMatchObject({ status: 'completed', imported: 3 });
    expect(seen).toEqual(['validating 0', 'importing 1']);
    expect(sent.map((r) => r.method)).toEqual(['POST', 'GET', 'GET']);
    expect(new URL(sent[1]!.url).pathname).toBe('/session/api/events/e1/imports/i1');
  });
  it('that is refused, or answered by something else than the server, fails', async () => {
    answers = [json({ code: 'DUPLICATE_FILE', message: 'Twice.', requestId: 'r1' }, 409)];
    await expect(file('f.csv').rehearse(plain)).rejects.toMatchObject({ code: 'DUPLICATE_FILE', status: 409 });
    answers = [text('<html>')];
    await expect(file('f.csv').rehearse(plain)).rejects.toMatchObject({ code: 'UNEXPECTED' });
  });
  it('is undone with a key of its own, and says how many records are gone', async () => {
    // As the server answers: the outcome stands beside the import.
    answers = [json({ import: state('completed'), removed: 7, kept: 1, refused: 2, updatedBefore: 0, items: [] })];
    const undone = await undoImport('e1', 'i1');
    expect(undone).toMatchObject({ removed: 7, kept: 1, refused: 2 });
    expect(sayUndone(undone)).toBe('7 records were removed. 3 were changed, submitted or approved since and stay.');
    expect(sayUndone({ ...undone, removed: 1, kept: 0, refused: 0 })).toBe('One record was removed.');
    await undoImport('e1', 'i1');
    expect(new URL(sent[0]!.url).pathname).toBe('/session/api/events/e1/imports/i1/undo');
    const keys = sent.map((r) => r.headers.get('Idempotency-Key'));
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[0]).not.toBe(keys[1]);
  });
});

describe('the rows that were left out', () => {
  const fault = (row: number, code: string) => ({ row, column: 'to', code, message: '' });
  const table = "From,To,importErrors\n'=LHR,JKF,row 2: to\nTotal,9,row 4: total\nMAN,XXX,row 5: to\n";

  it('come without totals, and as they were written', async () => {
    answers = [text(table)];
    const errors = [fault(2, 'UNKNOWN_CODE'), fault(4, 'TOTALS_ROW'), fault(5, 'UNKNOWN_CODE')];
    const rows = await badRows('e1', state('completed', { errors, errorCount: 3 }) as Import);
    expect(rows).toEqual([
      ['From', 'To', 'importErrors'],
      ['=LHR', 'JKF', 'row 2: to'],
      ['MAN', 'XXX', 'row 5: to'],
    ]);
    expect(sent.map((r) => new URL(r.url).pathname)).toEqual(['/session/api/events/e1/imports/i1/bad-rows']);
    expect(sent[0]!.headers.get('Accept')).toBe('text/csv');
  });
  it('are looked up where the import names only some of the errors', async () => {
    answers = [json({ items: [fault(4, 'TOTALS_ROW')], pagination: { totalPages: 1 } }), text(table)];
    const rows = await badRows(
      'e1',
      state('completed', { errors: [fault(2, 'UNKNOWN_CODE')], errorCount: 3 }) as Import,
    );
    expect(rows.map((r) => r[0])).toEqual(['From', '=LHR', 'MAN']);
    expect(sent.map((r) => new URL(r.url).pathname)).toEqual([
      '/session/api/events/e1/imports/i1/errors',
      '/session/api/events/e1/imports/i1/bad-rows',
    ]);
  });
  it('that cannot be had are an error, not a table', async () => {
    answers = [json({ code: 'NOT_FOUND', message: 'Gone.', requestId: 'r1' }, 404)];
    await expect(badRows('e1', state('completed') as Import)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('offers the encodings first that most rows suggest', () => {
  const fault = (...suggestions: string[]) => ({ code: 'OTHER_ENCODING', suggestions });
  expect(
    likelyEncodings([
      fault('windows-1252', 'windows-1250', 'iso-8859-2'),
      { code: 'REQUIRED', suggestions: ['shift_jis'] },
      fault('windows-1250', 'ibm852'),
      fault('windows-1250', 'unheard-of'),
    ]),
  ).toEqual(['windows-1250', 'windows-1252', 'iso-8859-2']);
  expect(likelyEncodings([])).toEqual([]);
});
