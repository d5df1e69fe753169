/**
 * What was typed and is not saved yet, kept in the browser so that a reload, a
 * crash or an expired session loses nothing. Everything is kept under the
 * organization and the user, and never shown to another. No token is kept.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Cells } from './columns';

export interface Draft {
  scope: string;
  event: string;
  key: string;
  type: string;
  cells: Cells;
  id?: string;
  /** The server's state of the record at the time of the input. */
  saved?: Cells;
  at: number;
}

/** A batch that was sent, or is about to be: sending it again with its key has no further effect. */
export interface Outgoing {
  scope: string;
  event: string;
  /** The Idempotency-Key. */
  key: string;
  type: string;
  rows: { key: string; cells: Cells }[];
  items: Record<string, unknown>[];
}

interface Schema extends DBSchema {
  drafts: { key: [string, string, string]; value: Draft; indexes: { event: [string, string]; scope: string } };
  outgoing: { key: [string, string, string]; value: Outgoing; indexes: { event: [string, string]; scope: string } };
}

let opened: Promise<IDBPDatabase<Schema>> | undefined;

function db(): Promise<IDBPDatabase<Schema>> {
  opened ??= openDB<Schema>('ecf-console', 1, {
    upgrade(d) {
      for (const name of ['drafts', 'outgoing'] as const) {
        const store = d.createObjectStore(name, { keyPath: ['scope', 'event', 'key'] });
        store.createIndex('event', ['scope', 'event']);
        store.createIndex('scope', 'scope');
      }
    },
  });
  return opened;
}

export async function readDrafts(scope: string, event: string): Promise<Draft[]> {
  const list = await (await db()).getAllFromIndex('drafts', 'event', [scope, event]);
  return list.sort((a, b) => a.at - b.at);
}

export async function writeDrafts(put: Draft[], drop: [string, string, string][]): Promise<void> {
  const tx = (await db()).transaction('drafts', 'readwrite');
  await Promise.all([...put.map((d) => tx.store.put(d)), ...drop.map((k) => tx.store.delete(k)), tx.done]);
}

export async function readOutgoing(scope: string, event: string): Promise<Outgoing[]> {
  return (await db()).getAllFromIndex('outgoing', 'event', [scope, event]);
}

export async function writeOutgoing(o: Outgoing): Promise<void> {
  await (await db()).put('outgoing', o);
}

export async function dropOutgoing(o: Outgoing): Promise<void> {
  await (await db()).delete('outgoing', [o.scope, o.event, o.key]);
}

/** A sheet that is open: it holds what is not written down yet. */
interface Holder {
  keep(): Promise<void>;
  /** Goes back to what is saved. */
  discard(): void;
}
const holders = new Set<Holder>();

/** Registers a sheet while it is open; returns a function that unregisters it. */
export function hold(h: Holder): () => void {
  holders.add(h);
  return () => holders.delete(h);
}

export async function countDrafts(scope: string): Promise<number> {
  for (const h of holders) await h.keep();
  return (await db()).countFromIndex('drafts', 'scope', scope);
}

export async function discardDrafts(scope: string): Promise<void> {
  // An open sheet would write them down again on leaving the page.
  for (const h of holders) h.discard();
  const d = await db();
  for (const name of ['drafts', 'outgoing'] as const) {
    const tx = d.transaction(name, 'readwrite');
    for (const k of await tx.store.index('scope').getAllKeys(scope)) await tx.store.delete(k);
    await tx.done;
  }
}
