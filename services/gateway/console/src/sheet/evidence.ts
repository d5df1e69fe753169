/** The documents that support a record, as a cell holds them. */

export interface Evidence {
  name?: string | undefined;
  url?: string | undefined;
  sha256?: string | undefined;
}

/** One document of a cell: its name, then its address and the hash of its bytes, each in brackets. */
const document = /^(.*?)(?:\s*\[(https:\/\/[^\s[\]]+)\])?(?:\s*\[([0-9a-f]{64})\])?$/i;
const hash = /^[0-9a-f]{64}$/i;

/** Returns the documents of a cell, which are separated by semicolons; undefined for a list in JSON that is damaged. */
export function evidenceIn(text: string): Evidence[] | undefined {
  if (text.startsWith('[{')) {
    try {
      return JSON.parse(text) as Evidence[];
    } catch {
      return undefined;
    }
  }
  return text
    .split(/\s*[;\n]\s*/)
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      if (hash.test(part)) return { sha256: part };
      if (/^https:\/\/\S+$/i.test(part)) return { url: part };
      const [, name = '', url, sha256] = document.exec(part) ?? [];
      return { ...(name && { name }), ...(url && { url }), ...(sha256 && { sha256 }) };
    });
}

/**
 * Returns the text of a cell for documents. Nothing of them is left out: what a cell does not
 * say is removed from the record as soon as anything else in the cell is changed.
 */
export function evidenceText(documents: Evidence[]): string {
  const text = documents
    .map(({ name, url, sha256 }) =>
      name === undefined && (url === undefined || sha256 === undefined)
        ? (url ?? sha256 ?? '')
        : [name, url && `[${url}]`, sha256 && `[${sha256}]`].filter(Boolean).join(' '),
    )
    .join('; ');
  const same = JSON.stringify(evidenceIn(text)?.map(ordered)) === JSON.stringify(documents.map(ordered));
  return same ? text : JSON.stringify(documents);
}

const ordered = ({ name, url, sha256 }: Evidence): Evidence => ({ name, url, sha256 });

/** Names a file by the hash of its bytes; the file itself stays where it is. */
export async function documentOf(file: File): Promise<Required<Pick<Evidence, 'name' | 'sha256'>>> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return { name: file.name.slice(0, 200), sha256: [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('') };
}

const documents =
  /\.(pdf|png|jpe?g|heic|heif|webp|gif|tiff?|bmp|docx?|odt|rtf|pages|pptx?|odp|key|eml|msg|mht|html?|zip)$/i;

/** Reports whether a file is a document to name as evidence, and no table to import. */
export const isDocument = (name: string): boolean => documents.test(name);
