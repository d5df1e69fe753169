/** What is typed into forms, and what would throw it away. */
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isReloading } from './reload';

export interface Unsaved {
  /** Something was typed or chosen. */
  fill: () => void;
  /** It was saved or discarded. */
  clear: () => void;
  /** Goes on where nothing is lost by it, or where that is agreed to; the next form begins unfilled. */
  leave: (then: () => void) => void;
}

/** Tracks whether a form has unsaved input, and asks before it is discarded. */
export function useUnsaved(): Unsaved {
  const { t } = useTranslation();
  const filled = useRef(false);
  const question = t('event.discard');
  const mayLeave = useCallback((): boolean => {
    if (filled.current && !window.confirm(question)) return false;
    filled.current = false;
    return true;
  }, [question]);
  useBlocker({
    shouldBlockFn: () => !mayLeave(),
    enableBeforeUnload: () => filled.current && !isReloading(),
  });
  return useMemo(
    () => ({
      fill: () => {
        filled.current = true;
      },
      clear: () => {
        filled.current = false;
      },
      leave: (then) => {
        if (mayLeave()) then();
      },
    }),
    [mayLeave],
  );
}
