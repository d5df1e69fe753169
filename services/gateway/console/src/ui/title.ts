import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

/** Names the page in the title of the window: what it is first, the console last. Without a name it leaves it to another part of the page. */
export function useTitle(...parts: (string | undefined)[]): void {
  const { t } = useTranslation();
  const title = [...parts.filter(Boolean), t('app.name')].join(' - ');
  const named = Boolean(parts[0]);
  useEffect(() => {
    if (named) document.title = title;
  }, [named, title]);
}
