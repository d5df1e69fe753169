import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSummary } from '../footprint/summary';
import { amount, date, range } from '../format';
import { actorName } from '../i18n/actor';
import { sayOfOne } from '../i18n/server';
import type { Item } from '../pages/queue';
import { usePrinting } from '../ui/printing';
import { fieldsOnly } from './Decision';

/** The queue on paper: all records in the order of the page, with what a decision needs. */
export function PrintedQueue({ items }: { items: Item[] }): ReactNode {
  return usePrinting() && <Printed items={items} />;
}

function Printed({ items }: { items: Item[] }): ReactNode {
  const { t } = useTranslation();
  const summary = useSummary();
  const evidenceOf = (i: Item): string =>
    ((i.evidence ?? []) as { name?: string; url?: string }[]).map((e) => e.name ?? e.url).join(', ');
  const evidence = items.some((i) => evidenceOf(i) !== '');
  const findings = items.some((i) => i.review.findings.length > 0);
  return (
    <table className="printed">
      <caption>{t('review.queue', { count: items.length })}</caption>
      <thead>
        <tr>
          <th scope="col">{t('sheet.row')}</th>
          <th scope="col">{t('sheet.type')}</th>
          <th scope="col">{t('review.record')}</th>
          <th scope="col">{t('print.by')}</th>
          <th scope="col">{t('print.since')}</th>
          <th scope="col" data-number>
            kg CO₂e
          </th>
          {evidence && <th scope="col">{t('review.evidence')}</th>}
          {findings && <th scope="col">{t('foot.findings')}</th>}
        </tr>
      </thead>
      <tbody>
        {items.map((i, n) => (
          <tr key={i._id}>
            <th scope="row">{n + 1}</th>
            <td>{t(`type.${i.type as 'flights'}`, { defaultValue: i.type ?? '' })}</td>
            <td>{summary(i.type, fieldsOnly(i))}</td>
            <td>{i.createdBy && actorName(i.createdBy)}</td>
            <td>{date(i.review.waitingSince)}</td>
            <td data-number>
              {i.review.kgCO2e === null ? (
                '–'
              ) : (
                <>
                  <b>{amount(i.review.kgCO2e)}</b>{' '}
                  {i.footprint && range(i.footprint.low, i.footprint.high, i.review.kgCO2e)}
                </>
              )}
            </td>
            {evidence && <td>{evidenceOf(i)}</td>}
            {findings && <td>{i.review.findings.map(sayOfOne).join(' ')}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
