import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, take } from '../api/client';
import { co2e, exact, range } from '../format';
import { resultOf } from '../pages/Events';
import { useSession } from '../session';
import type { Engine } from './engine';
import { dirty, empty } from './store';

/** What is written, what waits and what counts. The figures are the server's own. */
export function BottomBar({ engine }: { engine: Engine }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const rows = engine.store.rows.filter((r) => !empty(r));
  const unsaved = rows.filter(dirty).length;
  const drafts = rows.filter(
    (r) => r.status === 'draft' || r.status === 'unsubmitted' || r.status === 'changes_requested',
  ).length;
  const faults = rows.filter((r) => r.check.state === 'bad').length;
  const settling = (status?: string): number | false => (status === 'recalculating' ? 1_500 : false);
  const result = useQuery({
    queryKey: ['result', engine.event],
    queryFn: () => resultOf(engine.event),
    refetchInterval: (q) => settling(q.state.data?.status),
  });
  const preview = useQuery({
    queryKey: ['preview', engine.event],
    queryFn: () =>
      take(api.GET('/events/{eventId}/results/preview', { params: { path: { eventId: engine.event } } })).catch(
        (cause: unknown) => {
          if (cause instanceof ApiError && (cause.code === 'RESULT_NOT_FOUND' || cause.status === 403)) return null;
          throw cause;
        },
      ),
    enabled: can('manager'),
  });
  const counts = result.data?.counts;
  const waiting = counts
    ? counts.submitted + counts.inReview
    : rows.filter((r) => r.status === 'submitted' || r.status === 'in_review').length;
  const trouble = engine.trouble;
  return (
    <footer className="bottombar">
      <Group gap="xl" wrap="wrap" role="status" aria-live="polite">
        <Figure
          label={t('bar.draft')}
          value={t('bar.rows', { count: drafts })}
          note={faults > 0 ? t('bar.faults', { count: faults }) : ''}
          bad={faults > 0}
        />
        <Figure
          label={t('bar.waiting')}
          value={t('bar.rows', { count: waiting })}
          note={preview.data && preview.data.queue.kgCO2e > 0 ? `+ ${co2e(preview.data.queue.kgCO2e)}` : ''}
        />
        <Figure
          label={t('bar.approved')}
          value={result.data ? co2e(result.data.total.kgCO2e) : t('events.nothingApproved')}
          note={result.data ? range(result.data.total.low, result.data.total.high) : ''}
          {...(result.data ? { title: exact(result.data.total.kgCO2e) } : {})}
        />
      </Group>
      <Text size="xs" c={trouble ? 'orange' : 'dimmed'} className="savestate">
        {trouble?.kind === 'offline'
          ? t('bar.offline')
          : trouble?.kind === 'wait'
            ? t('state.wait', { seconds: trouble.seconds })
            : trouble?.kind === 'error'
              ? `${trouble.error.message} ${trouble.error.requestId}`
              : unsaved > 0
                ? t('bar.unsaved', { count: unsaved })
                : t('bar.saved')}
      </Text>
    </footer>
  );
}

function Figure({
  label,
  value,
  note,
  title,
  bad,
}: {
  label: string;
  value: string;
  note: string;
  title?: string;
  bad?: boolean;
}): ReactNode {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="sm" fw={600} className="figure" {...(title ? { title } : {})}>
        {value}{' '}
        <Text span size="xs" fw={400} c={bad ? 'red' : 'dimmed'}>
          {note}
        </Text>
      </Text>
    </div>
  );
}
