/** How long to wait before the result is listed again: soon while it is calculated, ever longer while nothing changes. */
export function nextListing(status: string | undefined, unchanged: number): number {
  if (status === 'recalculating') return 1_500;
  return Math.min(60_000, 5_000 * 2 ** Math.min(unchanged, 4));
}
