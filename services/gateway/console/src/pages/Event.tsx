import { ActionIcon, Alert, Anchor, Badge, Box, Button, Group, Menu, Text, Title } from '@mantine/core';
import { IconDots, IconLock } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { createContext, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, type Schemas, takeTagged } from '../api/client';
import { waitingIn } from '../api/events';
import { dates, number, time } from '../format';
import { actorName } from '../i18n/actor';
import { useSession } from '../session';
import { TeamModal } from '../team/TeamModal';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Empty, Loading, Missing, Problem } from '../ui/states';
import { useTitle } from '../ui/title';
import { DeleteModal } from './DeleteEvent';
import { Elsewhere, useRemembered } from './Elsewhere';
import { EventForm } from './EventForm';

export function useEvent(): { eventId: string; query: ReturnType<typeof useEventQuery> } {
  const { eventId } = useParams({ from: '/events/$eventId' });
  return { eventId, query: useEventQuery(eventId) };
}

/** Reads an event; again and again while others may sign it. */
export function useEventQuery(eventId: string, watched = false) {
  return useQuery({
    queryKey: ['event', eventId],
    queryFn: () => takeTagged(api.GET('/events/{eventId}', { params: { path: { eventId } } })),
    // A sign-off continues after the request that began it.
    refetchInterval: (q) => (q.state.data?.data.signOff?.state === 'closing' ? 1_000 : watched && 10_000),
  });
}

/** Shows what other managers sign and propose meanwhile, on the pages where that is done. */
function useWatchedEvent(eventId: string, watched: boolean): ReturnType<typeof useEventQuery> {
  const client = useQueryClient();
  const query = useEventQuery(eventId, watched);
  const seen = useRef(query.data);
  useEffect(() => {
    const changed = seen.current !== undefined && seen.current !== query.data;
    seen.current = query.data;
    if (watched && changed)
      for (const key of ['changes', 'result', 'entries', 'checklist'])
        void client.invalidateQueries({ queryKey: [key, eventId] });
  }, [client, eventId, watched, query.data]);
  return query;
}

/** Opens the form of the event; null for who may not change it, and while its figure is signed. */
export const EditEvent = createContext<(() => void) | null>(null);

const places = ['sheet', 'review', 'footprint', 'report', 'history'] as const;

export function EventPage(): ReactNode {
  const { t } = useTranslation();
  const { eventId } = useParams({ from: '/events/$eventId' });
  const { can } = useSession();
  const path = useRouterState({ select: (s) => s.location.pathname });
  const [open, setOpen] = useState<'edit' | 'clone' | 'team' | 'delete' | null>(null);
  const unsaved = useUnsaved();
  const navigate = useNavigate();
  const here = places.find((p) => path.endsWith(`/${p}`));
  const query = useWatchedEvent(eventId, here === 'report' || here === 'history');
  const called = (place: (typeof places)[number]): string =>
    place === 'report' && !can('manager') ? t('place.readReport') : t(`place.${place}`);
  useTitle(query.data && here && called(here), query.data?.data.title);
  useRemembered(eventId, query.isSuccess);
  if (query.isPending) return <Loading />;
  if (query.error instanceof ApiError && query.error.status === 404)
    return (
      <Missing what="event">
        <Elsewhere eventId={eventId} />
      </Missing>
    );
  if (query.isLoadingError)
    return (
      <Box p="md" maw={700} mx="auto">
        <Problem error={query.error} retry={() => void query.refetch()} />
        <Anchor component={Link} to="/">
          {t('event.back')}
        </Anchor>
      </Box>
    );
  const { data: event, tag } = query.data;
  const closed = isClosed(event);
  return (
    <Box className="event">
      <Box className="eventhead">
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Box miw={0}>
            <Title order={1} size="h4" className="eventtitle" title={event.title} tabIndex={-1}>
              {event.title}
            </Title>
            <Text size="xs" c="dimmed">
              {[
                dates(event.startDate, event.endDate),
                event.attendees !== undefined &&
                  t('events.attendees', { count: event.attendees, n: number(event.attendees) }),
                event.location?.name ?? event.place,
                event.team && t('team.count', { count: event.team.members.length }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </Box>
          <SignedBadge event={event} />
          {can('manager') && (
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('event.actions')}>
                  <IconDots size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item disabled={closed} onClick={() => setOpen('edit')}>
                  {t('event.edit')}
                </Menu.Item>
                <Menu.Item onClick={() => setOpen('clone')}>{t('event.clone')}</Menu.Item>
                <Menu.Item onClick={() => setOpen('team')}>{t('team.title')}</Menu.Item>
                <Menu.Item disabled={closed} {...(closed ? {} : { c: 'var(--bad)' })} onClick={() => setOpen('delete')}>
                  {t('event.delete')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
        <nav className="tabs" aria-label={t('event.places')}>
          {places
            .filter((p) => (p !== 'review' || can('manager')) && ((p !== 'sheet' && p !== 'history') || can('user')))
            .map((p) => (
              <Link
                key={p}
                to={`/events/$eventId/${p}`}
                params={{ eventId }}
                className="tab"
                aria-current={path.endsWith(`/${p}`) ? 'page' : undefined}
              >
                <span className="tabname">{called(p)}</span>
                {p === 'report' && <span className="tabshort">{t('place.readReport')}</span>}{' '}
                {p === 'review' && waitingIn(event) > 0 && (
                  <>
                    <span className="tabcount" aria-hidden>
                      {number(waitingIn(event))}
                    </span>
                    <span className="vh">{t('events.waiting', { count: waitingIn(event) })}</span>
                  </>
                )}
              </Link>
            ))}
        </nav>
      </Box>
      {can('manager') && event.openChanges !== undefined && event.openChanges > 0 && !path.endsWith('/history') && (
        <Alert className="eventnote" color="orange" py={6} role="status">
          <Anchor component={Link} to={`/events/${eventId}/history`} size="sm">
            {t('governed.waiting', { count: event.openChanges })}
          </Anchor>
        </Alert>
      )}
      {event.team?.withoutReviewer && (
        <Alert className="eventnote" color="orange" py={6} role="status">
          {t('team.withoutReviewer')}
        </Alert>
      )}
      <EditEvent value={can('manager') && !closed ? () => setOpen('edit') : null}>
        <Outlet />
      </EditEvent>
      {open === 'team' && <TeamModal event={event} tag={tag} close={() => setOpen(null)} />}
      <FormModal
        opened={open === 'edit' || open === 'clone'}
        title={t(open === 'clone' ? 'event.clone' : 'event.edit')}
        large
        unsaved={unsaved}
        close={() => setOpen(null)}
      >
        <EventForm
          filled={unsaved.fill}
          cancel={() => unsaved.leave(() => setOpen(null))}
          {...(open === 'clone' ? { from: event } : { event, tag })}
          done={(e) => {
            unsaved.clear();
            setOpen(null);
            if (e._id !== event._id) void navigate({ to: '/events/$eventId/sheet', params: { eventId: e._id } });
          }}
          proposed={() => {
            unsaved.clear();
            setOpen(null);
            void navigate({ to: '/events/$eventId/history', params: { eventId } });
          }}
        />
      </FormModal>
      {open === 'delete' && <DeleteModal close={() => setOpen(null)} eventId={eventId} title={event.title} tag={tag} />}
    </Box>
  );
}

interface NothingProps {
  title: string;
  eventId: string;
  event: Schemas['Event'] | undefined;
  children: ReactNode;
}

/** Shown instead of a figure while nothing is approved: the next step, which is a decision if records are waiting. */
export function NothingYet({ title, eventId, event, children }: NothingProps): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const waiting = event ? waitingIn(event) : 0;
  const next = waiting > 0 && can('manager') ? 'review' : 'sheet';
  return (
    <Empty
      title={title}
      action={
        can('user') && (
          <Button component={Link} to={`/events/${eventId}/${next}`}>
            {t(`place.${next}`)}
          </Button>
        )
      }
    >
      {waiting > 0 ? t('foot.waits', { count: waiting }) : can('user') ? children : t('foot.noneToRead')}
    </Empty>
  );
}

/** Reports whether somebody decides on the records of an event: of one with a team its reviewers do. */
export const decidesOn = (e: Schemas['Event'], me: Schemas['Me']): boolean =>
  !e.team || e.team.members.some((m) => m.userId === me._id && m.role === 'reviewer');

/** Reports whether the figure of an event is signed, or about to be, so that nothing that moves it can be changed. */
export const isClosed = (e: Schemas['Event']): boolean =>
  e.signOff?.state === 'signed' || e.signOff?.state === 'closing';

function SignedBadge({ event }: { event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const edition = event.signOff?.editions.at(-1);
  if (!isClosed(event)) return null;
  return (
    <Badge
      className="badge signedbadge"
      variant="light"
      color="teal"
      leftSection={<IconLock size={12} aria-hidden />}
      title={edition && t('sign.by', { name: actorName(edition.by), time: time(edition.at) })}
    >
      {event.signOff?.state === 'signed' && edition ? t('sign.badge', { n: edition.edition }) : t('sign.closing')}
    </Badge>
  );
}
