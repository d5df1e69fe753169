import { Modal, type ModalProps } from '@mantine/core';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** Returns what has the focus; in place of an item of a menu, which goes once it is chosen, the button of the menu. */
function opener(): HTMLElement | null {
  const active = document.activeElement as HTMLElement | null;
  const menu = active?.closest('[role=menu]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
}

/**
 * Gives the focus back to where a dialog was opened from, once it closes or is no longer part of the page. Where that
 * is gone, the page has it. The library does so only for dialogs that stay in the page, and loses it after a menu.
 */
function useFocusReturn(opened: boolean): void {
  const from = useMemo(() => (opened ? opener() : null), [opened]);
  useEffect(() => {
    if (!opened) return;
    return () => {
      const left = document.activeElement;
      setTimeout(() => {
        const now = document.activeElement;
        // Whoever closed the dialog may have moved the focus on, also into another one.
        const lost = now === null || now === document.body || (now === left && now.closest('[role=dialog]'));
        if (!lost) return;
        if (from?.isConnected && from !== document.body) from.focus({ preventScroll: true });
        if (document.activeElement !== from) document.getElementById('main')?.focus({ preventScroll: true });
      });
    };
  }, [opened, from]);
}

/** A dialog over the page. */
export function Dialog(props: ModalProps): ReactNode {
  const { t } = useTranslation();
  useFocusReturn(props.opened);
  return <Modal returnFocus={false} closeButtonProps={{ 'aria-label': t('state.close') }} {...props} />;
}
