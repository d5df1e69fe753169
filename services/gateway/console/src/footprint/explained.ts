/** The records that a result counts, each with what it is about and how its figure comes about. */
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, type Schemas, take } from '../api/client';
import { nextPage } from '../ui/More';
import { useSummary } from './summary';

type Counted = Pick<Schemas['Result'], 'eventId' | 'revision'>;

export function useExplained({ eventId, revision }: Counted) {
  return useInfiniteQuery({
    queryKey: ['explain', eventId, revision],
    // Until those of a new revision are there.
    placeholderData: keepPreviousData,
    initialPageParam: 1,
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/events/{eventId}/results/explain', {
          params: { path: { eventId }, query: { page: pageParam, limit: 100 } },
        }),
      ),
    getNextPageParam: nextPage,
  });
}

/** As many pages are read to say what records are about; those of a larger event stay without. */
const pagesMax = 5;

/** Returns what a record is about, by its id: its fields in one line, and nothing while they are not known. */
export function useAbout(result: Counted, ids: readonly string[]): (id: string) => string {
  const list = useExplained(result);
  const summary = useSummary();
  const pages = list.data?.pages ?? [];
  const known = new Map(pages.flatMap((p) => p.items).map((x) => [x._id, x]));
  const missing = ids.some((id) => !known.has(id)) && pages.length > 0 && pages.length < pagesMax;
  const { fetchNextPage, hasNextPage, isFetching } = list;
  useEffect(() => {
    if (missing && hasNextPage && !isFetching) void fetchNextPage();
  }, [missing, hasNextPage, isFetching, fetchNextPage]);
  return (id) => {
    const record = known.get(id);
    return record ? summary(record.type, record.fields) : '';
  };
}
