import { Box, Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, take } from '../api/client';
import { time } from '../format';
import { Fields } from '../governed/Fields';
import { Proposals } from '../governed/Proposals';
import { actorName } from '../i18n/actor';
import { useSession } from '../session';
import { More, nextPage } from '../ui/More';
import { Empty, Problem } from '../ui/states';
import { useEvent } from './Event';

/** What was done to the event, by whom and why, and what is proposed. */
export function HistoryPage(): ReactNode {
  const { t } = useTranslation();
  const { eventId } = useEvent();
  const { can } = useSession();
  if (can('user')) return <History />;
  return (
    <Empty
      title={t('governed.noHistory')}
      action={
        <Button component={Link} to={`/events/${eventId}/footprint`}>
          {t('place.footprint')}
        </Button>
      }
    >
      {t('governed.noHistoryText')}
    </Empty>
  );
}

function History(): ReactNode {
  const { t } = useTranslation();
  const { eventId, query } = useEvent();
  const list = useInfiniteQuery({
    queryKey: ['entries', eventId],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/events/{eventId}/history', {
          params: { path: { eventId }, query: { page: pageParam, limit: 50 } },
        }),
      ),
    getNextPageParam: nextPage,
  });
  return (
    <Box maw={900} mx="auto" p="md" w="100%">
      <Stack gap="lg">
        <Proposals eventId={eventId} title={query.data?.data.title ?? ''} />
        <section aria-label={t('place.history')}>
          <Title order={2} size="h4" mb={4}>
            {t('governed.history')}
          </Title>
          <Text size="sm" c="dimmed" mb="sm">
            {t('governed.historyText')}
          </Text>
          {list.isPending && <Skeleton h={200} />}
          {list.isLoadingError && <Problem error={list.error} retry={() => void list.refetch()} />}
          <ol className="plain entries">
            {list.data?.pages
              .flatMap((p) => p.items)
              .map((e) => (
                <li key={e.revision}>
                  <Text fw={600} size="sm">
                    {t(`entry.${e.action}`, { defaultValue: e.action })}
                    {e.fourEyes && (
                      <Text span size="xs" c="dimmed" ml={6}>
                        {t('governed.fourEyes')}
                      </Text>
                    )}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {actorName(e.by)} · <time dateTime={e.at}>{time(e.at)}</time> ·{' '}
                    <span title={e.hash}>{t('governed.revision', { n: e.revision })}</span>
                  </Text>
                  {e.comment && <q className="reason">{e.comment}</q>}
                  {e.action !== 'create' && <Fields changed={e.changed ?? []} />}
                </li>
              ))}
          </ol>
          <More list={list} />
        </section>
      </Stack>
    </Box>
  );
}
