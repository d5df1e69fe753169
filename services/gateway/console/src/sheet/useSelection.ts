/** The selection of a sheet, which stays with its records when rows are added and removed. */
import { type SetStateAction, useCallback, useMemo, useState } from 'react';
import { follow, type Selection } from './selection';
import type { Row } from './store';

interface Place {
  selection: Selection;
  /** The rows that its positions count among. */
  among: readonly Row[];
}

interface Selected {
  selection: Selection;
  select: (next: SetStateAction<Selection>) => void;
  /** Called when the user's own action has added rows: the selection keeps its position, and they are below it. */
  stay: () => void;
}

/** Takes the rows that are shown, and how to read them anew: a step may have made some since. */
export function useSelection(shown: readonly Row[], read: () => Row[], first: () => Selection): Selected {
  const [place, setPlace] = useState<Place>(() => ({ selection: first(), among: shown }));
  const selection = useMemo(() => follow(place.selection, place.among, shown), [place, shown]);
  const select = useCallback(
    (next: SetStateAction<Selection>): void => {
      const among = read();
      setPlace((p) => ({
        selection: typeof next === 'function' ? next(follow(p.selection, p.among, among)) : next,
        among,
      }));
    },
    [read],
  );
  const stay = (): void => {
    const among = read();
    setPlace((p) => ({ selection: follow(p.selection, p.among, shown), among }));
  };
  return { selection, select, stay };
}
