import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describe } from '../footprint/summary';
import { fieldsOf, type TypeInfo, typedIn } from './columns';
import { submittable } from './commands';
import { Editor } from './Editor';
import type { Engine } from './engine';
import { evidenceIn, evidenceText } from './evidence';
import { useTables } from './files';
import { gridKeys } from './gridKeys';
import { Head } from './Head';
import { Inspector } from './Inspector';
import { rowHeight } from './Line';
import { layoutOf } from './layout';
import { Rows, type View } from './Rows';
import { area, at, move, type Selection } from './selection';
import type { Row } from './store';
import { Toolbar } from './Toolbar';
import { useCells } from './useCells';
import { useClipboard } from './useClipboard';
import { usePointer } from './usePointer';
import { useRowCommands } from './useRowCommands';
import { useSelection } from './useSelection';

const blankRows = 20;
const sharedFields = ['description', 'date', 'group', 'dataQuality', 'externalReference', 'evidence'];

interface Props {
  engine: Engine;
  infos: TypeInfo[];
  type: string;
  /** The record to begin at. */
  focus?: string;
  /** Is told whether a dialog of the grid is open. */
  occupied: (open: boolean) => void;
}

export function Grid({ engine, infos, type, focus, occupied }: Props): ReactNode {
  const { t } = useTranslation();
  const { store } = engine;
  const commands = useRowCommands(engine);
  const id = useId();
  const everything = type === 'all';
  const columns = useMemo(
    () =>
      everything
        ? (infos[0]?.columns ?? []).filter((c) => sharedFields.includes(c.field))
        : (infos.find((i) => i.type === type)?.columns ?? []),
    [everything, infos, type],
  );
  const version = store.snapshot();
  const read = useCallback(() => store.rows.filter((r) => everything || r.type === type), [store, type, everything]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version represents the content of the store
  const shown = useMemo(read, [read, version]);
  const total = shown.length + (everything || store.readOnly ? 0 : blankRows);
  const bounds = { rows: total, cols: columns.length };

  const {
    selection,
    select: setSelection,
    stay,
  } = useSelection(shown, read, () => {
    const n = focus ? shown.findIndex((r) => r.id === focus) : -1;
    return at(Math.max(0, n), 0);
  });
  const [editing, setEditing] = useState<{ start: string; select: boolean; key: string | undefined } | null>(null);
  const typed = useRef<string | null>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const view = useRef<View>(null);
  const { active } = selection;
  const column = columns[active.col];
  const row = shown[active.row];
  const picked = area(selection);
  const selected = shown.slice(picked.top, picked.bottom + 1);

  const go = (s: Selection): void => {
    setSelection(s);
    view.current?.show(s.active.row);
    scroller.current
      ?.querySelector(`[data-col="${s.active.col}"]`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };

  // The row in focus is saved when it is left.
  const activeKey = row?.key ?? null;
  useEffect(() => {
    engine.active = activeKey;
    engine.left();
    return () => {
      engine.active = null;
    };
  }, [engine, activeKey]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, where the page was opened for one record
  useEffect(() => {
    if (focus) view.current?.show(active.row, 'center');
    // Who goes along the types by keys goes on along them.
    if (!document.activeElement?.matches('[role=tab]:focus-visible')) scroller.current?.focus({ preventScroll: true });
  }, []);

  const grid = useCallback(() => scroller.current?.focus({ preventScroll: true }), []);

  const { textAt, write, block, clear, fillDown, fillTo } = useCells({ store, shown, columns, type, picked, stay });
  const tables = useTables(engine, type, columns, grid, stay, (documents, dropped) => {
    const to = Math.min(dropped ?? active.row, shown.length);
    const named = shown[to];
    if (!named && everything) {
      notifications.show({ color: 'orange', message: t('sheet.chooseRow') });
      return;
    }
    if (named && !store.editable(named)) {
      notifications.show({ color: 'orange', message: t('sheet.locked', { count: 1 }) });
      return;
    }
    const col = columns.findIndex((c) => c.kind === 'evidence');
    write(to, col, [[evidenceText([...(evidenceIn(textAt(to, col)) ?? []), ...documents])]]);
    go(at(to, col));
    grid();
    notifications.show({ message: t('sheet.attached', { row: to + 1 }), autoClose: 12_000 });
  });
  useEffect(() => {
    occupied(tables.open);
    return () => occupied(false);
  }, [occupied, tables.open]);
  const clipboard = useClipboard({
    store,
    tables,
    picked,
    total,
    lastColumn: columns.length - 1,
    editing: editing !== null,
    block,
    write,
    clear,
    select: setSelection,
  });

  const edit = (start: string, select: boolean): void => {
    if (!column || store.readOnly || (row && !store.editable(row)) || (everything && !row)) return;
    typed.current = null;
    setEditing({ start, select, key: row?.key });
  };
  const setCell = (r: Row, field: string, text: string): void => {
    store.edit([{ key: r.key, type: r.type, cells: { [field]: text } }]);
    grid();
  };

  const onKeyDown = gridKeys({
    store,
    selection,
    bounds,
    page: () => Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 1,
    editing: editing !== null,
    suggestion: column && row?.check.faults[column.field]?.suggestions?.[0],
    go,
    selectAll: () =>
      setSelection({
        anchor: { row: 0, col: 0 },
        active: { row: Math.max(0, shown.length - 1), col: columns.length - 1 },
      }),
    edit: (start) => edit(start ?? textAt(active.row, active.col), false),
    correct: (text) => row && column && setCell(row, column.field, text),
    undo: commands.undo,
    fillDown,
    clear,
  });

  // Focus the grid before the editor is removed, so that a key typed in between goes to the grid.
  const close = (): void => {
    grid();
    setEditing(null);
  };
  const commit = (text: string, to: 'down' | 'up' | 'right' | 'left' | 'stay'): void => {
    if (to === 'stay') setEditing(null);
    else close();
    // If somebody has deleted the record meanwhile, the input becomes a new row.
    const known = row && row.key === editing?.key;
    let where = active;
    if (column && text !== (known ? textAt(active.row, active.col) : '')) {
      // A new row is the last one.
      if (!known) where = { row: shown.length, col: active.col };
      write(where.row, where.col, [[text]]);
    }
    const here: Selection = { active: where, anchor: where };
    const next = { down: [1, 0], up: [-1, 0], right: [0, 1], left: [0, -1], stay: [0, 0] }[to] as [number, number];
    go(move(here, next[0], next[1], { rows: total + 1, cols: columns.length }, false));
  };

  // What is being typed is entered as well where the grid goes while it has the focus, as when the page fails.
  const enter = useRef(() => {});
  enter.current = () => {
    if (editing && column && typed.current !== null) commit(typedIn(column, typed.current), 'stay');
  };
  useLayoutEffect(() => () => enter.current(), []);

  const deletable = selected.filter((r) => store.editable(r));
  const removeSelected = async (): Promise<void> => {
    if (!(await commands.remove(deletable))) return;
    go(at(Math.min(picked.top, Math.max(0, shown.length - deletable.length)), active.col));
    grid();
  };

  const lead = everything ? 3 : 1; // columns before the fields: number, and in the overview type and figure
  const { widths, before, template, width } = useMemo(() => layoutOf(columns, everything), [columns, everything]);
  const about = (r: Row): string => {
    const own = infos.find((i) => i.type === r.type)?.columns.filter((c) => c.field !== 'description') ?? [];
    return describe(own, fieldsOf(own, r.cells));
  };

  const editor = editing && column && (
    <Editor
      column={column}
      label={column.label}
      start={editing.start}
      select={editing.select}
      typed={typed}
      done={commit}
      cancel={close}
    />
  );
  const pointer = usePointer({
    picked,
    lastColumn: columns.length - 1,
    setSelection,
    begin: () => {
      grid();
      setEditing(null);
    },
    edit: (where) => edit(textAt(where.row, where.col), false),
    fillTo,
  });

  return (
    <div className="sheetmain">
      <div className="gridside">
        <Toolbar
          event={engine.event}
          type={type}
          store={store}
          wide={picked.bottom > picked.top}
          undo={commands.undo}
          fillDown={fillDown}
          remove={deletable.length > 0 ? () => void removeSelected() : undefined}
          take={tables.take}
          refresh={() => void engine.refreshed()}
          selected={selected.filter((r) => submittable(store, r))}
          all={shown.filter((r) => submittable(store, r))}
          submit={(rows) => void commands.submit(rows).then(grid)}
        />
        <div
          ref={scroller}
          className="grid"
          role="grid"
          tabIndex={0}
          aria-label={t('sheet.label', {
            type: everything ? t('sheet.all') : t(`type.${type as 'flights'}`, { defaultValue: type }),
          })}
          aria-rowcount={total + 1}
          aria-colcount={columns.length + lead + (everything ? 0 : 1)}
          aria-multiselectable
          aria-readonly={store.readOnly || undefined}
          data-dropping={clipboard.dropping || undefined}
          onKeyDown={onKeyDown}
          {...clipboard.handlers}
          {...pointer}
          onFocus={() => {
            engine.active = activeKey;
          }}
          onBlur={(e) => {
            if (e.currentTarget.contains(e.relatedTarget)) return;
            engine.active = null;
            engine.left();
          }}
        >
          <Head columns={columns} template={template} width={width} everything={everything} />
          <Rows
            id={id}
            store={store}
            shown={shown}
            total={total}
            columns={columns}
            widths={widths}
            template={template}
            width={width}
            before={before}
            everything={everything}
            about={about}
            active={active}
            picked={picked}
            editor={editor}
            words={t}
            scroller={scroller}
            view={view}
          />
        </div>
        {shown.length === 0 && (
          <Text size="sm" c="dimmed" className="gridhint">
            {everything ? t('sheet.emptyAll') : t('sheet.empty')}
          </Text>
        )}
      </div>
      <Inspector
        engine={engine}
        info={infos.find((i) => i.type === (row?.type ?? type))}
        row={row}
        field={column?.field}
        set={setCell}
        withdraw={commands.withdraw}
      />
      {tables.dialogs}
    </div>
  );
}
