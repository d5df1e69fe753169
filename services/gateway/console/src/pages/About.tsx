import { Anchor, Box, List, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { setName, useFactorSets } from '../api/factorSets';
import { number } from '../format';
import licences from '../licences.json';
import notices from '../notices.txt?url';
import { Problem } from '../ui/states';

/** The server writes its version into the page; Vite's own has none. */
const version = document.querySelector('meta[name=version]')?.getAttribute('content');

export function AboutPage(): ReactNode {
  const { t } = useTranslation();
  const sets = useFactorSets();
  return (
    <Box maw={900} mx="auto" p="md">
      <Stack>
        <Title order={1} size="h2">
          {t('about.title')}
        </Title>
        <Text>{t('about.text')}</Text>
        {version && <Text className="figure">{t('about.version', { version })}</Text>}
        <List>
          <List.Item>
            <Anchor href="/methodology">{t('about.methodology')}</Anchor>
          </List.Item>
          <List.Item>
            <Anchor href="/changelog">{t('about.changelog')}</Anchor>
          </List.Item>
          <List.Item>
            <Anchor href="/api/v2/docs">{t('about.docs')}</Anchor>
          </List.Item>
          <List.Item>
            <Anchor href="/.well-known/report-keys.json">{t('about.keys')}</Anchor>
          </List.Item>
        </List>
        <Title order={2} size="h4">
          {t('about.factors')}
        </Title>
        {sets.isPending && <Skeleton h={80} />}
        {sets.isLoadingError && <Problem error={sets.error} retry={() => void sets.refetch()} />}
        <List>
          {sets.data?.map((s) => (
            <List.Item key={s.id}>
              {setName(s.id)} <span className="mono dim">{s.id}</span>{' '}
              <span className="mono dim">{s.version.slice(0, 12)}</span>
              <details>
                <summary>{t('about.sources', { count: s.sources.length })}</summary>
                <ul className="wrap">
                  {s.sources.map((x) => (
                    <li key={x.source + x.licence}>
                      <Text size="sm">
                        {x.source}{' '}
                        <Text span size="xs" c="dimmed" className="figure">
                          {x.licence} · {t('about.factorCount', { count: x.factors, n: number(x.factors) })}
                        </Text>
                      </Text>
                    </li>
                  ))}
                </ul>
              </details>
            </List.Item>
          ))}
        </List>
        <Text size="sm" c="dimmed">
          {t('about.ogl')}
        </Text>
        <Title order={2} size="h4">
          {t('about.licences')}
        </Title>
        <Table className="wrap">
          <Table.Tbody>
            {licences.map((l) => (
              <Table.Tr key={l.name}>
                <Table.Th scope="row" fw={500}>
                  {l.name}
                </Table.Th>
                <Table.Td className="nowrap">{l.version}</Table.Td>
                <Table.Td>{l.licence}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        <Text>
          <Anchor href={notices}>{t('about.notices')}</Anchor>
        </Text>
      </Stack>
    </Box>
  );
}
