/**
 * The sums of an event as they would be with what is typed: approved, waiting,
 * drafts and all together, each with its interval. They come from the server,
 * which is asked again as rows change, and never more often than it can answer.
 */
import { ApiError, call, type Schemas } from '../api/client';
import { isKept } from './origins';
import { bodyOf, dirty, editable, empty, type Row, type Store } from './store';

export type RowSums = Schemas['PreviewedRowsResponse']['data'];
export type Explained = RowSums['rows'][number];

const partMax = 100;
/** Above this many rows the sums wait until rows are saved, which they are about to be. */
const rowsMax = 1_000;
const delay = 500;
/** Pause after an answer, in times of what the answer took. */
const rest = 2;

export class Sums {
  /** The newest answer; null where there is none yet. */
  value: RowSums | null = null;
  /** Something has changed since the last request. */
  moving = true;
  /** The figure of the selected row in the response. */
  focus: { key: string; row: Explained } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = '';
  private busy = false;
  private stopped = true;
  private notBefore = 0;

  constructor(
    private readonly store: Store,
    private readonly event: string,
    private readonly focused: () => string | null,
  ) {}

  start(): void {
    this.stopped = false;
    this.look(true);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Asks again where rows are other ones than those of the newest answer, or where something was saved or decided. */
  look(again = false): void {
    if (this.stopped) return;
    if (again) this.asked = '';
    const now = this.signature();
    if (now === this.asked) return;
    this.moving = true;
    if (this.busy || this.timer !== undefined) return;
    this.timer = setTimeout(() => void this.ask(), Math.max(delay, this.notBefore - Date.now()));
  }

  /** The rows that the server does not hold as they are here, and the one in focus. */
  private rows(): Row[] {
    const at = this.focused();
    return this.store.rows.filter(
      (r) =>
        editable(r) && !empty(r) && !isKept(r.cells.origins) && r.check.state === 'good' && (dirty(r) || r.key === at),
    );
  }

  /** Of a new row that is being saved the server may count the record already: with the row it would count twice. */
  private get saving(): boolean {
    return this.store.rows.some((r) => r.saving && r.id === undefined);
  }

  private signature(): string {
    const rows = this.rows();
    if (rows.length > rowsMax) return this.asked;
    return JSON.stringify(rows.map((r) => [r.key, r.id, r.cells])) + this.focused();
  }

  private async ask(): Promise<void> {
    this.timer = undefined;
    if (this.stopped || this.busy || this.saving) return; // what ends the saving looks again
    this.busy = true;
    const signature = this.signature();
    const begun = Date.now();
    try {
      if (await this.read(this.rows().slice(0, rowsMax))) {
        this.asked = signature;
        this.notBefore = Date.now() + rest * (Date.now() - begun);
        this.moving = this.signature() !== this.asked;
      } else this.asked = '';
    } catch (cause) {
      const wait = cause instanceof ApiError && cause.retryAfter > 0 ? cause.retryAfter * 1000 : 8_000;
      this.notBefore = Date.now() + wait;
      // The rows may have been decided meanwhile; the next request contains the current ones.
      this.asked = '';
    } finally {
      this.busy = false;
      this.store.changed();
      this.look();
    }
  }

  /** Reads the sums; reports whether they hold, which they do not where rows have been saved or sent meanwhile. */
  private async read(rows: Row[]): Promise<boolean> {
    const fresh = rows.filter((r) => r.id === undefined);
    const at = this.focused();
    let after: string | undefined;
    let focus: Sums['focus'] = null;
    let answer: RowSums | undefined;
    for (let i = 0; i === 0 || i < rows.length; i += partMax) {
      const part = rows.slice(i, i + partMax);
      const items: Schemas['PreviewRowsRequest']['items'] = part.map((r) => ({
        type: r.type,
        fields: bodyOf(this.store, r),
        ...(r.id ? { recordId: r.id } : {}),
      }));
      ({ data: answer } = await call<RowSums>('POST', `/events/${this.event}/results/preview`, {
        items,
        explain: part.some((r) => r.key === at),
        ...(after === undefined ? {} : { after }),
      }));
      after = answer.sum;
      const n = part.findIndex((r) => r.key === at);
      const row = answer.rows[n];
      if (row && at !== null) focus = { key: at, row };
    }
    if (fresh.some((r) => r.id !== undefined || r.saving)) return false;
    this.value = answer ?? null;
    this.focus = focus;
    return true;
  }
}
