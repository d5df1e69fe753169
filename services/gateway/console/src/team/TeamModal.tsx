import { Alert, Button, Group, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Schemas } from '../api/client';
import { moved, useRules } from '../governed/data';
import { useMembers } from '../organization/data';
import { useSession } from '../session';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem } from '../ui/states';

type Member = Schemas['Team']['members'][number];
type Role = Member['role'];

/** The least role in the organization that each role in a team needs. */
const needs = { viewer: 0, contributor: 1, reviewer: 2 } as const;
const rank: Record<string, number> = { viewer: 0, user: 1, manager: 2, admin: 3 };
const teamRoles = Object.keys(needs) as Role[];

/** Reports whether somebody may change the team of an event, as the server decides it. */
export function mayChangeTeam(event: Schemas['Event'], me: Schemas['Me']): boolean {
  if (me.role === 'admin') return true;
  if (me.role !== 'manager') return false;
  const { team } = event;
  if (!team) return event.createdBy._id === me._id;
  return !team.withoutReviewer && team.members.some((m) => m.userId === me._id && m.role === 'reviewer');
}

interface Props {
  event: Schemas['Event'];
  tag: string;
  close: () => void;
}

/** Who sees an event and works on it: everybody, or a team. */
export function TeamModal({ event, tag, close }: Props): ReactNode {
  const { t } = useTranslation();
  const { me, can } = useSession();
  const client = useQueryClient();
  const members = useMembers(can('user'));
  const rules = useRules(event._id);
  // Concurrent changes of the team are not overwritten.
  const [opened] = useState(tag);
  const [team, setTeam] = useState<Member[]>(event.team?.members ?? []);
  const [comment, setComment] = useState('');
  const unsaved = useUnsaved();
  const edit = (change: (now: Member[]) => Member[]): void => {
    unsaved.fill();
    setTeam(change);
  };
  const editable = mayChangeTeam(event, me);
  const save = useMutation({
    mutationFn: (to: Member[]) =>
      call(
        'PATCH',
        `/events/${event._id}`,
        {
          team: to.length > 0 ? { members: to } : null,
          ...(comment.trim() ? { comment: comment.trim() } : {}),
        },
        { 'If-Match': opened },
      ),
    onSuccess: async ({ status }) => {
      unsaved.clear();
      notifications.show({ message: t(status === 202 ? 'team.proposed' : 'team.saved') });
      close();
      await moved(client, event._id);
    },
  });
  const known = new Map((members.data ?? []).map((m) => [m._id, m]));
  const may = (id: string, role: Role): boolean => (rank[known.get(id)?.role ?? 'viewer'] ?? 0) >= needs[role];
  const free = (members.data ?? []).filter((m) => m.state === 'active' && !team.some((x) => x.userId === m._id));
  const add = (id: string | null): void => {
    if (id === null) return;
    const role: Role =
      team.length === 0 && may(id, 'reviewer') ? 'reviewer' : may(id, 'contributor') ? 'contributor' : 'viewer';
    edit((now) => [...now, { userId: id, role }]);
  };
  const reviewed = team.some((m) => m.role === 'reviewer');
  return (
    <FormModal title={t('team.title')} large unsaved={unsaved} close={close}>
      <Stack>
        <Text size="sm">{t(team.length === 0 ? 'team.everybody' : 'team.text')}</Text>
        {event.team?.withoutReviewer && <Alert color="orange">{t('team.withoutReviewer')}</Alert>}
        {members.isLoadingError && <Problem error={members.error} retry={() => void members.refetch()} />}
        {team.length > 0 && (
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('org.name')}</Table.Th>
                <Table.Th>{t('team.role')}</Table.Th>
                <Table.Th>
                  <span className="vh">{t('org.actions')}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {team.map((m) => {
                const name = known.get(m.userId)?.name ?? t('team.unknown');
                return (
                  <Table.Tr key={m.userId}>
                    <Table.Th scope="row" fw={500}>
                      {name}
                    </Table.Th>
                    <Table.Td>
                      <Select
                        size="xs"
                        aria-label={t('team.roleOf', { name })}
                        value={m.role}
                        disabled={!editable}
                        allowDeselect={false}
                        data={teamRoles.map((r) => ({ value: r, label: t(`team.${r}`), disabled: !may(m.userId, r) }))}
                        onChange={(role) =>
                          edit((now) => now.map((x) => (x.userId === m.userId ? { ...x, role: role as Role } : x)))
                        }
                      />
                    </Table.Td>
                    <Table.Td ta="right">
                      {editable && (
                        <Button
                          size="compact-xs"
                          variant="default"
                          aria-label={t('team.dropWho', { name })}
                          onClick={() => edit((now) => now.filter((x) => x.userId !== m.userId))}
                        >
                          {t('team.drop')}
                        </Button>
                      )}
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        )}
        {editable ? (
          <>
            <Select
              label={t('team.add')}
              placeholder={t('team.addHint')}
              searchable
              value={null}
              data={free.map((m) => ({ value: m._id, label: `${m.name}, ${t(`role.${m.role}`)}` }))}
              onChange={add}
              nothingFoundMessage={t('team.nobody')}
            />
            {team.length > 0 && !reviewed && <Text size="sm">{t('team.needsReviewer')}</Text>}
            <TextInput
              label={t('event.comment')}
              description={t(rules.second ? 'event.secondHint' : 'event.commentHint')}
              withAsterisk={rules.reason}
              value={comment}
              maxLength={2000}
              onChange={(e) => setComment(e.currentTarget.value)}
            />
            {save.isError && <Problem error={save.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => unsaved.leave(close)}>
                {t('state.cancel')}
              </Button>
              <Button
                loading={save.isPending}
                disabled={(team.length > 0 && !reviewed) || (team.length === 0 && !event.team)}
                onClick={() => save.mutate(team)}
              >
                {t(team.length === 0 && event.team ? 'team.takeAway' : 'state.save')}
              </Button>
            </Group>
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {t('team.notYours')}
          </Text>
        )}
      </Stack>
    </FormModal>
  );
}
