import { ActionIcon, Button, FileButton, Group, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconArrowBackUp,
  IconArrowDown,
  IconArrowForwardUp,
  IconFileImport,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { amount, exact, range } from '../format';
import type { TypeInfo } from '../pages/Sheet';
import { useProblemText } from '../ui/states';
import type { Column } from './columns';
import { Editor } from './Editor';
import type { Engine } from './engine';
import { Inspector } from './Inspector';
import { MappingModal, type Pasted } from './MappingModal';
import { area, at, byKey, move, type Selection } from './selection';
import { dirty, empty, type Row } from './store';
import { hasHeading, type Mapping, parseTable, proposeMapping, rememberMapping, writeTable } from './table';

const rowHeight = 32;
const blankRows = 20;
const sharedFields = ['description', 'date', 'group', 'dataQuality', 'externalReference', 'evidence'];

interface Props {
  engine: Engine;
  infos: TypeInfo[];
  type: string;
  /** The record to begin at. */
  focus?: string;
}

function widthOf(c: Column): number {
  if (c.place) return 84;
  if (c.field === 'description' || c.kind === 'evidence') return 220;
  if (c.kind === 'boolean') return 96;
  if (c.kind === 'integer' || c.kind === 'number') return 120;
  if (c.kind === 'date') return 116;
  return 140;
}

export function Grid({ engine, infos, type, focus }: Props): ReactNode {
  const { t } = useTranslation();
  const problemText = useProblemText();
  const { store } = engine;
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for what is in the store
  const shown = useMemo(
    () => (everything ? store.rows : store.rows.filter((r) => r.type === type)),
    [store, version, type, everything],
  );
  const total = shown.length + (everything || store.readOnly ? 0 : blankRows);
  const bounds = { rows: total, cols: columns.length };

  const [selection, setSelection] = useState<Selection>(() => {
    const n = focus ? shown.findIndex((r) => r.id === focus) : -1;
    return at(Math.max(0, n), 0);
  });
  const [editing, setEditing] = useState<{ start: string; select: boolean } | null>(null);
  const [pasted, setPasted] = useState<Pasted | null>(null);
  const [dropping, setDropping] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const pressed = useRef(false);

  const rowsView = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: 36,
    scrollPaddingEnd: 8,
  });
  const { active } = selection;
  const column = columns[active.col];
  const row = shown[active.row];
  const picked = area(selection);
  const selected = shown.slice(picked.top, picked.bottom + 1);

  const go = useCallback(
    (s: Selection): void => {
      setSelection(s);
      rowsView.scrollToIndex(s.active.row);
      scroller.current
        ?.querySelector(`[data-col="${s.active.col}"]`)
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    },
    [rowsView],
  );

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
    if (focus) rowsView.scrollToIndex(active.row, { align: 'center' });
    scroller.current?.focus({ preventScroll: true });
  }, []);

  const grid = useCallback(() => scroller.current?.focus({ preventScroll: true }), []);

  /** Writes a block of cells; rows that are not there yet appear. */
  const write = useCallback(
    (top: number, left: number, block: string[][]): void => {
      const edits = block.flatMap((line, dr) => {
        const target = shown[top + dr];
        if (!target && everything) return [];
        const cells: Record<string, string> = {};
        line.forEach((text, dc) => {
          const c = columns[left + dc];
          if (c) cells[c.field] = text;
        });
        return [{ ...(target ? { key: target.key } : {}), type: target?.type ?? type, cells }];
      });
      const locked = edits.filter((e) => e.key !== undefined && !store.editable(store.get(e.key) as Row)).length;
      store.edit(edits);
      if (locked > 0) notifications.show({ color: 'orange', message: t('sheet.locked', { count: locked }) });
    },
    [shown, everything, columns, store, type, t],
  );

  const fillMapped = (table: string[][], mapping: Mapping): void => {
    const edits = table.slice(1).map((line) => {
      const cells: Record<string, string> = {};
      mapping.forEach((field, n) => {
        if (field && line[n]) cells[field] = line[n];
      });
      return { type, cells };
    });
    const keys = store.edit(edits.filter((e) => Object.keys(e.cells).length > 0));
    notifications.show({ message: t('sheet.added', { count: keys.length }) });
  };

  const insert = (text: string, fromFile: boolean): void => {
    if (store.readOnly) return;
    const table = parseTable(text);
    if (table.length === 0) return;
    if (!everything && hasHeading(table, columns)) {
      const { mapping, sure } = proposeMapping(engine.scope, type, table[0] ?? [], columns);
      if (sure) fillMapped(table, mapping);
      else setPasted({ table, mapping });
      return;
    }
    if (fromFile && !everything) {
      // A file whose headings say nothing to us is asked about.
      setPasted({ table, mapping: (table[0] ?? []).map(() => '') });
      return;
    }
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
    const width = Math.min((block[0]?.length ?? 1) - 1, columns.length - 1 - picked.left);
    setSelection({
      anchor: { row: picked.top, col: picked.left },
      active: { row: Math.min(picked.top + height, total + block.length - 1), col: picked.left + width },
    });
  };

  const textAt = (r: number, c: number): string => shown[r]?.cells[columns[c]?.field ?? ''] ?? '';
  const block = (): string[][] => {
    const lines: string[][] = [];
    for (let r = picked.top; r <= picked.bottom; r++) {
      const line: string[] = [];
      for (let c = picked.left; c <= picked.right; c++) line.push(textAt(r, c));
      lines.push(line);
    }
    return lines;
  };
  const clear = (): void =>
    write(
      picked.top,
      picked.left,
      block()
        .map((l) => l.map(() => ''))
        .slice(0, Math.max(0, shown.length - picked.top)),
    );
  const fillDown = (): void => {
    const lines = block();
    const first = lines[0];
    if (!first || lines.length < 2) return;
    write(
      picked.top + 1,
      picked.left,
      lines.slice(1).map(() => first),
    );
  };
  const undo = (): void => {
    const stuck = store.undo();
    if (stuck.length > 0)
      notifications.show({
        color: 'orange',
        message: t('sheet.cannotUndo', { status: t(`status.${stuck[0]?.status ?? 'approved'}`) }),
      });
  };
  const edit = (start: string, select: boolean): void => {
    if (!column || store.readOnly || (row && !store.editable(row)) || (everything && !row)) return;
    setEditing({ start, select });
  };
  const setCell = (r: Row, field: string, text: string): void => {
    store.edit([{ key: r.key, type: r.type, cells: { [field]: text } }]);
    grid();
  };

  const onKeyDown = (e: KeyboardEvent<HTMLDivElement>): void => {
    if (editing || e.nativeEvent.isComposing) return;
    const ctrl = e.ctrlKey || e.metaKey;
    const moved = byKey(
      selection,
      e.key,
      ctrl,
      e.shiftKey,
      bounds,
      Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 1,
    );
    if (moved) {
      e.preventDefault();
      go(moved);
      return;
    }
    if (ctrl) {
      const key = e.key.toLowerCase();
      if (key === 'z') e.shiftKey ? store.redo() : undo();
      else if (key === 'y') store.redo();
      else if (key === 'd') fillDown();
      else if (key === 'a')
        setSelection({
          anchor: { row: 0, col: 0 },
          active: { row: Math.max(0, shown.length - 1), col: columns.length - 1 },
        });
      else return;
      e.preventDefault();
      return;
    }
    const fault = column && row?.check.faults[column.field];
    if (e.altKey && e.key === 'Enter' && row && column && fault?.suggestions?.[0]) {
      e.preventDefault();
      setCell(row, column.field, fault.suggestions[0]);
      return;
    }
    if (e.key === 'Enter' && e.shiftKey) go(move(selection, -1, 0, bounds, false));
    else if (e.key === 'Enter' || e.key === 'F2') edit(textAt(active.row, active.col), false);
    else if (e.key === 'Delete' || e.key === 'Backspace') clear();
    else if (e.key.length === 1 && !e.altKey) edit(e.key, false);
    else return;
    e.preventDefault();
  };

  const onCopy = (e: ClipboardEvent, cut: boolean): void => {
    if (editing) return;
    e.clipboardData.setData('text/plain', writeTable(block()));
    e.preventDefault();
    if (cut) clear();
  };
  const onPaste = (e: ClipboardEvent): void => {
    if (editing) return;
    e.preventDefault();
    insert(e.clipboardData.getData('text/plain'), false);
  };
  const take = async (file: File | null | undefined): Promise<void> => {
    if (!file) return;
    if (/\.(xlsx?|ods|numbers)$/i.test(file.name))
      notifications.show({ color: 'orange', message: t('sheet.workbook'), autoClose: 12_000 });
    else if (everything) notifications.show({ color: 'orange', message: t('sheet.chooseType') });
    else insert(await file.text(), true);
  };
  const onDrop = (e: DragEvent): void => {
    e.preventDefault();
    setDropping(false);
    void take(e.dataTransfer.files[0]);
  };

  const commit = (text: string, to: 'down' | 'up' | 'right' | 'left' | 'stay'): void => {
    setEditing(null);
    let where = active;
    if (column && text !== textAt(active.row, active.col)) {
      write(active.row, active.col, [[text]]);
      // A row that has just been made comes after the last.
      if (!row) where = { row: shown.length, col: active.col };
    }
    const here: Selection = { active: where, anchor: where };
    const next = { down: [1, 0], up: [-1, 0], right: [0, 1], left: [0, -1], stay: [0, 0] }[to] as [number, number];
    go(move(here, next[0], next[1], { rows: total + 1, cols: columns.length }, false));
    if (to !== 'stay') requestAnimationFrame(grid);
  };

  const submittable = selected.filter((r) => r.id && store.editable(r) && !dirty(r));
  const deletable = selected.filter((r) => store.editable(r));
  const submit = async (): Promise<void> => {
    try {
      const { done, refused } = await engine.submit(submittable);
      if (done > 0) notifications.show({ message: t('sheet.submitted', { count: done }) });
      if (refused.length > 0)
        notifications.show({
          color: 'red',
          message: `${t('sheet.notSubmitted', { count: refused.length })} ${refused[0]}`,
        });
    } catch (cause) {
      notifications.show({ color: 'red', message: problemText(cause as Error) });
    }
    grid();
  };
  const remove = async (): Promise<void> => {
    const count = deletable.filter((r) => !empty(r)).length;
    if (deletable.some((r) => r.id) && !window.confirm(t('sheet.confirmDelete', { count }))) return;
    try {
      const refused = await engine.remove(deletable);
      if (refused.length > 0) notifications.show({ color: 'red', message: refused[0] });
    } catch (cause) {
      notifications.show({ color: 'red', message: problemText(cause as Error) });
    }
    go(at(Math.min(picked.top, Math.max(0, shown.length - deletable.length)), active.col));
    grid();
  };

  const lead = everything ? 3 : 1; // columns before the fields: number, and in the overview type and figure
  const widths = columns.map(widthOf);
  const template = `${everything ? '56px 140px ' : '56px '}${widths.map((w) => `${w}px`).join(' ')} minmax(190px, 1fr)`;
  const width = widths.reduce((a, b) => a + b, 0) + 56 + 190 + (everything ? 140 : 0);

  const cellText = (r: Row, c: Column): string => {
    const text = r.cells[c.field] ?? '';
    return c.options.length > 0 && c.kind !== 'boolean' ? text.replaceAll('_', ' ') : text;
  };

  return (
    <div className="sheetmain">
      <div className="gridside">
        <Group className="toolbar" gap={6} role="toolbar" aria-label={t('sheet.tools')}>
          <Tool
            label={t('sheet.undo')}
            keys="Ctrl+Z"
            disabled={!store.canUndo}
            onClick={undo}
            icon={<IconArrowBackUp size={17} aria-hidden />}
          />
          <Tool
            label={t('sheet.redo')}
            keys="Ctrl+Y"
            disabled={!store.canRedo}
            onClick={() => store.redo()}
            icon={<IconArrowForwardUp size={17} aria-hidden />}
          />
          <Tool
            label={t('sheet.fillDown')}
            keys="Ctrl+D"
            disabled={picked.bottom === picked.top}
            onClick={fillDown}
            icon={<IconArrowDown size={17} aria-hidden />}
          />
          <Tool
            label={t('sheet.delete')}
            keys=""
            disabled={deletable.length === 0}
            onClick={() => void remove()}
            icon={<IconTrash size={17} aria-hidden />}
          />
          <FileButton
            onChange={(f) => void take(f)}
            accept=".csv,.tsv,.txt,text/csv,text/plain"
            inputProps={{ 'aria-label': t('sheet.file') }}
          >
            {(props) => (
              <Button
                {...props}
                disabled={store.readOnly}
                size="compact-sm"
                variant="default"
                leftSection={<IconFileImport size={15} aria-hidden />}
              >
                {t('sheet.file')}
              </Button>
            )}
          </FileButton>
          <Button
            size="compact-sm"
            leftSection={<IconSend size={15} aria-hidden />}
            disabled={submittable.length === 0}
            onClick={() => void submit()}
          >
            {t('sheet.submit', { count: submittable.length })}
          </Button>
        </Group>
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
          aria-activedescendant={editing ? undefined : `${id}-${active.row}-${active.col}`}
          data-dropping={dropping || undefined}
          onKeyDown={onKeyDown}
          onCopy={(e) => onCopy(e, false)}
          onCut={(e) => onCopy(e, true)}
          onPaste={onPaste}
          onDragOver={(e) => {
            e.preventDefault();
            setDropping(true);
          }}
          onDragLeave={() => setDropping(false)}
          onDrop={onDrop}
          onMouseUp={() => {
            pressed.current = false;
          }}
          onFocus={() => {
            engine.active = activeKey;
          }}
          onBlur={(e) => {
            if (e.currentTarget.contains(e.relatedTarget)) return;
            engine.active = null;
            engine.left();
          }}
        >
          <div
            className="gridrow head"
            role="row"
            aria-rowindex={1}
            style={{ gridTemplateColumns: template, minWidth: width }}
          >
            <div role="columnheader" aria-colindex={1} className="cell headcell rownumber">
              <span className="vh">{t('sheet.row')}</span>
            </div>
            {everything && (
              <div role="columnheader" aria-colindex={2} className="cell headcell">
                {t('sheet.type')}
              </div>
            )}
            {columns.map((c, n) => (
              <div
                key={c.field}
                role="columnheader"
                aria-colindex={n + (everything ? 3 : 2)}
                className="cell headcell"
                data-col={n}
                title={c.description}
              >
                {c.label}
                {c.unit && <span className="unit"> {c.unit}</span>}
                {c.required && !everything && (
                  <span className="required" title={t('inspect.required')}>
                    {' '}
                    •<span className="vh"> {t('inspect.required')}</span>
                  </span>
                )}
              </div>
            ))}
            <div role="columnheader" aria-colindex={columns.length + (everything ? 3 : 2)} className="cell headcell kg">
              kg CO₂e
            </div>
          </div>
          <div style={{ height: rowsView.getTotalSize(), minWidth: width, position: 'relative' }} role="presentation">
            {rowsView.getVirtualItems().map((v) => {
              const r = shown[v.index];
              return (
                <div
                  key={r?.key ?? `blank-${v.index}`}
                  role="row"
                  tabIndex={-1}
                  aria-rowindex={v.index + 2}
                  className="gridrow"
                  data-status={r?.status}
                  style={{
                    gridTemplateColumns: template,
                    minWidth: width,
                    transform: `translateY(${v.start}px)`,
                    height: rowHeight,
                    position: 'absolute',
                    top: 0,
                    left: 0,
                    right: 0,
                  }}
                >
                  {/** biome-ignore lint/a11y/useKeyWithClickEvents: Shift and the arrow keys select rows */}
                  <div
                    role="rowheader"
                    tabIndex={-1}
                    aria-colindex={1}
                    className="cell rownumber"
                    title={r ? t(`status.${r.status}`) : undefined}
                    onClick={(e) =>
                      setSelection((s) => ({
                        anchor: { row: e.shiftKey ? s.anchor.row : v.index, col: 0 },
                        active: { row: v.index, col: columns.length - 1 },
                      }))
                    }
                  >
                    {v.index + 1}
                    {r && (
                      <>
                        <span
                          className="dot"
                          data-status={r.saving ? 'saving' : dirty(r) ? 'draft' : r.status}
                          aria-hidden
                        />
                        <span className="vh"> {t(`status.${r.status}`)}</span>
                      </>
                    )}
                  </div>
                  {everything && (
                    <div role="gridcell" tabIndex={-1} aria-colindex={2} className="cell readonly">
                      {r && t(`type.${r.type as 'flights'}`, { defaultValue: r.type })}
                    </div>
                  )}
                  {columns.map((c, n) => {
                    const here = v.index === active.row && n === active.col;
                    const chosen =
                      v.index >= picked.top && v.index <= picked.bottom && n >= picked.left && n <= picked.right;
                    const fault = r?.check.faults[c.field];
                    const other = r?.theirs && (r.theirs.cells[c.field] ?? '') !== (r.cells[c.field] ?? '');
                    return (
                      <div
                        key={c.field}
                        id={`${id}-${v.index}-${n}`}
                        role="gridcell"
                        tabIndex={-1}
                        aria-colindex={n + (everything ? 3 : 2)}
                        aria-selected={chosen}
                        aria-invalid={fault ? true : undefined}
                        aria-readonly={r && !store.editable(r) ? true : undefined}
                        title={
                          fault?.message ??
                          (other ? t('conflict.cell', { theirs: r?.theirs?.cells[c.field] || '–' }) : undefined)
                        }
                        className="cell"
                        data-active={here || undefined}
                        data-selected={chosen || undefined}
                        data-fault={fault ? true : undefined}
                        data-conflict={other ? true : undefined}
                        data-number={c.kind === 'integer' || c.kind === 'number' ? true : undefined}
                        onMouseDown={(e) => {
                          if (e.button !== 0) return;
                          e.preventDefault();
                          grid();
                          pressed.current = true;
                          setEditing(null);
                          setSelection((s) => ({
                            active: { row: v.index, col: n },
                            anchor: e.shiftKey ? s.anchor : { row: v.index, col: n },
                          }));
                        }}
                        onMouseEnter={() => {
                          if (pressed.current) setSelection((s) => ({ ...s, active: { row: v.index, col: n } }));
                        }}
                        onDoubleClick={() => edit(textAt(v.index, n), false)}
                      >
                        {here && editing ? (
                          <Editor
                            column={c}
                            label={c.label}
                            start={editing.start}
                            select={editing.select}
                            done={commit}
                            cancel={() => {
                              setEditing(null);
                              requestAnimationFrame(grid);
                            }}
                          />
                        ) : (
                          <>
                            <span className="celltext">{r ? cellText(r, c) : ''}</span>
                            {other && <span className="theirs">{r?.theirs?.cells[c.field] || '–'}</span>}
                            {fault && <span className="vh"> {fault.message}</span>}
                          </>
                        )}
                      </div>
                    );
                  })}
                  <div
                    role="gridcell"
                    tabIndex={-1}
                    aria-colindex={columns.length + (everything ? 3 : 2)}
                    className="cell readonly kg"
                    aria-readonly
                  >
                    {r && <KgCell row={r} />}
                  </div>
                </div>
              );
            })}
          </div>
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
      />
      {pasted && (
        <MappingModal
          pasted={pasted}
          columns={columns}
          close={() => setPasted(null)}
          done={(mapping) => {
            rememberMapping(engine.scope, type, pasted.table[0] ?? [], mapping);
            fillMapped(pasted.table, mapping);
            setPasted(null);
            requestAnimationFrame(grid);
          }}
        />
      )}
    </div>
  );
}

function Tool({
  label,
  keys,
  icon,
  disabled,
  onClick,
}: {
  label: string;
  keys: string;
  icon: ReactNode;
  disabled: boolean;
  onClick: () => void;
}): ReactNode {
  return (
    <Tooltip label={keys ? `${label} (${keys})` : label}>
      <ActionIcon variant="default" size={28} aria-label={label} disabled={disabled} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

export function KgCell({ row }: { row: Row }): ReactNode {
  const { t } = useTranslation();
  const c = row.check;
  if (c.state === 'bad')
    return <span className="bad">{t('sheet.faults', { count: Object.keys(c.faults).length })}</span>;
  if (c.kg === undefined) return <span className="dim">{c.state === 'waiting' ? '…' : ''}</span>;
  return (
    <span data-waiting={c.state === 'waiting' || undefined} title={exact(c.kg)}>
      <b>{amount(c.kg)}</b> <span className="dim">{range(c.low ?? 0, c.high ?? 0)}</span>
    </span>
  );
}
