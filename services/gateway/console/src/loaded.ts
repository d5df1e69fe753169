/**
 * Returns a part of the console that is loaded when it is needed. Where the server
 * is away it is asked for again once it answers; where it has another release, and
 * so no such file any more, nothing is drawn in its place until somebody has
 * reloaded. The page says both (ui/Updated).
 */
export async function loaded<M>(part: () => Promise<M>): Promise<M> {
  for (;;) {
    const m = (await part()) as M | undefined;
    if (m) return m;
    await new Promise((again) => window.addEventListener('ecf-reached', again, { once: true }));
  }
}
