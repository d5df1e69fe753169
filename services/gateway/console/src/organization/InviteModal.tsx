import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem } from '../ui/states';

export const roles = ['viewer', 'user', 'manager', 'admin'] as const;

export interface Invitation {
  email: string;
  name: string;
  role: string;
  serviceAccount: boolean;
}

interface Props {
  opened: boolean;
  close: () => void;
  invite: UseMutationResult<unknown, Error, Invitation>;
}

/** Asks whom to invite, and what they may do. */
export function InviteModal({ opened, close, invite }: Props): ReactNode {
  const { t } = useTranslation();
  const unsaved = useUnsaved();
  // Sent or discarded input is not asked about.
  useEffect(() => {
    if (!opened) unsaved.clear();
  }, [opened, unsaved]);
  return (
    <FormModal opened={opened} title={t('org.invite')} unsaved={unsaved} close={close}>
      <Invite invite={invite} />
    </FormModal>
  );
}

/** The form in its initial state, which is restored when the dialog closes. */
function Invite({ invite }: Pick<Props, 'invite'>): ReactNode {
  const { t } = useTranslation();
  const [role, setRole] = useState<string>('user');
  const [program, setProgram] = useState(false);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        const f = new FormData(e.currentTarget);
        invite.mutate({
          email: String(f.get('email')),
          name: String(f.get('name')),
          role: program ? 'user' : role,
          serviceAccount: program,
        });
      }}
    >
      <Stack>
        <TextInput name="name" label={t('org.name')} required withAsterisk={false} data-autofocus maxLength={100} />
        <TextInput name="email" type="email" label={t('session.email')} required withAsterisk={false} />
        <Select
          label={t('org.role')}
          value={program ? 'user' : role}
          disabled={program}
          onChange={(v) => v && setRole(v)}
          allowDeselect={false}
          data={roles.map((r) => ({ value: r, label: t(`role.${r}`) }))}
        />
        <Text size="sm" c="dimmed" mt={-8}>
          {t(`roleText.${(program ? 'user' : role) as 'user'}`)}
        </Text>
        <Checkbox label={t('org.forProgram')} checked={program} onChange={(e) => setProgram(e.currentTarget.checked)} />
        {invite.isError && <Problem error={invite.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={invite.isPending}>
            {t('org.invite')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
