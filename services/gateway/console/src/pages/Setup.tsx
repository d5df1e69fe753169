import { Alert, Anchor, Box, Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { IconLeaf } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, call, type Schemas, take } from '../api/client';
import { switchTo } from '../session';
import { Loading, Problem } from '../ui/states';
import { SignInForm } from './SignIn';

/** Returns the token of the link, which is kept out of the history of this browser. */
function takeToken(): string {
  const token = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
  return token;
}

/** Where the link of an invitation leads: to a first password, or to an account that there is. */
export function SetupPage(): ReactNode {
  const { t } = useTranslation();
  const [token] = useState(takeToken);
  const [existing, setExisting] = useState(false);
  const [anew, setAnew] = useState(false);
  const me = useQuery({ queryKey: ['me'], queryFn: () => take(api.GET('/auth/me')), retry: false });
  const accept = useMutation({
    mutationFn: () => call<Schemas['Membership']>('POST', '/auth/invitations/accept', { token }),
    onSuccess: ({ data }) => switchTo(data.organization),
  });
  if (me.isPending) return <Loading />;
  return (
    <Center component="main" mih="100vh" p="md">
      <Box w="100%" maw={420}>
        <Stack gap="lg">
          <Stack gap={4} align="center">
            <IconLeaf size={36} aria-hidden className="mark" />
            <Title order={1} size="h3" ta="center">
              {t('setup.title')}
            </Title>
          </Stack>
          <Paper withBorder p="lg">
            {token === '' && <Text>{t('setup.noToken')}</Text>}
            {token !== '' && me.isSuccess && !anew && (
              <Stack>
                <Text>{t('setup.acceptAs', { email: me.data.email })}</Text>
                {accept.isError && <Problem error={accept.error} />}
                <Button loading={accept.isPending} onClick={() => accept.mutate()}>
                  {t('setup.accept')}
                </Button>
                <Button variant="default" onClick={() => setAnew(true)}>
                  {t('setup.other')}
                </Button>
              </Stack>
            )}
            {token !== '' && (!me.isSuccess || anew) && !existing && (
              <PasswordForm token={token} exists={() => setExisting(true)} />
            )}
            {existing && (
              <Stack>
                <Text size="sm">{t('setup.exists')}</Text>
                {accept.isError && <Problem error={accept.error} />}
                <SignInForm label={t('setup.signInAccept')} done={() => accept.mutate()} />
              </Stack>
            )}
          </Paper>
          <Anchor href="/" ta="center" size="sm">
            {t('setup.toSignIn')}
          </Anchor>
        </Stack>
      </Box>
    </Center>
  );
}

function PasswordForm({ token, exists }: { token: string; exists: () => void }): ReactNode {
  const { t } = useTranslation();
  const [differ, setDiffer] = useState(false);
  const set = useMutation({
    mutationFn: (password: string) => call('POST', '/auth/setup', { setupToken: token, password }),
    onError: (e) => {
      if (e instanceof ApiError && e.details.some((d) => d.code === 'ACCEPT_INVITATION')) exists();
    },
  });
  if (set.isSuccess)
    return (
      <Alert color="blue" role="status" title={t('setup.done')}>
        <Button component="a" href="/" mt="xs">
          {t('session.signIn')}
        </Button>
      </Alert>
    );
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        const f = new FormData(e.currentTarget);
        const same = f.get('password') === f.get('again');
        setDiffer(!same);
        if (same) set.mutate(String(f.get('password')));
      }}
    >
      <Stack>
        <PasswordInput
          name="password"
          label={t('session.password')}
          description={t('account.rule')}
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={15}
          visibilityToggleButtonProps={{ 'aria-label': t('session.show') }}
        />
        <PasswordInput
          name="again"
          label={t('setup.again')}
          autoComplete="new-password"
          required
          withAsterisk={false}
          error={differ && t('setup.differ')}
          visibilityToggleButtonProps={{ 'aria-label': t('session.show') }}
        />
        {set.isError && <Problem error={set.error} />}
        <Button type="submit" loading={set.isPending}>
          {t('setup.set')}
        </Button>
      </Stack>
    </form>
  );
}
