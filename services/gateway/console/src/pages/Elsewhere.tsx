import { Button, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../session';
import { useOrganizations, useSwitch } from '../ui/Switcher';
import { organizationOf, rememberEvent } from './seen';

/** Remembers in which organization an event is, for who has several: its address does not say so. */
export function useRemembered(eventId: string, found: boolean): void {
  const { me, organization } = useSession();
  const several = me.memberships.length > 1;
  useEffect(() => {
    if (found && several) rememberEvent(eventId, organization._id);
  }, [eventId, found, organization._id, several]);
}

/**
 * Offers to open the page in one's other organizations: a link may lead into another one than
 * the current one, which may also have been changed in another tab. Where the event was seen comes first.
 */
export function Elsewhere({ eventId }: { eventId: string }): ReactNode {
  const { t } = useTranslation();
  const { me, organization } = useSession();
  const several = me.memberships.length > 1;
  const own = useOrganizations(several);
  const { go, dialog } = useSwitch();
  const seen = organizationOf(eventId);
  const others = (own.data ?? [])
    .filter((o) => o._id !== organization._id && o.state === 'active')
    .sort((a, b) => Number(b._id === seen) - Number(a._id === seen));
  if (others.length === 0) return null;
  return (
    <Stack gap="xs" mt="lg" w="100%" component="section" aria-labelledby="elsewhere">
      {dialog}
      <Text id="elsewhere">{t('missing.elsewhere')}</Text>
      {others.map((o) => (
        <Button
          key={o._id}
          variant={o._id === seen ? 'filled' : 'default'}
          className="elsewhere"
          onClick={() => go(o._id, location.pathname + location.search)}
        >
          {o.name || o._id}
        </Button>
      ))}
    </Stack>
  );
}
