import { useState } from 'react';
import { choicesOf, proposeChoices, recallChoices, rememberChoices, type Told, toldBy, unsure } from './choices';
import type { Column } from './columns';
import type { Mapping } from './table';
import type { Import, Options } from './upload';

interface Match {
  /** The sheet and the encoding that the columns are of. */
  place: string;
  told: Told;
  mapping: Mapping;
  /** Somebody is asked; first: nobody has been before. */
  asking: boolean;
  first: boolean;
}

const placeOf = (o: Options): string => JSON.stringify([o.sheet, o.encoding]);

export interface Choices {
  /** The columns of the file as it is read now; null until they are known. */
  match: Match | null;
  /** Takes note of what a rehearsal told. */
  look: (o: Options, answer: Import | Error) => void;
  /** Returns other options, without what was chosen for another sheet. */
  with: (o: Options) => Options;
  choose: (mapping: Mapping) => void;
  ask: (asking: boolean) => void;
}

/** What the columns of a file are, for each of its sheets: chosen before, or to be asked. */
export function useChoices(
  scope: string,
  type: string,
  columns: Column[],
  options: Options,
  change: (o: Options) => void,
  people: boolean,
): Choices {
  const [now, setNow] = useState<Match | null>(null);
  const place = placeOf(options);
  const match = now?.place === place ? now : null;
  return {
    match,
    look: (o, answer) => {
      const told = toldBy(answer);
      if (!told || o.columns.length > 0 || match) return;
      const kept = recallChoices(scope, type, told, columns);
      const mapping = kept ?? proposeChoices(told, columns);
      const asking = !kept && unsure(told, mapping, columns, people);
      setNow({ place: placeOf(o), told, mapping, asking, first: asking });
      if (kept) change({ ...o, columns: choicesOf(told, kept, columns) });
    },
    with: (o) => (placeOf(o) === place ? o : { ...o, columns: [] }),
    choose: (mapping) => {
      if (!match) return;
      rememberChoices(scope, type, match.told, mapping);
      setNow({ ...match, mapping, asking: false, first: false });
      change({ ...options, columns: choicesOf(match.told, mapping, columns) });
    },
    ask: (asking) => match && setNow({ ...match, asking }),
  };
}
