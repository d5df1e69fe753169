import { Alert, Badge, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { resultQuery } from '../api/result';
import { Lines } from '../footprint/Lines';
import { amount, co2e, exact, percent, range } from '../format';
import { partNamed } from '../i18n/fields';
import { say } from '../i18n/server';
import { Conflict } from './Conflict';
import { type Column, namesIn, shown, type TypeInfo } from './columns';
import type { Engine } from './engine';
import { Origins, WhatIfText } from './Origins';
import { Remarks } from './Remarks';
import { dirty, type Row } from './store';
import { Verdict } from './Verdict';

/** What a suggestion for a cell is called. */
function offered(info: TypeInfo, field: string, suggestion: string): string {
  const column = info.columns.find((c) => c.field === field);
  return column ? shown(column, suggestion) : suggestion;
}

export function StatusBadge({ row }: { row: Pick<Row, 'status'> }): ReactNode {
  const { t } = useTranslation();
  const color = {
    draft: 'gray',
    unsubmitted: 'gray',
    submitted: 'blue',
    in_review: 'blue',
    approved: 'teal',
    changes_requested: 'orange',
    rejected: 'red',
  }[row.status];
  return (
    <Badge variant="light" color={color} className="badge">
      {t(`status.${row.status}`)}
    </Badge>
  );
}

interface Props {
  engine: Engine;
  info: TypeInfo | undefined;
  row: Row | undefined;
  field: string | undefined;
  set: (row: Row, field: string, text: string) => void;
  withdraw: (row: Row) => Promise<void>;
}

/** Details of the selected row: its figure, its errors with suggested corrections, and its state. */
export function Inspector({ engine, info, row, field, set, withdraw }: Props): ReactNode {
  const { t } = useTranslation();
  const result = useQuery(resultQuery(engine.event));
  const column = info?.columns.find((c) => c.field === field);
  if (!info || !row)
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys
      <aside className="inspector" aria-label={t('inspect.title')} tabIndex={0}>
        {info ? (
          <KindHelp info={info} column={column} />
        ) : (
          <Text size="sm" c="dimmed">
            {t('inspect.none')}
          </Text>
        )}
      </aside>
    );
  const faults = Object.entries(row.check.faults);
  const counted = engine.sums.focus?.key === row.key ? engine.sums.focus.row : undefined;
  const approved = engine.sums.value?.approved;
  const measure = result.data?.measureNext?.find((m) => m.recordId === row.id);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <aside className="inspector" aria-label={t('inspect.title')} tabIndex={0}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Title order={2} size="h5">
            {t(`type.${row.type as 'flights'}`, { defaultValue: row.type })}
          </Title>
          <StatusBadge row={row} />
        </Group>
        {row.check.kg !== undefined && row.check.state !== 'bad' && (
          <div>
            <Text size="xl" fw={650} className="figure" title={exact(row.check.kg)}>
              {co2e(row.check.kg)}
            </Text>
            <Text size="sm" c="dimmed" className="figure">
              {t('inspect.range', { range: range(row.check.low ?? 0, row.check.high ?? 0, row.check.kg) })}
            </Text>
            {counted?.approvedWith && approved && (
              <Text size="sm" mt={4} className="figure adds" title={exact(counted.approvedWith.kgCO2e)}>
                {t('inspect.adds', {
                  before: `${amount(approved.total.kgCO2e)} (${range(approved.total.low, approved.total.high, approved.total.kgCO2e)})`,
                  after: `${amount(counted.approvedWith.kgCO2e)} (${range(counted.approvedWith.low, counted.approvedWith.high, counted.approvedWith.kgCO2e)})`,
                })}
              </Text>
            )}
          </div>
        )}
        <Conflict engine={engine} row={row} info={info} />
        <Remarks row={row} />
        {faults.map(([name, f]) => (
          <Alert key={name} color="red" variant="light" p="xs">
            <Text size="sm">{say('fault', f, info.columns.find((c) => c.field === name)?.label)}</Text>
            {f.suggestions && name && engine.store.editable(row) && (
              <Group gap={6} mt={6}>
                {f.suggestions.map((s) => (
                  <Button key={s} size="compact-xs" variant="default" onClick={() => set(row, name, s)}>
                    {offered(info, name, s)}
                  </Button>
                ))}
              </Group>
            )}
          </Alert>
        ))}
        {!engine.store.editable(row) && (
          <Group>
            <Text size="sm" c="dimmed">
              {t('inspect.locked')}
            </Text>
            {row.status === 'submitted' && (
              <Button size="compact-sm" variant="default" onClick={() => void withdraw(row)}>
                {t('sheet.withdraw')}
              </Button>
            )}
          </Group>
        )}
        <Verdict key={row.key} engine={engine} row={row} />
        {measure && (
          <Text size="sm">
            {t('inspect.measure', { share: percent(measure.varianceShare) })}
            {measure === result.data?.measureNext?.[0] && ` ${t('inspect.measureMost')}`}
          </Text>
        )}
        {column && <ColumnHelp column={column} />}
        <div>
          <Text size="xs" c="dimmed">
            {t('inspect.formula')}
          </Text>
          <Text size="sm">{info.formula}</Text>
          <Lines lines={counted?.lines ?? []} />
        </div>
        {row.check.whatIf && <WhatIfText effect={row.check.whatIf} />}
        {row.check.notices.length > 0 && (
          <List size="xs" c="dimmed">
            {row.check.notices.map((n) => (
              <List.Item key={n.code + (n.field ?? '')}>
                {say('notice', n)}
                {n.wouldNarrowTo && (
                  <b className="figure">
                    {' '}
                    {t('inspect.narrows', {
                      field: partNamed(n.wouldNarrowTo.field, namesIn(info.columns)),
                      range: range(n.wouldNarrowTo.low, n.wouldNarrowTo.high),
                    })}
                  </b>
                )}
              </List.Item>
            ))}
          </List>
        )}
        {row.type === 'attendee-travel' && row.id && (
          <Origins event={engine.event} record={row.id} revision={row.revision ?? 0} />
        )}
        {dirty(row) && row.check.state === 'good' && (
          <Text size="xs" c="dimmed">
            {t('inspect.saves')}
          </Text>
        )}
      </Stack>
    </aside>
  );
}

/** What a kind of records is for, and what its columns take, where no row is there yet to say it of. */
function KindHelp({ info, column }: { info: TypeInfo; column: Column | undefined }): ReactNode {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {t(`type.${info.type as 'flights'}`, { defaultValue: info.type })}
      </Title>
      <Text size="sm">{info.description}</Text>
      {column && <ColumnHelp column={column} />}
      <div>
        <Text size="xs" c="dimmed">
          {t('inspect.formula')}
        </Text>
        <Text size="sm">{info.formula}</Text>
      </div>
    </Stack>
  );
}

function ColumnHelp({ column }: { column: Column }): ReactNode {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="sm" fw={600}>
        {column.label}
        {column.unit && ` (${column.unit})`}
        {column.required && ` · ${t('inspect.required')}`}
      </Text>
      <Text size="sm" c="dimmed">
        {column.description}
      </Text>
      {column.units.length > 1 && (
        <Text size="xs" c="dimmed">
          {t('inspect.units', { units: column.units.join(', ') })}
        </Text>
      )}
      {column.fallback && (
        <Text size="xs" c="dimmed">
          {t('inspect.fallback', { value: shown(column, column.fallback) })}
        </Text>
      )}
    </div>
  );
}
