import { Button, Menu, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconSelector } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { all, api, take } from '../api/client';
import { switchTo, useSession } from '../session';
import { useDraftsAsked } from './Drafts';
import { useProblemText } from './states';

export function useOrganizations(wanted = true) {
  return useQuery({
    queryKey: ['organizations'],
    enabled: wanted,
    staleTime: 60_000,
    queryFn: () => all((page) => take(api.GET('/organizations', { params: { query: { page, limit: 100 } } }))),
  });
}

/** Goes on in another organization, once it is clear what becomes of rows that are not saved. */
export function useSwitch(): { go: (organization: string, path?: string) => void; dialog: ReactNode } {
  const text = useProblemText();
  const { ask, dialog } = useDraftsAsked();
  const go = (organization: string, path?: string): void =>
    void ask('switch', () =>
      switchTo(organization, path).catch((e: Error) => {
        notifications.show({ color: 'red', message: text(e) });
      }),
    );
  return { go, dialog };
}

/** Names the organization, and offers the others that one belongs to. */
export function Switcher(): ReactNode {
  const { t } = useTranslation();
  const { me, organization } = useSession();
  const several = me.memberships.length > 1;
  const own = useOrganizations(several);
  const { go, dialog } = useSwitch();
  if (!several)
    return (
      <Text size="sm" c="dimmed" visibleFrom="md">
        {organization.name}
      </Text>
    );
  return (
    <>
      {dialog}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button
            variant="default"
            size="xs"
            maw={220}
            className="switcher"
            rightSection={<IconSelector size={14} aria-hidden />}
            aria-label={t('nav.switch', { name: organization.name })}
          >
            {organization.name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('nav.organizations')}</Menu.Label>
          {own.data?.map((o) => (
            <Menu.Item
              key={o._id}
              disabled={o.state !== 'active'}
              aria-current={o._id === organization._id || undefined}
              fw={o._id === organization._id ? 700 : 400}
              onClick={() => {
                if (o._id !== organization._id) go(o._id);
              }}
            >
              {o.name || o._id}
              <Text size="xs" c="dimmed">
                {o.state === 'active' ? t(`role.${o.role}`) : t('org.disabled')}
              </Text>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
