/** The locks of a browser, which its tabs share. */
export function browserLocks(): Pick<LockManager, 'request' | 'query'> {
  const ends = new Map<string, Promise<unknown>>();
  const held = new Set<string>();
  const request = (name: string, work: () => unknown): Promise<unknown> => {
    const done = (ends.get(name) ?? Promise.resolve()).then(async () => {
      held.add(name);
      try {
        return await work();
      } finally {
        held.delete(name);
      }
    });
    ends.set(
      name,
      done.catch(() => {}),
    );
    return done;
  };
  return {
    request: request as LockManager['request'],
    query: async () => ({ held: [...held].map((name) => ({ name })), pending: [] }),
  };
}
