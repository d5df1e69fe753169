/** Checks, saves and keeps the rows of a sheet while somebody types. */
import i18next from 'i18next';
import { ApiError, call, isRefused, keyed, type Schemas } from '../api/client';
import { recordsOf } from '../api/records';
import { sayError } from '../i18n/server';
import { batchesOf, type Outcomes } from './batches';
import { patchOf } from './columns';
import { unmake } from './commands';
import { dropOutgoing, type Outgoing, writeOutgoing } from './drafts';
import { Keeper } from './keeper';
import { isKept } from './origins';
import { bodyOf, checkOf, dirty, editable, empty, type Row, refuse, type ServerRecord, type Store } from './store';
import { Sums } from './sums';

/** Reports whether a record cannot be changed, by this person or at all, whatever is typed into it. */
const lost = (cause: ApiError): boolean => [403, 404, 409].includes(cause.status);

/** Says why a record cannot be changed. */
const whyLost = (cause: ApiError): string =>
  cause.code === 'RECORD_NOT_FOUND' ? i18next.t('sheet.gone') : sayError(cause);

const checkDelay = 350;

export type Trouble =
  | { kind: 'offline' }
  | { kind: 'wait'; seconds: number }
  | { kind: 'error'; error: ApiError }
  | null;

export class Engine {
  /** The totals from the server. */
  readonly sums: Sums;
  private readonly keeper: Keeper;
  private focused: string | null = null;
  trouble: Trouble = null;
  onSaved: () => void = () => {};
  /** Called with why a step could not be undone at the server. */
  onStuck: (why: string) => void = () => {};
  private checkTimer: ReturnType<typeof setTimeout> | undefined;
  private busy = false;
  private ending = false;
  private stopped = false;
  private again = false;
  readonly once = keyed();
  /** When the server takes requests again, where it has said so. */
  private notBefore = 0;
  /** Refusals of what nobody has changed since, as after the end of a membership: it is tried ever more rarely. */
  private refusals = 0;
  /** What was sent without an answer: sent again, with its key, before anything new. */
  private unanswered: Outgoing[] = [];

  constructor(
    readonly store: Store,
    readonly event: string,
    readonly scope: string,
    readonly types: string[],
    readonly newKey: () => string = () => crypto.randomUUID(),
  ) {
    store.onEdit = (rows) => this.edited(rows);
    store.onUnmade = (rows) => void unmake(this, rows);
    this.keeper = new Keeper(store, event, scope);
    this.sums = new Sums(store, event, () => this.focused);
  }

  /** Reads the event's records and what was not saved last time. */
  async start(): Promise<void> {
    await this.reload();
    await this.keeper.own();
    if (this.stopped) this.keeper.release();
    else await this.takeOver();
  }

  /** Restores what no other sheet holds, and later what the others leave. */
  private async takeOver(): Promise<void> {
    const { outgoing, others } = await this.keeper.restore();
    for (const r of this.store.rows) if (dirty(r)) r.check = { ...r.check, state: 'waiting' };
    this.unanswered.push(...outgoing.filter((o) => !this.unanswered.some((u) => u.key === o.key)));
    this.schedule(0);
    for (const closed of others) void closed.then(() => this.succeed());
  }

  /** Another sheet of the event was closed: what it saved is in the list, and what it did not save is saved here. */
  private async succeed(): Promise<void> {
    if (this.stopped) return;
    await this.reload().catch(() => {});
    await this.takeOver();
  }

  /** The key of the row in focus, which is not saved while it is being worked on. */
  get active(): string | null {
    return this.focused;
  }

  set active(key: string | null) {
    const before = this.focused === key || !this.focused ? undefined : this.store.get(this.focused);
    // A row that was left is saved as it was left, even if the focus is back before that.
    if (before) before.left = before.cells;
    this.focused = key;
    this.sums.look();
  }

  private atWork(r: Row): boolean {
    return r.key === this.focused && r.left !== r.cells;
  }

  async reload(): Promise<void> {
    const lists = await recordsOf(this.event, this.types);
    this.store.load(
      lists.flatMap((l) => l.reverse()),
      true,
    );
    this.schedule(0);
  }

  /** Reads again after something has changed what the server holds. */
  async refreshed(): Promise<void> {
    await this.reload();
    this.settled();
  }

  /** Saves what can be saved at once, and leaves the rest to the next visit. */
  finish(): void {
    this.ending = true;
    this.sums.stop();
    if (this.notBefore > Date.now()) void this.stop();
    else this.schedule(0);
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.stopped = true;
    this.sums.stop();
    clearTimeout(this.checkTimer);
    await this.keep();
    this.keeper.release();
  }

  private edited(rows: Row[]): void {
    this.refusals = 0;
    if (rows.length > 0) this.schedule(checkDelay);
    this.keeper.soon();
  }

  /** Writes what is not saved into the browser's database. */
  keep(): Promise<void> {
    return this.keeper.write();
  }

  /** Keeps what is not saved although the page may be gone at any moment. */
  leave(): void {
    this.keeper.leave();
  }

  /** Forgets what is not saved, on the page too. */
  discard(): void {
    this.unanswered = [];
    this.store.discard();
  }

  schedule(delay: number): void {
    if (this.stopped) return;
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => void this.work(), Math.max(delay, this.notBefore - Date.now()));
  }

  /** The row that was worked on has been left: it may be saved. */
  left(): void {
    this.schedule(0);
  }

  private async work(): Promise<void> {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    try {
      await this.check();
      this.sums.look();
      await this.save();
      this.refusals = 0;
      if (this.trouble) {
        this.trouble = null;
        this.store.changed();
      }
    } catch (cause) {
      this.fail(cause);
    } finally {
      this.busy = false;
      void this.keep();
      if (this.again) {
        this.again = false;
        this.schedule(50);
      } else if (this.ending) void this.stop();
    }
  }

  private fail(cause: unknown): void {
    const error = cause instanceof ApiError ? cause : new ApiError(0, 'NETWORK', String(cause), '');
    let wait = error.status === 409 ? 2 : 15; // 409: the same batch is at work, sent before a reload
    if (error.code === 'NETWORK') this.trouble = { kind: 'offline' };
    else if (error.retryAfter > 0) {
      wait = error.retryAfter;
      this.notBefore = Date.now() + wait * 1000;
      this.trouble = { kind: 'wait', seconds: wait };
    } else {
      this.trouble = { kind: 'error', error };
      if (isRefused(error)) wait *= Math.min(2 ** this.refusals++, 16);
    }
    if (error.status !== 401) this.schedule((error.code === 'NETWORK' ? 4 : wait) * 1000);
    this.store.changed();
  }

  /** Asks what the rows that changed would count, a hundred at a time. */
  private async check(): Promise<void> {
    const waiting = this.store.rows.filter((r) => r.check.state === 'waiting' && editable(r));
    for (const r of waiting) if (empty(r)) r.check = { state: 'none', notices: [], faults: {} };
    const stored = waiting.filter((r) => r.id !== undefined && isKept(r.cells.origins));
    for (const r of stored) await this.checkStored(r);
    for (const { type, part } of batchesOf(waiting.filter((r) => !empty(r) && !stored.includes(r)))) {
      const asked = part.map((r) => ({ row: r, cells: r.cells }));
      const items = part.map((r) => {
        const body = bodyOf(this.store, r);
        if (r.id) delete body.externalReference; // which this very record has already
        return body;
      });
      const { data } = await call<Outcomes>(
        'POST',
        `/events/${this.event}/${type}/batch`,
        { items },
        { 'X-Dry-Run': 'true' },
      );
      data.items.forEach((o, n) => {
        const a = asked[n];
        if (!a || a.row.cells !== a.cells) return; // changed meanwhile, asked again
        if (o.record) a.row.check = checkOf(o.record.footprint);
        else if (o.error) refuse(a.row, a.cells, o.error);
      });
      this.store.changed();
    }
  }

  /** Requests the figure of a record whose origins are stored separately: only a change of it can be sent. */
  private async checkStored(r: Row): Promise<void> {
    const { cells } = r;
    try {
      const { data } = await call<ServerRecord & { whatIf?: Schemas['WhatIf'] }>(
        'PATCH',
        `/events/${this.event}/${r.type}/${r.id}`,
        patchOf(this.store.columns(r.type), cells, r.saved ?? {}),
        { 'X-Dry-Run': 'true' },
      );
      if (r.cells === cells) r.check = { ...checkOf(data.footprint), whatIf: data.whatIf };
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.status === 400) refuse(r, cells, cause);
      else if (lost(cause)) {
        r.failed = whyLost(cause);
        if (r.cells === cells) r.check = { state: 'none', notices: [], faults: {} };
      } else throw cause;
    }
    this.store.changed();
  }

  private async save(): Promise<void> {
    if (this.store.readOnly) return; // what was typed is kept until the sign-off is withdrawn
    const late = [...this.unanswered];
    for (const o of late) await this.post(o);
    const ready = this.store.rows.filter(
      (r) => editable(r) && dirty(r) && r.check.state === 'good' && !this.atWork(r) && !r.theirs && !r.saving,
    );
    const known = ready.filter((r) => r.id);
    for (const { type, part } of batchesOf(ready.filter((r) => !r.id))) {
      const o: Outgoing = {
        scope: this.scope,
        event: this.event,
        key: this.newKey(),
        type,
        rows: part.map((r) => ({ key: r.key, cells: r.cells })),
        items: part.map((r) => bodyOf(this.store, r)),
        owner: this.keeper.owner,
      };
      await writeOutgoing(o).catch(() => {});
      await this.post(o);
    }
    for (const r of known) await this.patch(r);
    if (late.length + ready.length > 0) this.settled();
  }

  /** Sends new rows. Sent again after a crash, with the same key, they are not made twice. */
  private async post(o: Outgoing): Promise<void> {
    for (const { key } of o.rows) Object.assign(this.store.get(key) ?? {}, { saving: true });
    let data: Outcomes;
    try {
      ({ data } = await call<Outcomes>(
        'POST',
        `/events/${o.event}/${o.type}/batch`,
        { items: o.items },
        { 'Idempotency-Key': o.key },
      ));
    } catch (cause) {
      for (const { key } of o.rows) delete this.store.get(key)?.saving;
      if (isRefused(cause)) await this.answered(o);
      else if (!this.unanswered.includes(o)) this.unanswered.push(o);
      throw cause;
    }
    data.items.forEach((outcome, n) => {
      const sent = o.rows[n];
      if (!sent) return;
      const row = this.store.get(sent.key);
      if (outcome.record) {
        if (row) this.store.saved(sent.key, outcome.record, sent.cells);
        else this.store.load([outcome.record]);
      } else if (row && outcome.error) {
        delete row.saving;
        refuse(row, sent.cells, outcome.error);
      }
    });
    await this.keep();
    await this.answered(o);
    this.store.changed();
  }

  private async answered(o: Outgoing): Promise<void> {
    this.unanswered = this.unanswered.filter((x) => x !== o);
    await dropOutgoing(o).catch(() => {});
  }

  /** The server holds something else now: figures follow. */
  settled(): void {
    this.onSaved();
    this.sums.look(true);
  }

  /** Changes a saved row, unless somebody else has changed it since it was read. */
  private async patch(row: Row): Promise<void> {
    const path = `/events/${this.event}/${row.type}/${row.id}`;
    const columns = this.store.columns(row.type);
    const sent = row.cells;
    try {
      row.saving = true;
      const now = await call<ServerRecord>('GET', path);
      if (now.data.revision !== row.revision && this.store.meet(row, this.store.fromServer(now.data))) return;
      if (!editable(row)) return; // it was decided meanwhile; what was typed is said beside it
      const { data } = await call<ServerRecord>('PATCH', path, patchOf(columns, sent, row.saved ?? {}), {
        'If-Match': now.tag,
      });
      this.store.saved(row.key, data, sent);
    } catch (cause) {
      delete row.saving;
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.status === 412) {
        const now = await call<ServerRecord>('GET', path);
        if (!this.store.meet(row, this.store.fromServer(now.data))) this.again = true;
      } else if (cause.status === 400) refuse(row, sent, cause);
      else if (lost(cause)) row.failed = whyLost(cause);
      else throw cause;
    } finally {
      delete row.saving;
      this.store.changed();
    }
  }

  /** Ends a conflict: with what was typed here, or with what is saved. */
  async resolve(row: Row, mine: boolean): Promise<void> {
    if (!row.theirs) return;
    row.revision = row.theirs.revision;
    row.saved = row.theirs.cells;
    if (!mine) row.cells = { ...row.theirs.cells };
    delete row.theirs;
    row.check = { ...row.check, state: 'waiting' };
    this.store.changed();
    this.schedule(0);
  }
}
