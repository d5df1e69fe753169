/** One row of the grid. It renders only when its own content has changed. */
import type { TFunction } from 'i18next';
import { memo, type ReactNode } from 'react';
import { amount, exact, range } from '../format';
import { say } from '../i18n/server';
import { type Cells, type Column, shown } from './columns';
import { type Check, dirty, type Row } from './store';

/** How high a row is, in pixels. */
export const rowHeight = 32;

/** What the rows say, in the language of the page. */
export type Words = TFunction;

interface Props {
  id: string;
  index: number;
  start: number;
  row: Row | undefined;
  /** The subject of its record, in the overview. */
  about: string;
  // The rendered parts of the row: rows are mutated in place, so these are separate props.
  cells: Cells | undefined;
  saved: Cells | undefined;
  check: Check | undefined;
  status: Row['status'] | undefined;
  saving: boolean | undefined;
  theirs: Row['theirs'];
  locked: boolean;
  columns: Column[];
  from: number;
  to: number;
  template: string;
  width: number;
  everything: boolean;
  /** The column in focus, -1 for none; and those that are selected. */
  active: number;
  left: number;
  right: number;
  /** The column with the handle that fills down, -1 for none. */
  corner: number;
  editor: ReactNode;
  words: Words;
}

export const Line = memo(function Line(p: Props): ReactNode {
  const { row, words: t } = p;
  const lead = p.everything ? 3 : 2;
  const drawn: ReactNode[] = [];
  const draw = (n: number): void => {
    const c = p.columns[n];
    if (c) drawn.push(cellOf(p, c, n, lead));
  };
  // The cell in focus is there even when it cannot be seen: the focus points to it.
  if (p.active >= 0 && p.active < p.from) draw(p.active);
  for (let n = p.from; n <= p.to; n++) draw(n);
  if (p.active > p.to) draw(p.active);
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={p.index + 2}
      className="gridrow datarow"
      data-r={p.index}
      data-status={p.status}
      data-editing={p.editor ? true : undefined}
      style={{
        gridTemplateColumns: p.template,
        minWidth: p.width,
        transform: `translateY(${p.start}px)`,
        height: rowHeight,
      }}
    >
      <div
        role="rowheader"
        tabIndex={-1}
        aria-colindex={1}
        className="cell rownumber"
        data-head
        title={p.status && t(`status.${p.status}`)}
      >
        {p.index + 1}
        {row && (
          <>
            <span className="dot" data-status={p.saving ? 'saving' : dirty(row) ? 'draft' : p.status} aria-hidden />
            <span className="vh"> {t(`status.${row.status}`)}</span>
          </>
        )}
      </div>
      {p.everything && (
        <div role="gridcell" tabIndex={-1} aria-colindex={2} className="cell readonly" title={p.about}>
          {row && t(`type.${row.type as 'flights'}`, { defaultValue: row.type })}
          {p.about && <span className="dim"> {p.about}</span>}
        </div>
      )}
      {drawn}
      <div
        role="gridcell"
        tabIndex={-1}
        aria-colindex={p.columns.length + lead}
        className="cell readonly kg"
        style={{ gridColumn: p.columns.length + lead }}
        aria-readonly
      >
        {p.check && <Kg check={p.check} words={t} />}
      </div>
    </div>
  );
});

function cellOf(p: Props, c: Column, n: number, lead: number): ReactNode {
  const { words: t } = p;
  const text = p.cells?.[c.field] ?? '';
  const fault = p.check?.faults[c.field];
  const other = p.theirs && (p.theirs.cells[c.field] ?? '') !== text ? p.theirs.cells[c.field] || '–' : undefined;
  const chosen = n >= p.left && n <= p.right;
  return (
    <div
      key={c.field}
      id={`${p.id}-${p.index}-${n}`}
      role="gridcell"
      tabIndex={-1}
      aria-colindex={n + lead}
      aria-selected={chosen}
      aria-invalid={fault ? true : undefined}
      aria-readonly={p.locked || undefined}
      title={fault ? say('fault', fault, c.label) : other && t('conflict.cell', { theirs: shown(c, other) })}
      className="cell"
      style={{ gridColumn: n + lead }}
      data-c={n}
      data-active={n === p.active || undefined}
      data-selected={chosen || undefined}
      data-fault={fault ? true : undefined}
      data-conflict={other ? true : undefined}
      data-number={c.kind === 'integer' || c.kind === 'number' ? true : undefined}
    >
      {n === p.active && p.editor ? (
        p.editor
      ) : (
        <>
          <span className="celltext">{shown(c, text)}</span>
          {other && <span className="theirs">{shown(c, other)}</span>}
          {fault && <span className="vh"> {say('fault', fault, c.label)}</span>}
          {n === p.corner && <span className="fillhandle" data-fill aria-hidden title={t('sheet.fillDown')} />}
        </>
      )}
    </div>
  );
}

/** What a row counts, with its range; how many faults keep it from counting. */
export function Kg({ check: c, words: t }: { check: Check; words: Words }): ReactNode {
  if (c.state === 'bad')
    return <span className="bad">{t('sheet.faults', { count: Object.keys(c.faults).length })}</span>;
  if (c.kg === undefined) return <span className="dim">{c.state === 'waiting' ? '…' : ''}</span>;
  return (
    <span data-waiting={c.state === 'waiting' || undefined} title={exact(c.kg)}>
      <b>{amount(c.kg)}</b> <span className="dim">{range(c.low ?? 0, c.high ?? 0, c.kg)}</span>
    </span>
  );
}
