import { Button, FileButton } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { documentOf, type Evidence } from './evidence';

/** Names files as evidence, as they are photographed or kept on a phone. */
export function AttachButton({ attach }: { attach: (documents: Evidence[]) => void }): ReactNode {
  const { t } = useTranslation();
  const again = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      onChange={(files) => {
        // A browser does not tell of the same file chosen twice: it forgets the first.
        again.current?.();
        if (files.length > 0) void Promise.all(files.map(documentOf)).then(attach);
      }}
      resetRef={again}
      inputProps={{ 'aria-label': t('form.attach') }}
    >
      {(props) => (
        <Button {...props} variant="default" leftSection={<IconPaperclip size={16} aria-hidden />}>
          {t('form.attach')}
        </Button>
      )}
    </FileButton>
  );
}
