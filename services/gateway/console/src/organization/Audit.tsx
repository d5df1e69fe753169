import { Anchor, Skeleton, Stack, Switch, Table, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, take } from '../api/client';
import { useEvents } from '../api/events';
import { time } from '../format';
import { More, nextPage } from '../ui/More';
import { Problem } from '../ui/states';
import { Wide } from '../ui/Wide';
import { useFactors } from './data';
import { changeOf, type Entry, eventOf, isDenied, type Known, labelOf, reasonOf, subjectOf, whoOf } from './entries';
import { readLog } from './log';
import './organization.css';

/** What was done, or refused, to accounts, sessions, the organization and its events. */
export function Audit(): ReactNode {
  const { t } = useTranslation();
  const [signIns, setSignIns] = useState(false);
  const list = useInfiniteQuery({
    queryKey: ['audit', signIns],
    initialPageParam: 1,
    queryFn: ({ pageParam }) => {
      const limit = signIns ? 50 : 100;
      const read = (page: number) => take(api.GET('/organization/audit', { params: { query: { page, limit } } }));
      return readLog(read, pageParam, signIns);
    },
    placeholderData: keepPreviousData,
    getNextPageParam: nextPage,
  });
  const users = useQuery({
    queryKey: ['users'],
    queryFn: () => all((page) => take(api.GET('/users', { params: { query: { page, limit: 100 } } }))),
  });
  const events = useEvents();
  const factors = useFactors();
  const known: Known = {
    people: new Map(users.data?.map((u) => [u._id, u.name || u.email])),
    events: new Map(events.data?.map((e) => [e._id, e.title])),
    factors: new Map(factors.data?.map((f) => [f._id, f.name])),
  };
  if (list.isPending) return <Skeleton h={200} />;
  if (list.isLoadingError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  return (
    <Stack>
      <Switch label={t('org.signIns')} checked={signIns} onChange={(e) => setSignIns(e.currentTarget.checked)} />
      <Wide label={t('org.audit')}>
        <Table className="stacks" role="table">
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              <Table.Th role="columnheader">{t('org.when')}</Table.Th>
              <Table.Th role="columnheader">{t('org.who')}</Table.Th>
              <Table.Th role="columnheader">{t('org.what')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {list.data.pages
              .flatMap((p) => p.items)
              .map((e) => {
                return (
                  <Table.Tr key={e._id} role="row">
                    <Table.Td role="cell" className="beside">
                      {time(e.at)}
                    </Table.Td>
                    <Table.Td role="cell" className="beside">
                      {whoOf(e, known)}
                    </Table.Td>
                    <Table.Th scope="row" role="rowheader" fw={500}>
                      {/* The word of the API is for who looks for it in a log. */}
                      <span title={e.action}>{labelOf(e)}</span>
                      {isDenied(e) && (
                        <Text span size="sm" fw={500} c="red">
                          {' '}
                          · {t('org.refused')}
                          {e.reason && `: ${reasonOf(e)}`}
                        </Text>
                      )}
                      <About entry={e} known={known} />
                    </Table.Th>
                  </Table.Tr>
                );
              })}
          </Table.Tbody>
        </Table>
      </Wide>
      <More list={list} />
    </Stack>
  );
}

/** Whom or what an entry is about; an event that is there is a link to its history. */
function About({ entry, known }: { entry: Entry; known: Known }): ReactNode {
  const subject = subjectOf(entry, known);
  const change = changeOf(entry);
  const event = eventOf(entry);
  if (!subject && !change) return null;
  return (
    <Text size="xs" c="dimmed" className="wrap">
      {event && known.events.has(event) ? (
        <Anchor component={Link} to={`/events/${event}/history`} inherit>
          {subject}
        </Anchor>
      ) : (
        subject
      )}
      {subject && change && ': '}
      {change}
    </Text>
  );
}
