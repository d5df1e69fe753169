import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  label?: string;
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Fetches the next page of a list, where there is one. */
export function More({ list, label }: Props): ReactNode {
  const { t } = useTranslation();
  if (!list.hasNextPage) return null;
  return (
    <Group>
      <Button size="xs" variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label ?? t('foot.more')}
      </Button>
    </Group>
  );
}

/** The number of the page after the one that was answered, for lists that are fetched page by page. */
export const nextPage = (l: { pagination: { page: number; totalPages: number } }): number | undefined =>
  l.pagination.page < l.pagination.totalPages ? l.pagination.page + 1 : undefined;
