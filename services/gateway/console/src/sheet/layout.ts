/** How wide the columns of the grid are, in pixels. */
import type { Column } from './columns';

const numberWidth = 56;
/** How wide the overview says what a record is. */
const kindWidth = 340;
/** The least width of the figure at the end of a row. */
const figureWidth = 190;

function widthOf(c: Column): number {
  if (c.place) return 120;
  if (c.field === 'description' || c.kind === 'evidence') return 220;
  if (c.kind === 'boolean') return 96;
  if (c.kind === 'integer' || c.kind === 'number') return 120;
  if (c.kind === 'date') return 116;
  return 140;
}

export interface Layout {
  /** Those of the columns of fields. */
  widths: number[];
  /** What the columns of fields begin after. */
  before: number;
  /** All columns, as a grid of CSS has them. */
  template: string;
  /** The least width of a row. */
  width: number;
}

export function layoutOf(columns: Column[], everything: boolean): Layout {
  const widths = columns.map(widthOf);
  const before = numberWidth + (everything ? kindWidth : 0);
  const fields = widths.map((w) => `${w}px`).join(' ');
  return {
    widths,
    before,
    template: `${numberWidth}px ${everything ? `${kindWidth}px ` : ''}${fields} minmax(${figureWidth}px, 1fr)`,
    width: widths.reduce((a, b) => a + b, 0) + before + figureWidth,
  };
}
