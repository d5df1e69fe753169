import type { KeyboardEvent } from 'react';
import { type Bounds, byKey, move, type Selection } from './selection';
import type { Store } from './store';

interface Props {
  store: Store;
  selection: Selection;
  bounds: Bounds;
  /** How many rows a page has. */
  page: () => number;
  /** A cell is being typed in: the keys are its own. */
  editing: boolean;
  /** What would be right in the cell in focus. */
  suggestion: string | undefined;
  go: (s: Selection) => void;
  selectAll: () => void;
  /** Begins to type, with a text or with what is in the cell. */
  edit: (start?: string) => void;
  correct: (text: string) => void;
  undo: () => void;
  fillDown: () => void;
  clear: () => void;
}

/** Returns what the keys of a spreadsheet do in the grid. */
export function gridKeys(p: Props): (e: KeyboardEvent<HTMLDivElement>) => void {
  return (e) => {
    if (p.editing || e.nativeEvent.isComposing) return;
    const ctrl = e.ctrlKey || e.metaKey;
    const moved = byKey(p.selection, e.key, ctrl, e.shiftKey, p.bounds, p.page());
    if (moved) {
      e.preventDefault();
      p.go(moved);
      return;
    }
    if (ctrl) {
      const key = e.key.toLowerCase();
      if (key === 'z') e.shiftKey ? p.store.redo() : p.undo();
      else if (key === 'y') p.store.redo();
      else if (key === 'd') p.fillDown();
      else if (key === 'a') p.selectAll();
      else return;
      e.preventDefault();
      return;
    }
    if (e.altKey && e.key === 'Enter' && p.suggestion) {
      e.preventDefault();
      p.correct(p.suggestion);
      return;
    }
    if (e.key === 'Enter' && e.shiftKey) p.go(move(p.selection, -1, 0, p.bounds, false));
    else if (e.key === 'Enter' || e.key === 'F2') p.edit();
    else if (e.key === 'Delete' || e.key === 'Backspace') p.clear();
    else if (e.key.length === 1 && !e.altKey) p.edit(e.key);
    else return;
    e.preventDefault();
  };
}
