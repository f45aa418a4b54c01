/** The id of an application in the entry of its name. Ids are UUIDs: 16 bytes keep the entries small. */
import { type Field, misfit } from "../../database/table/row.ts";

export const packedId: Field<string> = {
  expects: "an id of 16 bytes",
  parse: (stored) => (stored instanceof Uint8Array && stored.length === 16 ? unpackId(stored) : misfit),
  write: packId,
};

/** The bytes of an id. */
export function packId(id: string): Uint8Array {
  return Buffer.from(id.replaceAll("-", ""), "hex");
}

function unpackId(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
