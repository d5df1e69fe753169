/** Commands on whole rows: submit, delete and withdraw them, and undo their creation. */
import { ApiError, call, type keyed } from '../api/client';
import { sayError } from '../i18n/server';
import { batchesOf, type Outcomes } from './batches';
import { dirty, editable, type Row, type ServerRecord, type Store } from './store';

/** What a command needs of the sheet: its rows, its event, and whom to tell what has changed. */
interface Sheet {
  readonly store: Store;
  readonly event: string;
  /** Sends what is sent again with the key of the first try. */
  readonly once: ReturnType<typeof keyed>;
  reload: () => Promise<void>;
  left: () => void;
  settled: () => void;
  onStuck: (why: string) => void;
}

/** Reports whether a row can be submitted: it is saved as it is shown, and not on its way already. */
export const submittable = (store: Store, r: Row): boolean =>
  r.id !== undefined && store.editable(r) && !dirty(r) && !r.saving;

/** Submits saved rows; returns how many were and why others were not. */
export async function submit(sheet: Sheet, rows: Row[]): Promise<{ done: number; refused: string[] }> {
  let done = 0;
  const refused: string[] = [];
  const sent = rows.filter((r) => submittable(sheet.store, r));
  for (const r of sent) r.saving = true;
  sheet.store.changed();
  try {
    for (const { type, part } of batchesOf(sent)) {
      const path = `/events/${sheet.event}/${type}/submit`;
      const ids = part.map((r) => r.id ?? '');
      const { data } = await sheet.once({ path, ids }, (key) =>
        call<Outcomes>('POST', path, { ids }, { 'Idempotency-Key': key }),
      );
      for (const o of data.items) {
        if (o.record) {
          done++;
          sheet.store.load([o.record]);
        } else if (o.error) refused.push(sayError(o.error));
      }
    }
  } finally {
    for (const r of sent) delete r.saving;
    sheet.store.changed();
    sheet.left(); // what was typed into them meanwhile is saved
  }
  // They are not what they are shown as.
  if (refused.length > 0) await sheet.reload().catch(() => {});
  sheet.settled();
  return { done, refused };
}

/** Deletes records, as many as a request takes at a time, and tells what became of each. One that is not there is deleted. */
async function destroy(
  sheet: Sheet,
  rows: Row[],
  heard: (row: Row, why: string | undefined) => void,
  asSeen = false,
): Promise<void> {
  for (const { type, part } of batchesOf(rows.filter((r) => r.id))) {
    const path = `/events/${sheet.event}/${type}/delete`;
    const body = {
      ids: part.map((r) => r.id ?? ''),
      ...(asSeen ? { revisions: Object.fromEntries(part.map((r) => [r.id, r.revision])) } : {}),
    };
    const { data } = await sheet.once({ path, body }, (key) =>
      call<Outcomes>('POST', path, body, { 'Idempotency-Key': key }),
    );
    data.items.forEach(({ error }, n) => {
      const row = part[n];
      if (row) heard(row, error && error.code !== 'RECORD_NOT_FOUND' ? sayError(error) : undefined);
    });
  }
}

/** Deletes rows, saved ones at the server too; returns why others were not. */
export async function remove(sheet: Sheet, rows: Row[]): Promise<string[]> {
  const refused: string[] = [];
  sheet.store.remove(rows.filter((r) => !r.id).map((r) => r.key));
  try {
    await destroy(sheet, rows.filter(editable), (row, why) => {
      if (why === undefined) sheet.store.forget(row.key);
      else refused.push(why);
    });
  } finally {
    sheet.store.changed();
    sheet.settled();
  }
  return refused;
}

export async function withdraw(sheet: Sheet, row: Row): Promise<void> {
  const path = `/events/${sheet.event}/${row.type}/${row.id}/withdraw`;
  const { data } = await sheet.once({ path }, (key) =>
    call<ServerRecord>('POST', path, {}, { 'Idempotency-Key': key }),
  );
  sheet.store.load([data]);
  sheet.settled();
}

/** Takes the decision on a row back. */
export async function reopen(sheet: Sheet, row: Row, comment: string): Promise<void> {
  const path = `/events/${sheet.event}/${row.type}/${row.id}`;
  const { data } = await sheet.once({ path, comment }, async (key) => {
    const now = await call<ServerRecord>('GET', path);
    return call<ServerRecord>('POST', `${path}/reopen`, { comment }, { 'If-Match': now.tag, 'Idempotency-Key': key });
  });
  sheet.store.load([data]);
  sheet.settled();
}

/**
 * Deletes rows whose making was undone after they were saved, unless somebody has
 * changed or submitted them since; then says why the step cannot be undone.
 */
export async function unmake(sheet: Sheet, rows: Row[]): Promise<void> {
  const stuck: string[] = [];
  try {
    await destroy(
      sheet,
      rows,
      (row, why) => {
        if (why === undefined) sheet.store.unmade(row.key);
        else stuck.push(why);
      },
      true,
    );
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    stuck.push(sayError(cause));
  }
  if (stuck[0] !== undefined) sheet.onStuck(stuck[0]);
  sheet.store.changed();
  sheet.settled();
}
