import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFile, workbook } from '../api/download';
import { useSession } from '../session';
import { useProblemText } from '../ui/states';

interface Props {
  event: string;
  /** The record type of the sheet; 'all' for the overview. */
  type: string;
}

/** The files that can be downloaded from a sheet: a template to fill in, and the event's records. */
export function Downloads({ event, type }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const { can } = useSession();
  const text = useProblemText();
  const save = (address: string, accept: string): void => {
    const headers = { Accept: accept, 'Accept-Language': i18n.resolvedLanguage ?? 'en' };
    saveFile(address, headers).catch((cause: Error) => {
      notifications.show({ color: 'red', message: text(cause) });
    });
  };
  if (type === 'all' && !can('user')) return null;
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Tooltip label={t('sheet.downloads')}>
          <ActionIcon variant="default" size={28} aria-label={t('sheet.downloads')}>
            <IconDownload size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {type !== 'all' && (
          <Menu.Item onClick={() => save(`/session/api/record-types/${type}/template`, workbook)}>
            {t('sheet.template', { type: t(`type.${type as 'flights'}`, { defaultValue: type }) })}
          </Menu.Item>
        )}
        {can('user') && (
          <>
            <Menu.Item onClick={() => save(`/session/api/events/${event}/export`, workbook)}>
              {t('sheet.exportWorkbook')}
            </Menu.Item>
            <Menu.Item onClick={() => save(`/session/api/events/${event}/export`, 'text/csv')}>
              {t('sheet.exportTable')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
