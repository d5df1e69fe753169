/** What has the focus, or had it last: a button that is disabled while its request is sent loses it. */
let last: HTMLElement | null = null;

window.addEventListener(
  'focusin',
  (e) => {
    last = e.target as HTMLElement;
  },
  true,
);

/** Returns the element of the page that has the focus or had it last; null where that is gone. */
export const lastFocused = (): HTMLElement | null => (last?.isConnected ? last : null);
