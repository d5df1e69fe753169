import { Anchor, Box, Button, Group, NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { type Listed, recordsOf } from '../api/records';
import { useRecordTypes } from '../api/types';
import { useSummary } from '../footprint/summary';
import { amount, exact, time } from '../format';
import { actorName } from '../i18n/actor';
import { decidesOn, isClosed, useEvent } from '../pages/Event';
import { useSession } from '../session';
import { Empty, Problem } from '../ui/states';
import { CommentModal } from './CommentModal';
import { fieldsOnly } from './Decision';
import { decideOne, hasMoved } from './decide';

/** What can have become of a record that waited. */
export const outcomes = ['approved', 'changes_requested', 'rejected'] as const;
export type Outcome = (typeof outcomes)[number];
export const isOutcome = (text: string | undefined): text is Outcome => outcomes.some((o) => o === text);

const atOnce = 50;

/** Returns the records that have an outcome, those decided last before the others. */
export const decidedAs = (records: Listed[], outcome: Outcome): Listed[] =>
  records
    .filter((r) => r.status === outcome)
    .sort((a, b) => (b.reviewedAt ?? '').localeCompare(a.reviewedAt ?? '') || a._id.localeCompare(b._id));

interface Props {
  outcome: Outcome;
  /** Chooses another outcome. */
  outcomes: ReactNode;
}

/** The records that were decided on, by whom and when, and why. */
export function Past({ outcome, outcomes }: Props): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { me } = useSession();
  const { eventId, query } = useEvent();
  const event = query.data?.data;
  const types = useRecordTypes();
  const [who, setWho] = useState('');
  const [many, setMany] = useState(atOnce);
  const [asking, setAsking] = useState<Listed | null>(null);
  const list = useQuery({
    queryKey: ['review', eventId, 'decided'],
    enabled: types.isSuccess,
    queryFn: async () => (await recordsOf(eventId, types.data?.items.map((x) => x.type) ?? [])).flat(),
  });
  const decided = decidedAs(list.data ?? [], outcome);
  const people = new Map(decided.flatMap((r) => (r.reviewedBy ? [[r.reviewedBy._id, actorName(r.reviewedBy)]] : [])));
  const shown = decided.filter((r) => who === '' || r.reviewedBy?._id === who);
  const takesBack = event !== undefined && outcome !== 'changes_requested' && !isClosed(event) && decidesOn(event, me);
  const takeBack = async (record: Listed, comment: string): Promise<void> => {
    try {
      await decideOne(eventId, 'reopen', record, comment);
    } catch (cause) {
      if (!(cause instanceof ApiError && hasMoved(cause.code))) throw cause;
      notifications.show({ color: 'orange', message: t('review.changed') });
    }
    for (const key of ['result', 'preview', 'event']) void client.invalidateQueries({ queryKey: [key, eventId] });
    await client.invalidateQueries({ queryKey: ['review', eventId] });
    setAsking(null);
  };
  return (
    <div className="review">
      <Group className="toolbar" justify="space-between">
        {outcomes}
        {people.size > 1 && (
          <Group gap="xs" component="label">
            <Text span size="sm">
              {t('review.by')}
            </Text>
            <NativeSelect
              size="xs"
              value={who}
              onChange={(e) => setWho(e.currentTarget.value)}
              data={[
                { value: '', label: t('review.everybody') },
                ...[...people].map(([value, label]) => ({ value, label })),
              ]}
            />
          </Group>
        )}
      </Group>
      <Box p="md" maw={1000} w="100%" mx="auto">
        {(types.isPending || list.isLoading) && (
          <Box role="status" aria-label={t('state.loading')}>
            <Skeleton h={240} />
          </Box>
        )}
        {types.isLoadingError && <Problem error={types.error} retry={() => void types.refetch()} />}
        {list.isLoadingError && <Problem error={list.error} retry={() => void list.refetch()} />}
        {list.data && shown.length === 0 && (
          <Empty title={t('review.nonePast')}>{t(`review.nonePastText.${outcome}`)}</Empty>
        )}
        {shown.length > 0 && (
          <Stack>
            <Text size="sm" c="dimmed" role="status">
              {t('review.past', { count: shown.length })}
            </Text>
            <ul className="plain entries">
              {shown.slice(0, many).map((r) => (
                <Entry key={r._id} eventId={eventId} record={r} takeBack={takesBack ? () => setAsking(r) : undefined} />
              ))}
            </ul>
            {shown.length > many && (
              <Group>
                <Button size="xs" variant="default" onClick={() => setMany(many + atOnce)}>
                  {t('foot.more')}
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Box>
      {asking && (
        <CommentModal
          asking={{ move: 'reopen', items: [asking] }}
          close={() => setAsking(null)}
          done={(comment) => takeBack(asking, comment)}
        />
      )}
    </div>
  );
}

interface EntryProps {
  eventId: string;
  record: Listed;
  /** Asks for the decision to be taken back; undefined where the reader cannot. */
  takeBack: (() => void) | undefined;
}

function Entry({ eventId, record: r, takeBack }: EntryProps): ReactNode {
  const { t } = useTranslation();
  const summary = useSummary();
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <Text fw={600} size="sm" miw={0}>
          {t(`type.${r.type as 'flights'}`, { defaultValue: r.type })}: {summary(r.type, fieldsOnly(r))}
        </Text>
        {r.footprint && (
          <Text fw={600} size="sm" className="figure nowrap" title={exact(r.footprint.kgCO2e)}>
            {amount(r.footprint.kgCO2e)}
          </Text>
        )}
      </Group>
      {r.reviewedBy && r.reviewedAt && (
        <Text size="sm" c="dimmed">
          {t(`decision.${r.status as Outcome}`, { name: actorName(r.reviewedBy) })},{' '}
          <time dateTime={r.reviewedAt}>{time(r.reviewedAt)}</time>
        </Text>
      )}
      {r.reviewComment && <q className="reason">{r.reviewComment}</q>}
      <Group gap="sm" mt={4}>
        <Anchor
          size="sm"
          className="target"
          component={Link}
          to={`/events/${eventId}/sheet?type=${r.type}&record=${r._id}`}
        >
          {t('foot.toRecord')}
        </Anchor>
        {takeBack && (
          <Button size="compact-sm" variant="default" onClick={takeBack}>
            {t('review.takeBack')}
          </Button>
        )}
      </Group>
    </li>
  );
}
