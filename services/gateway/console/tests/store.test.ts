import i18next from 'i18next';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { en } from '../src/i18n/en';
import { columnsOf } from '../src/sheet/columns';
import { dirty, editable, faultsOf, type ServerRecord, Store } from '../src/sheet/store';

const columns = columnsOf({ properties: { from: { type: 'string' }, passengers: { type: 'integer' } } });
const record = (id: string, revision: number, more: Record<string, unknown> = {}): ServerRecord =>
  ({
    _id: id,
    eventId: 'e',
    type: 'flights',
    submitted: false,
    status: 'unsubmitted',
    revision,
    from: 'LHR',
    ...more,
  }) as unknown as ServerRecord;

beforeAll(() => i18next.init({ lng: 'en', resources: { en: { translation: en } } }));

let store: Store;
beforeEach(() => {
  let n = 0;
  store = new Store(
    () => columns,
    'me',
    () => `k${++n}`,
  );
});

describe('undo', () => {
  it('takes a step back and brings it again', () => {
    store.load([record('a', 1)]);
    store.edit([
      { key: 'a', type: 'flights', cells: { from: 'CDG' } },
      { type: 'flights', cells: { from: 'AMS' } },
    ]);
    expect(store.rows.map((r) => r.cells.from)).toEqual(['CDG', 'AMS']);
    expect(store.undo()).toEqual([]);
    expect(store.rows.map((r) => r.cells.from)).toEqual(['LHR']);
    store.redo();
    expect(store.rows.map((r) => r.cells.from)).toEqual(['CDG', 'AMS']);
  });
  it('says why it cannot: the row has been approved since', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.load([record('a', 2, { status: 'approved', from: 'CDG' })]);
    const stuck = store.undo();
    expect(stuck.map((r) => r.status)).toEqual(['approved']);
    expect(store.get('a')?.cells.from).toBe('CDG');
    expect(store.canUndo).toBe(true);
  });
  it('of a saved new row goes back to what is saved', () => {
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    store.saved(key, record('id1', 1, { from: 'AMS' }), { from: 'AMS' });
    expect(dirty(store.get(key)!)).toBe(false);
    store.undo();
    expect(store.get(key)?.id).toBe('id1');
  });
});

describe('what others do', () => {
  it('never overwrites what is typed, nor what is typed what they wrote: both are shown', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.load([record('a', 2, { passengers: 7 })]);
    expect(store.get('a')?.cells).toEqual({ from: 'CDG' });
    expect(store.get('a')?.theirs).toEqual({ cells: { from: 'LHR', passengers: '7' }, revision: 2 });
  });
  it('is no conflict where they wrote the same, or nothing of what is typed into', () => {
    store.load([record('a', 1), record('b', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.edit([{ key: 'b', type: 'flights', cells: { from: 'CDG' } }]);
    store.load([record('a', 2, { from: 'CDG' }), record('b', 2, { status: 'changes_requested' })]);
    expect(store.rows.map((r) => [r.theirs, r.cells.from, r.revision, dirty(r)])).toEqual([
      [undefined, 'CDG', 2, false],
      [undefined, 'CDG', 2, true],
    ]);
  });
  it('removes rows that are gone, but none with something typed', () => {
    store.load([record('a', 1), record('b', 1)]);
    store.edit([{ key: 'b', type: 'flights', cells: { from: 'CDG' } }]);
    store.load([], true);
    expect(store.rows.map((r) => r.key)).toEqual(['b']);
  });
  it('leaves decided rows alone', () => {
    store.load([record('a', 1, { status: 'approved' })]);
    expect(editable(store.get('a')!)).toBe(false);
    expect(store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }])).toEqual([]);
    expect(store.get('a')?.cells.from).toBe('LHR');
  });
  it('keeps what was typed while a row was being saved', () => {
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    const sent = store.get(key)!.cells;
    store.edit([{ key, type: 'flights', cells: { from: 'CDG' } }]);
    store.saved(key, record('id1', 1, { from: 'AMS' }), sent);
    expect(store.get(key)?.cells.from).toBe('CDG');
    expect(dirty(store.get(key)!)).toBe(true);
  });
});

describe('drafts of an earlier visit', () => {
  it('come back, changed and new', () => {
    store.load([record('a', 1)]);
    store.restore([
      { key: 'a', id: 'a', type: 'flights', cells: { from: 'CDG' } },
      { key: 'n', type: 'flights', cells: { from: 'AMS' } },
    ]);
    expect(store.rows.map((r) => [r.key, r.cells.from, dirty(r)])).toEqual([
      ['a', 'CDG', true],
      ['n', 'AMS', true],
    ]);
  });
  it('of a record that somebody has changed meanwhile stand beside what they wrote', () => {
    store.load([record('a', 2, { from: 'AMS' })]);
    store.restore([{ key: 'a', id: 'a', type: 'flights', cells: { from: 'CDG' }, saved: { from: 'LHR' } }]);
    expect(store.get('a')?.cells.from).toBe('CDG');
    expect(store.get('a')?.theirs).toEqual({ cells: { from: 'AMS' }, revision: 2 });
  });
  it('of a record that was deleted meanwhile stay, and are no new record', () => {
    store.load([], true);
    store.restore([{ key: 'a', id: 'a', type: 'flights', cells: { from: 'CDG' }, saved: { from: 'LHR' } }]);
    expect(store.rows.map((r) => [r.id, r.cells.from, dirty(r)])).toEqual([['a', 'CDG', true]]);
  });
  it('are gone from the page when they are discarded', () => {
    store.load([record('a', 1)]);
    store.edit([
      { key: 'a', type: 'flights', cells: { from: 'CDG' } },
      { type: 'flights', cells: { from: 'AMS' } },
    ]);
    store.discard();
    expect(store.rows.map((r) => [r.cells.from, dirty(r)])).toEqual([['LHR', false]]);
    expect(store.canUndo).toBe(false);
  });
  it('of a row that was approved meanwhile are not shown as if they counted', () => {
    store.load([record('a', 2, { status: 'approved' })]);
    store.restore([{ key: 'a', id: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    expect(store.get('a')?.cells.from).toBe('LHR');
    expect(store.get('a')?.failed).toContain('From: CDG');
  });
});

describe('a row that is decided while it is being changed', () => {
  it('is shown as it was decided, and what was typed is said beside it', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.load([record('a', 2, { status: 'approved' })]);
    expect(store.get('a')?.cells.from).toBe('LHR');
    expect(store.get('a')?.failed).toContain('From: CDG');
    expect(dirty(store.get('a')!)).toBe(false);
    store.load([record('a', 3, { status: 'changes_requested' })]);
    expect(store.get('a')?.failed).toBeUndefined();
  });
  it('is no conflict, as there is nothing to choose', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.load([record('a', 2, { status: 'pending', from: 'AMS' })]);
    expect([store.get('a')?.theirs, store.get('a')?.cells.from]).toEqual([undefined, 'AMS']);
  });
  it('has nothing said beside it where it was decided as it was typed', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.load([record('a', 2, { status: 'approved', from: 'CDG' })]);
    expect(store.get('a')?.failed).toBeFalsy();
  });
});

describe('an event that is signed', () => {
  const sign = (): void => {
    store.load([record('a', 1)]);
    store.edit([
      { key: 'a', type: 'flights', cells: { from: 'CDG' } },
      { type: 'flights', cells: { from: 'AMS' } },
    ]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'TXL' } }]);
    store.undo();
    store.readOnly = true;
  };
  const shown = (): unknown => store.rows.map((r) => r.cells.from);
  it('is not changed by anything that is typed, pasted, removed, undone or done again', () => {
    sign();
    expect(store.edit([{ key: 'a', type: 'flights', cells: { from: 'BER' } }])).toEqual([]);
    expect(store.edit([{ type: 'flights', cells: { from: 'BER' } }])).toEqual([]);
    store.remove(['k1']);
    expect(store.undo()).toEqual([]);
    store.redo();
    expect(shown()).toEqual(['CDG', 'AMS']);
    expect([store.canUndo, store.canRedo, store.editable(store.get('a')!)]).toEqual([false, false, false]);
  });
  it('takes up where it was once the sign-off is withdrawn', () => {
    sign();
    store.readOnly = false;
    expect([store.canUndo, store.canRedo, store.editable(store.get('a')!)]).toEqual([true, true, true]);
    store.redo();
    expect(shown()).toEqual(['TXL', 'AMS']);
  });
});

describe('steps of undo', () => {
  it('are gone for a row that was deleted, and so is what could be done again', () => {
    store.load([record('a', 1), record('b', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.edit([{ key: 'b', type: 'flights', cells: { from: 'CDG' } }]);
    store.edit([{ key: 'b', type: 'flights', cells: { from: 'AMS' } }]);
    store.undo();
    store.forget('b');
    expect(store.canRedo).toBe(false);
    expect(store.undo()).toEqual([]);
    expect(store.rows.map((r) => [r.key, r.cells.from])).toEqual([['a', 'LHR']]);
    expect(store.canUndo).toBe(false);
  });
  it('cannot be done again after something else was typed', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    store.undo();
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'AMS' } }]);
    expect(store.canRedo).toBe(false);
  });
  it('bring a removed row back', () => {
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    store.remove([key]);
    expect(store.rows).toEqual([]);
    store.undo();
    expect(store.rows.map((r) => r.cells.from)).toEqual(['AMS']);
  });
  it('remove no row that the server has', () => {
    store.load([record('a', 1)]);
    store.remove(['a']);
    expect(store.rows).toHaveLength(1);
    expect(store.canUndo).toBe(false);
  });
});

describe('what the server says of a row', () => {
  it('is asked for again where something was typed since, and not shown of what is typed', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    const footprint = { kgCO2e: 9, low: 1, high: 10, factorSet: 'f', defaulted: [], notices: [] };
    store.load([record('a', 2, { footprint })]);
    expect(store.get('a')?.check).toMatchObject({ state: 'waiting' });
    expect(store.get('a')?.check.kg).toBeUndefined();
    const [key = ''] = store.edit([{ type: 'flights', cells: { from: 'AMS' } }]);
    const sent = store.get(key)!.cells;
    store.edit([{ key, type: 'flights', cells: { from: 'BER' } }]);
    store.saved(key, record('n', 1, { from: 'AMS', footprint }), sent);
    expect(store.get(key)?.check.state).toBe('waiting');
  });
  it('can be changed after it was sent back, and tells whose it is and why', () => {
    store.load([
      record('a', 1, { status: 'changes_requested', createdBy: { _id: 'me' }, reviewComment: 'Which hall?' }),
      record('b', 1, { createdBy: { _id: 'other' } }),
    ]);
    expect(store.rows.map((r) => [editable(r), r.mine, r.comment])).toEqual([
      [true, true, 'Which hall?'],
      [true, false, null],
    ]);
  });
  it('ends what was said about a try to save, and a conflict that was discarded', () => {
    store.load([record('a', 1)]);
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'CDG' } }]);
    const row = store.get('a')!;
    row.failed = 'locked';
    store.saved('a', record('a', 2, { from: 'CDG' }), row.cells);
    expect(row.failed).toBeUndefined();
    store.edit([{ key: 'a', type: 'flights', cells: { from: 'AMS' } }]);
    store.load([record('a', 3, { from: 'BER', status: 'changes_requested' })]);
    expect([row.theirs?.cells.from, row.status]).toEqual(['BER', 'changes_requested']);
    store.discard();
    expect([row.theirs, row.cells.from]).toEqual([undefined, 'CDG']);
  });
});

it('names faults by the field of the row', () => {
  const faults = faultsOf(
    [
      { field: 'items[3].via[0]', code: 'X', message: 'm' },
      { field: 'items[3].to', code: 'Y', message: 'n', suggestions: ['JFK'] },
    ],
    'all',
    {},
  );
  expect(Object.keys(faults)).toEqual(['via', 'to']);
  expect(faultsOf([], 'refused', {})['']?.message).toBe('refused');
});
