import { Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { useRecordTypes } from '../api/types';
import { amount, range } from '../format';
import { named } from '../i18n/fields';
import { columnsOf, namesIn } from '../sheet/columns';
import { Bars } from '../ui/Bars';
import { More } from '../ui/More';
import { Problem } from '../ui/states';
import { useExplained } from './explained';
import { Lines } from './Lines';
import { useSummary } from './summary';

type Result = Schemas['Result'];

export function Parts({ result: r, by }: { result: Result; by: By }): ReactNode {
  const { t } = useTranslation();
  const bars = {
    type: () =>
      r.byType.map((x) => ({
        key: x.type,
        label: t(`type.${x.type as 'flights'}`, { defaultValue: x.type }),
        kg: x.kgCO2e,
        low: x.low,
        high: x.high,
        note: t('foot.records', { count: x.records }),
      })),
    scope: () =>
      (['scope1', 'scope2', 'scope3'] as const).map((s) => ({
        key: s,
        label: t(`foot.${s}`),
        kg: r.byScope[s],
        ...r.byScopeIntervals?.[s],
      })),
    group: () =>
      r.byGroup.map((x) => ({
        key: x.group,
        label: t(`group.${x.group as 'staff'}`, { defaultValue: x.group }),
        kg: x.kgCO2e,
        low: x.low,
        high: x.high,
        note: t('foot.records', { count: x.records }),
      })),
    stage: () =>
      (['direct', 'upstream', 'combined'] as const).map((s) => ({
        key: s,
        label: t(`foot.${s}`),
        kg: r.byStage[s],
        ...r.byStageIntervals?.[s],
      })),
  }[by]();
  const sorted = by === 'scope' || by === 'stage' ? bars : [...bars].sort((a, b) => b.kg - a.kg);
  return (
    <Bars
      caption={t(`foot.by_${by}`)}
      bars={sorted}
      open={(key) => <Explained key={key} result={r} by={by} part={key} />}
    />
  );
}

type By = 'type' | 'scope' | 'group' | 'stage';

/** The records behind a bar, each with the lines of it: formulas, factors and sources. */
function Explained({ result, by, part }: { result: Result; by: By; part: string }): ReactNode {
  const { t } = useTranslation();
  const summary = useSummary();
  const types = useRecordTypes();
  // The server has names of types in the page's language; lines are in English.
  const method = (type: string, english: string): string => {
    const info = types.data?.items.find((x) => x.type === type);
    return info ? named(info.formula, namesIn(columnsOf(info.schema))) : english;
  };
  const list = useExplained(result);
  const records = (list.data?.pages ?? [])
    .flatMap((p) => p.items)
    .map((x) => ({
      ...x,
      lines: x.lines.filter((l) => by === 'type' || `${by === 'scope' ? 'scope' : ''}${l[by]}` === part),
    }))
    .filter((x) => (by === 'type' ? x.type === part : x.lines.length > 0));
  useEffect(() => {
    if (records.length === 0 && list.hasNextPage && !list.isFetching) void list.fetchNextPage();
  });
  if (list.isPending) return <Skeleton h={60} />;
  if (list.isLoadingError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  return (
    <Stack gap="xs">
      {[...records]
        .sort((a, b) => b.kgCO2e - a.kgCO2e)
        .map((x) => (
          <details key={x._id} className="explained">
            <summary>
              <b className="figure">{amount(x.kgCO2e)}</b>{' '}
              <span className="dim figure">{range(x.low, x.high, x.kgCO2e)}</span> {summary(x.type, x.fields)}
            </summary>
            <Text size="sm" my={4}>
              {method(x.type, x.method)}
            </Text>
            <Lines lines={x.lines} />
            <Anchor component={Link} to={`/events/${result.eventId}/sheet?type=${x.type}&record=${x._id}`} size="sm">
              {t('foot.toRecord')}
            </Anchor>
          </details>
        ))}
      <More list={list} />
    </Stack>
  );
}
