/** Which column of a table is which of ours: proposed, and remembered once it was said. */
import type { Column } from './columns';
import { saysNoUnit } from './headunits';
import { bare, type Mapping, matchHeading } from './table';

const key = (scope: string, type: string, head: string[]): string =>
  `ecf.mapping.${scope}.${type}.${head.map(bare).join('|')}`;

/**
 * Proposes a mapping: the one used last for such a heading, else what the headings mean. It is not sure of a column whose
 * heading says no unit where the numbers have none either.
 */
export function proposeMapping(
  scope: string,
  type: string,
  table: string[][],
  columns: Column[],
): { mapping: Mapping; sure: boolean } {
  const [head = []] = table;
  const stored = localStorage.getItem(key(scope, type, head));
  if (stored !== null) {
    const mapping = stored.split(',');
    if (mapping.length === head.length && mapping.every((f) => f === '' || columns.some((c) => c.field === f)))
      return { mapping, sure: true };
  }
  const used = new Set<string>();
  const mapping = head.map((h) => {
    const field = matchHeading(h, columns);
    if (!field || used.has(field)) return '';
    used.add(field);
    return field;
  });
  return { mapping, sure: mapping.every((f) => f !== '') && !saysNoUnit(table, mapping, columns) };
}

export function rememberMapping(scope: string, type: string, head: string[], mapping: Mapping): void {
  localStorage.setItem(key(scope, type, head), mapping.join(','));
}
