import { Skeleton, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, type Schemas, take } from '../api/client';
import { time } from '../format';
import { More, nextPage } from '../ui/More';
import { Problem } from '../ui/states';
import { Wide } from '../ui/Wide';

/** What was done, or refused, to accounts, sessions, the organization and its events. */
export function Audit(): ReactNode {
  const { t } = useTranslation();
  const list = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      take(api.GET('/organization/audit', { params: { query: { page: pageParam, limit: 50 } } })),
    getNextPageParam: nextPage,
  });
  const users = useQuery({
    queryKey: ['users'],
    queryFn: () => all((page) => take(api.GET('/users', { params: { query: { page, limit: 100 } } }))),
  });
  const names = new Map(users.data?.map((u) => [u._id, u.name]));
  /** What an action is called. More may come than are known here, so its code stands beside it. */
  const words = (action: string): string => {
    const [area = '', move = ''] = action.split('.');
    if (area === 'event')
      return `${t('audit.event')}: ${t(`entry.${move as 'create'}`, { defaultValue: move.replaceAll('-', ' ') })}`;
    return t(`audit.${action.replace('.', '_') as 'login'}`, { defaultValue: action.replace(/[.-]/g, ' ') });
  };
  /** Whom it was done to, and what it was changed from and to; of an event's history the revision, without its hash. */
  const about = (e: Schemas['AuditEntry']): string =>
    [
      e.subject !== e.actor && names.get(e.subject ?? ''),
      [e.before, e.after?.split(',')[0]].filter(Boolean).join(' → '),
    ]
      .filter(Boolean)
      .join(': ');
  if (list.isPending) return <Skeleton h={200} />;
  if (list.isLoadingError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  return (
    <Stack>
      <Wide label={t('org.audit')} least={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('org.when')}</Table.Th>
              <Table.Th>{t('org.what')}</Table.Th>
              <Table.Th>{t('org.who')}</Table.Th>
              <Table.Th>{t('org.outcome')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.data.pages
              .flatMap((p) => p.items)
              .map((e) => {
                return (
                  <Table.Tr key={e._id}>
                    <Table.Td>{time(e.at)}</Table.Td>
                    <Table.Th scope="row" fw={500}>
                      {words(e.action)}{' '}
                      <Text span size="xs" c="dimmed" className="mono">
                        {e.action}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {about(e)}
                      </Text>
                    </Table.Th>
                    <Table.Td>
                      {e.actor === 'operator' ? t('org.operator') : (names.get(e.actor ?? '') ?? e.actor ?? '–')}
                    </Table.Td>
                    <Table.Td>
                      {t(`org.${e.outcome}`)}
                      {e.reason && (
                        <Text size="xs" c="dimmed">
                          {e.reason}
                        </Text>
                      )}
                    </Table.Td>
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
