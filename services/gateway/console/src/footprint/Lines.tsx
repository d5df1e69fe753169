import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '../api/client';
import { sayFormula } from '../i18n/server';
import { sourceOf } from './source';

type Line = Schemas['ExplainedLine'];

/** The lines of a record: the stage and the formula of each, with its factor and source. */
export function Lines({ lines }: { lines: Line[] }): ReactNode {
  const { t } = useTranslation();
  return lines.map((l) => (
    <Box key={l.factorId + l.stage} className="line">
      <Text size="xs">{t(`foot.${l.stage}`)}</Text>
      <Text size="sm" className="figure">
        {sayFormula(l.formula)}
      </Text>
      {l.factor && (
        <Text size="xs" c="dimmed">
          {sourceOf(l.factor)}
        </Text>
      )}
    </Box>
  ));
}
