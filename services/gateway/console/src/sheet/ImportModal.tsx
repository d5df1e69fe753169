import { Alert, Button, Group, Modal, NativeSelect, Progress, Stack, Table, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, isRefused } from '../api/client';
import { number } from '../format';
import { say } from '../i18n/server';
import { Problem, useProblemText } from '../ui/states';
import { type Column, namesIn } from './columns';
import { badRows, headless, type Import, mendable, type Options, plain, type Upload, undoImport } from './upload';

const formats = ['1234.5', '1234,5', '1,234.5', '1.234,5', '1 234,5', "1'234.5"];

interface Props {
  upload: Upload;
  columns: Column[];
  close: () => void;
  /** The server holds other records now. */
  imported: () => void;
  /** Rows with headings, to be mended in the sheet, and how their file is written. */
  mend: (table: string[][], options: Options) => void;
}

/** Returns a column that was left out by its heading, or what a spreadsheet calls it where it has none. */
const columnName = (column: string, t: TFunction): string => {
  const letters = headless(column);
  return letters ? t('import.headless', { letters }) : column;
};

/** The import of a file: its dry run, progress and errors. */
export function ImportModal({ upload, columns, close, imported, mend }: Props): ReactNode {
  const { t } = useTranslation();
  const text = useProblemText();
  const [options, setOptions] = useState<Options>(plain);
  const [busy, setBusy] = useState(false);
  const [now, setNow] = useState<Import | null>(null);
  const [done, setDone] = useState<Import | null>(null);
  const [failed, setFailed] = useState<Error | null>(null);
  // The button that was pressed disappears at the end; focus the next step instead.
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (done) next.current?.focus();
  }, [done]);
  const rehearsal = useQuery({
    queryKey: ['import', upload.event, upload.type, upload.name, options],
    queryFn: () => upload.rehearse(options),
    retry: false,
    staleTime: 0,
    gcTime: 0,
    // It sends the whole file, and of one whose import had no answer it would say that it is a duplicate.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const twice = rehearsal.error instanceof ApiError && rehearsal.error.code === 'DUPLICATE_FILE';
  const run = async (): Promise<void> => {
    setBusy(true);
    setFailed(null);
    try {
      const end = await upload.run(options, setNow);
      setDone(end);
      imported();
    } catch (cause) {
      setFailed(cause as Error);
    }
    setNow(null);
    setBusy(false);
  };
  const unknown = failed !== null && !isRefused(failed);
  const leave = (): void => {
    if (unknown) imported(); // the rows may be there
    close();
  };
  const act = (f: () => Promise<void>): void =>
    void f().catch((cause: Error) => notifications.show({ color: 'red', message: text(cause) }));
  const bad = done ?? rehearsal.data;
  return (
    <Modal
      opened
      onClose={() => !busy && leave()}
      size="lg"
      title={t('import.title', { name: upload.name })}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      <Stack gap="sm">
        {!done && !busy && <Forms upload={upload} options={options} change={setOptions} />}
        {rehearsal.isFetching && !busy && !done && (
          <Text size="sm" role="status">
            {t('import.looking')}
          </Text>
        )}
        {twice && !done && !busy && (
          <Alert color="orange" title={t('import.twice')} role="alert">
            <Text size="sm">{t('import.twiceText')}</Text>
            <Group mt="xs" gap="xs">
              <Button size="xs" onClick={leave}>
                {t('import.leave')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setOptions({ ...options, again: true })}>
                {t('import.again')}
              </Button>
            </Group>
          </Alert>
        )}
        {rehearsal.isError && !twice && <Problem error={rehearsal.error} retry={() => void rehearsal.refetch()} />}
        {failed && <Problem error={failed} />}
        {unknown && <Text size="sm">{t('import.unknown')}</Text>}
        {rehearsal.data && !busy && !done && (
          <Text role="status">
            {t('import.would', { count: rehearsal.data.rows - rehearsal.data.failed })}{' '}
            {rehearsal.data.failed > 0 && t('import.wouldNot', { count: rehearsal.data.failed })}
          </Text>
        )}
        {!busy && !done && <Repeats of={rehearsal.data} />}
        {now && (
          <div>
            <Text size="sm" role="status">
              {now.status === 'validating'
                ? t('import.validating', { rows: number(now.rows) })
                : t('import.importing', { imported: number(now.imported), rows: number(now.rows - now.failed) })}
            </Text>
            <Progress
              mt={6}
              aria-label={t('import.progress')}
              value={now.status === 'validating' ? 0 : (100 * now.imported) / Math.max(1, now.rows - now.failed)}
            />
          </div>
        )}
        {done && (
          <Alert color={done.status === 'failed' ? 'red' : 'teal'} role="status">
            {done.status === 'failed' ? t('import.nothing') : t('import.done', { count: done.imported })}
          </Alert>
        )}
        {bad && (bad.headRow ?? 1) > 1 && (
          <Text size="sm" c="dimmed">
            {t('import.headRow', { row: bad.headRow })}
          </Text>
        )}
        {bad && bad.ignoredColumns.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('import.ignored', { columns: bad.ignoredColumns.map((c) => columnName(c, t)).join(', ') })}
          </Text>
        )}
        {bad && bad.errors.length > 0 && <Faults faults={bad.errors} all={bad.errorCount} called={namesIn(columns)} />}
        <Group justify="flex-end">
          {done && done.imported > 0 && (
            <Button
              variant="default"
              onClick={() =>
                act(async () => {
                  const removed = await undoImport(upload.event, done._id);
                  notifications.show({ message: t('import.undone', { count: removed }) });
                  imported();
                  close();
                })
              }
            >
              {t('import.undo')}
            </Button>
          )}
          {done && mendable(done) > 0 && (
            <Button
              ref={next}
              onClick={() =>
                act(async () => {
                  const { numberFormat = '', dateOrder = '' } = done;
                  mend(await badRows(upload.event, done), { ...options, numberFormat, dateOrder });
                  close();
                })
              }
            >
              {t('import.mend', { count: mendable(done) })}
            </Button>
          )}
          <Button
            variant="default"
            onClick={leave}
            disabled={busy}
            {...(done && mendable(done) === 0 ? { ref: next } : {})}
          >
            {done ? t('state.close') : t('state.cancel')}
          </Button>
          {!done && (
            <Button onClick={() => void run()} loading={busy} disabled={!rehearsal.isSuccess} data-autofocus>
              {t('import.run', { count: (rehearsal.data?.rows ?? 0) - (rehearsal.data?.failed ?? 0) })}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

/** How the file is written, where that can be read in more than one way. */
function Forms({
  upload,
  options,
  change,
}: {
  upload: Upload;
  options: Options;
  change: (o: Options) => void;
}): ReactNode {
  const { t } = useTranslation();
  const select = (
    name: 'numberFormat' | 'dateOrder' | 'encoding',
    choices: { value: string; label: string }[],
  ): ReactNode => (
    <NativeSelect
      size="xs"
      label={t(`import.${name}`)}
      value={options[name]}
      data={[{ value: '', label: name === 'encoding' ? 'UTF-8' : t(`import.${name}AsWritten`) }, ...choices]}
      onChange={(e) => change({ ...options, [name]: e.currentTarget.value })}
    />
  );
  return (
    <Group gap="sm" align="flex-end">
      {select(
        'numberFormat',
        formats.map((f) => ({ value: f, label: f })),
      )}
      {select(
        'dateOrder',
        (['dmy', 'mdy', 'ymd'] as const).map((o) => ({ value: o, label: t(`import.${o}`) })),
      )}
      {upload.workbook ? (
        <TextInput
          size="xs"
          label={t('import.sheet')}
          placeholder={t('import.firstSheet')}
          defaultValue={options.sheet}
          onBlur={(e) =>
            e.currentTarget.value !== options.sheet && change({ ...options, sheet: e.currentTarget.value })
          }
        />
      ) : (
        select('encoding', [{ value: 'windows-1252', label: 'Windows-1252' }])
      )}
      {upload.type === 'attendee-travel' && (
        <TextInput
          size="xs"
          label={t('import.to')}
          placeholder={t('import.eventPlace')}
          defaultValue={options.to}
          onBlur={(e) => e.currentTarget.value !== options.to && change({ ...options, to: e.currentTarget.value })}
        />
      )}
    </Group>
  );
}

/** What the file may bring in a second time, such as a list of attendees that has grown since it was imported. */
function Repeats({ of: answer }: { of: Import | undefined }): ReactNode {
  const { t } = useTranslation();
  const notices = answer?.notices ?? [];
  if (notices.length === 0) return null;
  return (
    <Alert color="orange" role="status" title={t('import.repeats')}>
      {notices.map((n) => (
        <Text key={n.code + n.message} size="sm">
          {say('notice', n)}
        </Text>
      ))}
    </Alert>
  );
}

function Faults({
  faults,
  all,
  called,
}: {
  faults: Import['errors'];
  all: number;
  called: (field: string) => string | undefined;
}): ReactNode {
  const { t } = useTranslation();
  const counted = t('import.faults', { count: all });
  const title = faults.length < all ? t('import.faultsShown', { faults: counted, count: faults.length }) : counted;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section className="faultlist" tabIndex={0} aria-label={title}>
      <Table>
        <Table.Caption>{title}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right">{t('sheet.row')}</Table.Th>
            <Table.Th>{t('import.column')}</Table.Th>
            <Table.Th>{t('import.fault')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {faults.map((f) => (
            <Table.Tr key={`${f.row}-${f.column}-${f.code}`}>
              <Table.Td ta="right">{f.row || '–'}</Table.Td>
              {/* A heading of the file, or the name of a field that it has no heading for. */}
              <Table.Td>{f.column ? (called(f.column) ?? f.column) : '–'}</Table.Td>
              <Table.Td>
                {say('fault', f)}
                {f.suggestions && f.suggestions.length > 0 && (
                  <Text span size="sm" c="dimmed">
                    {' '}
                    {t('said.meant', { list: f.suggestions.slice(0, 3).join(', ') })}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
