import { Alert, Button, Card, Group, Progress, Skeleton, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, call, type Schemas, takeTagged } from '../api/client';
import { amountIn, cellNumber, number, time } from '../format';
import { actorName } from '../i18n/actor';
import { useSession } from '../session';
import { useUnsaved } from '../ui/leave';
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
  const org = useQuery({ queryKey: ['organization-tagged'], queryFn: () => takeTagged(api.GET('/organization')) });
  if (org.isPending) return <Skeleton h={200} />;
  if (org.isLoadingError) return <Problem error={org.error} retry={() => void org.refetch()} />;
  const { eventQuota: q, pendingPolicy, plan, planLimits, policy } = org.data.data;
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
        {can('admin') ? <PolicyForm policy={policy} /> : <PolicyText policy={policy} />}
      </Card>
    </Stack>
  );
}

type Policy = Schemas['Policy'];

/** What the fields of the form show for a policy. */
const fieldsOf = (p: Policy) => ({
  fourEyes: p.fourEyes ?? false,
  requireReason: p.requireReason ?? false,
  autoApproveBelowKg: p.autoApproveBelowKg == null ? '' : cellNumber(p.autoApproveBelowKg),
  spotCheckOneIn: p.spotCheckOneIn == null ? '' : cellNumber(p.spotCheckOneIn),
});

/** The rules of approval as fields. */
function PolicyForm({ policy }: { policy: Policy }): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const now = fieldsOf(policy);
  // Only what was changed here: another administrator may change the rest meanwhile.
  const [typed, setTyped] = useState<Partial<typeof now>>({});
  const fields = { ...now, ...typed };
  const unsaved = useUnsaved();
  const set = (change: typeof typed): void => {
    setTyped({ ...typed, ...change });
    unsaved.fill();
  };
  const save = useMutation({
    mutationFn: (changed: Policy) => call('PATCH', '/organization', { policy: changed }),
    onSuccess: async ({ status }) => {
      unsaved.clear();
      void client.invalidateQueries({ queryKey: ['organization'] });
      notifications.show({ message: t(status === 202 ? 'org.proposed' : 'org.saved') });
      await client.invalidateQueries({ queryKey: ['organization-tagged'] });
      setTyped({}); // what waits for a second administrator is not the policy yet
    },
  });
  const submit = (e: FormEvent<HTMLFormElement>): void => {
    e.preventDefault();
    // What is no number is for the server to say.
    const optional = (text: string) => amountIn(text) as number | null;
    const asked: Policy = {
      fourEyes: fields.fourEyes,
      requireReason: fields.requireReason,
      autoApproveBelowKg: optional(fields.autoApproveBelowKg),
      spotCheckOneIn: optional(fields.spotCheckOneIn),
    };
    const names = (Object.keys(typed) as (keyof typeof now)[]).filter((name) => fields[name] !== now[name]);
    save.mutate(Object.fromEntries(names.map((name) => [name, asked[name]])));
  };
  return (
    <form onSubmit={submit}>
      <Stack maw={560}>
        <Switch
          label={t('org.fourEyes')}
          description={t('org.fourEyesText')}
          checked={fields.fourEyes}
          onChange={(e) => set({ fourEyes: e.currentTarget.checked })}
        />
        <Switch
          label={t('org.reason')}
          description={t('org.reasonText')}
          checked={fields.requireReason}
          onChange={(e) => set({ requireReason: e.currentTarget.checked })}
        />
        <TextInput
          label={t('org.below')}
          description={t('org.belowText')}
          inputMode="decimal"
          value={fields.autoApproveBelowKg}
          onChange={(e) => set({ autoApproveBelowKg: e.currentTarget.value })}
        />
        <TextInput
          label={t('org.spot')}
          description={t('org.spotText')}
          inputMode="numeric"
          value={fields.spotCheckOneIn}
          onChange={(e) => set({ spotCheckOneIn: e.currentTarget.value })}
        />
        <SetBy policy={policy} />
        {save.isError && <Problem error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {t('state.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The rules of approval for who cannot change them. */
function PolicyText({ policy }: { policy: Policy }): ReactNode {
  const { t } = useTranslation();
  const { autoApproveBelowKg: below, spotCheckOneIn: spot } = policy;
  const rules = [
    [t('org.fourEyes'), t(policy.fourEyes ? 'state.yes' : 'state.no'), t('org.fourEyesText')],
    [t('org.reason'), t(policy.requireReason ? 'state.yes' : 'state.no'), t('org.reasonText')],
    [t('org.below'), below == null ? t('state.no') : number(below)],
    ...(below == null || spot == null ? [] : [[t('org.spot'), number(spot)]]),
  ];
  return (
    <Stack maw={560}>
      <Stack component="dl" gap="sm" my={0}>
        {rules.map(([name, value, text]) => (
          <div key={name}>
            <Text component="dt" size="sm" fw={600}>
              {name}
            </Text>
            <Text component="dd" ml={0} size="sm">
              {value}
              <Text span display="block" size="xs" c="dimmed">
                {text}
              </Text>
            </Text>
          </div>
        ))}
      </Stack>
      <SetBy policy={policy} />
      <Text size="sm" c="dimmed">
        {t('org.adminsOnly')}
      </Text>
    </Stack>
  );
}

function SetBy({ policy }: { policy: Policy }): ReactNode {
  const { t } = useTranslation();
  if (!policy.autoApproveSetBy) return null;
  return (
    <Text size="sm" c="dimmed">
      {t('org.setBy', { name: actorName(policy.autoApproveSetBy) })}
    </Text>
  );
}
