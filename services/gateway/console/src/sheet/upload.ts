/** Files on their way through the API's import: rehearsed, imported, followed, taken back, and what was wrong with them. */
import { type ApiError, call, consoleFetch, errorOf, type Schemas } from '../api/client';
import { parseTable, separatorOf } from './table';

export type Import = Schemas['Import'];

export interface Options {
  numberFormat: string;
  dateOrder: string;
  encoding: string;
  sheet: string;
  /** Where the people of a file of origins travel; empty for the place of the event. */
  to: string;
  /** The file was imported before, and is to be imported once more. */
  again: boolean;
}

export const plain: Options = { numberFormat: '', dateOrder: '', encoding: '', sheet: '', to: '', again: false };

export const isWorkbook = (name: string): boolean => /\.xlsx$/i.test(name);

const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const followed = 400;

export class Upload {
  constructor(
    readonly event: string,
    readonly type: string,
    readonly name: string,
    private readonly body: Blob,
    private readonly key: string = crypto.randomUUID(),
  ) {}

  get workbook(): boolean {
    return isWorkbook(this.name);
  }

  /** Says what importing the file would come to, without doing it. */
  rehearse(o: Options): Promise<Import> {
    return this.send(o, { 'X-Dry-Run': 'true' });
  }

  /** Imports the good rows of the file, and says how far it is until all of them are records. */
  async run(o: Options, progress: (now: Import) => void): Promise<Import> {
    let now = await this.send(o, { 'Idempotency-Key': this.key });
    while (now.status === 'validating' || now.status === 'importing') {
      progress(now);
      await new Promise((done) => setTimeout(done, followed));
      now = (await call<Import>('GET', `/events/${this.event}/imports/${now._id}`)).data;
    }
    return now;
  }

  private async send(o: Options, headers: Record<string, string>): Promise<Import> {
    const query = new URLSearchParams({ partial: 'true' });
    for (const name of ['numberFormat', 'dateOrder', 'encoding', 'sheet', 'to'] as const)
      if (o[name]) query.set(name, o[name]);
    if (o.again) query.set('again', 'true');
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

/** Returns the rows that an import left out, below their headings. */
export async function badRows(event: string, id: string): Promise<string[][]> {
  const response = await consoleFetch(
    new Request(`${location.origin}/session/api/events/${event}/imports/${id}/bad-rows`, {
      headers: { Accept: 'text/csv' },
    }),
  );
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response) as ApiError;
  return parseTable(await response.text());
}

/** Takes an import back; returns how many of its records are gone. */
export async function undoImport(event: string, id: string): Promise<number> {
  const { data } = await call<Import>(
    'POST',
    `/events/${event}/imports/${id}/undo`,
    {},
    { 'Idempotency-Key': crypto.randomUUID() },
  );
  return data.undone?.removed ?? 0;
}

/** Returns a table with other headings: those of the fields it was mapped to. A column without one keeps its own. */
export function withHead(text: string, fields: string[]): string {
  const bare = text.replace(/^\ufeff/, '');
  const end = endOfRecord(bare);
  const separator = separatorOf(bare);
  const [head = []] = parseTable(bare.slice(0, end));
  const names = head
    .map((h, n) => fields[n] || h)
    .map((h) => (/["\n,;\t]/.test(h) ? `"${h.replaceAll('"', '""')}"` : h));
  return names.join(separator) + bare.slice(end);
}

/** Returns where the first record ends: at the first line break that is not in quotes. */
function endOfRecord(text: string): number {
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (!quoted && (text[i] === '\n' || text[i] === '\r')) return i;
  }
  return text.length;
}
