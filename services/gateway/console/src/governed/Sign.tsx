import { Alert, Button, Card, Checkbox, Group, Loader, Stack, Text, Textarea, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call, type Schemas } from '../api/client';
import { co2e, time } from '../format';
import { actorName } from '../i18n/actor';
import { say } from '../i18n/server';
import { useSession } from '../session';
import { FormModal } from '../ui/FormModal';
import { useUnsaved } from '../ui/leave';
import { Problem } from '../ui/states';
import { useKeptText } from '../ui/useKeptText';
import { Checklist, somethingOpen, useChecklist } from './Checklist';
import { moved, useChanges } from './data';
import { Proposal } from './Proposals';

interface Props {
  event: Schemas['Event'];
  tag: string;
  result: Schemas['Result'];
}

/** Signing a figure, and the state of a signed one. */
export function Sign({ event, tag, result }: Props): ReactNode {
  const { t } = useTranslation();
  const { can } = useSession();
  const state = event.signOff?.state ?? 'open';
  const list = useChecklist(event._id, result, state !== 'open');
  const changes = useChanges(event._id, can('manager') && state === 'open');
  const proposed = changes.data?.find((c) => c.kind === 'sign-off');
  if (state === 'signed') return <Signed event={event} tag={tag} />;
  if (state === 'closing')
    return (
      <Alert color="blue" role="status" icon={<Loader size={16} />} title={t('sign.closing')}>
        {t('sign.closingText')}
      </Alert>
    );
  const failure = event.signOff?.failure;
  return (
    <>
      {failure && (
        <Alert color="orange" title={t('sign.failed', { n: failure.revision })} role="alert">
          <Text size="sm">{say('error', failure)}</Text>
          <Text size="xs" c="dimmed">
            {time(failure.at)}
          </Text>
        </Alert>
      )}
      <Checklist list={list} event={event} />
      {proposed ? (
        <Proposal eventId={event._id} title={event.title} change={proposed} />
      ) : (
        can('manager') && <SignForm event={event} tag={tag} result={result} open={somethingOpen(list)} />
      )}
    </>
  );
}

function SignForm({ event, tag, result, open }: Props & { open: boolean }): ReactNode {
  const { t } = useTranslation();
  const { organization } = useSession();
  const client = useQueryClient();
  const [statement, setStatement] = useKeptText(`sign.${event._id}`);
  const [sure, setSure] = useState(false);
  const sign = useMutation({
    mutationFn: () =>
      call(
        'POST',
        `/events/${event._id}/sign-off`,
        { revision: result.revision, statement: statement.trim() },
        { 'If-Match': tag, 'Idempotency-Key': crypto.randomUUID() },
      ),
    onSuccess: () => setStatement(''),
    onSettled: () => moved(client, event._id),
  });
  const second = Boolean(organization.policy.fourEyes);
  return (
    <Card withBorder component="section" p="sm">
      <Title order={2} size="h5" mb={4}>
        {t('sign.title')}
      </Title>
      {/* Another figure may take its place while the statement is typed. */}
      <Text size="sm" c="dimmed" mb="xs" role="status">
        {t('sign.text', { total: co2e(result.total.kgCO2e), n: result.revision })} {second && t('sign.second')}
      </Text>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          sign.mutate();
        }}
      >
        <Stack gap="xs">
          <Textarea
            label={t('sign.statement')}
            description={t('sign.statementHint')}
            required
            withAsterisk={false}
            autosize
            minRows={2}
            maxLength={2000}
            value={statement}
            onChange={(e) => setStatement(e.currentTarget.value)}
          />
          {open && (
            <Checkbox
              label={t('sign.anyway')}
              checked={sure}
              onChange={(e) => setSure(e.currentTarget.checked)}
              required
            />
          )}
          {sign.isError && <Problem error={sign.error} />}
          <Group>
            <Button
              type="submit"
              size="sm"
              loading={sign.isPending}
              disabled={statement.trim() === '' || (open && !sure) || result.status !== 'current'}
            >
              {t(second ? 'sign.propose' : 'sign.do')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function Signed({ event, tag }: { event: Schemas['Event']; tag: string }): ReactNode {
  const { t } = useTranslation();
  const { can, me, organization } = useSession();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [comment, setComment] = useState('');
  const unsaved = useUnsaved();
  const edition = event.signOff?.editions.at(-1);
  const withdraw = useMutation({
    mutationFn: () =>
      call(
        'POST',
        `/events/${event._id}/sign-off/withdraw`,
        { comment: comment.trim() },
        { 'If-Match': tag, 'Idempotency-Key': crypto.randomUUID() },
      ),
    onSuccess: async () => {
      unsaved.clear();
      notifications.show({ message: t('sign.withdrawn') });
      // The button that opened the dialog goes meanwhile: the focus is given to what is left then.
      await moved(client, event._id);
      setAsking(false);
    },
  });
  if (!edition) return null;
  const own = Boolean(organization.policy.fourEyes) && edition.by._id === me._id;
  return (
    <Card withBorder component="section" p="sm" aria-label={t('sign.signed')}>
      <Title order={2} size="h5" mb={4}>
        {t('sign.edition', { n: edition.edition })}
      </Title>
      <Text size="sm">{t('sign.by', { name: actorName(edition.by), time: time(edition.at) })}</Text>
      {edition.fourEyes && <Text size="sm">{t('sign.twoPeople')}</Text>}
      <q className="reason">{edition.statement}</q>
      <Text size="sm" c="dimmed" mt="xs">
        {t('sign.locked')}
      </Text>
      {can('manager') && own && (
        <Text size="sm" mt="xs">
          {t('sign.own')}
        </Text>
      )}
      {can('manager') && !own && (
        <Button mt="sm" size="xs" variant="default" onClick={() => setAsking(true)}>
          {t('sign.withdraw')}
        </Button>
      )}
      <FormModal opened={asking} title={t('sign.withdraw')} unsaved={unsaved} close={() => setAsking(false)}>
        <form
          onSubmit={(e) => {
            e.preventDefault();
            withdraw.mutate();
          }}
        >
          <Stack>
            <Text size="sm">{t('sign.withdrawText', { n: edition.edition })}</Text>
            <Textarea
              label={t('ask.why')}
              description={t('sign.withdrawHint')}
              required
              withAsterisk={false}
              maxLength={2000}
              value={comment}
              onChange={(e) => setComment(e.currentTarget.value)}
              data-autofocus
            />
            {withdraw.isError && <Problem error={withdraw.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => unsaved.leave(() => setAsking(false))}>
                {t('state.cancel')}
              </Button>
              <Button type="submit" color="red" disabled={comment.trim() === ''} loading={withdraw.isPending}>
                {t('sign.withdraw')}
              </Button>
            </Group>
          </Stack>
        </form>
      </FormModal>
    </Card>
  );
}
