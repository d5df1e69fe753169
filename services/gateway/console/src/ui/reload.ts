let reloading = false;

/** Reloads the page without asking: its content is not for the user who is now signed in. */
export function reloadNow(): void {
  reloading = true;
  location.reload();
}

/** Reports whether the page is being left by reloadNow. */
export const isReloading = (): boolean => reloading;
