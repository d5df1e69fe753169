import { Button, Group, Skeleton, Stack, Table } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, take } from '../api/client';
import { time } from '../format';
import { Problem } from '../ui/states';

/** What was done, or refused, to accounts, sessions, the organization and its events. */
export function Audit(): ReactNode {
  const { t } = useTranslation();
  const list = useInfiniteQuery({
    queryKey: ['audit'],
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      take(api.GET('/organization/audit', { params: { query: { page: pageParam, limit: 50 } } })),
    getNextPageParam: (l) => (l.pagination.page < l.pagination.totalPages ? l.pagination.page + 1 : undefined),
  });
  const users = useQuery({
    queryKey: ['users'],
    queryFn: () => all((page) => take(api.GET('/users', { params: { query: { page, limit: 100 } } }))),
  });
  const names = new Map(users.data?.map((u) => [u._id, u.name]));
  if (list.isPending) return <Skeleton h={200} />;
  if (list.isError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  return (
    <Stack>
      <Table.ScrollContainer minWidth={640}>
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
                      <span className="mono">{e.action}</span>
                    </Table.Th>
                    <Table.Td>{names.get(e.actor ?? '') ?? e.actor ?? '–'}</Table.Td>
                    <Table.Td>{e.outcome}</Table.Td>
                  </Table.Tr>
                );
              })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {list.hasNextPage && (
        <Group>
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {t('foot.more')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
