/**
 * What was typed and is not saved yet, kept in the browser so that a reload, a
 * crash or an expired session loses nothing. Everything is kept under the
 * organization and the user, and never shown to another. No token is kept.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import { countTexts, discardTexts } from '../ui/texts';
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
  /** The open sheet that holds it. */
  owner?: string;
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
  owner?: string;
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

/** Held by a sheet while it is open, in whichever tab. The browser releases it when the tab is closed or crashes. */
const lockOf = (owner: string): string => `ecf-sheet-${owner}`;

/** Makes an open sheet the owner of what it writes; returns what ends that. */
export async function own(owner: string): Promise<() => void> {
  const { locks } = globalThis.navigator ?? {};
  if (!locks) return () => {};
  return new Promise((held, failed) => {
    locks.request(lockOf(owner), () => new Promise<void>((release) => held(release))).catch(failed);
  });
}

/** Waits until a sheet is closed. */
export async function closing(owner: string): Promise<void> {
  await navigator.locks.request(lockOf(owner), () => {});
}

interface Left {
  drafts: Draft[];
  outgoing: Outgoing[];
  /** The open sheets that hold others: what is typed into one sheet is not saved by another one too. */
  others: string[];
}

/** Takes over what no open sheet holds. */
export async function takeOver(scope: string, event: string, owner: string): Promise<Left> {
  const take = async (): Promise<Left> => {
    const { held = [] } = (await globalThis.navigator?.locks?.query()) ?? {};
    const open = new Set(held.map((l) => l.name));
    const others = new Set<string>();
    const free = (x: Draft | Outgoing): boolean => {
      if (x.owner === undefined || x.owner === owner || !open.has(lockOf(x.owner))) return true;
      others.add(x.owner);
      return false;
    };
    const tx = (await db()).transaction(['drafts', 'outgoing'], 'readwrite');
    const drafts = (await tx.objectStore('drafts').index('event').getAll([scope, event])).filter(free);
    const outgoing = (await tx.objectStore('outgoing').index('event').getAll([scope, event])).filter(free);
    for (const d of drafts) void tx.objectStore('drafts').put({ ...d, owner });
    for (const o of outgoing) void tx.objectStore('outgoing').put({ ...o, owner });
    await tx.done;
    return { drafts: drafts.sort((a, b) => a.at - b.at), outgoing, others: [...others] };
  };
  return alone(take);
}

/** Does one thing at a time with what was left: of two sheets that open together one finds that the other has taken it. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const collected = async (): Promise<T> => {
    await collect();
    return work();
  };
  const { locks } = globalThis.navigator ?? {};
  return locks ? locks.request('ecf-drafts', collected) : collected();
}

/** A draft's key in the database. */
export type Key = [scope: string, event: string, key: string];

interface Change {
  put: Draft[];
  drop: Key[];
}

const leftBy = 'ecf-left-';

/**
 * Writes the drafts of a page that is being left. The page may be gone before
 * its database commits, so they are also written where writing takes effect at
 * once, until the database has them or the next sheet moves them there.
 */
export async function leaveDrafts(owner: string, put: Draft[], drop: Key[]): Promise<void> {
  if (put.length + drop.length === 0) return;
  const name = leftBy + owner;
  const text = JSON.stringify({ put, drop } satisfies Change);
  try {
    localStorage.setItem(name, text);
  } catch {
    // More than the browser takes there: they are left to the database alone.
  }
  await writeDrafts(put, drop);
  // The page lives on, and may have been left once more meanwhile.
  if (localStorage.getItem(name) === text) localStorage.removeItem(name);
}

/** Moves to the database what pages wrote that were left before it had committed. */
async function collect(): Promise<void> {
  for (const name of Object.keys(localStorage).filter((n) => n.startsWith(leftBy))) {
    const text = localStorage.getItem(name);
    if (text === null) continue; // the page lives on, and its database has committed
    const { put, drop }: Change = JSON.parse(text);
    await writeDrafts(put, drop);
    localStorage.removeItem(name);
  }
}

export async function writeDrafts(put: Draft[], drop: Key[]): Promise<void> {
  const tx = (await db()).transaction('drafts', 'readwrite');
  const writes = [...put.map((d) => tx.store.put(d)), ...drop.map((k) => tx.store.delete(k))];
  // Of a page that is being left nobody hears the answers, and what is not committed by then is rolled back.
  tx.commit();
  await Promise.all([...writes, tx.done]);
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

/** Returns how many rows are not saved, and how many texts are not sent. */
export async function countDrafts(scope: string): Promise<{ rows: number; texts: number }> {
  for (const h of holders) await h.keep();
  const rows = await alone(async () => (await db()).countFromIndex('drafts', 'scope', scope));
  return { rows, texts: countTexts(scope) };
}

export async function discardDrafts(scope: string): Promise<void> {
  // An open sheet would write them down again on leaving the page.
  for (const h of holders) h.discard();
  discardTexts(scope);
  await alone(async () => {
    const d = await db();
    for (const name of ['drafts', 'outgoing'] as const) {
      const tx = d.transaction(name, 'readwrite');
      for (const k of await tx.store.index('scope').getAllKeys(scope)) await tx.store.delete(k);
      await tx.done;
    }
  });
}
