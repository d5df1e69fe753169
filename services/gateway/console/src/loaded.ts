/**
 * Returns a part of the console that is loaded when it is needed. Where the server
 * has another release, and so no such file any more, nothing is drawn in its place
 * until somebody has reloaded, which the page offers (ui/Updated).
 */
export const loaded = <M>(part: Promise<M>): Promise<M> =>
  part.then((m: M | undefined) => m ?? new Promise<never>(() => {}));
