import type { Import } from './upload';

type Fault = Import['errors'][number];

/** Faults that say the same of several rows, as one. */
export interface FaultGroup {
  fault: Fault;
  rows: number[];
}

/** Groups the faults of a file that have the same column and say the same, in the order of the first of each. */
export function groupFaults(faults: Fault[]): FaultGroup[] {
  const groups = new Map<string, FaultGroup>();
  for (const fault of faults) {
    const key = JSON.stringify([fault.column, fault.code, fault.message, fault.suggestions, fault.recordId]);
    const group = groups.get(key);
    if (group) {
      group.rows.push(fault.row);
    } else {
      groups.set(key, { fault, rows: [fault.row] });
    }
  }
  return [...groups.values()];
}

/** How many runs of rows are written; further ones are left out. */
const mostRuns = 4;

/** The numbers of rows as people write them: 2–4, 7. A file as a whole has no row. */
export function rowNumbers(rows: number[]): string {
  const runs: [number, number][] = [];
  for (const row of [...new Set(rows)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && row === last[1] + 1) {
      last[1] = row;
    } else {
      runs.push([row, row]);
    }
  }
  const written = runs.slice(0, mostRuns).map(([from, to]) => {
    if (from === to) {
      return from ? `${from}` : '–';
    }
    return to === from + 1 ? `${from}, ${to}` : `${from}–${to}`;
  });
  return (runs.length > mostRuns ? [...written, '…'] : written).join(', ');
}
