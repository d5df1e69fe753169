import { Anchor, Card, Text, Title } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Schemas } from '../api/client';
import { EditEvent } from '../pages/Event';
import { useSession } from '../session';

type List = Schemas['Checklist'];

/** What is still open, as the server lists it for managers in a rehearsal of signing; members see it of the result. */
export function useChecklist(eventId: string, r: Schemas['Result'], signed: boolean): List {
  const { can } = useSession();
  const { counts } = r;
  const rehearsed = useQuery({
    queryKey: ['checklist', eventId, r.revision, counts],
    enabled: can('manager') && !signed && r.status === 'current',
    retry: false,
    // While somebody signs nothing can be rehearsed: the page is not out of date for that.
    meta: { untold: true },
    queryFn: () =>
      call<{ checklist: List }>(
        'POST',
        `/events/${eventId}/sign-off`,
        { revision: r.revision, statement: '-' },
        { 'X-Dry-Run': 'true' },
      ).then(({ data }) => data.checklist),
  });
  return (
    rehearsed.data ?? {
      revision: r.revision,
      status: r.status === 'current' ? 'current' : 'recalculating',
      waiting: (counts?.submitted ?? 0) + (counts?.inReview ?? 0),
      changesRequested: counts?.changesRequested ?? 0,
      unsubmitted: counts?.unsubmitted ?? 0,
      rejected: counts?.rejected ?? 0,
      openChanges: 0,
      warnings: (r.findings ?? []).filter((f) => f.severity === 'warning'),
    }
  );
}

/** Reports whether something is open that a report should not be handed over with. */
export const somethingOpen = (l: List): boolean =>
  l.waiting + l.changesRequested + l.unsubmitted + l.openChanges + l.warnings.length > 0;

export function Checklist({ list: l, event }: { list: List; event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  // What the form of the event says is said there.
  const edit = useContext(EditEvent);
  const checks = [
    { done: l.status === 'current', text: t('report.current'), todo: t('report.recalculating'), to: 'footprint' },
    {
      done: l.waiting === 0,
      text: t('report.noneWaiting'),
      todo: t('report.waiting', { count: l.waiting }),
      to: can('manager') ? 'review' : 'sheet?type=all',
    },
    {
      done: l.changesRequested === 0,
      text: t('report.noneAsked'),
      todo: t('report.asked', { count: l.changesRequested }),
      to: 'sheet?type=all',
    },
    {
      done: l.unsubmitted === 0,
      text: t('report.noDrafts'),
      todo: t('report.drafts', { count: l.unsubmitted }),
      to: 'sheet?type=all',
    },
    {
      done: l.openChanges === 0,
      text: t('report.noChanges'),
      todo: t('report.changes', { count: l.openChanges }),
      to: 'history',
    },
    {
      done: l.warnings.length === 0,
      text: t('report.noFindings'),
      todo: t('report.findings', { count: l.warnings.length }),
      to: 'footprint',
    },
    { done: Boolean(event.boundary), text: t('report.boundary'), todo: t('report.noBoundary'), to: null },
    {
      done: event.attendees !== undefined,
      text: t('report.attendees'),
      todo: t('report.noAttendees'),
      to: null,
    },
  ];
  return (
    <Card withBorder component="section" p="sm">
      <Title order={2} size="h5" mb="xs">
        {t('report.checklist')}
      </Title>
      <ul className="plain checklist">
        {checks.map((c) => (
          <li key={c.text} data-done={c.done || undefined}>
            {c.done ? (
              <IconCheck size={16} aria-label={t('report.done')} />
            ) : (
              <IconCircleDashed size={16} aria-label={t('report.open')} />
            )}
            <Text size="sm">
              {c.done ? (
                c.text
              ) : c.to === null ? (
                edit ? (
                  <Anchor component="button" type="button" ta="start" onClick={edit}>
                    {c.todo}
                  </Anchor>
                ) : (
                  c.todo
                )
              ) : !can('user') && c.to !== 'footprint' ? (
                c.todo // drafts and what is proposed are not theirs to read
              ) : (
                <Anchor component={Link} to={`/events/${event._id}/${c.to}`}>
                  {c.todo}
                </Anchor>
              )}
            </Text>
          </li>
        ))}
      </ul>
      {l.rejected > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('report.notCounted', { count: l.rejected })}
        </Text>
      )}
    </Card>
  );
}
