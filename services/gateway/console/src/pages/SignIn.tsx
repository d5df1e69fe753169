import { Alert, Box, Button, Center, Modal, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconLeaf } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { isElsewhere, rememberedOrganization, rememberOrganization, signIn, useSession } from '../session';
import { lastFocused } from '../ui/focus';
import { Problem } from '../ui/states';

interface FormProps {
  done: () => void;
  /** What the button does. */
  label?: string;
  /** The purpose of the password. */
  password?: string;
  /** A password that was set before. */
  chosen?: string;
  /** Whether the form takes the focus as it appears. */
  focus?: boolean;
  /** Shows the field for an organization, with this value; empty: only after a rejected sign-in. */
  organization?: string;
  /** The organization to go on in, for an account that is of it. */
  within?: string;
}

/** Asks for email and password and, where it may be needed, for the organization. */
export function SignInForm({
  done,
  label,
  password,
  chosen,
  focus = true,
  organization,
  within = '',
}: FormProps): ReactNode {
  const { t } = useTranslation();
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const [naming, setNaming] = useState(Boolean(organization));
  // Focus the field when it was requested, not when it was part of the page.
  const [asked, setAsked] = useState(false);
  const submit = async (e: FormEvent<HTMLFormElement>): Promise<void> => {
    e.preventDefault();
    const form = new FormData(e.currentTarget);
    const text = (name: string): string => String(form.get(name) ?? '');
    const to = naming ? text('organization').trim() : within;
    setBusy(true);
    setError(null);
    try {
      await signIn(text('email'), text('password'), to).catch((cause) => {
        // Somebody else signs in where the session of another has ended.
        if (!naming && to && isElsewhere(cause)) return signIn(text('email'), text('password'));
        throw cause;
      });
      if (organization !== undefined) await rememberOrganization(to);
      done();
    } catch (cause) {
      setError(cause as Error);
    } finally {
      setBusy(false);
    }
  };
  const elsewhere = naming && isElsewhere(error);
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
          autoFocus={focus}
          withAsterisk={false}
        />
        <PasswordInput
          name="password"
          label={password ?? t('session.password')}
          defaultValue={chosen}
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('session.show') }}
        />
        {naming && (
          <TextInput
            name="organization"
            label={t('session.organization')}
            description={t('session.organizationText')}
            defaultValue={organization ?? ''}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
            autoFocus={asked}
            error={elsewhere && t('session.elsewhere')}
            errorProps={{ role: 'alert' }}
          />
        )}
        {wrong && (
          <Alert color="red" role="alert">
            {t(naming ? 'session.wrongThere' : 'session.wrong')}
            {organization !== undefined && !naming && (
              <>
                <Text size="sm" mt={6} mb="xs">
                  {t('session.alone')}
                </Text>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => {
                    setAsked(true);
                    setNaming(true);
                    setError(null);
                  }}
                >
                  {t('session.name')}
                </Button>
              </>
            )}
          </Alert>
        )}
        {error && !wrong && !elsewhere && <Problem error={error} />}
        <Button type="submit" loading={busy}>
          {label ?? t('session.signIn')}
        </Button>
      </Stack>
    </form>
  );
}

/** Returns the organization that the address of the page names, as the link does that a separate account came with. */
const linkedOrganization = (): string => (new URLSearchParams(location.search).get('organization') ?? '').slice(0, 64);

export function SignInPage({ done }: { done: () => void }): ReactNode {
  const { t } = useTranslation();
  const notice = sessionStorage.getItem('ecf.notice');
  const [organization] = useState(() => linkedOrganization() || rememberedOrganization());
  return (
    <Center component="main" mih="100vh" p="md">
      <Box w="100%" maw={380}>
        <Stack gap="lg">
          <Stack gap={4} align="center">
            <IconLeaf size={36} aria-hidden className="mark" />
            <Title order={1} size="h3" ta="center">
              {t('app.name')}
            </Title>
            <Text c="dimmed" ta="center" size="sm">
              {t('app.claim')}
            </Text>
          </Stack>
          {notice && <Alert role="status">{notice}</Alert>}
          <Paper withBorder p="lg">
            <SignInForm
              organization={organization}
              done={() => {
                sessionStorage.removeItem('ecf.notice');
                if (linkedOrganization()) history.replaceState(null, '', location.pathname);
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
  const { organization } = useSession();
  // After signing in again, restore the focus.
  const [before] = useState(lastFocused);
  useEffect(
    () => () => {
      setTimeout(() => {
        before?.focus();
        // It may be gone, or disabled.
        if (document.activeElement !== before)
          (document.querySelector<HTMLElement>('[role=dialog]') ?? document.getElementById('main'))?.focus();
      });
    },
    [before],
  );
  return (
    <Modal
      opened
      zIndex={500} // over what is told beside a page
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('session.ended')}
    >
      <Text size="sm" mb="md">
        {t('session.endedText')}
      </Text>
      <SignInForm done={done} within={organization._id} />
    </Modal>
  );
}
