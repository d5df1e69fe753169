import { beforeEach, describe, expect, it } from 'vitest';
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
