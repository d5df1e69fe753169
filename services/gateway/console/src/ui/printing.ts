import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/**
 * Reports whether the page is being printed, from before the browser looks at it. Tables that have only the rows
 * in view on the screen are rendered whole for it.
 */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}
