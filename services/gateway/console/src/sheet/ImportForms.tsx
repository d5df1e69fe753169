import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/client';
import { say } from '../i18n/server';
import type { Options, Sheet, Upload } from './upload';

const formats = ['1234.5', '1234,5', '1,234.5', '1.234,5', '1 234,5', "1'234.5"];

/** The encodings that a file may be in besides UTF-8, and what is written in them. */
const encodings = {
  'windows-1252': ['western', 'Windows-1252'],
  macintosh: ['western', 'Mac'],
  ibm850: ['western', 'MS-DOS'],
  'windows-1250': ['central', 'Windows-1250'],
  'iso-8859-2': ['central', 'ISO 8859-2'],
  ibm852: ['central', 'MS-DOS'],
  'windows-1254': ['turkish', 'Windows-1254'],
  'windows-1253': ['greek', 'Windows-1253'],
  'windows-1251': ['cyrillic', 'Windows-1251'],
  shift_jis: ['japanese', 'Shift JIS'],
} as const;

type Encoding = keyof typeof encodings;

const encodingName = (e: Encoding, t: TFunction): string => `${t(`import.${encodings[e][0]}`)} (${encodings[e][1]})`;

interface Fault {
  code: string;
  suggestions?: string[] | undefined;
}

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

/** Returns what is wrong with the place that people travel to; the field for it says so. */
export const placeFault = (error: Error | null) =>
  error instanceof ApiError && error.details.length === 1 ? error.details.find((d) => d.field === 'to') : undefined;

/** How the file is written, where that can be read in more than one way. */
export function ImportForms({
  upload,
  options,
  change,
  refused,
}: Change & { upload: Upload; refused: Error | null }): ReactNode {
  const { t } = useTranslation();
  const place = placeFault(refused);
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
    <Group gap="sm" align="flex-start">
      {select(
        'numberFormat',
        formats.map((f) => ({ value: f, label: f })),
      )}
      {select(
        'dateOrder',
        (['dmy', 'mdy', 'ymd'] as const).map((o) => ({ value: o, label: t(`import.${o}`) })),
      )}
      {!upload.workbook &&
        select(
          'encoding',
          (Object.keys(encodings) as Encoding[]).map((e) => ({ value: e, label: encodingName(e, t) })),
        )}
      {upload.type === 'attendee-travel' && (
        <TextInput
          size="xs"
          label={t('import.to')}
          placeholder={t('import.eventPlace')}
          defaultValue={options.to}
          error={place && say('fault', place, t('import.to'))}
          errorProps={{ role: 'alert' }}
          onBlur={(e) => e.currentTarget.value !== options.to && change({ ...options, to: e.currentTarget.value })}
        />
      )}
    </Group>
  );
}

/** Returns the encodings that the faults of rows suggest, those first that are suggested for most. */
export function likelyEncodings(faults: Fault[]): string[] {
  const votes = new Map<string, number>();
  for (const f of faults)
    if (f.code === 'OTHER_ENCODING')
      for (const e of f.suggestions ?? []) if (e in encodings) votes.set(e, (votes.get(e) ?? 0) + 1);
  return [...votes]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([e]) => e);
}

/** Offers the encodings that a text is most likely in, if it is not in the one of the file. */
export function LikelyEncodings({ faults, options, change }: Change & { faults: Fault[] }): ReactNode {
  const { t } = useTranslation();
  const likely = likelyEncodings(faults);
  if (likely.length === 0) return null;
  return (
    <Group gap="xs">
      {likely.map((e) => (
        <Button key={e} size="xs" variant="default" onClick={() => change({ ...options, encoding: e })}>
          {t('import.readAs', { encoding: encodingName(e as Encoding, t) })}
        </Button>
      ))}
    </Group>
  );
}
