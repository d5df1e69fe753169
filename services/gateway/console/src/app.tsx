import { type CSSVariablesResolver, createTheme, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from './api/client';
import { loaded } from './loaded';
import { EndedModal, SignInPage } from './pages/SignIn';
import { SessionGate } from './session';
import { Boundary } from './ui/Broken';
import { Loading, Problem, tellAnswered, tellBehind } from './ui/states';
import { Updated } from './ui/Updated';

// Not needed to sign in, so they come while the session is asked for and while somebody types a password.
const pages = location.pathname === '/setup' ? undefined : loaded(() => import('./signedIn'));
const SignedIn = lazy(() => (pages ?? loaded(() => import('./signedIn'))).then((m) => ({ default: m.SignedIn })));
const SetupPage = lazy(() => loaded(() => import('./pages/Setup')).then((m) => ({ default: m.SetupPage })));

const basic = createTheme({
  primaryColor: 'teal',
  primaryShade: 9,
  autoContrast: true,
  colors: {
    // The greys of dark pages have the cast of the others, and the lightness of the library's own.
    dark: [
      '#c7cac9',
      '#b5b9b7',
      '#7f8482',
      '#666b69',
      '#3e4442',
      '#373d3b',
      '#2a302e',
      '#202624',
      '#1b211f',
      '#111615',
    ],
  },
  fontFamily: 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** On hover a filled button gets darker: the next lighter shade has too little contrast with white text. */
const hover = { '--mantine-color-teal-filled-hover': '#066b4c' };
const resolver: CSSVariablesResolver = () => ({ variables: {}, light: hover, dark: hover });

const queries = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: tellAnswered,
    onError: (error, query) => {
      if (query.state.data !== undefined && !query.meta?.untold) tellBehind(error);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      refetchOnWindowFocus: true,
    },
    // What somebody does without a network fails at once and says so: it would be done unseen, whenever there is one again.
    mutations: { networkMode: 'always' },
  },
});

const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// The scroll lock of a dialog adds a style element.
setNonce(nonce());

export function App(): ReactNode {
  const { t, i18n } = useTranslation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts depend on the language
  const theme = useMemo(
    () => ({
      ...basic,
      components: {
        // The placeholder that takes the initial focus is no permitted child of a menu; the menu itself takes it as well.
        Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
        // The header of a dialog is not a banner landmark.
        Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
        Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('state.close') } } },
      },
    }),
    [i18n.resolvedLanguage],
  );
  return (
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto" getStyleNonce={nonce}>
      <QueryClientProvider client={queries}>
        <Notifications position="top-right" />
        <Updated />
        <Boundary>
          {location.pathname === '/setup' ? (
            <Suspense fallback={<Loading />}>
              <SetupPage />
            </Suspense>
          ) : (
            <SessionGate
              loading={<Loading />}
              failed={(error, retry) => <Problem error={error} retry={retry} />}
              signedOut={(done) => <SignInPage done={done} />}
              ended={(done) => <EndedModal done={done} />}
            >
              <Suspense fallback={<Loading />}>
                <SignedIn />
              </Suspense>
            </SessionGate>
          )}
        </Boundary>
      </QueryClientProvider>
    </MantineProvider>
  );
}
