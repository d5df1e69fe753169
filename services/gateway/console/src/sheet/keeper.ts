/** Keeps what is typed into a sheet and not saved in the browser's database. */
import { closing, type Draft, type Key, leaveDrafts, type Outgoing, own, takeOver, writeDrafts } from './drafts';
import { dirty, type Row } from './store';

const keepDelay = 250;

const nothing = { drafts: [], outgoing: [], others: [] };

interface Rows {
  readonly rows: Row[];
  restore: (drafts: Draft[]) => void;
}

export class Keeper {
  /** Names the open sheet, in what it writes. */
  readonly owner = crypto.randomUUID();
  private disown: (() => void) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private kept = new Set<string>();

  constructor(
    private readonly store: Rows,
    private readonly event: string,
    private readonly scope: string,
  ) {}

  /** Makes the sheet the owner of what it writes, until it is released. */
  async own(): Promise<void> {
    this.disown ??= await own(this.owner).catch(() => () => {});
  }

  release(): void {
    this.disown?.();
  }

  /**
   * Restores the rows that no other sheet holds. Returns the batches that were sent without an answer, and a promise
   * for each sheet that holds others, which is kept when that sheet is closed.
   */
  async restore(): Promise<{ outgoing: Outgoing[]; others: Promise<void>[] }> {
    const { drafts, outgoing, others } = await takeOver(this.scope, this.event, this.owner).catch(() => nothing);
    for (const d of drafts) this.kept.add(d.key);
    this.store.restore(drafts);
    return { outgoing, others: others.map(closing) };
  }

  /** Writes what is not saved as soon as nothing has been typed for a moment. */
  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.write(), keepDelay);
  }

  /** Writes what is not saved into the browser's database. */
  async write(): Promise<void> {
    const { put, drop } = this.unsaved();
    await writeDrafts(put, drop).catch(() => {});
  }

  /** Keeps what is not saved although the page may be gone at any moment. */
  leave(): void {
    const { put, drop } = this.unsaved();
    void leaveDrafts(this.owner, put, drop).catch(() => {});
  }

  /** What is not saved, and what was kept and is saved by now. */
  private unsaved(): { put: Draft[]; drop: Key[] } {
    clearTimeout(this.timer);
    const put: Draft[] = [];
    const now = new Set<string>();
    this.store.rows.forEach((r, at) => {
      if (!dirty(r)) return;
      now.add(r.key);
      put.push({
        scope: this.scope,
        event: this.event,
        key: r.key,
        type: r.type,
        cells: r.cells,
        at,
        owner: this.owner,
        ...(r.id ? { id: r.id } : {}),
        ...(r.saved ? { saved: r.saved } : {}),
      });
    });
    const drop = [...this.kept].filter((k) => !now.has(k)).map((k): Key => [this.scope, this.event, k]);
    this.kept = now;
    return { put, drop };
  }
}
