import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, take } from '../api/client';
import { time } from '../format';
import { actorName } from '../i18n/actor';
import { nameOf } from '../i18n/fields';
import { labelOf } from '../sheet/columns';

interface Props {
  eventId: string;
  type: string;
  id: string;
  revision: number;
}

/** What became of a record, by whom, and why. */
export function RecordHistory({ eventId, type, id, revision }: Props): ReactNode {
  const { t } = useTranslation();
  const history = useQuery({
    queryKey: ['record-history', eventId, id, revision],
    queryFn: () =>
      take(
        api.GET('/events/{eventId}/{type}/{recordId}/history', {
          params: { path: { eventId, type, recordId: id }, query: { limit: 100 } },
        }),
      ),
  });
  return (
    <List size="sm" listStyleType="none" spacing={4}>
      {(history.data?.items ?? []).map((h) => (
        <List.Item key={h.revision + h.action}>
          <b>{t(`move.${h.action}`)}</b> {actorName(h.by)}, {time(h.at)}
          {h.changed && h.changed.length > 0 && (
            <Text size="xs" c="dimmed">
              {h.changed.map((f) => nameOf(f) ?? labelOf(f)).join(', ')}
            </Text>
          )}
          {h.comment && <q className="reason">{h.comment}</q>}
        </List.Item>
      ))}
    </List>
  );
}
