import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from './columns';

interface Props {
  columns: Column[];
  template: string;
  width: number;
  /** The sheet shows records of all types. */
  everything: boolean;
}

/** The headings of the grid. */
export function Head({ columns, template, width, everything }: Props): ReactNode {
  const { t } = useTranslation();
  const lead = everything ? 3 : 2;
  return (
    <div
      className="gridrow head"
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: template, minWidth: width }}
    >
      <div role="columnheader" aria-colindex={1} className="cell headcell rownumber">
        <span className="vh">{t('sheet.row')}</span>
      </div>
      {everything && (
        <div role="columnheader" aria-colindex={2} className="cell headcell">
          {t('sheet.type')}
        </div>
      )}
      {columns.map((c, n) => (
        <div
          key={c.field}
          role="columnheader"
          aria-colindex={n + lead}
          className="cell headcell"
          data-col={n}
          title={c.description}
        >
          {c.label}
          {c.unit && <span className="unit"> {c.unit}</span>}
          {c.required && !everything && (
            <span className="required" title={t('inspect.required')}>
              {' '}
              •<span className="vh"> {t('inspect.required')}</span>
            </span>
          )}
        </div>
      ))}
      <div role="columnheader" aria-colindex={columns.length + lead} className="cell headcell kg">
        kg CO₂e
      </div>
    </div>
  );
}
