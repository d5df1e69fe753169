/** ZIP files, as workbooks are: their parts are read one by one, and the file is written with one of them replaced. */

interface Part {
  name: Uint8Array;
  method: number;
  flags: number;
  crc: number;
  packed: Uint8Array<ArrayBuffer>;
  size: number;
}

const stored = 0;
const deflated = 8;
const encrypted = 1;
/** The flag of a part whose sizes follow its bytes; here they are known before. */
const sizesFollow = 8;
const endMark = 0x06054b50;
const directoryMark = 0x02014b50;
const partMark = 0x04034b50;
const endSize = 22;
const commentMax = 0xffff;

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function crcOf(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const b of bytes) c = (crcTable[(c ^ b) & 0xff] ?? 0) ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const through = (bytes: Uint8Array<ArrayBuffer>, stream: ReadableWritablePair<Uint8Array, BufferSource>) =>
  new Blob([bytes]).stream().pipeThrough(stream);

export class Archive {
  private constructor(private readonly parts: Map<string, Part>) {}

  /** Opens a file; fails for one that is damaged, encrypted or too large for what is read here. */
  static open(file: ArrayBuffer): Archive {
    const at = new DataView(file);
    let end = file.byteLength - endSize;
    const last = Math.max(0, end - commentMax);
    while (end >= last && at.getUint32(end, true) !== endMark) end--;
    if (end < last) throw new Error('no ZIP file');
    const parts = new Map<string, Part>();
    let entry = at.getUint32(end + 16, true);
    for (let left = at.getUint16(end + 10, true); left > 0; left--) {
      if (at.getUint32(entry, true) !== directoryMark) throw new Error('a damaged directory');
      const [nameSize, more, comment] = [28, 30, 32].map((o) => at.getUint16(entry + o, true)) as [
        number,
        number,
        number,
      ];
      const begins = at.getUint32(entry + 42, true);
      const flags = at.getUint16(entry + 8, true);
      if (flags & encrypted || at.getUint32(begins, true) !== partMark) throw new Error('a part that cannot be read');
      const data = begins + 30 + at.getUint16(begins + 26, true) + at.getUint16(begins + 28, true);
      const name = new Uint8Array(file, entry + 46, nameSize);
      parts.set(new TextDecoder().decode(name), {
        name,
        flags,
        method: at.getUint16(entry + 10, true),
        crc: at.getUint32(entry + 16, true),
        packed: new Uint8Array(file, data, at.getUint32(entry + 20, true)),
        size: at.getUint32(entry + 24, true),
      });
      entry += 46 + nameSize + more + comment;
    }
    return new Archive(parts);
  }

  /** Returns the text of a part, of which no more is unpacked than asked for; empty where there is none. */
  async text(name: string, most = Number.POSITIVE_INFINITY): Promise<string> {
    const part = this.parts.get(name);
    if (!part) return '';
    if (part.method !== stored && part.method !== deflated) throw new Error('packed in an unknown way');
    const stream =
      part.method === stored
        ? new Blob([part.packed]).stream()
        : through(part.packed, new DecompressionStream('deflate-raw'));
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length >= most) {
        await reader.cancel();
        return text;
      }
    }
  }

  /** Returns the file with another text in one of its parts. */
  async with(name: string, text: string): Promise<Blob> {
    const bytes = new TextEncoder().encode(text);
    const packed = await new Response(through(bytes, new CompressionStream('deflate-raw'))).arrayBuffer();
    const body: BlobPart[] = [];
    const directory: BlobPart[] = [];
    let at = 0;
    let directorySize = 0;
    for (const [n, part] of this.parts) {
      const p: Part =
        n === name
          ? { ...part, method: deflated, crc: crcOf(bytes), packed: new Uint8Array(packed), size: bytes.length }
          : part;
      // Version, flags, method, no time, checksum and sizes: the same in both places.
      const common = new DataView(new ArrayBuffer(26));
      common.setUint16(0, 20, true);
      common.setUint16(2, p.flags & ~sizesFollow, true);
      common.setUint16(4, p.method, true);
      common.setUint16(8, 0x21, true); // 1 January 1980, the first day there is
      common.setUint32(10, p.crc, true);
      common.setUint32(14, p.packed.length, true);
      common.setUint32(18, p.size, true);
      common.setUint16(22, p.name.length, true);
      const head = new DataView(new ArrayBuffer(4));
      head.setUint32(0, partMark, true);
      body.push(head, common, p.name.slice(), p.packed);
      const entry = new DataView(new ArrayBuffer(6));
      entry.setUint32(0, directoryMark, true);
      entry.setUint16(4, 20, true);
      const rest = new DataView(new ArrayBuffer(14));
      rest.setUint32(10, at, true);
      directory.push(entry, common, rest, p.name.slice());
      at += 30 + p.name.length + p.packed.length;
      directorySize += 46 + p.name.length;
    }
    const end = new DataView(new ArrayBuffer(endSize));
    end.setUint32(0, endMark, true);
    end.setUint16(8, this.parts.size, true);
    end.setUint16(10, this.parts.size, true);
    end.setUint32(12, directorySize, true);
    end.setUint32(16, at, true);
    return new Blob([...body, ...directory, end]);
  }
}
