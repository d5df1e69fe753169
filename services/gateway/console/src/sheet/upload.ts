/** Files on their way through the API's import: rehearsed, imported, followed, taken back, and what was wrong with them. */
import i18next from 'i18next';
import { ApiError, all, api, call, consoleFetch, errorOf, keyed, type Schemas, take } from '../api/client';
import { cellNumber } from '../format';
import { parseTable } from './table';

export type Import = Schemas['Import'];
export type Sheet = Schemas['ImportSheet'];

export interface Options {
  numberFormat: string;
  dateOrder: string;
  encoding: string;
  sheet: string;
  /** Where the people of a file of origins travel; empty for the place of the event. */
  to: string;
  /** The file was imported before, and is to be imported once more. */
  again: boolean;
  /** What columns of the file are, in place of their headings, as the API has it. */
  columns: string[];
}

export const plain: Options = {
  numberFormat: '',
  dateOrder: '',
  encoding: '',
  sheet: '',
  to: '',
  again: false,
  columns: [],
};

/** Writes a table as a file. */
export const writeCSV = (table: string[][]): string =>
  table.map((line) => line.map((c) => `"${c.replaceAll('"', '""')}"`).join(',')).join('\n');

const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const followed = 400;

export class Upload {
  private readonly once = keyed();

  constructor(
    readonly event: string,
    readonly type: string,
    readonly name: string,
    private readonly body: Blob,
  ) {}

  get workbook(): boolean {
    return /\.xls[xm]$/i.test(this.name);
  }

  /** Returns the dry run of an import. */
  rehearse(o: Options): Promise<Import> {
    return this.send(o, { 'X-Dry-Run': 'true' });
  }

  /** As rehearse, with the rows as they are read. */
  read(o: Options): Promise<Import> {
    return this.send(o, { 'X-Dry-Run': 'true' }, { records: 'true' });
  }

  /**
   * Imports the valid rows of the file, and reports the progress until it has finished.
   * An import that was lost sight of is followed again, not begun again.
   */
  run(o: Options, progress: (now: Import) => void): Promise<Import> {
    return this.once(o, async (key) => {
      let now = await this.send(o, { 'Idempotency-Key': key });
      while (now.status === 'validating' || now.status === 'importing') {
        progress(now);
        await new Promise((done) => setTimeout(done, followed));
        now = await this.follow(now._id);
      }
      return now;
    });
  }

  /** Returns an import that has begun as it is now. It goes on while a session ends, and is followed once somebody has signed in again. */
  private async follow(id: string): Promise<Import> {
    for (;;) {
      try {
        return (await call<Import>('GET', `/events/${this.event}/imports/${id}`)).data;
      } catch (cause) {
        if (!(cause instanceof ApiError) || cause.status !== 401) throw cause;
        await new Promise((again) => window.addEventListener('ecf-signed-in', again, { once: true }));
      }
    }
  }

  private async send(o: Options, headers: Record<string, string>, more: Record<string, string> = {}): Promise<Import> {
    const query = new URLSearchParams({ partial: 'true', ...more });
    for (const name of ['numberFormat', 'dateOrder', 'encoding', 'sheet', 'to'] as const)
      if (o[name]) query.set(name, o[name]);
    if (o.again) query.set('again', 'true');
    for (const column of o.columns) query.append('column', column);
    const response = await consoleFetch(
      new Request(`${location.origin}/session/api/events/${this.event}/${this.type}/import?${query}`, {
        method: 'POST',
        headers: { 'Content-Type': this.workbook ? workbook : 'text/csv', ...headers },
        body: await this.body.arrayBuffer(),
      }),
    );
    const answer = (await response.json().catch(() => null)) as { data: Import } | null;
    if (!response.ok || answer === null) throw errorOf(answer, response);
    return answer.data;
  }
}

/** Returns the sheets that the answer to a rehearsal tells, the one read by default first; none of a file that has no sheets. */
export function sheetsIn(answer: Import | Error): Sheet[] {
  if (!(answer instanceof Error)) return answer.sheets ?? [];
  return answer instanceof ApiError ? answer.sheets : [];
}

/** Codes of rows that are no records, such as totals, which cannot be corrected into some. */
export const noRecords: string[] = ['TOTALS_ROW', 'ROW_NOT_COUNTED', 'REPEATED_HEAD'];

/** Returns how many of the rows that an import left out can be mended. */
export const mendable = (i: Import): number =>
  i.failed - new Set(i.errors.filter((f) => noRecords.includes(f.code)).map((f) => f.row)).size;

/** Returns the letters of a column that an import left out, where it has no heading but those. */
export const headless = (column: string): string | undefined => /^column ([A-Z]+)$/.exec(column)?.[1];

/** Takes the apostrophes off that the server puts before what a spreadsheet would take for a formula. */
export const unguarded = (cell: string): string => {
  const text = cell.replace(/(?<=[;\t\r\n])'(?=[=+\-@'＝＋－＠])/g, '');
  return /^'(?:[=+\-@\t\r\n'＝＋－＠]|\s*$)/.test(text) ? text.slice(1) : text;
};

/** Returns a number as a cell has it, from one that is written in a form of the API; undefined where it is not. */
export function numberIn(form: string, text: string): string | undefined {
  const point = form.includes(',5') ? ',' : '.';
  const group = /^1([., '])/.exec(form)?.[1];
  const m = /^([-+−]?)(\d[\d.,'\s]*?)(\s*[^\d.,'\s].*)?$/.exec(text.trim());
  if (!m?.[2]) return undefined;
  const [whole = '', part, ...more] = m[2].replace(/[\u00a0\u202f]/g, ' ').split(point);
  const grouped = group !== undefined && new RegExp(`^\\d{1,3}(?:\\${group}\\d{3})+$`).test(whole);
  const bare = grouped ? whole.replaceAll(group, '') : whole;
  if (more.length > 0 || !/^\d+$/.test(bare) || (part !== undefined && !/^\d+$/.test(part))) return undefined;
  const n = Number(part === undefined ? bare : `${bare}.${part}`);
  return `${m[1] === '+' ? '' : (m[1] ?? '').replace('−', '-')}${cellNumber(n)}${m[3] ?? ''}`;
}

/** Returns a day in a cell's format, from one whose parts are in the order of the API; with points, the day comes first. */
export function dayIn(order: string, text: string): string | undefined {
  const parts = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})$/.exec(text.trim())?.slice(1);
  if (!order && /^\d{1,2}\.\d{1,2}\.\d{4}$/.test(text.trim())) return dayIn('dmy', text);
  if (!parts || order.length !== 3) return undefined;
  const [y, m, d] = ['y', 'm', 'd'].map((c) => parts[order.indexOf(c)] ?? '');
  return y?.length === 4 && m && d ? `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}` : undefined;
}

/** Returns the rows that an import left out and that can be mended, below their headings. */
export async function badRows(event: string, { _id: id, errors, errorCount }: Import): Promise<string[][]> {
  const faults =
    errors.length >= errorCount
      ? errors
      : await all((page) =>
          take(
            api.GET('/events/{eventId}/imports/{importId}/errors', {
              params: { path: { eventId: event, importId: id }, query: { page, limit: 100 } },
            }),
          ),
        );
  const sums = new Set(faults.filter((f) => noRecords.includes(f.code)).map((f) => `row ${f.row}:`));
  const response = await consoleFetch(
    new Request(`${location.origin}/session/api/events/${event}/imports/${id}/bad-rows`, {
      headers: { Accept: 'text/csv' },
    }),
  );
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response);
  return parseTable(await response.text())
    .filter((line) => !sums.has(/^row \d+:/.exec(line.at(-1) ?? '')?.[0] ?? ''))
    .map((line) => line.map(unguarded));
}

export type Undone = Schemas['UndoneImportResponse']['data'];

/** Takes an import back. */
export async function undoImport(event: string, id: string): Promise<Undone> {
  const { data } = await call<Undone>(
    'POST',
    `/events/${event}/imports/${id}/undo`,
    {},
    { 'Idempotency-Key': crypto.randomUUID() },
  );
  return data;
}

/** Says how many records of an import are gone, and how many are not. */
export function sayUndone({ removed, kept, refused }: Undone): string {
  const gone = i18next.t('import.undone', { count: removed });
  return kept + refused > 0 ? `${gone} ${i18next.t('import.kept', { count: kept + refused })}` : gone;
}
