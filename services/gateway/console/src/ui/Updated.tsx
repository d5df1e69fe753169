import { Alert, Button, Group } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Offers to reload when the server has another release than this tab. */
export function Updated(): ReactNode {
  const { t } = useTranslation();
  const [updated, setUpdated] = useState(false);
  useEffect(() => {
    const f = (): void => setUpdated(true);
    window.addEventListener('ecf-updated', f);
    return () => window.removeEventListener('ecf-updated', f);
  }, []);
  if (!updated) return null;
  return (
    <Alert title={t('state.updated')} role="alert">
      <Group>
        {t('state.updatedText')}
        <Button size="xs" onClick={() => location.reload()}>
          {t('state.reload')}
        </Button>
      </Group>
    </Alert>
  );
}
