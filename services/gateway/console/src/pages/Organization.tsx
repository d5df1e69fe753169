import {
  Alert,
  Badge,
  Box,
  Button,
  Card,
  Code,
  Group,
  Modal,
  NumberInput,
  Progress,
  Select,
  Skeleton,
  Stack,
  Switch,
  Table,
  Tabs,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, call, type Schemas, take, takeTagged } from '../api/client';
import { number, time } from '../format';
import { useSession } from '../session';
import { Problem, useProblemText } from '../ui/states';

export function OrganizationPage(): ReactNode {
  const { t } = useTranslation();
  const { organization, can } = useSession();
  return (
    <Box maw={1100} mx="auto" p="md">
      <Title order={1} size="h2" mb="md">
        {organization.name}
      </Title>
      <Tabs defaultValue="plan" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="plan">{t('org.plan')}</Tabs.Tab>
          {can('admin') && <Tabs.Tab value="members">{t('org.members')}</Tabs.Tab>}
          {can('admin') && <Tabs.Tab value="audit">{t('org.audit')}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="plan">
          <Plan />
        </Tabs.Panel>
        <Tabs.Panel value="members">
          <Members />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <Audit />
        </Tabs.Panel>
      </Tabs>
    </Box>
  );
}

function Plan(): ReactNode {
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
  if (org.isError) return <Problem error={org.error} retry={() => void org.refetch()} />;
  const { eventQuota: q, pendingPolicy, plan, policy } = org.data.data;
  const admin = can('admin');
  const submit = (e: FormEvent<HTMLFormElement>): void => {
    e.preventDefault();
    const f = new FormData(e.currentTarget);
    const optional = (name: string): number | null => {
      const n = Number(f.get(name));
      return f.get(name) && n > 0 ? n : null;
    };
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
      </Card>
      <Card withBorder component="section">
        <Title order={2} size="h4" mb="sm">
          {t('org.policy')}
        </Title>
        {pendingPolicy && (
          <Alert color="orange" mb="sm" role="status">
            {t('org.pending', { name: pendingPolicy.proposedBy.name, time: time(pendingPolicy.proposedAt) })}
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
            <NumberInput
              name="below"
              label={t('org.below')}
              description={t('org.belowText')}
              suffix=" kg"
              min={0}
              defaultValue={policy.autoApproveBelowKg ?? ''}
              disabled={!admin}
              hideControls
            />
            <NumberInput
              name="spot"
              label={t('org.spot')}
              description={t('org.spotText')}
              min={1}
              allowDecimal={false}
              defaultValue={policy.spotCheckOneIn ?? ''}
              disabled={!admin}
              hideControls
            />
            {policy.autoApproveSetBy && (
              <Text size="sm" c="dimmed">
                {t('org.setBy', { name: policy.autoApproveSetBy.name })}
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

const roles = ['viewer', 'user', 'manager', 'admin'] as const;

function Members(): ReactNode {
  const { t } = useTranslation();
  const { me } = useSession();
  const text = useProblemText();
  const client = useQueryClient();
  const [inviting, setInviting] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const users = useQuery({
    queryKey: ['users'],
    queryFn: () => all((page) => take(api.GET('/users', { params: { query: { page, limit: 100 } } }))),
  });
  const again = (): void => void client.invalidateQueries({ queryKey: ['users'] });
  const change = useMutation({
    mutationFn: ({ id, patch }: { id: string; patch: Schemas['UserPatch'] }) => call('PATCH', `/users/${id}`, patch),
    onSuccess: again,
    onError: (e) => notifications.show({ color: 'red', message: text(e) }),
  });
  const invite = useMutation({
    mutationFn: (input: { email: string; name: string; role: string }) =>
      call<{ setupToken?: string }>('POST', '/users', input),
    onSuccess: ({ data }) => {
      again();
      setInviting(false);
      if (data.setupToken) setLink(`${location.origin}/api/v2/auth/setup#${encodeURIComponent(data.setupToken)}`);
    },
  });
  if (users.isPending) return <Skeleton h={200} />;
  if (users.isError) return <Problem error={users.error} retry={() => void users.refetch()} />;
  return (
    <Stack>
      <Group justify="flex-end">
        <Button onClick={() => setInviting(true)}>{t('org.invite')}</Button>
      </Group>
      {link && (
        <Alert
          title={t('org.linkTitle')}
          withCloseButton
          closeButtonLabel={t('state.close')}
          onClose={() => setLink(null)}
        >
          <Text size="sm">{t('org.linkText')}</Text>
          <Code block>{link}</Code>
        </Alert>
      )}
      <Table.ScrollContainer minWidth={640}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('org.name')}</Table.Th>
              <Table.Th>{t('session.email')}</Table.Th>
              <Table.Th>{t('org.role')}</Table.Th>
              <Table.Th>{t('org.active')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {users.data.map((u) => (
              <Table.Tr key={u._id}>
                <Table.Th scope="row" fw={500}>
                  {u.name}{' '}
                  {u.serviceAccount && (
                    <Badge size="xs" variant="light" className="badge">
                      {t('org.program')}
                    </Badge>
                  )}
                </Table.Th>
                <Table.Td>{u.email}</Table.Td>
                <Table.Td>
                  <Select
                    size="xs"
                    w={140}
                    aria-label={t('org.roleOf', { name: u.name })}
                    value={u.role}
                    allowDeselect={false}
                    disabled={u._id === me._id}
                    data={roles.map((r) => ({ value: r, label: t(`role.${r}`) }))}
                    onChange={(role) => role && change.mutate({ id: u._id, patch: { role: role as 'user' } })}
                  />
                </Table.Td>
                <Table.Td>
                  <Switch
                    size="sm"
                    aria-label={t('org.activeOf', { name: u.name })}
                    checked={!u.disabled}
                    disabled={u._id === me._id}
                    onChange={(e) => change.mutate({ id: u._id, patch: { disabled: !e.currentTarget.checked } })}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Modal
        opened={inviting}
        onClose={() => setInviting(false)}
        title={t('org.invite')}
        closeButtonProps={{ 'aria-label': t('state.close') }}
      >
        <form
          onSubmit={(e) => {
            e.preventDefault();
            const f = new FormData(e.currentTarget);
            invite.mutate({ email: String(f.get('email')), name: String(f.get('name')), role: String(f.get('role')) });
          }}
        >
          <Stack>
            <TextInput name="name" label={t('org.name')} required data-autofocus />
            <TextInput name="email" type="email" label={t('session.email')} required />
            <Select
              name="role"
              label={t('org.role')}
              defaultValue="user"
              allowDeselect={false}
              data={roles.map((r) => ({ value: r, label: t(`role.${r}`) }))}
            />
            {invite.isError && <Problem error={invite.error} />}
            <Group justify="flex-end">
              <Button type="submit" loading={invite.isPending}>
                {t('org.invite')}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </Stack>
  );
}

function Audit(): ReactNode {
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
