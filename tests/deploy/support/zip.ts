/** Reads the archives that SST uploads. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The record of one file in the directory at the end of an archive, and the record that ends it (APPNOTE 4.3). */
const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** The bytes of the unzipped code of each function, from a folder with one folder for each. */
export const unzippedBytes = (folder: string): Record<string, number> =>
  Object.fromEntries(
    (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
      const archive = join(folder, name, "code.zip");
      return existsSync(archive) ? [[name, sumOf(readFileSync(archive))]] : [];
    }),
  );

const sumOf = (zip: Buffer): number => {
  const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(END).buffer));
  if (end < 0) throw new Error("an archive has no directory");
  let bytes = 0;
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error("the directory of an archive is damaged");
    bytes += zip.readUInt32LE(at + 24);
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return bytes;
};
