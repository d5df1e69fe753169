import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { Problem } from '../ui/states';
import { isBare } from './choices';
import type { Column } from './columns';
import { MappingForm } from './MappingForm';
import { type Line, positionOf, rawTable, readTable } from './reading';
import { type Import, type Options, plain, Upload, writeCSV } from './upload';
import { useChoices } from './useChoices';

interface Props {
  event: string;
  /** Of whom choices of columns are remembered. */
  scope: string;
  type: string;
  /** The rows of the table, below its headings. */
  table: string[][];
  /** How it is written, where that is known. */
  form: Partial<Options>;
  columns: Column[];
  fill: (lines: Line[], left: Import['errors']) => void;
  close: () => void;
}

/** How long a table is read before that is said. */
const patience = 700;

/** Returns an answer with cells that say no unit as the examples of their columns: three are told, and any matters. */
const withBare = (answer: Import, table: string[][]): Import => ({
  ...answer,
  columns: (answer.columns ?? []).map((c) => {
    const at = positionOf(c.column);
    const bare = c.noUnit ? table.slice(1).find((line) => isBare(line[at] ?? '')) : undefined;
    return bare ? { ...c, examples: [bare[at] ?? '', ...c.examples] } : c;
  }),
});

/** Reads a table with headings by the server, and asks which column is which where that is not clear. */
export function PasteModal({ event, scope, type, table, form, columns, fill, close }: Props): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  const [options, setOptions] = useState<Options>({ ...plain, again: true, ...form });
  const choices = useChoices(scope, type, columns, options, setOptions, false);
  const reading = useQuery({
    queryKey: ['paste', id, options],
    queryFn: async () => {
      const send = (part: string[][], o: Options): Promise<Import> =>
        new Upload(event, type, '', new Blob([writeCSV(part)])).read(o);
      const read = await readTable(send, table, options, type, columns).catch((cause: Error) => cause);
      choices.look(options, read instanceof Error ? read : withBare(read.answer, table));
      if (read instanceof Error) throw read;
      return read;
    },
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { match } = choices;
  const asking = match?.asking ?? false;
  const filled = useRef(false);
  const refused = reading.error instanceof ApiError && reading.error.code === 'VALIDATION_ERROR';
  useEffect(() => {
    if (asking || filled.current || reading.isFetching) return;
    if (reading.data) {
      filled.current = true;
      fill(reading.data.lines, reading.data.left);
    } else if (refused && match) {
      // The rows are in the sheet, where what they lack is said in their cells.
      filled.current = true;
      fill(rawTable(table, match.told.columns, match.mapping, options, type, columns), []);
    }
  });
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), patience);
    return () => clearTimeout(timer);
  }, []);
  const failed = reading.isError && !asking && !(refused && match);
  if (!asking && !failed && !slow) return null;
  return (
    <Modal
      key={asking ? 'asking' : failed ? 'failed' : 'telling'} // each begins with the focus on what is to be done
      opened
      onClose={close}
      size="lg"
      title={asking ? t('map.title') : t('paste.title')}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      {asking && match ? (
        <MappingForm
          table={match.told.columns.map((c, n) => ({
            heading: c.heading ?? '',
            name: t('import.headless', { letters: c.column }),
            example: c.examples[0] ?? '',
            read: !c.ignored && !match.told.left[n],
          }))}
          mapping={match.mapping}
          count={match.told.rows}
          columns={columns}
          done={choices.choose}
          close={close}
        />
      ) : (
        <Stack gap="sm">
          {failed ? (
            <>
              <Problem error={reading.error} retry={() => void reading.refetch()} focus />
              <Text size="sm">{t('paste.kept', { count: table.length - 1 })}</Text>
            </>
          ) : (
            <Text size="sm" role="status">
              {t('paste.reading')}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus={!failed}>
              {t('state.cancel')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
