import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { describe } from '../footprint/summary';
import { amount, range } from '../format';
import { say } from '../i18n/server';
import { usePrinting } from '../ui/printing';
import { type Column, fieldsOf, shown, type TypeInfo } from './columns';
import { dirty, empty, type Row, type Store } from './store';

interface Props {
  store: Store;
  infos: TypeInfo[];
  type: string;
}

/** The rows of a type on paper: all of them, with the columns that any of them has something in. */
export function PrintedRows({ store, infos, type }: Props): ReactNode {
  return usePrinting() && <Printed store={store} infos={infos} type={type} />;
}

function Printed({ store, infos, type }: Props): ReactNode {
  const { t } = useTranslation();
  const everything = type === 'all';
  const rows = store.rows.filter((r) => (everything || r.type === type) && !empty(r));
  const columnsOf = (of: string): Column[] => infos.find((i) => i.type === of)?.columns ?? [];
  const used = everything
    ? []
    : columnsOf(type).filter((c) => rows.some((r) => (r.cells[c.field] ?? '').trim() !== ''));
  const nameOf = (x: string): string => t(`type.${x as 'flights'}`, { defaultValue: x });
  const about = (r: Row): string => describe(columnsOf(r.type), fieldsOf(columnsOf(r.type), r.cells));
  const faults = (r: Row): string =>
    Object.entries(r.check.faults)
      .map(([field, fault]) => say('fault', fault, columnsOf(r.type).find((c) => c.field === field)?.label))
      .join(' ');
  return (
    <table className="printed">
      <caption>{everything ? t('sheet.all') : nameOf(type)}</caption>
      <thead>
        <tr>
          <th scope="col">{t('sheet.row')}</th>
          {everything && (
            <>
              <th scope="col">{t('sheet.type')}</th>
              <th scope="col">{t('review.record')}</th>
            </>
          )}
          {used.map((c) => (
            <th key={c.field} scope="col" data-number={isNumber(c) || undefined}>
              {c.label} {c.unit}
            </th>
          ))}
          <th scope="col" data-number>
            kg CO₂e
          </th>
          <th scope="col">{t('print.state')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((r, n) => (
          <tr key={r.key}>
            <th scope="row">{n + 1}</th>
            {everything && (
              <>
                <td>{nameOf(r.type)}</td>
                <td>{about(r)}</td>
              </>
            )}
            {used.map((c) => (
              <td key={c.field} data-number={isNumber(c) || undefined}>
                {shown(c, r.cells[c.field] ?? '')}
              </td>
            ))}
            <td data-number>
              {r.check.state === 'bad' || r.check.kg === undefined ? (
                '–'
              ) : (
                <>
                  <b>{amount(r.check.kg)}</b> {range(r.check.low ?? 0, r.check.high ?? 0, r.check.kg)}
                </>
              )}
            </td>
            <td>{[t(`status.${dirty(r) ? 'draft' : r.status}`), faults(r)].filter(Boolean).join('. ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isNumber = (c: Column): boolean => c.kind === 'integer' || c.kind === 'number';
