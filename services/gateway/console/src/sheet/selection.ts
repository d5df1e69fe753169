/** Where one is in the sheet, and what is selected. Positions count from 0. */
export interface Position {
  row: number;
  col: number;
}
export interface Selection {
  active: Position;
  anchor: Position;
}

export interface Bounds {
  rows: number;
  cols: number;
}

export const at = (row: number, col: number): Selection => ({ active: { row, col }, anchor: { row, col } });

const clamp = (n: number, max: number): number => Math.max(0, Math.min(n, max - 1));

export function move(s: Selection, dr: number, dc: number, b: Bounds, extend: boolean): Selection {
  const active = { row: clamp(s.active.row + dr, b.rows), col: clamp(s.active.col + dc, b.cols) };
  return { active, anchor: extend ? s.anchor : active };
}

/** A block of cells, its ends included. */
export interface Area {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export function area(s: Selection): Area {
  return {
    top: Math.min(s.active.row, s.anchor.row),
    bottom: Math.max(s.active.row, s.anchor.row),
    left: Math.min(s.active.col, s.anchor.col),
    right: Math.max(s.active.col, s.anchor.col),
  };
}

/** The effect of a key on a selection; undefined for keys that do not move it. */
export function byKey(
  s: Selection,
  key: string,
  ctrl: boolean,
  shift: boolean,
  b: Bounds,
  page: number,
): Selection | undefined {
  switch (key) {
    case 'ArrowDown':
      return move(s, ctrl ? b.rows : 1, 0, b, shift);
    case 'ArrowUp':
      return move(s, ctrl ? -b.rows : -1, 0, b, shift);
    case 'ArrowRight':
      return move(s, 0, ctrl ? b.cols : 1, b, shift);
    case 'ArrowLeft':
      return move(s, 0, ctrl ? -b.cols : -1, b, shift);
    case 'PageDown':
      return move(s, page, 0, b, shift);
    case 'PageUp':
      return move(s, -page, 0, b, shift);
    case 'Home':
      return move(s, ctrl ? -b.rows : 0, -b.cols, b, shift);
    case 'End':
      return move(s, ctrl ? b.rows : 0, b.cols, b, shift);
  }
  return undefined;
}

/** The rows as needed for positions: each has a stable key. */
type Keyed = readonly { readonly key: string }[];

/**
 * Says where a selection is when rows have come and gone: it stays with its
 * records, and below the last of them with the blank rows that follow.
 */
export function follow(s: Selection, before: Keyed, now: Keyed): Selection {
  const to = (p: Position): Position => {
    const key = before[p.row]?.key;
    if (key === undefined) return { ...p, row: Math.max(0, p.row - before.length + now.length) };
    if (now[p.row]?.key === key) return p;
    const row = now.findIndex((r) => r.key === key);
    return { ...p, row: row < 0 ? Math.min(p.row, now.length) : row };
  };
  const active = to(s.active);
  const anchor = s.anchor === s.active ? active : to(s.anchor);
  return active === s.active && anchor === s.anchor ? s : { active, anchor };
}
