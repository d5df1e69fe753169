import { Alert, Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, isRefused } from '../api/client';
import { number } from '../format';
import { say } from '../i18n/server';
import { Problem, useProblemText } from '../ui/states';
import { type Column, namesIn, rowColumns } from './columns';
import { ImportFaults } from './ImportFaults';
import { ImportForms, LikelyEncodings, placeFault, SheetInput } from './ImportForms';
import { MappingForm } from './MappingForm';
import {
  badRows,
  headless,
  type Import,
  mendable,
  type Options,
  plain,
  type Sheet,
  sayUndone,
  sheetsIn,
  type Upload,
  undoImport,
} from './upload';
import { useChoices } from './useChoices';

interface Props {
  upload: Upload;
  /** Of whom choices of columns are remembered. */
  scope: string;
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

const isDuplicate = (cause: unknown): boolean => cause instanceof ApiError && cause.code === 'DUPLICATE_FILE';

/** The import of a file: its dry run, progress and errors. */
export function ImportModal({ upload, scope, columns, close, imported, mend }: Props): ReactNode {
  const { t } = useTranslation();
  const text = useProblemText();
  const [options, setOptions] = useState<Options>(plain);
  const [busy, setBusy] = useState(false);
  const [now, setNow] = useState<Import | null>(null);
  const [done, setDone] = useState<Import | null>(null);
  const [failed, setFailed] = useState<Error | null>(null);
  const [sheets, setSheets] = useState<Sheet[]>([]);
  const next = useRef<HTMLButtonElement>(null);
  const rows = rowColumns(columns);
  const choices = useChoices(scope, upload.type, rows ?? columns, options, setOptions, rows !== undefined);
  const rehearsal = useQuery({
    queryKey: ['import', upload.event, upload.type, upload.name, options],
    queryFn: async () => {
      const answer = await upload.rehearse(options).catch((cause: Error) => cause);
      choices.look(options, answer);
      const told = sheetsIn(answer);
      if (told.length > 0) setSheets(told);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    retry: false,
    staleTime: 0,
    gcTime: 0,
    // It sends the whole file, and of one whose import had no answer it would say that it is a duplicate.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  // It may have been imported in another tab since it was looked at.
  const twice = [rehearsal.error, failed].some(isDuplicate);
  const run = async (): Promise<void> => {
    setBusy(true);
    setFailed(null);
    try {
      const end = await upload.run(options, setNow);
      setDone(end);
      imported();
    } catch (cause) {
      setFailed(cause as Error);
      // Who is not signed in has begun none.
      const refused = isRefused(cause) || isDuplicate(cause) || (cause instanceof ApiError && cause.status === 401);
      setUnknown((before) => before || !refused);
    }
    setNow(null);
    setBusy(false);
  };
  /** A try had no answer: the rows may be there, whatever is said of a later one. */
  const [unknown, setUnknown] = useState(false);
  const leave = (): void => {
    if (unknown) imported(); // the rows may be there
    close();
  };
  const act = (f: () => Promise<void>): void =>
    void f().catch((cause: Error) => notifications.show({ color: 'red', message: text(cause) }));
  const bad = done ?? rehearsal.data;
  const notInEncoding = rehearsal.error instanceof ApiError ? rehearsal.error.details : (rehearsal.data?.errors ?? []);
  const change = (o: Options): void => setOptions(choices.with(o));
  const { match } = choices;
  const asking = match?.asking && !busy && !done;
  // The button that was pressed disappears with its step; the next one has the focus instead, unless something else has it.
  useEffect(() => {
    if ((asking || done || rehearsal.isSuccess) && !document.activeElement?.parentElement?.closest('[role=dialog]'))
      next.current?.focus();
  }, [asking, done, rehearsal.isSuccess]);
  const steps = (
    <>
      {!done && !busy && <ImportForms upload={upload} options={options} change={change} refused={rehearsal.error} />}
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
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                setFailed(null);
                setOptions({ ...options, again: true });
              }}
            >
              {t('import.again')}
            </Button>
          </Group>
        </Alert>
      )}
      {rehearsal.isError && !twice && !placeFault(rehearsal.error) && (
        <Problem error={rehearsal.error} retry={() => void rehearsal.refetch()} />
      )}
      {!done && !busy && <LikelyEncodings faults={notInEncoding} options={options} change={change} />}
      {failed && !twice && <Problem error={failed} />}
      {failed && unknown && <Text size="sm">{t('import.unknown')}</Text>}
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
      {match && !busy && !done && (
        <div>
          <Button size="compact-xs" variant="subtle" onClick={() => choices.ask(true)}>
            {t('map.title')}
          </Button>
        </div>
      )}
      {bad && bad.errors.length > 0 && (
        <ImportFaults faults={bad.errors} all={bad.errorCount} called={namesIn(columns)} />
      )}
      <Group justify="flex-end">
        {done && done.imported > 0 && (
          <Button
            variant="default"
            onClick={() =>
              act(async () => {
                notifications.show({ message: sayUndone(await undoImport(upload.event, done._id)) });
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
          <Button
            ref={next}
            onClick={() => void run()}
            loading={busy}
            disabled={!rehearsal.isSuccess || twice}
            data-autofocus
          >
            {t('import.run', { count: (rehearsal.data?.rows ?? 0) - (rehearsal.data?.failed ?? 0) })}
          </Button>
        )}
      </Group>
    </>
  );
  const cancel = (): void => (asking && !match.first ? choices.ask(false) : leave());
  return (
    <Modal
      opened
      onClose={() => !busy && cancel()}
      size="lg"
      title={asking ? t('map.title') : t('import.title', { name: upload.name })}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      <Stack gap="sm">
        {!done && !busy && <SheetInput sheets={sheets} options={options} change={change} />}
        {asking ? (
          <MappingForm
            key={match.place}
            table={match.told.columns.map((c, n) => ({
              heading: c.heading ?? '',
              name: t('import.headless', { letters: c.column }),
              example: c.examples[0] ?? '',
              read: !c.ignored && !match.told.left[n],
            }))}
            mapping={match.mapping}
            count={match.told.rows}
            columns={rows ?? columns}
            done={choices.choose}
            close={cancel}
            button={next}
          />
        ) : (
          steps
        )}
      </Stack>
    </Modal>
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
