import { useEffect, useState } from 'react';
import { useSession } from '../session';
import { readText, textKey, writeText } from './texts';

/** Returns a text that is written at a place of its own, as it was left there, and what changes it. */
export function useKeptText(place: string): [text: string, write: (text: string) => void] {
  const { scope } = useSession();
  const key = textKey(scope, place);
  const [text, setText] = useState(() => readText(key));
  // What is written or sent in another tab is so here.
  useEffect(() => {
    const changed = (e: StorageEvent): void => {
      if (e.key === key) setText(e.newValue ?? '');
    };
    window.addEventListener('storage', changed);
    return () => window.removeEventListener('storage', changed);
  }, [key]);
  const write = (now: string): void => {
    writeText(key, now);
    setText(now);
  };
  return [text, write];
}
