import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { useSession } from '../session';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem } from '../ui/states';
import { rename } from './data';

interface Props {
  user: Schemas['User'];
  close: () => void;
  /** Is told when the name is another one. */
  renamed: () => void;
}

/** Asks for another name of a person or of an account for a program. */
export function RenameModal({ user, close, renamed }: Props): ReactNode {
  const { t } = useTranslation();
  const { me } = useSession();
  const client = useQueryClient();
  const unsaved = useUnsaved();
  const save = useMutation({
    mutationFn: (name: string) => rename(client, user._id, name, user._id === me._id),
    onSuccess: () => {
      unsaved.clear();
      renamed();
      close();
    },
  });
  return (
    <FormModal title={t('org.rename')} unsaved={unsaved} close={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          save.mutate(String(new FormData(e.currentTarget).get('name') ?? '').trim());
        }}
      >
        <Stack>
          <TextInput
            name="name"
            label={t('org.name')}
            description={t('org.renameText', { email: user.email })}
            defaultValue={user.name}
            required
            withAsterisk={false}
            maxLength={100}
            data-autofocus
          />
          {save.isError && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => unsaved.leave(close)}>
              {t('state.cancel')}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {t('state.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}
