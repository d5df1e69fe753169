import { ActionIcon, Group, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconLeaf, IconLogout, IconUser } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Language, languages, setLanguage } from '../i18n';
import { signOut, useSession } from '../session';
import { useDraftsAsked } from './Drafts';
import { Switcher } from './Switcher';
import { useProblemText } from './states';
import { useTitle } from './title';

export function Shell({ children }: { children: ReactNode }): ReactNode {
  const { t, i18n } = useTranslation();
  const { me } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const path = useRouterState({ select: (s) => s.location.pathname });
  const page = {
    '/': 'events',
    '/compare': 'compare',
    '/organization': 'organization',
    '/account': 'account',
    '/about': 'about',
  }[path];
  useTitle(page && t(`nav.${page as 'events'}`)); // an event names its own pages
  const drafts = useDraftsAsked();
  const text = useProblemText();

  const leave = async (): Promise<void> => {
    try {
      const ended = await signOut();
      if (!ended) sessionStorage.setItem('ecf.notice', t('session.notEnded'));
      location.assign('/');
    } catch (cause) {
      notifications.show({ color: 'red', message: text(cause as Error) });
    }
  };
  return (
    <>
      <header className="apphead">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" className="headbar">
          <a className="skip" href="#main">
            {t('nav.skip')}
          </a>
          <Group gap="lg" wrap="nowrap" component="nav" aria-label={t('nav.main')}>
            <Link to="/" className="brand" aria-label={t('nav.events')}>
              <IconLeaf size={22} aria-hidden />
              <Text fw={650} visibleFrom="sm">
                {t('app.name')}
              </Text>
            </Link>
            <Link
              to="/"
              className="navlink"
              data-active={path === '/' || path === '/compare' || path.startsWith('/events')}
            >
              {t('nav.events')}
            </Link>
            <Link to="/organization" className="navlink" data-active={path === '/organization'}>
              {t('nav.organization')}
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap" className="whose">
            <Switcher />
            <Menu position="bottom-end" withinPortal>
              <Menu.Target>
                <ActionIcon variant="default" size="lg" aria-label={t('nav.you', { name: me.name || me.email })}>
                  <IconUser size={18} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Label>
                  {me.name || me.email} · {t(`role.${me.role as 'user'}`)}
                </Menu.Label>
                <Menu.Item component={Link} to="/account">
                  {t('nav.account')}
                </Menu.Item>
                <Menu.Item component={Link} to="/about">
                  {t('nav.about')}
                </Menu.Item>
                <Menu.Divider />
                <Menu.Label>{t('nav.language')}</Menu.Label>
                <Menu.RadioGroup
                  value={i18n.resolvedLanguage ?? null}
                  onChange={(code) => void setLanguage(code as Language)}
                >
                  {Object.entries(languages).map(([code, name]) => (
                    <Menu.RadioItem key={code} value={code} lang={code} closeMenuOnClick>
                      {name}
                    </Menu.RadioItem>
                  ))}
                </Menu.RadioGroup>
                <Menu.Divider />
                <Menu.Label>{t('nav.theme')}</Menu.Label>
                <Menu.RadioGroup
                  value={colorScheme}
                  onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}
                >
                  {(['light', 'dark', 'auto'] as const).map((scheme) => (
                    <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick>
                      {t(`theme.${scheme}`)}
                    </Menu.RadioItem>
                  ))}
                </Menu.RadioGroup>
                <Menu.Divider />
                <Menu.Item
                  leftSection={<IconLogout size={14} aria-hidden />}
                  onClick={() => void drafts.ask('signOut', leave)}
                >
                  {t('session.signOut')}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Group>
        </Group>
      </header>
      <main id="main" tabIndex={-1}>
        <div className="page">{children}</div>
      </main>
      {drafts.dialog}
    </>
  );
}
