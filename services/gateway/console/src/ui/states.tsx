/** What a page shows while it loads, when there is nothing, and when something failed. */
import { Alert, Button, Center, Code, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle } from '@tabler/icons-react';
import i18next from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { sayError, sayFailure } from '../i18n/server';

export function Loading(): ReactNode {
  const { t } = useTranslation();
  return (
    <Center mih="40vh" role="status" aria-label={t('state.loading')}>
      <Loader />
    </Center>
  );
}

/** Returns the text of an error: the server's, or ours if it could not be reached. */
export function problemText(error: Error): string {
  if (!(error instanceof ApiError)) return sayFailure(error);
  if (error.code === 'NETWORK') return i18next.t('state.offline');
  if (error.code === 'UNEXPECTED') return i18next.t('state.unexpected', { status: error.status });
  if (error.code === 'UNAUTHENTICATED') return i18next.t('session.over');
  if (error.code === 'RATE_LIMITED') return i18next.t('state.wait', { seconds: error.retryAfter });
  return sayError(error);
}

/** The same, updated when the language changes. */
export function useProblemText(): (error: Error) => string {
  useTranslation();
  return problemText;
}

let away = false;

/** Takes back that the server cannot be reached, once it has answered. */
export function tellAnswered(): void {
  if (away) notifications.hide('behind');
  away = false;
}

/** Shows that a page could not be refreshed; its content remains. */
export function tellBehind(error: Error): void {
  // An expired session opens the sign-in dialog, and a missing page is reported instead.
  if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return;
  away = error instanceof ApiError && error.code === 'NETWORK';
  const wait = error instanceof ApiError ? error.retryAfter : 0;
  notifications.show({
    id: 'behind', // one for all that is read at once
    color: 'orange',
    title: i18next.t('state.behind'),
    message: problemText(error),
    autoClose: Math.max(wait, 8) * 1_000,
  });
}

export function Problem({ error, retry, focus }: { error: Error; retry?: () => void; focus?: boolean }): ReactNode {
  const { t } = useTranslation();
  const text = useProblemText();
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('state.failed')} my="md" role="alert">
      <Stack gap="xs">
        <Text size="sm">{text(error)}</Text>
        {error instanceof ApiError && error.requestId && (
          <Text size="xs">
            {t('state.request')} <Code>{error.requestId}</Code>
          </Text>
        )}
        {retry && (
          <Group>
            <Button size="xs" variant="default" onClick={retry} data-autofocus={focus}>
              {t('state.retry')}
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** A missing page or event, with a link back, and below it where else it may be. */
export function Missing({ what = 'page', children }: { what?: 'page' | 'event'; children?: ReactNode }): ReactNode {
  const { t } = useTranslation();
  return (
    <Empty
      order={1}
      title={t(`missing.${what}`)}
      action={
        <>
          <Button component="a" href="/">
            {t('event.back')}
          </Button>
          {children}
        </>
      }
    >
      {t(`missing.${what}Text`)}
    </Empty>
  );
}

export function Empty({
  title,
  children,
  action,
  order = 2,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  order?: 1 | 2;
}): ReactNode {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap="xs" maw={520} ta="center">
        <Title order={order} size="h4">
          {title}
        </Title>
        <Text c="dimmed">{children}</Text>
        {action}
      </Stack>
    </Center>
  );
}
