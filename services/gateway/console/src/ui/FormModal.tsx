import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog';
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
  const narrow = useMediaQuery('(max-width: 40em)', false, { getInitialValueInEffect: false });
  return (
    <Dialog
      opened={opened}
      onClose={() => unsaved.leave(close)}
      title={title}
      fullScreen={large && narrow}
      {...(large ? { size: 'lg' } : {})}
    >
      <div onChange={unsaved.fill}>{children}</div>
    </Dialog>
  );
}
