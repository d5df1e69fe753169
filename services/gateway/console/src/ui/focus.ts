/** What has the focus, or had it last: a button that is disabled while its request is sent loses it. */
let last: HTMLElement | null = null;
/** The same, until whoever is at work goes elsewhere. */
let held: HTMLElement | null = null;

window.addEventListener(
  'focusin',
  (e) => {
    last = held = e.target as HTMLElement;
  },
  true,
);

/** Reports whether nothing has the focus, which browsers say in different ways when what had it goes. */
const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body;

// Who points beside everything or goes beyond the last field has left what is still there, and is not led back to it.
window.addEventListener(
  'focusout',
  ({ target }) => {
    setTimeout(() => {
      if (held === target && isNowhere() && held?.isConnected && !held.matches(':disabled')) held = null;
    });
  },
  true,
);

/** How long the part of the page that changes has to choose what gets the focus, in milliseconds. */
const grace = 50;

/** Gives the focus back to what lost it while it was disabled; where that is gone, to the dialog over the page, or the page. */
function giveBack(): void {
  if (!held || !isNowhere()) return;
  const dialog = [...document.querySelectorAll<HTMLElement>('[role=dialog][aria-modal=true]')].at(-1);
  const stays = held.isConnected && (!dialog || dialog.contains(held));
  (stays ? held : (dialog ?? document.getElementById('main')))?.focus({ preventScroll: true });
}

let looking: ReturnType<typeof setTimeout> | undefined;
new MutationObserver(() => {
  if (looking || !held || !isNowhere()) return;
  looking = setTimeout(() => {
    looking = undefined;
    giveBack();
  }, grace);
}).observe(document.documentElement, {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['disabled'],
});

/** Returns the element of the page that has the focus or had it last; null where that is gone. */
export const lastFocused = (): HTMLElement | null => (last?.isConnected ? last : null);
