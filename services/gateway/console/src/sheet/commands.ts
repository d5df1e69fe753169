/** Commands on whole rows: submit, delete and withdraw them, and undo their creation. */
import { ApiError, call } from '../api/client';
import { sayError } from '../i18n/server';
import { batchesOf, type Outcomes } from './batches';
import { dirty, editable, type Row, type ServerRecord, type Store } from './store';

/** What a command needs of the sheet: its rows, its event, and whom to tell what has changed. */
interface Sheet {
  readonly store: Store;
  readonly event: string;
  readonly newKey: () => string;
  settled: () => void;
  onStuck: (why: string) => void;
}

/** Submits saved rows; returns how many were and why others were not. */
export async function submit(sheet: Sheet, rows: Row[]): Promise<{ done: number; refused: string[] }> {
  let done = 0;
  const refused: string[] = [];
  for (const { type, part } of batchesOf(rows.filter((r) => r.id && editable(r) && !dirty(r)))) {
    const ids = part.map((r) => r.id ?? '');
    const { data } = await call<Outcomes>(
      'POST',
      `/events/${sheet.event}/${type}/submit`,
      { ids },
      { 'Idempotency-Key': sheet.newKey() },
    );
    for (const o of data.items) {
      if (o.record) {
        done++;
        sheet.store.load([o.record]);
      } else if (o.error) refused.push(sayError(o.error));
    }
  }
  sheet.store.changed();
  sheet.settled();
  return { done, refused };
}

/** Deletes rows, saved ones at the server too. */
export async function remove(sheet: Sheet, rows: Row[]): Promise<string[]> {
  const refused: string[] = [];
  sheet.store.remove(rows.filter((r) => !r.id).map((r) => r.key));
  for (const r of rows) {
    if (!r.id || !editable(r)) continue;
    try {
      await call('DELETE', `/events/${sheet.event}/${r.type}/${r.id}`);
      sheet.store.forget(r.key);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      // It was deleted already, perhaps by a request whose answer was lost.
      if (cause.code === 'RECORD_NOT_FOUND') sheet.store.forget(r.key);
      else refused.push(sayError(cause));
    }
  }
  sheet.store.changed();
  sheet.settled();
  return refused;
}

export async function withdraw(sheet: Sheet, row: Row): Promise<void> {
  const { data } = await call<ServerRecord>('POST', `/events/${sheet.event}/${row.type}/${row.id}/withdraw`, {});
  sheet.store.load([data]);
  sheet.settled();
}

/** Takes the decision on a row back. */
export async function reopen(sheet: Sheet, row: Row, comment: string): Promise<void> {
  const path = `/events/${sheet.event}/${row.type}/${row.id}`;
  const now = await call<ServerRecord>('GET', path);
  const { data } = await call<ServerRecord>(
    'POST',
    `${path}/reopen`,
    { comment },
    { 'If-Match': now.tag, 'Idempotency-Key': sheet.newKey() },
  );
  sheet.store.load([data]);
  sheet.settled();
}

/**
 * Deletes rows whose making was undone after they were saved, unless somebody has
 * changed or submitted them since; then says why the step cannot be undone.
 */
export async function unmake(sheet: Sheet, rows: Row[]): Promise<void> {
  for (const r of rows) {
    const path = `/events/${sheet.event}/${r.type}/${r.id}`;
    try {
      const now = await call<ServerRecord>('GET', path);
      if (now.data.revision !== r.revision) throw new ApiError(412, 'CHANGED', '', '');
      await call('DELETE', path, undefined, { 'If-Match': now.tag });
      sheet.store.unmade(r.key);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.status === 404) sheet.store.unmade(r.key);
      else sheet.onStuck(sayError(cause));
    }
  }
  sheet.store.changed();
  sheet.settled();
}
