import {
  Badge,
  Box,
  Button,
  Card,
  Code,
  Group,
  PasswordInput,
  Select,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, call, take } from '../api/client';
import { time } from '../format';
import { useSession } from '../session';
import { NameMissing } from '../ui/NameMissing';
import { useOrganizations } from '../ui/Switcher';
import { Problem } from '../ui/states';
import { Wide } from '../ui/Wide';

export function AccountPage(): ReactNode {
  const { t } = useTranslation();
  const { me } = useSession();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: () => all((page) => take(api.GET('/auth/sessions', { params: { query: { page, limit: 100 } } }))),
  });
  const end = useMutation({
    mutationFn: (id: string) => call('DELETE', `/auth/sessions/${id}`),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['sessions'] }),
  });
  const password = useMutation({
    mutationFn: (input: { currentPassword: string; newPassword: string }) => call('POST', '/auth/password', input),
    onSuccess: () => {
      form.current?.reset();
      notifications.show({ message: t('account.changed') });
      void client.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  return (
    <Box maw={900} mx="auto" p="md">
      <Title order={1} size="h2">
        {me.name || me.email}
      </Title>
      <Text c="dimmed" mb="md">
        {me.email} · {t(`role.${me.role as 'user'}`)}
      </Text>
      {me.separateAccount && (
        <Text mb="md">
          {t('account.separate')} <Code>{me.organization}</Code>
        </Text>
      )}
      <NameMissing />
      <Stack>
        <DefaultOrganization />
        <Card withBorder component="section">
          <Title order={2} size="h4" mb="sm">
            {t('account.password')}
          </Title>
          <form
            ref={form}
            onSubmit={(e) => {
              e.preventDefault();
              const f = new FormData(e.currentTarget);
              password.mutate({ currentPassword: String(f.get('current')), newPassword: String(f.get('next')) });
            }}
          >
            <Stack maw={380}>
              <input type="text" name="username" autoComplete="username" defaultValue={me.email} hidden />
              <PasswordInput
                name="current"
                label={t('account.current')}
                autoComplete="current-password"
                required
                visibilityToggleButtonProps={{ 'aria-label': t('session.show') }}
              />
              <PasswordInput
                name="next"
                label={t('account.next')}
                description={t('account.rule')}
                autoComplete="new-password"
                required
                minLength={15}
                visibilityToggleButtonProps={{ 'aria-label': t('session.show') }}
              />
              {password.isError && <Problem error={password.error} />}
              <Group>
                <Button type="submit" loading={password.isPending}>
                  {t('account.change')}
                </Button>
              </Group>
            </Stack>
          </form>
        </Card>
        <Card withBorder component="section">
          <Title order={2} size="h4" mb="sm">
            {t('account.sessions')}
          </Title>
          {sessions.isPending && <Skeleton h={80} />}
          {sessions.isLoadingError && <Problem error={sessions.error} retry={() => void sessions.refetch()} />}
          {end.isError && <Problem error={end.error} />}
          <Wide label={t('account.sessions')}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('account.program')}</Table.Th>
                  <Table.Th>{t('account.lastUsed')}</Table.Th>
                  <Table.Th>
                    <span className="vh">{t('account.end')}</span>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {sessions.data?.map((s) => (
                  <Table.Tr key={s._id}>
                    <Table.Th scope="row" fw={400} maw={380}>
                      <Text size="sm" truncate title={s.userAgent}>
                        {programOf(s.userAgent)}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {s.address}
                      </Text>
                    </Table.Th>
                    <Table.Td>{time(s.lastUsedAt)}</Table.Td>
                    <Table.Td ta="right">
                      {s.current ? (
                        <Badge variant="light" className="badge">
                          {t('account.this')}
                        </Badge>
                      ) : (
                        <Button size="compact-xs" variant="default" onClick={() => end.mutate(s._id)}>
                          {t('account.end')}
                        </Button>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Wide>
        </Card>
      </Stack>
    </Box>
  );
}

/** The default organization, for members of several. */
function DefaultOrganization(): ReactNode {
  const { t } = useTranslation();
  const { me } = useSession();
  const client = useQueryClient();
  const several = me.memberships.length > 1;
  const own = useOrganizations(several);
  const save = useMutation({
    mutationFn: (defaultOrganization: string) => call('PATCH', '/auth/me', { defaultOrganization }),
    onSuccess: () => {
      notifications.show({ message: t('account.defaultSaved') });
      void client.invalidateQueries({ queryKey: ['me'] });
    },
  });
  if (!several) return null;
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {t('nav.organizations')}
      </Title>
      <Select
        maw={380}
        label={t('account.default')}
        description={t('account.defaultText')}
        value={me.defaultOrganization}
        allowDeselect={false}
        data={(own.data ?? [])
          .filter((o) => o.state === 'active')
          .map((o) => ({ value: o._id, label: o.name || o._id }))}
        onChange={(id) => id && save.mutate(id)}
      />
      {save.isError && <Problem error={save.error} />}
    </Card>
  );
}

/** Names the browser and system of a session; a program names itself. */
export function programOf(agent: string | undefined): string {
  if (!agent) return '–';
  const browser = [
    ['Edg/', 'Edge'],
    ['OPR/', 'Opera'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ].find(([mark = '']) => agent.includes(mark))?.[1];
  if (!browser || !agent.startsWith('Mozilla/')) return agent;
  const system = [
    ['Windows', 'Windows'],
    ['Android', 'Android'],
    ['iPhone', 'iOS'],
    ['iPad', 'iPadOS'],
    ['Mac OS X', 'macOS'],
    ['Linux', 'Linux'],
  ].find(([mark = '']) => agent.includes(mark))?.[1];
  return [browser, system].filter(Boolean).join(', ');
}
