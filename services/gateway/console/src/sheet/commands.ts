/** What people ask of whole rows: submit, delete and withdraw them, and undo what made them. */
import { ApiError, call } from '../api/client';
import { sayError } from '../i18n/server';
import { batchMax, byType, type Engine, type Outcomes } from './engine';
import { dirty, editable, type Row, type ServerRecord } from './store';

/** Submits saved rows; returns how many were and why others were not. */
export async function submit(engine: Engine, rows: Row[]): Promise<{ done: number; refused: string[] }> {
  let done = 0;
  const refused: string[] = [];
  for (const [type, list] of byType(rows.filter((r) => r.id && editable(r) && !dirty(r)))) {
    for (let i = 0; i < list.length; i += batchMax) {
      const ids = list.slice(i, i + batchMax).map((r) => r.id ?? '');
      const { data } = await call<Outcomes>(
        'POST',
        `/events/${engine.event}/${type}/submit`,
        { ids },
        { 'Idempotency-Key': engine.newKey() },
      );
      for (const o of data.items) {
        if (o.record) {
          done++;
          engine.store.load([o.record]);
        } else if (o.error) refused.push(sayError(o.error));
      }
    }
  }
  engine.store.changed();
  engine.settled();
  return { done, refused };
}

/** Deletes rows, saved ones at the server too. */
export async function remove(engine: Engine, rows: Row[]): Promise<string[]> {
  const refused: string[] = [];
  engine.store.remove(rows.filter((r) => !r.id).map((r) => r.key));
  for (const r of rows) {
    if (!r.id || !editable(r)) continue;
    try {
      await call('DELETE', `/events/${engine.event}/${r.type}/${r.id}`);
      engine.store.forget(r.key);
    } catch (cause) {
      if (cause instanceof ApiError) refused.push(sayError(cause));
      else throw cause;
    }
  }
  engine.store.changed();
  engine.settled();
  return refused;
}

export async function withdraw(engine: Engine, row: Row): Promise<void> {
  const { data } = await call<ServerRecord>('POST', `/events/${engine.event}/${row.type}/${row.id}/withdraw`, {});
  engine.store.load([data]);
  engine.settled();
}

/**
 * Deletes rows whose making was undone after they were saved, unless somebody has
 * changed or submitted them since; then says why the step cannot be undone.
 */
export async function unmake(engine: Engine, rows: Row[]): Promise<void> {
  for (const r of rows) {
    const path = `/events/${engine.event}/${r.type}/${r.id}`;
    try {
      const now = await call<ServerRecord>('GET', path);
      if (now.data.revision !== r.revision) throw new ApiError(412, 'CHANGED', '', '');
      await call('DELETE', path, undefined, { 'If-Match': now.tag });
      engine.store.unmade(r.key);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.status === 404) engine.store.unmade(r.key);
      else engine.onStuck(sayError(cause));
    }
  }
  engine.store.changed();
  engine.settled();
}
