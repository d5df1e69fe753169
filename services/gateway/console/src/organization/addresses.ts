/** The characters of an address that may look like others, each with its code point. */
export function lookAlikes(email: string): string {
  const found = new Set([...email].filter((c) => c > '\u007f'));
  return [...found]
    .slice(0, 12)
    .map((c) => `${c} (U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`)
    .join(', ');
}
