import { Button, Group, NativeSelect, ScrollArea, Table, Text } from '@mantine/core';
import { type ReactNode, type Ref, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asRead } from './choices';
import type { Column } from './columns';
import type { Mapping } from './table';

/** A column of a table that is matched. */
interface Matched {
  heading: string;
  /** What it is called where it has no heading. */
  name?: string;
  example: string;
  /** The server reads it, whatever field it is. */
  read?: boolean;
}

interface Props {
  table: Matched[];
  mapping: Mapping;
  /** How many rows there are; undefined where it is not known. */
  count: number | undefined;
  columns: Column[];
  done: (m: Mapping) => void;
  close: () => void;
}

/** Asks which column of a table is which of ours, once for each kind of table. */
export function MappingForm({
  table,
  mapping: proposed,
  count,
  columns,
  done,
  close,
  button,
}: Props & { button?: Ref<HTMLButtonElement> }): ReactNode {
  const { t } = useTranslation();
  const [mapping, setMapping] = useState(proposed);
  return (
    <>
      <Text size="sm" mb="sm">
        {count === undefined ? t('map.remembered') : t('map.text', { count })}
      </Text>
      <ScrollArea.Autosize mah="55vh">
        <Table className="mapping">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('map.yours')}</Table.Th>
              <Table.Th>{t('map.example')}</Table.Th>
              <Table.Th>{t('map.ours')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {table.map(({ heading, name = '–', example, read }, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a table may have two columns of one name
              <Table.Tr key={n}>
                <Table.Td>{heading || name}</Table.Td>
                <Table.Td c="dimmed">{example}</Table.Td>
                <Table.Td>
                  <NativeSelect
                    size="xs"
                    aria-label={t('map.for', { heading: heading || name })}
                    value={mapping[n] ?? ''}
                    data={[
                      ...(read ? [{ value: asRead, label: t('map.read') }] : []),
                      { value: '', label: t('map.leave') },
                      ...columns.map((c) => ({ value: c.field, label: c.unit ? `${c.label} (${c.unit})` : c.label })),
                    ]}
                    onChange={(e) => {
                      const field = e.currentTarget.value;
                      setMapping((m) => m.map((x, i) => (i === n ? field : x === field && x !== asRead ? '' : x)));
                    }}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          {t('state.cancel')}
        </Button>
        <Button ref={button} onClick={() => done(mapping)} disabled={mapping.every((m) => m === '')} data-autofocus>
          {count === undefined ? t('map.go') : t('map.insert', { count })}
        </Button>
      </Group>
    </>
  );
}
