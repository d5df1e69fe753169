import { Button, Card, Group, NativeSelect, SimpleGrid, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { amount, amountIn, cellNumber, date, exact } from '../format';
import { Wide } from '../ui/Wide';

type Stated = Schemas['Compensation'];

/** An entry in the form. */
export interface Entry {
  key: string;
  kind: Stated['kind'];
  kgCO2e: string;
  description: string;
  standard: string;
  registry: string;
  reference: string;
  retiredOn: string;
}

export const entriesOf = (list: Stated[] | undefined): Entry[] =>
  (list ?? []).map((c) => ({
    key: crypto.randomUUID(),
    kind: c.kind,
    kgCO2e: cellNumber(c.kgCO2e),
    description: c.description,
    standard: c.standard ?? '',
    registry: c.registry ?? '',
    reference: c.reference ?? '',
    retiredOn: c.retiredOn ?? '',
  }));

/** Returns what is sent: what is empty is left out, and what is wrong is for the server to say. */
export const statedOf = (entries: Entry[]): Stated[] =>
  entries.map((e) => ({
    kind: e.kind,
    kgCO2e: amountIn(e.kgCO2e) as number,
    description: e.description.trim(),
    ...(e.standard.trim() ? { standard: e.standard.trim() } : {}),
    ...(e.registry.trim() ? { registry: e.registry.trim() } : {}),
    ...(e.reference.trim() ? { reference: e.reference.trim() } : {}),
    ...(e.retiredOn ? { retiredOn: e.retiredOn } : {}),
  }));

interface Props {
  entries: Entry[];
  set: (entries: Entry[]) => void;
  fault: (field: string) => string | undefined;
}

/** The organizer's offsets and removals. They are separate from every figure. */
export function CompensationInput({ entries, set, fault }: Props): ReactNode {
  const { t } = useTranslation();
  const change = (key: string, part: Partial<Entry>): void =>
    set(entries.map((e) => (e.key === key ? { ...e, ...part } : e)));
  const add = (): void =>
    set([
      ...entries,
      {
        key: crypto.randomUUID(),
        kind: 'offset',
        kgCO2e: '',
        description: '',
        standard: '',
        registry: '',
        reference: '',
        retiredOn: '',
      },
    ]);
  return (
    <fieldset className="quiet">
      <legend>{t('comp.title')}</legend>
      <Text size="sm" c="dimmed" mb="xs">
        {t('comp.hint')}
      </Text>
      <Stack gap="md">
        {entries.map((e, n) => (
          <Stack key={e.key} gap="xs" role="group" aria-label={t('comp.entry', { n: n + 1 })}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
              <NativeSelect
                label={t('comp.kind')}
                value={e.kind}
                data={(['offset', 'removal'] as const).map((k) => ({ value: k, label: t(`comp.${k}`) }))}
                onChange={(x) => change(e.key, { kind: x.currentTarget.value as Stated['kind'] })}
                error={fault(`compensation[${n}].kind`)}
              />
              <TextInput
                label={t('comp.amount')}
                required
                inputMode="decimal"
                value={e.kgCO2e}
                onChange={(x) => change(e.key, { kgCO2e: x.currentTarget.value })}
                error={fault(`compensation[${n}].kgCO2e`)}
              />
            </SimpleGrid>
            {(['description', 'standard', 'registry', 'reference'] as const).map((name) => (
              <TextInput
                key={name}
                label={t(`comp.${name}`)}
                required={name === 'description'}
                maxLength={name === 'description' || name === 'reference' ? 500 : 200}
                value={e[name]}
                onChange={(x) => change(e.key, { [name]: x.currentTarget.value })}
                error={fault(`compensation[${n}].${name}`)}
              />
            ))}
            <Group align="flex-end" justify="space-between">
              <TextInput
                type="date"
                label={t('comp.retiredOn')}
                value={e.retiredOn}
                onChange={(x) => change(e.key, { retiredOn: x.currentTarget.value })}
                error={fault(`compensation[${n}].retiredOn`)}
              />
              <Button
                size="xs"
                variant="default"
                leftSection={<IconTrash size={14} aria-hidden />}
                onClick={() => set(entries.filter((x) => x.key !== e.key))}
              >
                {t('comp.remove', { n: n + 1 })}
              </Button>
            </Group>
          </Stack>
        ))}
        <Group>
          <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={add}>
            {t('comp.add')}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  );
}

/** Offsets and removals as stated, by kind, next to the footprint. */
export function Stated({ list }: { list: Stated[] }): ReactNode {
  const { t } = useTranslation();
  const id = useId();
  if (list.length === 0) return null;
  return (
    <Card withBorder component="section" aria-labelledby={id}>
      <Title order={2} size="h4" mb={4} id={id}>
        {t('comp.title')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('comp.shown')}
      </Text>
      {(['offset', 'removal'] as const)
        .filter((kind) => list.some((c) => c.kind === kind))
        .map((kind) => (
          <Wide key={kind} label={t(`comp.${kind}s`)}>
            <Table verticalSpacing={4} mb="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t(`comp.${kind}s`)}</Table.Th>
                  <Table.Th ta="right">CO₂e</Table.Th>
                  <Table.Th>{t('comp.proof')}</Table.Th>
                  <Table.Th>{t('comp.retiredOn')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list
                  .filter((c) => c.kind === kind)
                  .map((c) => (
                    <Table.Tr key={c.description + c.kgCO2e + (c.reference ?? '')}>
                      <Table.Th scope="row" fw={500}>
                        {c.description}
                      </Table.Th>
                      <Table.Td ta="right" className="figure" title={exact(c.kgCO2e)}>
                        {amount(c.kgCO2e)}
                      </Table.Td>
                      <Table.Td>{[c.standard, c.registry, c.reference].filter(Boolean).join(', ') || '–'}</Table.Td>
                      <Table.Td>{c.retiredOn ? date(c.retiredOn) : t('comp.notRetired')}</Table.Td>
                    </Table.Tr>
                  ))}
              </Table.Tbody>
            </Table>
          </Wide>
        ))}
    </Card>
  );
}
