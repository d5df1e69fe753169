import { ApiError, consoleFetch, errorOf } from './client';

/** The media type of a workbook (XLSX). */
export const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * Saves the response of an address as a file with the given name, or with the one that the response has. Throws the
 * ApiError of a refusal.
 */
export async function saveFile(address: string, headers: Record<string, string>, name?: string): Promise<void> {
  const response = await consoleFetch(
    // Not compared with what was read before: a file is not kept.
    new Request(location.origin + address, { headers: { 'If-None-Match': '""', ...headers } }),
  );
  if (!response.ok) throw errorOf(await response.json().catch(() => null), response);
  const url = URL.createObjectURL(
    await response.blob().catch((cause: unknown) => {
      // The connection broke off in the middle of the file.
      throw new ApiError(0, 'NETWORK', String(cause), '');
    }),
  );
  const a = document.createElement('a');
  a.href = url;
  a.download = name ?? /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'file';
  a.click();
  URL.revokeObjectURL(url);
}
