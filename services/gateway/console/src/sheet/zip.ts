/** ZIP files, as workbooks are: their parts are read, and the file is written with one of them replaced. */
import { strFromU8, strToU8, type Unzipped, unzipSync, zipSync } from 'fflate';

/** A file that unpacks to more bytes than these is not opened here. */
const unpackedMax = 32 << 20;

export class Archive {
  private constructor(private readonly parts: Unzipped) {}

  /** Opens a file; fails for one that is damaged, encrypted or too large. */
  static open(file: ArrayBuffer): Archive {
    let unpacked = 0;
    const filter = ({ originalSize }: { originalSize: number }): boolean => {
      unpacked += originalSize;
      if (unpacked > unpackedMax) throw new Error('too large');
      return true;
    };
    return new Archive(unzipSync(new Uint8Array(file), { filter }));
  }

  /** Returns the text of a part; empty where there is none. */
  text(name: string): string {
    const part = this.parts[name];
    return part ? strFromU8(part) : '';
  }

  /** Returns the file with another text in one of its parts. */
  with(name: string, text: string): Blob {
    return new Blob([zipSync({ ...this.parts, [name]: strToU8(text) }, { level: 1 })]);
  }
}
