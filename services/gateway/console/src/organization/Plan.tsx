import { Alert, Button, Card, Group, Progress, Skeleton, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, call, type Schemas, takeTagged } from '../api/client';
import { amountIn, cellNumber, number, time } from '../format';
import { actorName } from '../i18n/actor';
import { useSession } from '../session';
import { Problem } from '../ui/states';

const limits = ['rowsPerImport', 'openImports', 'recordsPerEvent', 'recordsPerOrganization'] as const;

/** The texts of what a pending change of the policy makes less strict. */
function proposalsOf(p: NonNullable<Schemas['Organization']['pendingPolicy']>) {
  const all: ('org.pending' | 'org.pendingReason' | 'org.pendingAuto')[] = [];
  if (!p.fourEyes) all.push('org.pending');
  if (p.requireReason === false) all.push('org.pendingReason');
  if (p.autoApproveBelowKg != null) all.push('org.pendingAuto');
  return all;
}

/** The plan with its quota and limits, and the rules of approval. */
export function Plan(): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const client = useQueryClient();
  const org = useQuery({ queryKey: ['organization-tagged'], queryFn: () => takeTagged(api.GET('/organization')) });
  const save = useMutation({
    mutationFn: (policy: Partial<Schemas['Policy']>) => call('PATCH', '/organization', { policy }),
    onSuccess: ({ status }) => {
      void client.invalidateQueries({ queryKey: ['organization'] });
      void client.invalidateQueries({ queryKey: ['organization-tagged'] });
      notifications.show({ message: t(status === 202 ? 'org.proposed' : 'org.saved') });
    },
  });
  if (org.isPending) return <Skeleton h={200} />;
  if (org.isLoadingError) return <Problem error={org.error} retry={() => void org.refetch()} />;
  const { eventQuota: q, pendingPolicy, plan, planLimits, policy } = org.data.data;
  const admin = can('admin');
  const submit = (e: FormEvent<HTMLFormElement>): void => {
    e.preventDefault();
    const f = new FormData(e.currentTarget);
    // What is no number is for the server to say.
    const optional = (name: string) => amountIn(String(f.get(name) ?? '')) as number | null;
    save.mutate({
      fourEyes: f.get('fourEyes') === 'on',
      requireReason: f.get('requireReason') === 'on',
      autoApproveBelowKg: optional('below'),
      spotCheckOneIn: optional('spot'),
    });
  };
  return (
    <Stack>
      <Card withBorder component="section">
        <Title order={2} size="h4">
          {t('org.planName', { plan })}
        </Title>
        <Text size="sm" mb={6}>
          {q.limit === null
            ? t('org.unlimited', { used: number(q.used) })
            : t('org.quota', { used: number(q.used), limit: number(q.limit), left: number(q.left ?? 0) })}
        </Text>
        {q.limit !== null && <Progress value={(100 * q.used) / q.limit} aria-label={t('org.plan')} />}
        {limits.map((name) => {
          const limit = planLimits?.[name] ?? null;
          return (
            limit !== null && (
              <Text size="sm" key={name}>
                {t(`org.limits.${name}`, { limit: number(limit) })}
              </Text>
            )
          );
        })}
      </Card>
      <Card withBorder component="section">
        <Title order={2} size="h4" mb="sm">
          {t('org.policy')}
        </Title>
        {pendingPolicy && (
          <Alert color="orange" mb="sm" role="status">
            {proposalsOf(pendingPolicy)
              .map((proposed) =>
                t(proposed, { name: actorName(pendingPolicy.proposedBy), time: time(pendingPolicy.proposedAt) }),
              )
              .join(' ')}
          </Alert>
        )}
        <form onSubmit={submit}>
          <Stack maw={560}>
            <Switch
              name="fourEyes"
              label={t('org.fourEyes')}
              description={t('org.fourEyesText')}
              defaultChecked={policy.fourEyes ?? false}
              disabled={!admin}
            />
            <Switch
              name="requireReason"
              label={t('org.reason')}
              description={t('org.reasonText')}
              defaultChecked={policy.requireReason ?? false}
              disabled={!admin}
            />
            <TextInput
              name="below"
              label={t('org.below')}
              description={t('org.belowText')}
              inputMode="decimal"
              defaultValue={policy.autoApproveBelowKg == null ? '' : cellNumber(policy.autoApproveBelowKg)}
              disabled={!admin}
            />
            <TextInput
              name="spot"
              label={t('org.spot')}
              description={t('org.spotText')}
              inputMode="numeric"
              defaultValue={policy.spotCheckOneIn == null ? '' : cellNumber(policy.spotCheckOneIn)}
              disabled={!admin}
            />
            {policy.autoApproveSetBy && (
              <Text size="sm" c="dimmed">
                {t('org.setBy', { name: actorName(policy.autoApproveSetBy) })}
              </Text>
            )}
            {save.isError && <Problem error={save.error} />}
            {admin ? (
              <Group>
                <Button type="submit" loading={save.isPending}>
                  {t('state.save')}
                </Button>
              </Group>
            ) : (
              <Text size="sm" c="dimmed">
                {t('org.adminsOnly')}
              </Text>
            )}
          </Stack>
        </form>
      </Card>
    </Stack>
  );
}
