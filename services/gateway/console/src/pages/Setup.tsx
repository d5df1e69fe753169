import {
  Alert,
  Anchor,
  Box,
  Button,
  Center,
  Code,
  CopyButton,
  Paper,
  PasswordInput,
  Radio,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconLeaf } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, call, type Schemas, take } from '../api/client';
import { switchTo } from '../session';
import { Loading, Problem } from '../ui/states';
import { useTitle } from '../ui/title';
import { SignInForm } from './SignIn';

type Invitation = Schemas['Invitation'];

let taken: string | undefined;

/**
 * Returns the token of the link, after removing it from the address. It is kept because a first render may be repeated,
 * and in the state of the page, where a reload finds it: a phone reloads a page that somebody left to look something up.
 */
function takeToken(): string {
  if (taken === undefined) {
    const text = location.hash.slice(1) || ((history.state as { setupToken?: string } | null)?.setupToken ?? '');
    try {
      taken = decodeURIComponent(text);
    } catch {
      taken = text; // a part of it is missing
    }
  }
  history.replaceState({ setupToken: taken }, '', location.pathname);
  return taken;
}

/** Forgets the token of a link that has been used. */
const forgetToken = (): void => history.replaceState(null, '', location.pathname);

/** Reports whether a set-up was refused because the address of the invitation has an account. */
const isTaken = (error: unknown): boolean =>
  error instanceof ApiError && error.details.some((d) => d.code === 'ACCEPT_INVITATION');

/** Reports whether a set-up was refused because its link is not valid, or not any more. */
const isOver = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Reports whether an invitation was refused because there is none for this token, or none for this account. */
const isNone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** Sets up an account or a new password; a rehearsal says whether the link is for that. */
const setUp = (token: string, password: string, separateAccount: boolean, rehearsal = false) =>
  call<Schemas['SetupResponse']['data']>(
    'POST',
    '/auth/setup',
    { setupToken: token, password, ...(separateAccount && { separateAccount }) },
    rehearsal ? { 'X-Dry-Run': 'true' } : {},
  );

/** Returns the invitation that a link opens, 'password' for one that only sets a password, and 'over' for one that does nothing any more. */
async function opened(token: string): Promise<Invitation | 'password' | 'over'> {
  try {
    return (await call<Invitation>('POST', '/auth/invitations/lookup', { token })).data;
  } catch (cause) {
    if (!isNone(cause)) throw cause;
  }
  try {
    await setUp(token, crypto.randomUUID(), false, true);
    return 'password';
  } catch (cause) {
    if (isOver(cause)) return 'over';
    throw cause;
  }
}

/** Where the link of an invitation leads: to a first password, or to what becomes of an account that there is. */
export function SetupPage(): ReactNode {
  const { t } = useTranslation();
  const [token] = useState(takeToken);
  const [anew, setAnew] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const [done, setDone] = useState(false);
  /** The chosen password before it turned out that there is an account; null: not tried yet. */
  const [refused, setRefused] = useState<string | null>(null);
  const me = useQuery({ queryKey: ['me'], queryFn: () => take(api.GET('/auth/me')), retry: false });
  const link = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => opened(token),
    enabled: token !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY, // once it is accepted there is none
  });
  const accept = useMutation({
    mutationFn: () => call<Schemas['Membership']>('POST', '/auth/invitations/accept', { token }),
    onSuccess: ({ data }) => {
      forgetToken();
      return switchTo(data.organization);
    },
  });
  const finish = (): void => {
    forgetToken();
    setDone(true);
  };
  const offered = typeof link.data === 'object' ? link.data : undefined;
  const title = offered
    ? t('setup.invited', { organization: offered.organizationName || offered.organization })
    : t(token === '' || link.data === 'over' ? 'setup.dead' : 'setup.title');
  useTitle(link.isLoading ? undefined : title);
  if (me.isPending || link.isLoading) return <Loading />;
  const email = me.isSuccess ? me.data.email : '';
  return (
    <Center component="main" mih="100vh" p="md">
      <Box w="100%" maw={420}>
        <Stack gap="lg">
          <Stack gap={4} align="center">
            <IconLeaf size={36} aria-hidden className="mark" />
            <Title order={1} size="h3" ta="center" className="wrap">
              {title}
            </Title>
            {offered && (
              <Text size="sm" c="dimmed" ta="center">
                {t('setup.role', { role: t(`role.${offered.role}`), may: t(`roleText.${offered.role}`) })}
              </Text>
            )}
          </Stack>
          <Paper withBorder p="lg">
            {token === '' && <Text>{t('setup.noToken')}</Text>}
            {link.isError && <Problem error={link.error} retry={() => void link.refetch()} />}
            {link.data === 'over' && <Over />}
            {offered && email && !anew && (
              <Stack>
                <Text>{t('setup.acceptAs', { email })}</Text>
                {accept.isError && <NotAccepted error={accept.error} email={email} />}
                <Button loading={accept.isPending} onClick={() => accept.mutate()}>
                  {t('setup.accept')}
                </Button>
                <Button variant="default" onClick={() => setAnew(true)}>
                  {t('setup.other')}
                </Button>
              </Stack>
            )}
            {(link.data === 'password' || (offered && (!email || anew))) && !choosing && (
              <PasswordForm
                token={token}
                email={email}
                done={finish}
                taken={(password) => {
                  setRefused(password);
                  setChoosing(true);
                }}
              >
                {offered && (
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    className="target"
                    onClick={() => setChoosing(true)}
                  >
                    {t('setup.have')}
                  </Anchor>
                )}
              </PasswordForm>
            )}
            {choosing && (
              <Choice
                token={token}
                email={email}
                refused={refused}
                accept={accept}
                back={() => setChoosing(false)}
                done={done}
                finish={finish}
              />
            )}
          </Paper>
          {!done && (
            <Anchor href="/" ta="center" size="sm">
              {t(email ? 'event.back' : 'setup.toSignIn')}
            </Anchor>
          )}
        </Stack>
      </Box>
    </Center>
  );
}

/** Says that a link does nothing any more. */
function Over(): ReactNode {
  const { t } = useTranslation();
  return (
    <Alert color="red" role="alert">
      {t('setup.over')}
    </Alert>
  );
}

/** Says why an invitation was not accepted: most often it is for another address than the account has. */
function NotAccepted({ error, email }: { error: Error; email: string }): ReactNode {
  const { t } = useTranslation();
  if (!isNone(error)) return <Problem error={error} />;
  return (
    <Alert color="red" role="alert">
      {email ? t('setup.notFor', { email }) : t('setup.notForAccount')}
    </Alert>
  );
}

interface ChoiceProps {
  token: string;
  email: string;
  refused: string | null;
  accept: { mutate: () => void; error: Error | null };
  back: () => void;
  done: boolean;
  finish: () => void;
}

/** Offers a choice between the existing account and a separate one for this organization. */
function Choice({ token, email, refused, accept, back, done, finish }: ChoiceProps): ReactNode {
  const { t } = useTranslation();
  const [way, setWay] = useState<'join' | 'separate'>('join');
  return (
    <Stack>
      {refused !== null && !done && (
        <Alert color="blue" role="alert">
          {t('setup.exists')}
        </Alert>
      )}
      {!done && (
        <Radio.Group
          label={t('setup.how')}
          value={way}
          onChange={(to) => setWay(to === 'separate' ? 'separate' : 'join')}
        >
          <Stack gap="sm" mt="xs">
            <Radio value="join" label={t('setup.join')} description={t('setup.joinText')} autoFocus />
            <Radio value="separate" label={t('setup.separate')} description={t('setup.separateText')} />
          </Stack>
        </Radio.Group>
      )}
      {way === 'join' ? (
        <>
          {accept.error && <NotAccepted error={accept.error} email="" />}
          <SignInForm
            label={t('setup.signInAccept')}
            password={t('setup.existing')}
            focus={false}
            done={() => accept.mutate()}
          />
        </>
      ) : (
        <PasswordForm token={token} email={email} separate chosen={refused ?? ''} done={finish} />
      )}
      {refused === null && !done && (
        <Anchor component="button" type="button" size="sm" className="target" onClick={back}>
          {t('setup.haveNone')}
        </Anchor>
      )}
    </Stack>
  );
}

interface PasswordFormProps {
  token: string;
  /** Who is signed in in this browser. */
  email: string;
  /** Whether to set up a separate account. */
  separate?: boolean;
  /** A password that was chosen before. */
  chosen?: string;
  done: () => void;
  /** Called with the password where the address has an account. */
  taken?: (password: string) => void;
  children?: ReactNode;
}

function PasswordForm({ token, email, separate, chosen, done, taken, children }: PasswordFormProps): ReactNode {
  const { t } = useTranslation();
  const set = useMutation({
    mutationFn: (password: string) => setUp(token, password, Boolean(separate)),
    onSuccess: done,
    onError: (e, password) => {
      if (isTaken(e)) taken?.(password);
    },
  });
  if (set.isSuccess)
    return <PasswordSet email={email} password={set.variables} organization={set.data.data.organization ?? ''} />;
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        set.mutate(String(new FormData(e.currentTarget).get('password')));
      }}
    >
      <Stack>
        <PasswordInput
          name="password"
          label={separate ? t('account.next') : t('session.password')}
          description={t('account.rule')}
          defaultValue={chosen}
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={15}
          visibilityToggleButtonProps={{ 'aria-label': t('session.show') }}
        />
        {isTaken(set.error) ? (
          <Alert color="red" role="alert">
            {t('setup.notSeparate')}
          </Alert>
        ) : isOver(set.error) ? (
          <Over />
        ) : (
          set.error && <Problem error={set.error} />
        )}
        <Button type="submit" loading={set.isPending}>
          {separate ? t('setup.make') : t('setup.set')}
        </Button>
        {children}
      </Stack>
    </form>
  );
}

interface PasswordSetProps {
  /** Who is signed in in this browser. */
  email: string;
  password: string;
  /** The organization to name for a separate account; empty for others. */
  organization: string;
}

/** Asks to sign in with the password that was set or, where somebody else is signed in, says how to. */
function PasswordSet({ email, password, organization }: PasswordSetProps): ReactNode {
  const { t } = useTranslation();
  const to = organization ? `/?organization=${encodeURIComponent(organization)}` : '/';
  const link = location.origin + to;
  return (
    <Stack>
      <Alert color="blue" role="status" title={t('setup.done')}>
        <Stack gap="xs" align="flex-start">
          {organization && (
            <>
              <Text size="sm">{t('setup.named')}</Text>
              <Code className="wraps">{organization}</Code>
              <Text size="sm">{t('setup.link')}</Text>
              <Code block className="wraps">
                {link}
              </Code>
              <CopyButton value={link}>
                {({ copied, copy }) => (
                  <Button size="xs" variant="default" onClick={copy}>
                    {t(copied ? 'state.copied' : 'state.copy')}
                  </Button>
                )}
              </CopyButton>
            </>
          )}
          {email && <Text size="sm">{t('setup.signedIn', { email })}</Text>}
          {email && (
            <Button component="a" href={to}>
              {t('session.signIn')}
            </Button>
          )}
        </Stack>
      </Alert>
      {!email && (
        <SignInForm chosen={password} {...(organization ? { organization } : {})} done={() => location.assign('/')} />
      )}
    </Stack>
  );
}
