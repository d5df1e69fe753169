import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/client';
import { moved, useRules } from '../governed/data';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem } from '../ui/states';

/** Deletes an event once its title is typed; where the policy says so, a second manager decides on it. */
export function DeleteModal({
  close,
  eventId,
  title,
  tag,
}: {
  close: () => void;
  eventId: string;
  title: string;
  tag: string;
}): ReactNode {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [sure, setSure] = useState(false);
  const [typed, setTyped] = useState('');
  const [comment, setComment] = useState('');
  const rules = useRules(eventId);
  const unsaved = useUnsaved();
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE', `/events/${eventId}`, comment.trim() ? { comment } : undefined, { 'If-Match': tag }),
    onSuccess: async ({ status }) => {
      unsaved.clear();
      if (status === 202) {
        close();
        notifications.show({ message: t('event.proposed') });
        await moved(client, eventId);
        await navigate({ to: '/events/$eventId/history', params: { eventId } });
        return;
      }
      await navigate({ to: '/' });
      void client.invalidateQueries({ queryKey: ['events'] });
      notifications.show({ message: t('event.deleted', { title }) });
    },
  });
  return (
    <FormModal title={t('event.delete')} unsaved={unsaved} close={close}>
      <Stack>
        <Text size="sm" className="wrap">
          {t('event.deleteText', { title })}
        </Text>
        <Checkbox label={t('event.deleteSure')} checked={sure} onChange={(e) => setSure(e.currentTarget.checked)} />
        <TextInput label={t('event.deleteType')} value={typed} onChange={(e) => setTyped(e.currentTarget.value)} />
        <TextInput
          label={t('event.comment')}
          description={t(rules.second ? 'event.secondHint' : 'event.commentHint')}
          required={rules.reason}
          value={comment}
          maxLength={2000}
          onChange={(e) => setComment(e.currentTarget.value)}
        />
        {remove.isError && <Problem error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => unsaved.leave(close)}>
            {t('state.cancel')}
          </Button>
          <Button
            color="red"
            disabled={!sure || typed.trim() !== title.trim() || (rules.reason && comment.trim() === '')}
            loading={remove.isPending}
            onClick={() => remove.mutate()}
          >
            {t('event.delete')}
          </Button>
        </Group>
      </Stack>
    </FormModal>
  );
}
