import { Table, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Fragment, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { amount, exact, range } from '../format';
import { Wide } from './Wide';

export interface Bar {
  key: string;
  label: string;
  kg: number;
  low?: number;
  high?: number;
  note?: string;
}

interface Props {
  caption: string;
  bars: Bar[];
  /** What a bar opens down to. */
  open?: (key: string) => ReactNode;
}

/** A chart that is a table: each row has its figure, its interval and a bar of it. */
export function Bars({ caption, bars, open }: Props): ReactNode {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<string | null>(null);
  const max = Math.max(...bars.map((b) => b.high ?? b.kg), 1e-9);
  const share = (kg: number): string => `${Math.max(0, Math.min(100, (kg / max) * 100))}%`;
  const intervals = bars.some((b) => b.high !== undefined);
  return (
    <Wide label={caption}>
      <Table className="bars" verticalSpacing={6}>
        <Table.Caption className="vh">{caption}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{caption}</Table.Th>
            <Table.Th ta="right">CO₂e</Table.Th>
            {intervals && <Table.Th ta="right">{t('foot.range95')}</Table.Th>}
            <Table.Th aria-hidden className="barcol" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {bars.map((b) => (
            <Fragment key={b.key}>
              <Table.Tr>
                <Table.Th scope="row" fw={500}>
                  {open ? (
                    <button
                      type="button"
                      className="linkbutton"
                      aria-expanded={opened === b.key}
                      onClick={() => setOpened(opened === b.key ? null : b.key)}
                    >
                      {opened === b.key ? (
                        <IconChevronDown size={14} aria-hidden />
                      ) : (
                        <IconChevronRight size={14} aria-hidden />
                      )}{' '}
                      {b.label}
                    </button>
                  ) : (
                    b.label
                  )}
                  {b.note && (
                    <Text span size="xs" c="dimmed" ml={6} className="nowrap">
                      {b.note}
                    </Text>
                  )}
                </Table.Th>
                <Table.Td ta="right" className="figure" title={exact(b.kg)}>
                  {amount(b.kg)}
                </Table.Td>
                {intervals && (
                  <Table.Td ta="right" className="figure dim">
                    {b.low !== undefined && b.high ? range(b.low, b.high, b.kg) : ''}
                  </Table.Td>
                )}
                <Table.Td aria-hidden className="barcol">
                  <div className="bartrack">
                    <div className="bar" style={{ width: share(b.kg) }} />
                    {b.low !== undefined && b.high !== undefined && b.high > 0 && (
                      <div
                        className="whisker"
                        style={{ left: share(b.low), width: `calc(${share(b.high)} - ${share(b.low)})` }}
                      />
                    )}
                  </div>
                </Table.Td>
              </Table.Tr>
              {open && opened === b.key && (
                <Table.Tr>
                  <Table.Td colSpan={intervals ? 4 : 3}>{open(b.key)}</Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Wide>
  );
}
