/** Copying from, pasting into and dropping onto the grid. */
import { type ClipboardEvent, type DragEvent, useState } from 'react';
import type { Tables } from './files';
import type { Area, Selection } from './selection';
import type { Store } from './store';
import { parseBlock, parseTable, writeTable } from './table';
import type { CellBlock } from './useCells';
import { cellOf } from './usePointer';

interface Props extends Pick<CellBlock, 'block' | 'write' | 'clear'> {
  store: Store;
  /** What takes files, and tables with headings. */
  tables: Tables;
  picked: Area;
  /** How many rows are shown, the blank ones included. */
  total: number;
  lastColumn: number;
  /** A cell is being typed in: the clipboard is its own. */
  editing: boolean;
  select: (s: Selection) => void;
}

export interface Clipboard {
  /** A file is held over the grid. */
  dropping: boolean;
  handlers: {
    onCopy: (e: ClipboardEvent) => void;
    onCut: (e: ClipboardEvent) => void;
    onPaste: (e: ClipboardEvent) => void;
    onDragOver: (e: DragEvent) => void;
    onDragLeave: () => void;
    onDrop: (e: DragEvent) => void;
  };
}

export function useClipboard(p: Props): Clipboard {
  const { store, tables, picked, total, lastColumn, editing, block: selected, write, clear, select } = p;
  const [dropping, setDropping] = useState(false);
  const insert = (text: string): void => {
    if (store.readOnly) return;
    if (tables.paste(parseTable(text))) return;
    const table = parseBlock(text);
    if (table.length === 0) return;
    const single = table.length === 1 && table[0]?.length === 1;
    const wide = picked.bottom > picked.top || picked.right > picked.left;
    const block =
      single && wide
        ? Array.from({ length: picked.bottom - picked.top + 1 }, () =>
            Array.from({ length: picked.right - picked.left + 1 }, () => table[0]?.[0] ?? ''),
          )
        : table;
    write(picked.top, picked.left, block);
    const height = block.length - 1;
    const width = Math.min((block[0]?.length ?? 1) - 1, lastColumn - picked.left);
    select({
      anchor: { row: picked.top, col: picked.left },
      active: { row: Math.min(picked.top + height, total + block.length - 1), col: picked.left + width },
    });
  };
  const onCopy = (e: ClipboardEvent, cut: boolean): void => {
    if (editing) return;
    e.clipboardData.setData('text/plain', writeTable(selected()));
    e.preventDefault();
    if (cut) clear();
  };
  const onPaste = (e: ClipboardEvent): void => {
    if (editing) return;
    e.preventDefault();
    insert(e.clipboardData.getData('text/plain'));
  };
  const onDrop = (e: DragEvent): void => {
    e.preventDefault();
    setDropping(false);
    tables.take([...e.dataTransfer.files], cellOf(e)?.row);
  };
  return {
    dropping,
    handlers: {
      onCopy: (e) => onCopy(e, false),
      onCut: (e) => onCopy(e, true),
      onPaste,
      onDragOver: (e) => {
        e.preventDefault();
        setDropping(true);
      },
      onDragLeave: () => setDropping(false),
      onDrop,
    },
  };
}
