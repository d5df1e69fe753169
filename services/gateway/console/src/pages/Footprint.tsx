import { Box, Card, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFactorSets } from '../api/factorSets';
import { resultOf } from '../api/result';
import { Findings } from '../footprint/Findings';
import { Hero } from '../footprint/Hero';
import { History } from '../footprint/History';
import { MeasureNext } from '../footprint/MeasureNext';
import { OriginMap } from '../footprint/OriginMap';
import { Parts } from '../footprint/Parts';
import { Rehearsal } from '../footprint/Rehearsal';
import { useSession } from '../session';
import { Problem } from '../ui/states';
import { Stated } from './Compensation';
import { isClosed, NothingYet, useEvent } from './Event';
import { nextListing } from './listing';

export function FootprintPage(): ReactNode {
  const { t } = useTranslation();
  const { eventId, query } = useEvent();
  const { can } = useSession();
  const unchanged = useRef(0);
  const last = useRef<number | undefined>(undefined);
  const result = useQuery({
    queryKey: ['result', eventId],
    queryFn: async () => {
      const r = await resultOf(eventId);
      unchanged.current = r?.revision === last.current ? unchanged.current + 1 : 0;
      last.current = r?.revision;
      return r;
    },
    refetchInterval: (q) => nextListing(q.state.data?.status, unchanged.current),
  });
  useFactorSets(); // what notices call them
  const [by, setBy] = useState<'type' | 'scope' | 'group' | 'stage'>('type');
  if (result.isPending)
    return (
      <Box p="md" maw={1100} mx="auto" role="status" aria-label={t('state.loading')}>
        <Skeleton h={140} mb="md" />
        <Skeleton h={300} />
      </Box>
    );
  if (result.isLoadingError)
    return (
      <Box p="md" maw={800} mx="auto">
        <Problem error={result.error} retry={() => void result.refetch()} />
      </Box>
    );
  const r = result.data;
  const event = query.data?.data;
  const tag = query.data?.tag;
  if (!r || !event)
    return (
      <NothingYet title={t('foot.none')} eventId={eventId} event={event}>
        {t('foot.noneText')}
      </NothingYet>
    );
  return (
    <Stack maw={1100} mx="auto" p="md" gap="lg">
      <Hero result={r} event={event} />
      <Card withBorder component="section">
        <Group justify="space-between" mb="sm">
          <Title order={2} size="h4">
            {t('foot.parts')}
          </Title>
          <SegmentedControl
            size="xs"
            aria-label={t('foot.by')}
            value={by}
            onChange={(v) => setBy(v as typeof by)}
            data={(['type', 'scope', 'group', 'stage'] as const).map((v) => ({ value: v, label: t(`foot.by_${v}`) }))}
          />
        </Group>
        <Parts result={r} by={by} />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <MeasureNext result={r} />
        <Findings result={r} />
      </SimpleGrid>
      <Stated list={event.compensation ?? []} />
      <History eventId={eventId} newest={r.revision} />
      {can('user') && <OriginMap event={event} />}
      {can('manager') && tag && <Rehearsal event={event} tag={tag} closed={isClosed(event)} />}
    </Stack>
  );
}
