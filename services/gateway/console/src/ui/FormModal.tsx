import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Unsaved } from './leave';
import './form.css';

interface Props {
  opened?: boolean;
  title: string;
  /** A form of many fields: wide, and on a phone the whole of it. */
  large?: boolean;
  unsaved: Unsaved;
  close: () => void;
  children: ReactNode;
}

/** A dialog with a form, which asks before input is discarded. */
export function FormModal({ opened = true, title, large = false, unsaved, close, children }: Props): ReactNode {
  const { t } = useTranslation();
  const narrow = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  return (
    <Modal
      opened={opened}
      onClose={() => unsaved.leave(close)}
      title={title}
      closeButtonProps={{ 'aria-label': t('state.close') }}
      fullScreen={large && narrow}
      {...(large ? { size: 'lg' } : {})}
    >
      <div onChange={unsaved.fill}>{children}</div>
    </Modal>
  );
}
