/** The rows of a sheet: input, saved state, errors of the server, and undo. */
import i18next from 'i18next';
import type { Detail, Schemas } from '../api/client';
import { dayIn } from '../format';
import { bareField } from '../i18n/fields';
import { type Cells, type Column, cellsOf, fieldsOf, shown } from './columns';

export type Status = 'draft' | Schemas['RecordStatus'];

export interface Check {
  state: 'none' | 'waiting' | 'good' | 'bad';
  kg?: number;
  low?: number;
  high?: number;
  notices: Schemas['Notice'][];
  /** Faults by field; those of no field are under "". */
  faults: Record<string, Detail>;
  /** The preview of another destination of attendee travel. */
  whatIf?: Schemas['WhatIf'] | undefined;
}

export interface Row {
  key: string;
  type: string;
  cells: Cells;
  status: Status;
  check: Check;
  /** What the server holds; absent for a row it does not know. */
  saved?: Cells;
  id?: string;
  revision?: number;
  mine?: boolean;
  comment?: string | null;
  saving?: boolean;
  /** The cells as they were when the focus last left the row. */
  left?: Cells;
  /** Somebody else's version, when a write met one. */
  theirs?: { cells: Cells; revision: number };
  /** Why the last try to save failed, other than by faults. */
  failed?: string;
}

const unchecked: Check = { state: 'none', notices: [], faults: {} };

export const editable = (r: Row): boolean =>
  r.status === 'draft' || r.status === 'unsubmitted' || r.status === 'changes_requested';
export const empty = (r: Row): boolean => Object.values(r.cells).every((c) => c.trim() === '');
export const dirty = (r: Row): boolean => (r.saved === undefined ? !empty(r) : differs(r.cells, r.saved));

function differs(a: Cells, b: Cells): boolean {
  for (const k of new Set([...Object.keys(a), ...Object.keys(b)]))
    if ((a[k] ?? '').trim() !== (b[k] ?? '').trim()) return true;
  return false;
}

/** One change of one row, in both directions; null cells represent a missing row. */
interface Change {
  key: string;
  before: Cells | null;
  after: Cells | null;
  type: string;
}

export type ServerRecord = Schemas['RecordState'] & Record<string, unknown>;

export class Store {
  rows: Row[] = [];
  private past: Change[][] = [];
  private future: Change[][] = [];
  private listeners = new Set<() => void>();
  private index = new Map<string, Row>();
  version = 0;
  /** The figure of the event is signed: nothing can be changed. */
  readOnly = false;
  /** Called with the rows that have changed by hand. */
  onEdit: (rows: Row[]) => void = () => {};
  /** Called with saved rows whose creation was undone: the server has to delete them. */
  onUnmade: (rows: Row[]) => void = () => {};

  constructor(
    readonly columns: (type: string) => Column[],
    private readonly me: string,
    private readonly newKey: () => string = () => crypto.randomUUID(),
  ) {}

  subscribe = (f: () => void): (() => void) => {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  };
  snapshot = (): number => this.version;

  changed(): void {
    this.version++;
    for (const f of this.listeners) f();
  }

  get(key: string): Row | undefined {
    return this.index.get(key);
  }

  private add(row: Row, at = this.rows.length): void {
    this.rows.splice(at, 0, row);
    this.index.set(row.key, row);
  }

  private drop(key: string): void {
    this.rows = this.rows.filter((r) => r.key !== key);
    this.index.delete(key);
  }

  /** Removes a row that the server does not have any more. */
  forget(key: string): void {
    this.drop(key);
    this.past = this.past.filter((step) => !step.some((c) => c.key === key));
    this.future = [];
  }

  /** Removes a row that the server has deleted for an undo; the step can be done again. */
  unmade(key: string): void {
    this.drop(key);
  }

  /** Takes records of the server in. What was typed into a row and is not saved stays. */
  load(records: ServerRecord[], replace = false): void {
    const seen = new Set<string>();
    for (const record of records) {
      const key = record._id;
      seen.add(key);
      const row = this.index.get(key) ?? this.rows.find((r) => r.id === key);
      const next = this.fromServer(record);
      if (!row) this.add(next);
      else if (row.revision !== next.revision || row.status !== next.status) this.meet(row, next);
    }
    if (replace) for (const r of [...this.rows]) if (r.id && !seen.has(r.id) && !dirty(r)) this.drop(r.key);
    this.changed();
  }

  /**
   * Takes in what the server holds of a row now. Where somebody else has written into
   * it what is not typed here, both versions stand beside each other until one is
   * chosen; reports whether that is so.
   */
  meet(row: Row, next: Row): boolean {
    const typed = dirty(row) ? row.cells : undefined;
    const theirs = next.saved ?? {};
    if (typed && row.saved && editable(next) && differs(theirs, row.saved) && differs(theirs, typed)) {
      row.status = next.status;
      row.theirs = { cells: theirs, revision: next.revision ?? 0 };
      return true;
    }
    const before = row.check;
    Object.assign(row, next, { key: row.key });
    delete row.theirs;
    delete row.failed;
    if (!typed) return false;
    if (!editable(next)) row.failed = this.overtaken(row, typed);
    else {
      row.cells = typed;
      // What the server says of its version says nothing of what is typed here.
      row.check = dirty(row) ? { ...before, state: 'waiting' } : next.check;
    }
    return false;
  }

  /** Says what was typed into a row that cannot be changed any more. */
  private overtaken(row: Row, typed: Cells): string {
    const lost = this.columns(row.type).filter(
      (c) => (typed[c.field] ?? '').trim() !== (row.cells[c.field] ?? '').trim(),
    );
    if (lost.length === 0) return '';
    const typedIn = lost.map((c) => `${c.label}: ${shown(c, typed[c.field] ?? '') || '–'}`).join('; ');
    return i18next.t('sheet.overtaken', { typed: typedIn });
  }

  fromServer(record: ServerRecord): Row {
    const type = record.type ?? '';
    const cells = cellsOf(this.columns(type), record);
    const row: Row = {
      key: record._id,
      id: record._id,
      type,
      cells,
      saved: { ...cells },
      status: record.status ?? 'unsubmitted',
      check: checkOf(record.footprint),
      mine: record.createdBy?._id === this.me,
      comment: record.reviewComment ?? null,
    };
    if (record.revision !== undefined) row.revision = record.revision;
    return row;
  }

  /** Puts the drafts of an earlier visit back. */
  restore(drafts: { key: string; type: string; cells: Cells; id?: string; saved?: Cells }[]): void {
    for (const d of drafts) {
      const row = (d.id && this.rows.find((r) => r.id === d.id)) || this.index.get(d.key);
      if (row) {
        if (!editable(row)) {
          row.failed = this.overtaken(row, d.cells);
          continue;
        }
        const now = { ...row, cells: row.saved ?? {} };
        row.cells = d.cells;
        // Somebody may have written into the record since this was typed.
        if (d.saved) {
          row.saved = d.saved;
          this.meet(row, now);
        }
      } else if (!d.id) this.add({ key: d.key, type: d.type, cells: d.cells, status: 'draft', check: unchecked });
      // The record was deleted since. What was typed is for its writer to give up, and makes no other record by itself.
      else {
        const { key, id, type, cells, saved = {} } = d;
        this.add({ key, id, type, cells, saved, status: 'unsubmitted', check: unchecked });
      }
    }
    this.changed();
  }

  /** Changes cells of rows by hand, as one step of undo. Rows that do not exist yet are made. */
  edit(edits: { key?: string; type: string; cells: Cells }[]): string[] {
    if (this.readOnly) return [];
    const changes: Change[] = [];
    const keys: string[] = [];
    for (const e of edits) {
      const row = e.key ? this.index.get(e.key) : undefined;
      if (row && !editable(row)) continue;
      const key = row?.key ?? this.newKey();
      keys.push(key);
      const before = row ? row.cells : null;
      changes.push({ key, type: e.type, before, after: { ...(before ?? {}), ...e.cells } });
    }
    this.apply(changes, 'after');
    if (changes.length > 0) {
      this.past.push(changes);
      this.future = [];
    }
    return keys;
  }

  /** Removes rows the server does not know, as one step of undo. */
  remove(keys: string[]): void {
    if (this.readOnly) return;
    const changes: Change[] = [];
    for (const key of keys) {
      const row = this.index.get(key);
      if (row && !row.id) changes.push({ key, type: row.type, before: row.cells, after: null });
    }
    if (changes.length === 0) return;
    this.apply(changes, 'after');
    this.past.push(changes);
    this.future = [];
  }

  private apply(changes: Change[], side: 'before' | 'after'): void {
    const touched: Row[] = [];
    const unmade: Row[] = [];
    for (const c of changes) {
      const cells = c[side];
      let row = this.index.get(c.key);
      if (cells === null) {
        if (row && !row.id) this.drop(c.key);
        else if (row) unmade.push(row);
        continue;
      }
      if (!row) {
        row = { key: c.key, type: c.type, cells, status: 'draft', check: unchecked };
        this.add(row);
      } else row.cells = cells;
      row.check = { ...row.check, state: 'waiting' };
      touched.push(row);
    }
    this.changed();
    this.onEdit(touched);
    if (unmade.length > 0) this.onUnmade(unmade);
  }

  /** Goes back to what the server holds; there is nothing to undo after it. */
  discard(): void {
    for (const r of [...this.rows])
      if (!r.saved) this.drop(r.key);
      else if (dirty(r)) {
        r.cells = { ...r.saved };
        r.check = { ...r.check, state: 'waiting' };
        delete r.theirs;
      }
    this.past = [];
    this.future = [];
    this.changed();
  }

  editable(r: Row): boolean {
    return !this.readOnly && editable(r);
  }

  get canUndo(): boolean {
    return this.past.length > 0 && !this.readOnly;
  }
  get canRedo(): boolean {
    return this.future.length > 0 && !this.readOnly;
  }

  /** Takes the last step back. Returns the rows that cannot be changed any more. */
  undo(): Row[] {
    if (this.readOnly) return [];
    const step = this.past.pop();
    if (!step) return [];
    const locked = step.map((c) => this.index.get(c.key)).filter((r): r is Row => r !== undefined && !editable(r));
    if (locked.length > 0) {
      this.past.push(step);
      return locked;
    }
    this.future.push(step);
    this.apply([...step].reverse(), 'before');
    return [];
  }

  redo(): void {
    if (this.readOnly) return;
    const step = this.future.pop();
    if (!step) return;
    this.past.push(step);
    this.apply(step, 'after');
  }

  /** Replaces the key of nothing: a row keeps its key while it is shown; the server's id is separate. */
  saved(key: string, record: ServerRecord, sent: Cells): void {
    const row = this.index.get(key);
    if (!row) return;
    const typed = row.cells;
    const next = this.fromServer(record);
    // A batch that is sent again after a crash answers with records that the
    // list may have shown already.
    if (record._id !== key && this.index.has(record._id)) this.drop(record._id);
    Object.assign(row, next, { key });
    delete row.saving;
    delete row.failed;
    delete row.theirs;
    // What was typed while the request was on its way stays typed.
    if (differs(typed, sent)) {
      row.cells = typed;
      row.check = { ...row.check, state: 'waiting' };
    }
  }
}

export function checkOf(f: Schemas['FootprintPreview'] | undefined): Check {
  if (!f) return unchecked;
  return { state: 'good', kg: f.kgCO2e, low: f.low, high: f.high, notices: f.notices, faults: {} };
}

/** Shows the faults of cells that were sent. What was typed since is asked about by itself. */
export function refuse(row: Row, sent: Cells, why: { details?: Detail[] | undefined; message: string }): void {
  if (row.cells !== sent) return;
  row.check = { state: 'bad', notices: [], faults: faultsOf(why.details ?? [], why.message, sent) };
}

/** Sorts the details of a refusal by field. Fields of a batch are named items[3].passengers. */
export function faultsOf(details: Detail[], message: string, cells: Cells): Record<string, Detail> {
  const faults: Record<string, Detail> = {};
  for (const d of details) {
    const field = bareField(d.field ?? '');
    faults[field] ??= d.code === 'BAD_FORMAT' ? (eitherDay(field, cells[field] ?? '') ?? d) : d;
  }
  if (details.length === 0) faults[''] = { code: 'REFUSED', message };
  return faults;
}

/** Returns the fault of a day that can be read in two ways, with both of them; undefined for any other text. */
function eitherDay(field: string, text: string): Detail | undefined {
  const [, first = '', second = '', year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text.trim()) ?? [];
  if (!year || Number(first) > 12 || Number(second) > 12) return undefined;
  const of = (month: string, day: string): string => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const suggestions = [of(second, first), of(first, second)];
  // The local interpretation comes first.
  if (dayIn(text) === suggestions[1]) suggestions.reverse();
  return { field, code: 'AMBIGUOUS_DATE', message: `${field} can be read as two days.`, suggestions };
}

/** Returns the body of a row for the API. */
export function bodyOf(store: Store, row: Row): Record<string, unknown> {
  return fieldsOf(store.columns(row.type), row.cells);
}
