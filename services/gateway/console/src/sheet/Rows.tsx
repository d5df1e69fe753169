/** The rows of the grid that can be seen. Scrolling draws these anew, and nothing else of the page. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useState } from 'react';
import type { Column } from './columns';
import { Line, rowHeight, type Words } from './Line';
import type { Area, Position } from './selection';
import type { Row, Store } from './store';

export interface View {
  show: (row: number, align?: 'center') => void;
}

interface Props {
  id: string;
  store: Store;
  shown: Row[];
  total: number;
  columns: Column[];
  widths: number[];
  template: string;
  width: number;
  /** What the columns of fields begin after, in pixels. */
  before: number;
  everything: boolean;
  /** What a record of the overview is about. */
  about: (row: Row) => string;
  active: Position;
  picked: Area;
  editor: ReactNode;
  words: Words;
  scroller: RefObject<HTMLDivElement | null>;
  view: RefObject<View | null>;
}

export function Rows(p: Props): ReactNode {
  const { active, picked, scroller, store } = p;
  const rows = useVirtualizer({
    count: p.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 4,
    scrollPaddingStart: 36,
    scrollPaddingEnd: 8,
  });
  useImperativeHandle(p.view, () => ({
    show: (row, align) => rows.scrollToIndex(row, align ? { align } : {}),
  }));
  const [from, to] = useColumnsInView(scroller, p.widths, p.before);
  const items = rows.getVirtualItems();

  // The grid names the cell in focus while that is drawn, and no cell that is not there.
  const cell = p.editor ? null : `${p.id}-${active.row}-${active.col}`;
  useEffect(() => {
    if (cell && document.getElementById(cell)) scroller.current?.setAttribute('aria-activedescendant', cell);
    else scroller.current?.removeAttribute('aria-activedescendant');
  });
  return (
    <div style={{ height: rows.getTotalSize(), minWidth: p.width, position: 'relative' }} role="presentation">
      {items.map((v) => {
        const row = p.shown[v.index];
        const here = v.index === active.row;
        const within = v.index >= picked.top && v.index <= picked.bottom;
        return (
          <Line
            // Elements of rows that have left the view are reused.
            key={v.index % items.length}
            id={p.id}
            index={v.index}
            start={v.start}
            row={row}
            about={p.everything && row ? p.about(row) : ''}
            cells={row?.cells}
            saved={row?.saved}
            check={row?.check}
            status={row?.status}
            saving={row?.saving}
            theirs={row?.theirs}
            locked={row !== undefined && !store.editable(row)}
            columns={p.columns}
            from={from}
            to={to}
            template={p.template}
            width={p.width}
            everything={p.everything}
            active={here ? active.col : -1}
            left={within ? picked.left : 0}
            right={within ? picked.right : -1}
            corner={v.index === picked.bottom && !store.readOnly && !p.editor ? picked.right : -1}
            editor={here ? p.editor : null}
            words={p.words}
          />
        );
      })}
    </div>
  );
}

/** Returns the first and the last column that can be seen, and one more on each side. */
function useColumnsInView(
  scroller: RefObject<HTMLDivElement | null>,
  widths: number[],
  before: number,
): [number, number] {
  const [range, setRange] = useState<[number, number]>([0, widths.length - 1]);
  useEffect(() => {
    const el = scroller.current;
    if (!el) return;
    const look = (): void => {
      const begin = el.scrollLeft;
      const end = begin + el.clientWidth;
      let x = before;
      let first = -1;
      let last = 0;
      widths.forEach((w, n) => {
        if (x + w >= begin && first < 0) first = n;
        if (x <= end) last = n;
        x += w;
      });
      const next: [number, number] = [Math.max(0, first - 1), Math.min(widths.length - 1, last + 1)];
      setRange((now) => (now[0] === next[0] && now[1] === next[1] ? now : next));
    };
    look();
    const size = new ResizeObserver(look);
    size.observe(el);
    el.addEventListener('scroll', look, { passive: true });
    return () => {
      size.disconnect();
      el.removeEventListener('scroll', look);
    };
  }, [scroller, widths, before]);
  return range;
}
