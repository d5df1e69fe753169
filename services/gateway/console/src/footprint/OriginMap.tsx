import { Button, Card, Group, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, type Schemas, take } from '../api/client';
import { number } from '../format';
import { loaded } from '../loaded';
import { Problem } from '../ui/states';
import type { Dot } from './World';

const World = lazy(() => loaded(() => import('./World')).then((m) => ({ default: m.World })));

/** How many rows of origins are read of a record, a hundred at a time. */
const pagesMax = 5;
const shown = 20;

/** Adds up the people of each place that origins were found at, the most people first. */
export function dotsOf(origins: Schemas['Origin'][]): Dot[] {
  const dots = new Map<string, Dot>();
  for (const at of origins.flatMap((o) => o.at ?? [])) {
    const key = `${at.latitude} ${at.longitude}`;
    const dot = dots.get(key);
    if (dot) dot.people += at.people;
    else
      dots.set(key, {
        name: [at.name, at.country].join(', '),
        latitude: at.latitude,
        longitude: at.longitude,
        people: at.people,
      });
  }
  return [...dots.values()].sort((a, b) => b.people - a.people);
}

async function originsOf(eventId: string): Promise<Schemas['Origin'][]> {
  const records = await all((page) =>
    take(
      api.GET('/events/{eventId}/{type}', {
        params: { path: { eventId, type: 'attendee-travel' }, query: { page, limit: 100 } },
      }),
    ),
  );
  const counted = records.filter((r) => ['approved', 'submitted', 'in_review'].includes(r.status ?? ''));
  const origins: Schemas['Origin'][] = [];
  for (const r of counted)
    for (let page = 1; page <= pagesMax; page++) {
      const list = await take(
        api.GET('/events/{eventId}/{type}/{recordId}/origins', {
          params: { path: { eventId, type: 'attendee-travel', recordId: r._id }, query: { page, limit: 100 } },
        }),
      );
      origins.push(...list.items);
      if (page >= list.pagination.totalPages) break;
    }
  return origins;
}

/** The origins of attendees: a table, and a map that is loaded on demand. */
export function OriginMap({ event }: { event: Schemas['Event'] }): ReactNode {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const origins = useQuery({
    queryKey: ['origins', event._id],
    queryFn: () => originsOf(event._id),
    staleTime: 60_000,
  });
  if (origins.isLoadingError) return <Problem error={origins.error} retry={() => void origins.refetch()} />;
  const dots = dotsOf(origins.data ?? []);
  if (dots.length === 0) return null;
  const { location } = event;
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb={4}>
        {t('origin.map')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('origin.mapText')} {dots.length > shown && t('origin.partly', { count: shown })}
      </Text>
      {open ? (
        <Suspense fallback={<Skeleton h={280} />}>
          <World dots={dots} {...(location ? { venue: location } : {})} />
        </Suspense>
      ) : (
        <Group>
          <Button size="xs" variant="default" onClick={() => setOpen(true)}>
            {t('origin.show')}
          </Button>
        </Group>
      )}
      <Table mt="sm" verticalSpacing={2}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('origin.from')}</Table.Th>
            <Table.Th ta="right">{t('origin.people')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {dots.slice(0, shown).map((d) => (
            <Table.Tr key={`${d.latitude} ${d.longitude}`}>
              <Table.Th scope="row" fw={400}>
                {d.name}
              </Table.Th>
              <Table.Td ta="right" className="figure">
                {number(d.people)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
