import { Badge, Button, Card, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client';
import { date, exactNumber, time } from '../format';
import { actorName } from '../i18n/actor';
import { useSession } from '../session';
import { ConfirmModal } from '../ui/ConfirmModal';
import { Empty, Problem } from '../ui/states';
import { type Factor, useFactors } from './data';
import { FactorModal } from './FactorModal';

/** The library of suppliers' factors: what was proposed, approved, and used by name in records. */
export function Factors(): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const list = useFactors();
  const [editing, setEditing] = useState<{ factor?: Factor; next?: boolean } | null>(null);
  const [filter, setFilter] = useState('');
  if (list.isPending) return <Skeleton h={200} />;
  if (list.isLoadingError) return <Problem error={list.error} retry={() => void list.refetch()} />;
  const wanted = filter.trim().toLowerCase();
  const shown = list.data.filter((f) => f.name.toLowerCase().includes(wanted));
  const propose = can('manager') && <Button onClick={() => setEditing({})}>{t('factor.propose')}</Button>;
  return (
    <Stack>
      {list.data.length === 0 ? (
        <Empty title={t('factor.none')} action={propose}>
          {t('factor.noneText')}
        </Empty>
      ) : (
        <>
          <Group justify="space-between" align="flex-end">
            <TextInput label={t('factor.search')} value={filter} onChange={(e) => setFilter(e.currentTarget.value)} />
            {propose}
          </Group>
          <ul className="plain entries">
            {shown.map((f) => (
              <li key={f._id}>
                <FactorCard
                  factor={f}
                  edit={() => setEditing({ factor: f })}
                  next={() => setEditing({ factor: f, next: true })}
                />
              </li>
            ))}
          </ul>
          {shown.length === 0 && <Text size="sm">{t('factor.noMatch')}</Text>}
        </>
      )}
      {editing && <FactorModal {...editing} close={() => setEditing(null)} />}
    </Stack>
  );
}

const colors = { proposed: 'blue', approved: 'teal', rejected: 'red', withdrawn: 'gray' } as const;

function FactorCard({ factor: f, edit, next }: { factor: Factor; edit: () => void; next: () => void }): ReactNode {
  const { t } = useTranslation();
  const { me, organization, can } = useSession();
  const client = useQueryClient();
  const [comment, setComment] = useState('');
  const [deleting, setDeleting] = useState(false);
  const act = useMutation({
    mutationFn: (what: 'approve' | 'reject' | 'withdraw' | 'delete') =>
      what === 'delete'
        ? call('DELETE', `/supplier-factors/${f._id}`)
        : call('POST', `/supplier-factors/${f._id}/${what}`, comment.trim() ? { comment: comment.trim() } : {}, {
            'Idempotency-Key': crypto.randomUUID(),
          }),
    onSuccess: (_, what) => notifications.show({ message: t(`factor.did_${what}`, { name: f.reference }) }),
    onSettled: () => client.invalidateQueries({ queryKey: ['supplier-factors'] }),
  });
  const own = f.createdBy._id === me._id && Boolean(organization.policy.fourEyes);
  const open = f.status === 'proposed';
  const valid = [
    f.validFrom && t('factor.from', { day: date(f.validFrom) }),
    f.validTo && t('factor.to', { day: date(f.validTo) }),
  ];
  return (
    <Card withBorder p="sm" component="article" aria-label={f.reference}>
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h5">
          {f.name} <span className="dim">{t('factor.version', { n: f.version })}</span>
        </Title>
        <Badge variant="light" color={colors[f.status]} className="badge">
          {t(`factor.status_${f.status}`)}
        </Badge>
      </Group>
      <Text className="figure" fw={600}>
        {t('factor.figure', { kg: exactNumber(f.kgCO2ePerUnit), unit: f.unit })}
        {f.uncertaintyFactor !== undefined && (
          <span className="dim"> {t('factor.spread', { factor: exactNumber(f.uncertaintyFactor) })}</span>
        )}
      </Text>
      <Text size="sm">{f.source}</Text>
      <Text size="xs" c="dimmed">
        {[
          t(`factor.stage_${f.stage}`),
          f.scope3Category && t(`category.${f.scope3Category as 'optional'}`, { defaultValue: f.scope3Category }),
          ...valid,
          ...f.evidence.map((e) => e.name ?? e.url ?? e.sha256?.slice(0, 12)),
          t('factor.by', { name: actorName(f.createdBy), time: time(f.createdAt) }),
          f.decidedBy && f.decidedAt && t('factor.decided', { name: actorName(f.decidedBy), time: time(f.decidedAt) }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </Text>
      {f.comment && <q className="reason">{f.comment}</q>}
      {can('manager') && (
        <>
          {(open || f.status === 'approved') && (
            <TextInput
              mt="xs"
              size="xs"
              maw={420}
              label={t('governed.comment')}
              value={comment}
              maxLength={2000}
              onChange={(e) => setComment(e.currentTarget.value)}
            />
          )}
          {act.isError && <Problem error={act.error} />}
          {open && own && <Text size="sm">{t('factor.own')}</Text>}
          <Group gap="xs" mt="xs">
            {open && !own && (
              <Button size="xs" loading={act.isPending} onClick={() => act.mutate('approve')}>
                {t('factor.approve')}
              </Button>
            )}
            {open && !own && (
              <Button size="xs" variant="default" disabled={comment.trim() === ''} onClick={() => act.mutate('reject')}>
                {t('factor.reject')}
              </Button>
            )}
            {open && (
              <Button size="xs" variant="default" onClick={edit}>
                {t('factor.edit')}
              </Button>
            )}
            {!open && (
              <Button size="xs" variant="default" onClick={next}>
                {t('factor.next')}
              </Button>
            )}
            {f.status === 'approved' && (
              <Button
                size="xs"
                variant="default"
                disabled={comment.trim() === ''}
                onClick={() => act.mutate('withdraw')}
              >
                {t('factor.withdraw')}
              </Button>
            )}
            {(open || f.status === 'rejected') && (
              <Button
                size="xs"
                variant="default"
                color="red"
                onClick={() => {
                  act.reset(); // what failed before is not about this
                  setDeleting(true);
                }}
              >
                {t('factor.delete')}
              </Button>
            )}
          </Group>
          <ConfirmModal
            opened={deleting}
            close={() => setDeleting(false)}
            title={t('factor.delete')}
            text={t('factor.deleteText', { name: f.reference })}
            error={act.error}
            busy={act.isPending}
            confirm={() => act.mutate('delete')}
          />
        </>
      )}
    </Card>
  );
}
