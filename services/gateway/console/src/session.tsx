/** Who is signed in, in this tab and in the others. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, api, consoleHeader, errorOf, forget, onSessionEnded, type Schemas, take } from './api/client';
import { reloadNow } from './ui/reload';

export interface Session {
  me: Schemas['Me'];
  organization: Schemas['Organization'];
  /** The key prefix of drafts. */
  scope: string;
  can: (role: 'viewer' | 'user' | 'manager' | 'admin') => boolean;
}

const Context = createContext<Session | null>(null);

export function useSession(): Session {
  const s = useContext(Context);
  if (!s) throw new Error('useSession is for pages that somebody has signed in to see');
  return s;
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('ecf-session') : null;

/** Signs in: to the organization that is named or, where none is, to the one that the person begins in. */
export async function signIn(email: string, password: string, organization = ''): Promise<void> {
  const response = await fetch('/session/sign-in', {
    method: 'POST',
    headers: { ...consoleHeader, 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password, ...(organization && { organization }) }),
  }).catch(() => {
    throw new ApiError(0, 'NETWORK', '', '');
  });
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response);
  channel?.postMessage('signed-in');
}

/** Reports whether a sign-in was refused because the account is of other organizations than the one named. */
export const isElsewhere = (error: unknown): boolean =>
  error instanceof ApiError && error.details.some((d) => d.code === 'UNKNOWN_ORGANIZATION');

const named = 'ecf.organization';

/** Returns the organization that was named in this browser last; empty where none has to be. */
export const rememberedOrganization = (): string => localStorage.getItem(named) ?? '';

/**
 * Keeps the organization that was named for the next sign-in in this browser, where the account has no other.
 * Who has several says under "Your account" where to begin, and what is kept here would hide that.
 */
export async function rememberOrganization(organization: string): Promise<void> {
  if (organization === '') localStorage.removeItem(named);
  else
    await take(api.GET('/auth/me')).then(
      (me) => me.memberships.length === 1 && localStorage.setItem(named, organization),
      () => {}, // it is only asked for once more
    );
}

/** Signs out; reports whether the server has ended the session. */
export async function signOut(): Promise<boolean> {
  const response = await fetch('/session/sign-out', { method: 'POST', headers: consoleHeader });
  forget();
  channel?.postMessage('signed-out');
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response);
  const { data } = (await response.json()) as { data: { sessionEnded: boolean } };
  return data.sessionEnded;
}

/** Goes on in another organization of the same person, in all tabs; drafts stay with the one they were typed in. */
export async function switchTo(organization: string, path = '/'): Promise<void> {
  const response = await fetch('/session/refresh', {
    method: 'POST',
    headers: { ...consoleHeader, 'Content-Type': 'application/json' },
    body: JSON.stringify({ organization }),
  }).catch(() => {
    throw new ApiError(0, 'NETWORK', '', '');
  });
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response);
  forget();
  channel?.postMessage('signed-in');
  location.assign(path);
}

interface Props {
  loading: ReactNode;
  signedOut: (done: () => void) => ReactNode;
  /** Shown over the page when the session ends while somebody is at work. */
  ended: (done: () => void) => ReactNode;
  failed: (error: Error, retry: () => void) => ReactNode;
  children: ReactNode;
}

/** For how long no key must have been pressed before a dialog takes the focus, in milliseconds. */
const pause = 1_000;

/** Reports whether something is wanted and nobody is typing: what takes the focus then takes no key that was meant for another field. */
function useBetweenKeys(wanted: boolean): boolean {
  const last = useRef(Number.NEGATIVE_INFINITY);
  const [now, setNow] = useState(false);
  useEffect(() => {
    const pressed = (): void => {
      last.current = performance.now();
    };
    window.addEventListener('keydown', pressed, true);
    return () => window.removeEventListener('keydown', pressed, true);
  }, []);
  useEffect(() => {
    setNow(false);
    if (!wanted) return;
    let timer: ReturnType<typeof setTimeout>;
    const look = (): void => {
      const left = last.current + pause - performance.now();
      if (left > 0) timer = setTimeout(look, left);
      else setNow(true);
    };
    look();
    return () => clearTimeout(timer);
  }, [wanted]);
  return wanted && now;
}

export function SessionGate({ loading, signedOut, ended, failed, children }: Props): ReactNode {
  const client = useQueryClient();
  const [over, setOver] = useState(false);
  const asking = useBetweenKeys(over);
  const me = useQuery({
    queryKey: ['me'],
    queryFn: () => take(api.GET('/auth/me')),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const organization = useQuery({
    queryKey: ['organization'],
    queryFn: () => take(api.GET('/organization')),
    enabled: me.isSuccess,
    staleTime: 60_000,
  });
  const known = me.data?._id;
  const goOn = useCallback((): void => {
    setOver(false);
    void client.invalidateQueries();
    window.dispatchEvent(new Event('ecf-signed-in'));
  }, [client]);

  useEffect(() => {
    onSessionEnded(() => setOver(true));
    if (!channel) return;
    channel.onmessage = (m: MessageEvent<string>) => {
      forget();
      // Another tab has signed out, or in, perhaps as somebody else: begin anew.
      // What was typed is kept under its own user.
      if (m.data === 'signed-out' || known === undefined) reloadNow();
      else {
        void take(api.GET('/auth/me')).then(
          (now) => (now._id === known ? goOn() : reloadNow()),
          () => {},
        );
      }
    };
  }, [known, goOn]);

  const session = useMemo((): Session | null => {
    if (!me.data || !organization.data) return null;
    const rank = { viewer: 0, user: 1, manager: 2, admin: 3 } as Record<string, number>;
    const own = rank[me.data.role] ?? 0;
    return {
      me: me.data,
      organization: organization.data,
      scope: `${organization.data._id}:${me.data._id}`,
      can: (role) => own >= (rank[role] ?? 9),
    };
  }, [me.data, organization.data]);

  if (me.isPending) return loading;
  if (me.isError && (!(me.error instanceof ApiError) || me.error.status !== 401))
    return failed(me.error, () => void me.refetch());
  if (me.isError)
    return signedOut(() => {
      setOver(false);
      client.clear();
      void me.refetch();
    });
  if (organization.isError && !session) return failed(organization.error, () => void organization.refetch());
  if (!session) return loading;
  return (
    <Context.Provider value={session}>
      {children}
      {asking &&
        ended(() => {
          void take(api.GET('/auth/me')).then(
            (now) => {
              if (now._id === session.me._id) goOn();
              else reloadNow();
            },
            () => {},
          );
        })}
    </Context.Provider>
  );
}
