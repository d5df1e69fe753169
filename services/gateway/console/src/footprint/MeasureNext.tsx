import { Anchor, Card, List, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { amount, percent } from '../format';
import { useAbout } from './explained';

/** The records that better data would narrow the total most by. */
export function MeasureNext({ result: r }: { result: Schemas['Result'] }): ReactNode {
  const { t } = useTranslation();
  const list = (r.measureNext ?? []).slice(0, 5);
  const about = useAbout(
    r,
    list.map((m) => m.recordId),
  );
  return (
    <Card withBorder component="section">
      <Title order={2} size="h4" mb={4}>
        {t('foot.measureNext')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('foot.measureNextText')}
      </Text>
      <List size="sm" spacing={6} type="ordered">
        {list.map((m) => (
          <List.Item key={m.recordId}>
            <Anchor
              className="target"
              size="sm"
              component={Link}
              to={`/events/${r.eventId}/sheet?type=${m.type}&record=${m.recordId}`}
            >
              {[t(`type.${m.type as 'flights'}`, { defaultValue: m.type }), about(m.recordId)]
                .filter(Boolean)
                .join(': ')}
            </Anchor>
            <Text size="xs" c="dimmed" className="figure">
              {amount(m.kgCO2e)} · {t('foot.shareOfRange', { share: percent(m.varianceShare) })}
            </Text>
          </List.Item>
        ))}
      </List>
    </Card>
  );
}
