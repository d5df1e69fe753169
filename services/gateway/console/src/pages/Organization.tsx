import { Box, Tabs, Text, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Audit } from '../organization/Audit';
import { Factors } from '../organization/Factors';
import { Members } from '../organization/Members';
import { Plan } from '../organization/Plan';
import { useSession } from '../session';

const tabs = [
  { name: 'plan', least: 'viewer', panel: Plan },
  { name: 'factors', least: 'user', panel: Factors },
  { name: 'members', least: 'admin', panel: Members },
  { name: 'audit', least: 'admin', panel: Audit },
] as const;

export function OrganizationPage(): ReactNode {
  const { t } = useTranslation();
  const { organization, can } = useSession();
  const navigate = useNavigate();
  const { tab } = useSearch({ from: '/organization' });
  const shown = tabs.filter((x) => can(x.least));
  const current = shown.find((x) => x.name === tab)?.name ?? 'plan';
  return (
    <Box maw={1100} mx="auto" p="md">
      <Title order={1} size="h2">
        {organization.name}
      </Title>
      <Text size="sm" c="dimmed" mb="md" className="wrap">
        {t('org.id', { id: organization._id })}
      </Text>
      <Tabs
        value={current}
        keepMounted={false}
        onChange={(to) => void navigate({ to: '/organization', search: to && to !== 'plan' ? { tab: to } : {} })}
      >
        <Tabs.List mb="md">
          {shown.map((x) => (
            <Tabs.Tab key={x.name} value={x.name}>
              {t(`org.${x.name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map(({ name, panel: Panel }) => (
          <Tabs.Panel key={name} value={name}>
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Box>
  );
}
