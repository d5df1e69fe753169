/** Asks before what was typed into a form is thrown away; the next form begins unfilled. */
export function mayLeave(filled: { current: boolean }, question: string): boolean {
  if (filled.current && !window.confirm(question)) return false;
  filled.current = false;
  return true;
}
