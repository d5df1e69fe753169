/** The pages of who is signed in, each below its address. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  RouterProvider,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { loaded } from './loaded';
import { EventsPage } from './pages/Events';
import { Broken, BrokenFrame } from './ui/Broken';
import { Shell } from './ui/Shell';
import { Loading, Missing } from './ui/states';

const rootRoute = createRootRoute({
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
  errorComponent: BrokenFrame,
});
const eventRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/events/$eventId',
  // Nothing of one event's pages is of another one, such as an approval that can be undone.
  remountDeps: ({ params }) => params,
  component: lazyRouteComponent(() => loaded(() => import('./pages/Event')), 'EventPage'),
});
const routeTree = rootRoute.addChildren([
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: EventsPage }),
  eventRoute.addChildren([
    createRoute({
      getParentRoute: () => eventRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/events/$eventId/sheet', params: { eventId: (params as { eventId: string }).eventId } });
      },
    }),
    createRoute({
      getParentRoute: () => eventRoute,
      path: '/sheet',
      validateSearch: (s: Record<string, unknown>): { type?: string; record?: string } => ({
        ...(typeof s.type === 'string' ? { type: s.type } : {}),
        ...(typeof s.record === 'string' ? { record: s.record } : {}),
      }),
      component: lazyRouteComponent(() => loaded(() => import('./pages/Sheet')), 'SheetPage'),
    }),
    createRoute({
      getParentRoute: () => eventRoute,
      path: '/footprint',
      component: lazyRouteComponent(() => loaded(() => import('./pages/Footprint')), 'FootprintPage'),
    }),
    createRoute({
      getParentRoute: () => eventRoute,
      path: '/review',
      validateSearch: (s: Record<string, unknown>): { show?: string } =>
        typeof s.show === 'string' ? { show: s.show } : {},
      component: lazyRouteComponent(() => loaded(() => import('./pages/Review')), 'ReviewPage'),
    }),
    createRoute({
      getParentRoute: () => eventRoute,
      path: '/report',
      component: lazyRouteComponent(() => loaded(() => import('./pages/Report')), 'ReportPage'),
    }),
    createRoute({
      getParentRoute: () => eventRoute,
      path: '/history',
      component: lazyRouteComponent(() => loaded(() => import('./pages/History')), 'HistoryPage'),
    }),
  ]),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/organization',
    validateSearch: (s: Record<string, unknown>): { tab?: string } => (typeof s.tab === 'string' ? { tab: s.tab } : {}),
    component: lazyRouteComponent(() => loaded(() => import('./pages/Organization')), 'OrganizationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/compare',
    validateSearch: (s: Record<string, unknown>): { events?: string } =>
      typeof s.events === 'string' ? { events: s.events } : {},
    component: lazyRouteComponent(() => loaded(() => import('./pages/Compare')), 'ComparePage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/account',
    component: lazyRouteComponent(() => loaded(() => import('./pages/Account')), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/about',
    component: lazyRouteComponent(() => loaded(() => import('./pages/About')), 'AboutPage'),
  }),
]);

const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: false,
  defaultPendingComponent: Loading,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: () => <Missing />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

export const SignedIn = (): ReactNode => <RouterProvider router={router} />;
