import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { rename } from '../organization/data';
import { useSession } from '../session';
import { Problem } from './states';

/**
 * Asks an administrator without a name for it: the first account of an organization is made with an address only, and
 * decisions and signatures state the name that somebody had when they made them.
 */
export function NameMissing(): ReactNode {
  const { t } = useTranslation();
  const { me, can } = useSession();
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (name: string) => rename(client, me._id, name, true),
  });
  if (me.name || !can('admin')) return null;
  return (
    <Alert role="note" color="blue" mb="md" title={t('account.nameMissing')}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          const name = String(new FormData(e.currentTarget).get('name') ?? '').trim();
          if (name) save.mutate(name);
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            name="name"
            label={t('account.name')}
            description={t('account.nameHint')}
            autoComplete="name"
            required
            withAsterisk={false}
            maxLength={100}
            flex={1}
            miw={220}
            maw={420}
          />
          <Button type="submit" loading={save.isPending}>
            {t('state.save')}
          </Button>
        </Group>
      </form>
      {save.isError && <Problem error={save.error} />}
    </Alert>
  );
}
