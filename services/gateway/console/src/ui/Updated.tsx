import { Alert, Button, Group } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Reports whether there is a server to reload from: without one the page would be lost. */
const reached = (): Promise<boolean> =>
  fetch('/', { headers: { Accept: 'text/html' } }).then(
    () => true,
    () => false,
  );

/** Offers to reload when a part of the console could not be loaded, as when the server has another release than this tab. */
export function Updated(): ReactNode {
  const { t } = useTranslation();
  const [updated, setUpdated] = useState(false);
  const [offline, setOffline] = useState(false);
  useEffect(() => {
    const f = (): void =>
      void reached().then((there) => {
        setOffline(!there);
        setUpdated(true);
      });
    window.addEventListener('ecf-updated', f);
    return () => window.removeEventListener('ecf-updated', f);
  }, []);
  // The notice that the server is unavailable disappears when it responds, and missing data is loaded.
  useEffect(() => {
    if (!offline) return;
    const look = (): void =>
      void reached().then((there) => {
        if (!there) return;
        setOffline(false);
        setUpdated(false);
        window.dispatchEvent(new Event('ecf-reached'));
      });
    const timer = setInterval(look, 3_000);
    window.addEventListener('online', look);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', look);
    };
  }, [offline]);
  if (!updated) return null;
  return (
    <Alert
      color={offline ? 'orange' : 'teal'}
      title={t(offline ? 'state.failed' : 'state.updated')}
      role="alert"
      className="updated"
      withCloseButton
      closeButtonLabel={t('state.close')}
      onClose={() => setUpdated(false)}
    >
      <Group>
        {t(offline ? 'state.offline' : 'state.updatedText')}
        <Button
          size="xs"
          onClick={() => void reached().then((there) => (there ? location.reload() : setOffline(true)))}
        >
          {t(offline ? 'state.retry' : 'state.reload')}
        </Button>
      </Group>
    </Alert>
  );
}
