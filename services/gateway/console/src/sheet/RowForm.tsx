import { ActionIcon, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp, IconChevronLeft, IconChevronRight, IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { say } from '../i18n/server';
import { AttachButton } from './AttachButton';
import { Conflict } from './Conflict';
import type { TypeInfo } from './columns';
import { shown } from './columns';
import { submittable } from './commands';
import type { Engine } from './engine';
import { type Evidence, evidenceIn, evidenceText } from './evidence';
import { StatusBadge } from './Inspector';
import { Kg } from './Line';
import { OtherFaults, Remarks } from './Remarks';
import { at as position } from './selection';
import { dirty, empty } from './store';
import { useRowCommands } from './useRowCommands';
import { useSelection } from './useSelection';
import { Verdict } from './Verdict';

/** With more rows than these, one is gone to by its number. */
const manyRows = 10;

/** Goes to a row by its number, which is what a list or a mail calls it by. */
function Jump({ count, go }: { count: number; go: (row: number) => void }): ReactNode {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        const row = Number(typed);
        if (Number.isInteger(row) && row >= 1) go(Math.min(row, count));
        setTyped('');
      }}
    >
      <TextInput
        w={72}
        aria-label={t('form.go', { count })}
        placeholder="#"
        inputMode="numeric"
        enterKeyHint="go"
        value={typed}
        onChange={(e) => setTyped(e.currentTarget.value.replace(/\D/g, ''))}
      />
    </form>
  );
}

/** Reports whether a field for days shows a text: any other one would be in it unseen. */
const isDay = (text: string): boolean => text === '' || /^\d{4}-\d\d-\d\d$/.test(text);

interface Props {
  engine: Engine;
  infos: TypeInfo[];
  type: string;
  /** The record to begin at. */
  focus?: string;
  /** Where what is done next with the row stands: in view, however long the form is. */
  slot: Element | null;
}

/** The sheet where there is room for one row only: the row as a form. */
export function RowForm({ engine, infos, type, focus, slot }: Props): ReactNode {
  const { t } = useTranslation();
  const { store } = engine;
  const commands = useRowCommands(engine);
  const version = store.snapshot();
  const read = useCallback(() => store.rows.filter((r) => type === 'all' || r.type === type), [store, type]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version represents the content of the store
  const rows = useMemo(read, [read, version]);
  // Without a record to begin at, it begins at what was typed and is not saved, as after the end of a session.
  const { selection, select, stay } = useSelection(rows, read, () => {
    const first = rows.findIndex((r) => (focus ? r.id === focus : store.editable(r) && dirty(r) && !empty(r)));
    return position(Math.max(0, first), 0);
  });
  const at = selection.active.row;
  const setAt = (row: number): void => select(position(row, 0));
  const row = rows[at];
  const info = infos.find((i) => i.type === (row?.type ?? type));
  const key = row?.key ?? null;
  useEffect(() => {
    engine.active = key;
    engine.left();
    return () => {
      engine.active = null;
    };
  }, [engine, key]);
  const set = (field: string, value: string, of = row): void => {
    store.edit([{ ...(of ? { key: of.key } : {}), type: info?.type ?? type, cells: { [field]: value } }]);
    stay();
  };
  const attach = (documents: Evidence[]): void => {
    // Reading files takes a while, in which the row may have been begun.
    const now = read()[at];
    set('evidence', evidenceText([...(evidenceIn(now?.cells.evidence ?? '') ?? []), ...documents]), now);
    notifications.show({ message: t('sheet.attached', { row: at + 1 }), autoClose: 12_000 });
  };
  // What has the focus here is left by going to another row only, of which there may be none.
  const save = (): void => {
    engine.active = null;
    engine.left();
    engine.active = key;
  };
  const drop = async (): Promise<void> => {
    if (row && (await commands.remove([row]))) setAt(Math.max(0, Math.min(at, read().length - 1)));
  };
  const drafts = rows.filter((r) => submittable(store, r));
  const locked = store.readOnly || (row !== undefined && !store.editable(row));
  const next =
    row && !locked && dirty(row) && !empty(row) ? (
      <Button disabled={row.check.state === 'bad'} loading={row.saving} onClick={save}>
        {t('form.save')}
      </Button>
    ) : row && submittable(store, row) ? (
      <Button onClick={() => void commands.submit([row])}>{t('sheet.submit', { count: 1 })}</Button>
    ) : null;
  return (
    <Stack p="md" gap="sm" className="rowform">
      <Group justify="space-between" wrap="nowrap">
        <ActionIcon
          variant="default"
          size={44}
          aria-label={t('form.previous')}
          disabled={at === 0}
          onClick={() => setAt(at - 1)}
        >
          <IconChevronLeft aria-hidden />
        </ActionIcon>
        <Group gap="xs" wrap="nowrap">
          {rows.length > manyRows && <Jump count={rows.length} go={(n) => setAt(n - 1)} />}
          <Text size="sm" role="status">
            {row ? t('form.of', { at: at + 1, count: rows.length }) : t('form.new')}
          </Text>
        </Group>
        <Group gap={6} wrap="nowrap">
          {at < rows.length - 1 && (
            <ActionIcon variant="default" size={44} aria-label={t('form.next')} onClick={() => setAt(at + 1)}>
              <IconChevronRight aria-hidden />
            </ActionIcon>
          )}
          {type !== 'all' && !store.readOnly && (
            <ActionIcon
              variant="default"
              size={44}
              aria-label={t('form.new')}
              disabled={at >= rows.length}
              onClick={() => setAt(rows.length)}
            >
              <IconPlus aria-hidden />
            </ActionIcon>
          )}
        </Group>
      </Group>
      {row && (
        <Group justify="space-between">
          <StatusBadge row={row} />
          <Kg check={row.check} words={t} />
        </Group>
      )}
      {row && type === 'all' && <Text fw={600}>{t(`type.${row.type as 'flights'}`, { defaultValue: row.type })}</Text>}
      {!info && <Text c="dimmed">{t('sheet.emptyAll')}</Text>}
      {info && !row && <Text size="sm">{info.description}</Text>}
      {row && <Conflict engine={engine} row={row} info={info} />}
      {row && <Remarks row={row} />}
      {row && <OtherFaults row={row} info={info} />}
      {locked && row && (
        <Text size="sm" c="dimmed">
          {t('inspect.locked')}
        </Text>
      )}
      {row && <Verdict key={row.key} engine={engine} row={row} />}
      {info?.columns.map((c) => {
        // A locked row is shown as text, without empty fields.
        if (locked && row && !row.cells[c.field]) return null;
        const fault = row?.check.faults[c.field];
        const label = `${c.label}${c.unit ? ` (${c.unit})` : ''}`;
        const error = fault && (
          <>
            {say('fault', fault, c.label)}{' '}
            {!locked &&
              fault.suggestions?.slice(0, 3).map((s) => (
                <Button key={s} size="compact-xs" variant="default" mr={4} onClick={() => set(c.field, s)}>
                  {shown(c, s)}
                </Button>
              ))}
          </>
        );
        if (!locked && c.options.length > 0 && c.kind !== 'amounts')
          return (
            <NativeSelect
              key={c.field}
              label={label}
              required={c.required}
              error={error}
              description={c.description}
              value={row?.cells[c.field] ?? ''}
              data={[
                { value: '', label: c.fallback ? t('form.default', { value: shown(c, c.fallback) }) : '–' },
                ...c.options.map((o) => ({ value: o, label: shown(c, o) })),
              ]}
              onChange={(e) => set(c.field, e.currentTarget.value)}
            />
          );
        const input = (
          <TextInput
            key={c.field}
            label={label}
            required={c.required}
            readOnly={locked}
            variant={locked ? 'filled' : 'default'}
            error={error}
            description={locked ? undefined : c.description}
            type={c.kind === 'date' && isDay(row?.cells[c.field] ?? '') ? 'date' : 'text'}
            inputMode={c.kind === 'integer' ? 'numeric' : c.kind === 'number' ? 'decimal' : 'text'}
            value={
              locked && c.kind !== 'amounts' && c.options.length > 0
                ? shown(c, row?.cells[c.field] ?? '')
                : (row?.cells[c.field] ?? '')
            }
            onChange={(e) => set(c.field, e.currentTarget.value)}
          />
        );
        if (locked || c.kind !== 'evidence') return input;
        return (
          <Stack key={c.field} gap={6} align="stretch">
            {input}
            <AttachButton attach={attach} />
          </Stack>
        );
      })}
      {slot && next && createPortal(next, slot)}
      {drafts.some((r) => r !== row) && (
        <Button variant="default" onClick={() => void commands.submit(drafts)}>
          {t(drafts.length > 1 ? 'sheet.submitAll' : 'sheet.submit', { count: drafts.length })}
        </Button>
      )}
      {row?.status === 'submitted' && !store.readOnly && (
        <Button variant="default" onClick={() => void commands.withdraw(row)}>
          {t('sheet.withdraw')}
        </Button>
      )}
      {!store.readOnly && (
        <Group grow>
          {store.canUndo && (
            <Button variant="default" leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={commands.undo}>
              {t('sheet.undo')}
            </Button>
          )}
          {row && store.editable(row) && (row.id || !empty(row)) && (
            <Button variant="default" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => void drop()}>
              {t('form.delete')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
