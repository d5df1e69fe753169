import {
  Alert,
  Badge,
  Button,
  Code,
  CopyButton,
  Group,
  Select,
  Skeleton,
  Stack,
  Switch,
  Table,
  Text,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, call, type Schemas, take } from '../api/client';
import { time } from '../format';
import { useSession } from '../session';
import { ConfirmModal } from '../ui/ConfirmModal';
import { Problem, useProblemText } from '../ui/states';
import { Wide } from '../ui/Wide';
import { lookAlikes } from './addresses';
import { type Invitation, InviteModal, roles } from './InviteModal';
import { RenameModal } from './RenameModal';
import './organization.css';

type User = Schemas['User'];
type Created = Schemas['CreatedUserResponse']['data'];

/** Names the characters of an address that can be taken for others. */
function LookAlikes({ email }: { email: string }): ReactNode {
  const { t } = useTranslation();
  const characters = lookAlikes(email);
  if (!characters) return null;
  return (
    <Text size="xs" fw={500}>
      {t('org.lookAlikes', { characters })}
    </Text>
  );
}

/** A link that was made just now, and whom it is for. */
interface Link {
  id: string;
  of: string;
  email: string;
  /** Whether it invites; it sets another password otherwise. */
  invited: boolean;
  link: string;
}

const linkOf = (token: string): string => `${location.origin}/setup#${encodeURIComponent(token)}`;

/** Members, invitations, and their permissions. */
export function Members(): ReactNode {
  const { t } = useTranslation();
  const { me } = useSession();
  const text = useProblemText();
  const client = useQueryClient();
  const [inviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<User | null>(null);
  const [renaming, setRenaming] = useState<User | null>(null);
  const [link, setLink] = useState<Link | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const users = useQuery({
    queryKey: ['users'],
    queryFn: () => all((page) => take(api.GET('/users', { params: { query: { page, limit: 100 } } }))),
  });
  const again = (): void => {
    void client.invalidateQueries({ queryKey: ['users'] });
    void client.invalidateQueries({ queryKey: ['members'] });
  };
  const showLink = ({ _id: id, name, email, setupToken }: Created, invited: boolean): void => {
    if (setupToken) setLink({ id, of: name || email, email, invited, link: linkOf(setupToken) });
  };
  const failed = (e: Error): void => {
    again();
    notifications.show({ color: 'red', message: text(e) });
  };
  const change = useMutation({
    mutationFn: ({ id, patch }: { id: string; patch: Schemas['UserPatch'] }) => call('PATCH', `/users/${id}`, patch),
    onSuccess: again,
    onError: failed,
  });
  const invite = useMutation({
    mutationFn: (input: Invitation) => call<Created>('POST', '/users', input),
    onSuccess: ({ data }) => {
      again();
      setInviting(false);
      showLink(data, true);
    },
  });
  const remove = useMutation({
    mutationFn: (u: User) => call('DELETE', `/users/${u._id}`),
    onSuccess: (_, u) => {
      again();
      setLeaving(null);
      // The link of a removed person is invalid, and the button that was pressed disappears with the row.
      setLink((l) => (l?.id === u._id ? null : l));
      setTimeout(() => opener.current?.focus(), 300); // after the dialog has given the focus back
    },
  });
  // A link is shown once. Who is invited gets another one in its place, and who has forgotten the password one to set
  // another; the present password holds until then.
  const renew = useMutation({
    mutationFn: (u: User) => call<Created>('POST', `/users/${u._id}/setup-link`),
    onSuccess: ({ data }, u) => {
      again();
      showLink(data, u.state === 'invited');
    },
    onError: failed,
  });
  if (users.isPending) return <Skeleton h={200} />;
  if (users.isLoadingError) return <Problem error={users.error} retry={() => void users.refetch()} />;
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" maw={620}>
          {t('org.membersText')}
        </Text>
        <Button
          ref={opener}
          onClick={() => {
            invite.reset();
            setInviting(true);
          }}
        >
          {t('org.invite')}
        </Button>
      </Group>
      {link && (
        <Alert
          color="blue"
          title={t('org.linkTitle', { name: link.of })}
          withCloseButton
          closeButtonLabel={t('state.close')}
          onClose={() => setLink(null)}
          role="status"
        >
          <Text size="sm">{t(link.invited ? 'org.linkText' : 'org.passwordLinkText')}</Text>
          <LookAlikes email={link.email} />
          <Code block className="wraps" my="xs">
            {link.link}
          </Code>
          <CopyButton value={link.link}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" onClick={copy}>
                {t(copied ? 'state.copied' : 'state.copy')}
              </Button>
            )}
          </CopyButton>
        </Alert>
      )}
      <Wide label={t('org.members')}>
        <Table className="stacks" role="table">
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              <Table.Th role="columnheader">{t('org.name')}</Table.Th>
              <Table.Th role="columnheader">{t('org.role')}</Table.Th>
              <Table.Th role="columnheader">{t('org.state')}</Table.Th>
              <Table.Th role="columnheader">
                <span className="vh">{t('org.actions')}</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {users.data.map((u) => (
              <Table.Tr key={u._id} role="row">
                <Table.Th scope="row" role="rowheader" fw={500} className="wrap">
                  {u.name || '–'}{' '}
                  {u.serviceAccount && (
                    <Badge size="xs" variant="light" className="badge">
                      {t('org.program')}
                    </Badge>
                  )}
                  <Text size="xs" c="dimmed">
                    {u.email}
                  </Text>
                  <LookAlikes email={u.email} />
                </Table.Th>
                <Table.Td role="cell">
                  <Select
                    size="xs"
                    w={150}
                    aria-label={t('org.roleOf', { name: u.name || u.email })}
                    value={u.role}
                    allowDeselect={false}
                    disabled={u._id === me._id || u.serviceAccount}
                    data={roles.map((r) => ({ value: r, label: t(`role.${r}`) }))}
                    onChange={(role) => role && change.mutate({ id: u._id, patch: { role: role as 'user' } })}
                  />
                </Table.Td>
                <Table.Td role="cell">
                  {u.state === 'invited' ? (
                    <Text size="sm">
                      {t('org.invitedUntil', { time: u.invitedUntil ? time(u.invitedUntil) : '–' })}
                    </Text>
                  ) : (
                    <Switch
                      size="sm"
                      label={t(u.disabled ? 'org.disabled' : 'org.active')}
                      aria-label={t('org.activeOf', { name: u.name || u.email })}
                      checked={!u.disabled}
                      disabled={u._id === me._id}
                      onChange={(e) => change.mutate({ id: u._id, patch: { disabled: !e.currentTarget.checked } })}
                    />
                  )}
                </Table.Td>
                <Table.Td role="cell" ta="right">
                  <Group gap={6} justify="flex-end" className="rowactions">
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={t('org.actionOf', { action: t('org.rename'), name: u.name || u.email })}
                      onClick={() => setRenaming(u)}
                    >
                      {t('org.rename')}
                    </Button>
                    {(u.state === 'invited' || (u.state === 'active' && u._id !== me._id)) && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('org.actionOf', {
                          action: t(u.state === 'invited' ? 'org.newLink' : 'org.passwordLink'),
                          name: u.name || u.email,
                        })}
                        loading={renew.isPending && renew.variables?._id === u._id}
                        onClick={() => renew.mutate(u)}
                      >
                        {t(u.state === 'invited' ? 'org.newLink' : 'org.passwordLink')}
                      </Button>
                    )}
                    {u._id !== me._id && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('org.actionOf', {
                          action: t(u.state === 'invited' ? 'org.uninvite' : 'org.remove'),
                          name: u.name || u.email,
                        })}
                        onClick={() => {
                          remove.reset();
                          setLeaving(u);
                        }}
                      >
                        {t(u.state === 'invited' ? 'org.uninvite' : 'org.remove')}
                      </Button>
                    )}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Wide>
      {renaming && <RenameModal user={renaming} close={() => setRenaming(null)} renamed={again} />}
      <InviteModal opened={inviting} close={() => setInviting(false)} invite={invite} />
      <ConfirmModal
        opened={leaving !== null}
        close={() => setLeaving(null)}
        title={t(leaving?.state === 'invited' ? 'org.uninvite' : 'org.remove')}
        text={t(leaving?.state === 'invited' ? 'org.uninviteText' : 'org.removeText', {
          name: leaving?.name || leaving?.email || '',
        })}
        error={remove.error}
        busy={remove.isPending}
        confirm={() => leaving && remove.mutate(leaving)}
      />
    </Stack>
  );
}
