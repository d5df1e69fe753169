import { Alert, Box, Button, Center, Modal, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconLeaf } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { signIn } from '../session';
import { Problem } from '../ui/states';

/** Asks for email and password; label is what the button does. */
export function SignInForm({ done, label }: { done: () => void; label?: string }): ReactNode {
  const { t } = useTranslation();
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (e: FormEvent<HTMLFormElement>): Promise<void> => {
    e.preventDefault();
    const form = new FormData(e.currentTarget);
    setBusy(true);
    setError(null);
    try {
      await signIn(String(form.get('email')), String(form.get('password')));
      done();
    } catch (cause) {
      setError(cause as Error);
    } finally {
      setBusy(false);
    }
  };
  const wrong = error instanceof ApiError && error.status === 401;
  return (
    <form onSubmit={(e) => void submit(e)}>
      <Stack>
        <TextInput
          name="email"
          type="email"
          label={t('session.email')}
          autoComplete="username"
          required
          autoFocus
          withAsterisk={false}
        />
        <PasswordInput
          name="password"
          label={t('session.password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('session.show') }}
        />
        {wrong ? (
          <Alert color="red" role="alert">
            {t('session.wrong')}
          </Alert>
        ) : (
          error && <Problem error={error} />
        )}
        <Button type="submit" loading={busy}>
          {label ?? t('session.signIn')}
        </Button>
      </Stack>
    </form>
  );
}

export function SignInPage({ done }: { done: () => void }): ReactNode {
  const { t } = useTranslation();
  const notice = sessionStorage.getItem('ecf.notice');
  return (
    <Center component="main" mih="100vh" p="md">
      <Box w="100%" maw={380}>
        <Stack gap="lg">
          <Stack gap={4} align="center">
            <IconLeaf size={36} aria-hidden className="mark" />
            <Title order={1} size="h3">
              {t('app.name')}
            </Title>
            <Text c="dimmed" ta="center" size="sm">
              {t('app.claim')}
            </Text>
          </Stack>
          {notice && <Alert role="status">{notice}</Alert>}
          <Paper withBorder p="lg">
            <SignInForm
              done={() => {
                sessionStorage.removeItem('ecf.notice');
                done();
              }}
            />
          </Paper>
          <Text size="sm" c="dimmed" ta="center">
            {t('session.forgot')}
          </Text>
        </Stack>
      </Box>
    </Center>
  );
}

/** Asks to sign in again over the page, so that nothing typed is lost. */
export function EndedModal({ done }: { done: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('session.ended')}
    >
      <Text size="sm" mb="md">
        {t('session.endedText')}
      </Text>
      <SignInForm done={done} />
    </Modal>
  );
}
