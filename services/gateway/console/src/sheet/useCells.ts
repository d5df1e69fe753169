/** What is read from and written to the cells that are shown. */
import { notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';
import type { Column } from './columns';
import { inOneOrder } from './days';
import type { Area } from './selection';
import type { Row, Store } from './store';

interface Props {
  store: Store;
  shown: Row[];
  columns: Column[];
  /** The kind of records that new rows are of; "all" where none are made. */
  type: string;
  picked: Area;
  /** Called when rows may have been made. */
  stay: () => void;
}

export interface CellBlock {
  textAt: (row: number, col: number) => string;
  /** Writes a block of cells; rows that are not there yet appear. */
  write: (top: number, left: number, block: string[][]) => void;
  /** What the selected cells hold. */
  block: () => string[][];
  clear: () => void;
  fillDown: () => void;
  /** Repeats a block downwards as far as the pointer was drawn. */
  fillTo: (from: Area, bottom: number) => void;
}

/** Returns a block whose columns of days are each read in one order. */
function daysInOrder(block: string[][], columns: Column[]): string[][] {
  let read = block;
  columns.forEach((c, at) => {
    if (c.kind !== 'date' || block.length < 2) return;
    const days = inOneOrder(block.map((line) => line[at] ?? ''));
    read = read.map((line, n) => (at < line.length ? line.with(at, days[n] ?? '') : line));
  });
  return read;
}

export function useCells({ store, shown, columns, type, picked, stay }: Props): CellBlock {
  const { t } = useTranslation();
  const everything = type === 'all';
  const write = (top: number, left: number, block: string[][]): void => {
    const edits = daysInOrder(block, columns.slice(left)).flatMap((line, dr) => {
      const target = shown[top + dr];
      // An empty line keeps its place among the rows that are there, and makes none.
      if (!target && (everything || line.every((text) => text === ''))) return [];
      const cells: Record<string, string> = {};
      line.forEach((text, dc) => {
        const c = columns[left + dc];
        if (c) cells[c.field] = text;
      });
      return [{ ...(target ? { key: target.key } : {}), type: target?.type ?? type, cells }];
    });
    const locked = edits.filter((e) => e.key !== undefined && !store.editable(store.get(e.key) as Row)).length;
    store.edit(edits);
    stay();
    if (locked > 0) notifications.show({ color: 'orange', message: t('sheet.locked', { count: locked }) });
  };
  const textAt = (r: number, c: number): string => shown[r]?.cells[columns[c]?.field ?? ''] ?? '';
  const line = (row: number, of: Area): string[] =>
    Array.from({ length: of.right - of.left + 1 }, (_, n) => textAt(row, of.left + n));
  const block = (): string[][] =>
    Array.from({ length: picked.bottom - picked.top + 1 }, (_, n) => line(picked.top + n, picked));
  return {
    textAt,
    write,
    block,
    clear: () =>
      write(
        picked.top,
        picked.left,
        block()
          .map((l) => l.map(() => ''))
          .slice(0, Math.max(0, shown.length - picked.top)),
      ),
    fillDown: () => {
      const lines = block();
      const first = lines[0];
      if (!first || lines.length < 2) return;
      write(
        picked.top + 1,
        picked.left,
        lines.slice(1).map(() => first),
      );
    },
    fillTo: (from, bottom) => {
      if (bottom <= from.bottom) return;
      const height = from.bottom - from.top + 1;
      write(
        from.bottom + 1,
        from.left,
        Array.from({ length: bottom - from.bottom }, (_, n) => line(from.top + (n % height), from)),
      );
    },
  };
}
