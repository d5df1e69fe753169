import { List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { time } from '../format';
import { actorName } from '../i18n/actor';

/** The causes of a revision: actor, action, time and reason. */
export function Causes({ causes }: { causes: Schemas['Cause'][] }): ReactNode {
  const { t } = useTranslation();
  if (causes.length === 0) return null;
  return (
    <List size="sm" spacing={4} mt="sm" aria-label={t('governed.why')}>
      {causes.map((c) => (
        <List.Item key={c.action + (c.by?._id ?? '') + (c.at ?? '')}>
          {t(`cause.${c.action as 'approve'}`, { defaultValue: c.action })}
          {c.records > 0 && `: ${t('foot.records', { count: c.records })}`}
          {c.fields &&
            c.fields.length > 0 &&
            `: ${c.fields.map((f) => t(`field.${f as 'title'}`, { defaultValue: f })).join(', ')}`}
          <Text span size="sm" c="dimmed">
            {[c.by && actorName(c.by), c.at && time(c.at)].filter(Boolean).map((x) => ` · ${x}`)}
          </Text>
          {c.comment && <q className="reason">{c.comment}</q>}
        </List.Item>
      ))}
    </List>
  );
}
