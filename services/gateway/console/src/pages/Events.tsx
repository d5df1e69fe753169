import { Badge, Box, Button, Group, SimpleGrid, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { returnedIn, useEvents, waitingIn } from '../api/events';
import { co2e, dates, exact, number, range } from '../format';
import { loaded } from '../loaded';
import { useSession } from '../session';
import { Empty, Loading, Problem } from '../ui/states';

// Needed by few, so they come after the list.
const NewEvent = lazy(() => loaded(() => import('./NewEvent')).then((m) => ({ default: m.NewEvent })));
const NameMissing = lazy(() => loaded(() => import('../ui/NameMissing')).then((m) => ({ default: m.NameMissing })));

/** With more events than these, one is found by its title. */
const manyEvents = 12;

export function EventsPage(): ReactNode {
  const { t } = useTranslation();
  const { can, me } = useSession();
  const [creating, setCreating] = useState(false);
  const [sought, setSought] = useState('');
  // What was approved a moment ago on another page is in it.
  const events = useEvents({ refetchOnMount: 'always' });
  const many = (events.data?.length ?? 0) > manyEvents;
  const wanted = sought.trim().toLocaleLowerCase();
  const shown = (events.data ?? []).filter((e) => !many || e.title.toLocaleLowerCase().includes(wanted));
  const create = can('manager') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {t('events.create')}
    </Button>
  );
  return (
    <Box maw={1100} mx="auto" p="md" w="100%">
      <Group justify="space-between" mb="md">
        <Title order={1} size="h2">
          {t('events.title')}
        </Title>
        <Group gap="sm">
          {events.data && events.data.length > 1 && (
            <Button variant="default" component={Link} to="/compare">
              {t('events.compare')}
            </Button>
          )}
          {events.data && events.data.length > 0 && create}
        </Group>
      </Group>
      {!me.name && can('admin') && (
        <Suspense>
          <NameMissing />
        </Suspense>
      )}
      {events.isPending && (
        <Stack role="status" aria-label={t('state.loading')}>
          <Skeleton h={88} />
          <Skeleton h={88} />
          <Skeleton h={88} />
        </Stack>
      )}
      {events.isLoadingError && <Problem error={events.error} retry={() => void events.refetch()} />}
      {events.data?.length === 0 && (
        <Empty title={t('events.none')} action={create}>
          {can('manager') ? t('events.noneManager') : t('events.noneUser')}
        </Empty>
      )}
      {many && (
        <TextInput
          type="search"
          label={t('events.find')}
          value={sought}
          onChange={(e) => setSought(e.currentTarget.value)}
          maw={420}
          mb="md"
        />
      )}
      {many && shown.length === 0 && (
        <Text c="dimmed" role="status">
          {t('events.noMatch')}
        </Text>
      )}
      <SimpleGrid component="ul" className="plain" cols={{ base: 1, sm: 2 }}>
        {shown.map((e) => (
          <EventCard key={e._id} event={e} />
        ))}
      </SimpleGrid>
      {creating && (
        <Suspense fallback={<Loading />}>
          <NewEvent close={() => setCreating(false)} />
        </Suspense>
      )}
    </Box>
  );
}

function EventCard({ event }: { event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const total = event.result?.total;
  const waiting = waitingIn(event);
  const returned = returnedIn(event);
  const signed = event.signOff?.state === 'signed' ? event.signOff.edition : undefined;
  return (
    <li>
      <Link
        to={can('user') ? '/events/$eventId' : '/events/$eventId/footprint'}
        params={{ eventId: event._id }}
        className="card"
      >
        <Group justify="space-between" wrap="nowrap" align="flex-start" className="cardparts">
          <Box miw={0}>
            <Text fw={600} className="wrap">
              {event.title}
            </Text>
            <Text size="sm" c="dimmed">
              {[
                dates(event.startDate, event.endDate),
                event.attendees !== undefined &&
                  t('events.attendees', { count: event.attendees, n: number(event.attendees) }),
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </Box>
          <Box className="figure">
            {total ? (
              <>
                <Text fw={650} className="nowrap" title={exact(total.kgCO2e)}>
                  {co2e(total.kgCO2e)}
                </Text>
                <Text size="xs" c="dimmed">
                  {range(total.low, total.high, total.kgCO2e)}
                </Text>
              </>
            ) : (
              <Text size="sm" c="dimmed">
                {t('events.nothingApproved')}
              </Text>
            )}
            {signed !== undefined && (
              <Badge variant="light" color="teal" className="badge">
                {t('sign.badge', { n: signed })}
              </Badge>
            )}
            {waiting > 0 && (
              <Badge variant="light" color="orange" className="badge">
                {t('events.waiting', { count: waiting })}
              </Badge>
            )}
            {returned > 0 && can('user') && (
              <Badge variant="outline" color="orange" className="badge" ml={6}>
                {t('events.returned', { count: returned })}
              </Badge>
            )}
          </Box>
        </Group>
      </Link>
    </li>
  );
}
