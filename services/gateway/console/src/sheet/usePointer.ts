/** The pointer in the sheet: choosing cells and rows, and drawing a block down to fill. */
import { type Dispatch, type MouseEvent, type SetStateAction, useRef } from 'react';
import type { Area, Position, Selection } from './selection';

interface Props {
  picked: Area;
  lastColumn: number;
  setSelection: Dispatch<SetStateAction<Selection>>;
  /** Called before a cell is chosen. */
  begin: () => void;
  edit: (where: Position) => void;
  fillTo: (from: Area, bottom: number) => void;
}

interface Handlers {
  onMouseDown: (e: MouseEvent) => void;
  onMouseOver: (e: MouseEvent) => void;
  onMouseUp: () => void;
  onDoubleClick: (e: MouseEvent) => void;
}

/** Returns the cell that an event of the pointer is about. */
export function cellOf(e: MouseEvent): Position | undefined {
  const target = e.target as Element;
  if (target.closest('.celleditor, [role=listbox]')) return undefined;
  const cell = target.closest<HTMLElement>('[data-c], [data-head]');
  const line = target.closest<HTMLElement>('[data-r]');
  if (!cell || !line) return undefined;
  return { row: Number(line.dataset.r), col: cell.dataset.c === undefined ? -1 : Number(cell.dataset.c) };
}

export function usePointer({ picked, lastColumn, setSelection, begin, edit, fillTo }: Props): Handlers {
  const pressed = useRef(false);
  // The extent of the dragged block: the pointer may be released before it is rendered.
  const filling = useRef<{ from: Area; bottom: number } | null>(null);
  return {
    onMouseDown: (e) => {
      if (e.button === 0 && (e.target as Element).closest('[data-fill]')) {
        filling.current = { from: picked, bottom: picked.bottom };
        e.preventDefault();
        return;
      }
      const where = cellOf(e);
      if (!where || e.button !== 0) return;
      e.preventDefault();
      begin();
      if (where.col < 0) {
        // The row number selects the whole row.
        const last = { row: where.row, col: lastColumn };
        setSelection((s) => ({ anchor: { row: e.shiftKey ? s.anchor.row : where.row, col: 0 }, active: last }));
        return;
      }
      pressed.current = true;
      setSelection((s) => ({ active: where, anchor: e.shiftKey ? s.anchor : where }));
    },
    onMouseOver: (e) => {
      const fill = filling.current;
      const where = fill || pressed.current ? cellOf(e) : undefined;
      if (!where) return;
      if (fill) {
        const { from } = fill;
        fill.bottom = Math.max(from.bottom, where.row);
        setSelection({
          anchor: { row: from.top, col: from.left },
          active: { row: fill.bottom, col: from.right },
        });
      } else if (where.col >= 0) setSelection((s) => ({ ...s, active: where }));
    },
    onMouseUp: () => {
      pressed.current = false;
      if (filling.current) fillTo(filling.current.from, filling.current.bottom);
      filling.current = null;
    },
    onDoubleClick: (e) => {
      const where = cellOf(e);
      if (where && where.col >= 0) edit(where);
    },
  };
}
