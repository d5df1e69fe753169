import { Button, Group, Modal, NativeSelect, ScrollArea, Table, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from './columns';
import type { Mapping } from './table';

export interface Pasted {
  table: string[][];
  mapping: Mapping;
  /** Which of the columns without a field the server reads all the same, such as days from which nights are counted. */
  read?: boolean[];
  /** How many rows there are, where the table is only their beginning; undefined where it is not known. */
  count?: number | undefined;
}

/** Asks which column of a pasted table is which of ours, once for each kind of table. */
export function MappingModal({
  pasted,
  columns,
  done,
  close,
}: {
  pasted: Pasted;
  columns: Column[];
  done: (m: Mapping) => void;
  close: () => void;
}): ReactNode {
  const { t } = useTranslation();
  const [mapping, setMapping] = useState(pasted.mapping);
  const [head = [], first = []] = pasted.table;
  const count = 'count' in pasted ? pasted.count : pasted.table.length - 1;
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={t('map.title')}
      closeButtonProps={{ 'aria-label': t('state.close') }}
    >
      <Text size="sm" mb="sm">
        {count === undefined ? t('map.remembered') : t('map.text', { count })}
      </Text>
      <ScrollArea.Autosize mah="55vh">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('map.yours')}</Table.Th>
              <Table.Th>{t('map.example')}</Table.Th>
              <Table.Th>{t('map.ours')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {head.map((h, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a table may have two columns of one name
              <Table.Tr key={n}>
                <Table.Td>{h || '–'}</Table.Td>
                <Table.Td c="dimmed">{first[n] ?? ''}</Table.Td>
                <Table.Td>
                  <NativeSelect
                    size="xs"
                    aria-label={t('map.for', { heading: h })}
                    value={mapping[n] ?? ''}
                    data={[
                      { value: '', label: t(pasted.read?.[n] ? 'map.read' : 'map.leave') },
                      ...columns.map((c) => ({ value: c.field, label: c.unit ? `${c.label} (${c.unit})` : c.label })),
                    ]}
                    onChange={(e) => {
                      const field = e.currentTarget.value;
                      setMapping((m) => m.map((x, i) => (i === n ? field : x === field ? '' : x)));
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
        <Button
          onClick={() => done(mapping)}
          disabled={mapping.every((m, n) => m === '' && !pasted.read?.[n])}
          data-autofocus
        >
          {count === undefined ? t('map.go') : t('map.insert', { count })}
        </Button>
      </Group>
    </Modal>
  );
}
