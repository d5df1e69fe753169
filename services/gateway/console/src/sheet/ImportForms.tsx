import { Group, NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Options, Sheet, Upload } from './upload';

const formats = ['1234.5', '1234,5', '1,234.5', '1.234,5', '1 234,5', "1'234.5"];

interface Change {
  options: Options;
  change: (o: Options) => void;
}

/** Which sheet of a workbook is imported; nothing where there is no choice. */
export function SheetInput({ sheets, options, change }: Change & { sheets: Sheet[] }): ReactNode {
  const { t } = useTranslation();
  const [first] = sheets;
  if (!first || sheets.length === 1) return null;
  return (
    <NativeSelect
      size="xs"
      label={t('import.sheet')}
      value={options.sheet || first.name}
      data={sheets.map(({ name, rows, hidden }) => ({
        value: name,
        label: t(hidden ? 'import.sheetHidden' : 'import.sheetShown', { name, count: rows }),
      }))}
      onChange={(e) => {
        const { value } = e.currentTarget;
        // The first one is the same file, whether it is named or not; and that another was imported before was not asked.
        change({ ...options, sheet: value === first.name ? '' : value, again: false });
      }}
    />
  );
}

/** How the file is written, where that can be read in more than one way. */
export function ImportForms({ upload, options, change }: Change & { upload: Upload }): ReactNode {
  const { t } = useTranslation();
  const select = (
    name: 'numberFormat' | 'dateOrder' | 'encoding',
    choices: { value: string; label: string }[],
  ): ReactNode => (
    <NativeSelect
      size="xs"
      label={t(`import.${name}`)}
      value={options[name]}
      data={[{ value: '', label: name === 'encoding' ? 'UTF-8' : t(`import.${name}AsWritten`) }, ...choices]}
      onChange={(e) => change({ ...options, [name]: e.currentTarget.value })}
    />
  );
  return (
    <Group gap="sm" align="flex-end">
      {select(
        'numberFormat',
        formats.map((f) => ({ value: f, label: f })),
      )}
      {select(
        'dateOrder',
        (['dmy', 'mdy', 'ymd'] as const).map((o) => ({ value: o, label: t(`import.${o}`) })),
      )}
      {!upload.workbook && select('encoding', [{ value: 'windows-1252', label: 'Windows-1252' }])}
      {upload.type === 'attendee-travel' && (
        <TextInput
          size="xs"
          label={t('import.to')}
          placeholder={t('import.eventPlace')}
          defaultValue={options.to}
          onBlur={(e) => e.currentTarget.value !== options.to && change({ ...options, to: e.currentTarget.value })}
        />
      )}
    </Group>
  );
}
