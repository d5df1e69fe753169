import { Alert, Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { say } from '../i18n/server';
import { useAbout } from './explained';

type Result = Schemas['Result'];
type Finding = NonNullable<Result['findings']>[number];

/** The maximum number of records that are named for a finding. */
const namedMax = 3;

/** A finding, with links to its records. */
function Odd({ finding: f, result }: { finding: Finding; result: Result }): ReactNode {
  const { t } = useTranslation();
  const named = f.recordIds.slice(0, namedMax);
  const about = useAbout(result, named);
  const others = Math.max(f.records ?? 0, f.recordIds.length) - named.length;
  return (
    <Alert role="note" color={f.severity === 'warning' ? 'orange' : 'blue'} p="xs">
      <Text size="sm">{say('finding', f)}</Text>
      {named.map((id, n) => (
        <Anchor
          key={id}
          className="target"
          size="sm"
          mr="sm"
          component={Link}
          to={`/events/${result.eventId}/sheet?type=all&record=${id}`}
        >
          {about(id) || (named.length === 1 ? t('foot.toRecord') : t('foot.record', { n: n + 1 }))}
        </Anchor>
      ))}
      {others > 0 && (
        <Text span size="sm">
          {t('foot.moreRecords', { count: others })}
        </Text>
      )}
    </Alert>
  );
}

/** What looks odd in a result, and the notices about all of it. */
export function Findings({ result: r }: { result: Result }): ReactNode {
  const { t } = useTranslation();
  const findings = r.findings ?? [];
  // Of findings with one code the first is shown, the others are collapsed.
  const kinds = new Map<string, Finding[]>();
  for (const f of findings) kinds.set(f.code, [...(kinds.get(f.code) ?? []), f]);
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb="sm">
        {t('foot.findings')}
      </Title>
      {findings.length === 0 && <Text size="sm">{t('foot.noFindings')}</Text>}
      <Stack gap="xs">
        {[...kinds].map(([code, [first, ...others]]) => (
          <Fragment key={code}>
            {first && <Odd finding={first} result={r} />}
            {others.length > 0 && (
              <details>
                <summary>{t('foot.sameKind', { count: others.length })}</summary>
                <Stack gap="xs" mt="xs">
                  {others.map((f) => (
                    <Odd key={f.message} finding={f} result={r} />
                  ))}
                </Stack>
              </details>
            )}
          </Fragment>
        ))}
        {(r.notices ?? []).map((n) => (
          <Text key={n.code + n.message} size="sm" c="dimmed">
            {say('notice', n)}
          </Text>
        ))}
      </Stack>
    </Card>
  );
}
