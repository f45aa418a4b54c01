/**
 * Reads `multipart/form-data` (RFC 7578) from memory; nothing touches a file system. Loaded when the first such body
 * arrives, so that the functions without uploads do not carry the parser.
 *
 * The parser is used directly: middy's middleware around it does not listen for errors of a part, so an upload that
 * breaks off inside one ends the whole process (decision 0040).
 */
import { Busboy } from "@fastify/busboy";
import { Fault } from "../platform/faults.ts";

/** One more than any operation reads, so that too many are noticed. */
const PARTS_MAX = 10;
const HEADERS_PER_PART_MAX = 20;
const NAME_SHOWN_MAX = 100;

/** One part: a file, or a field without a file name, which is the same thing to whoever reads its bytes. */
export interface Part {
  readonly content: Uint8Array;
  /** The media type that the part names; `text/plain` where it names none. */
  readonly mediaType: string;
  readonly fileName: string | undefined;
}

/**
 * The parts by their names. Throws `request.malformed` for a body that ends early, has no boundary or too many parts, and
 * `request.invalid` for a name that is given twice: a reader that took the first and one that took the last would each see
 * another request.
 */
export function readMultipart(bytes: Uint8Array, contentType: string): Promise<Readonly<Record<string, Part>>> {
  return new Promise((resolve, reject) => {
    const parts = new Map<string, Part>();
    const fail = () => reject(malformed("it has no boundary, or ends before its last boundary."));
    const take = (name: string, part: Part) => {
      if (parts.has(name)) {
        reject(new Fault("request.invalid", `The part "${name.slice(0, NAME_SHOWN_MAX)}" is given more than once.`));
      }
      parts.set(name, part);
    };
    try {
      const parser = Busboy({
        headers: { "content-type": contentType },
        isPartAFile: () => true,
        limits: { parts: PARTS_MAX, headerPairs: HEADERS_PER_PART_MAX },
      });
      parser.on("partsLimit", () => reject(malformed(`it has more than ${PARTS_MAX} parts.`)));
      // The types promise a name; the parser passes on what it found, which may be none.
      parser.on("file", (name: string | undefined, stream, fileName: string | undefined, _encoding, mediaType) => {
        const chunks: Buffer[] = [];
        stream.on("error", fail);
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          if (name === undefined) reject(malformed("a part has no name."));
          else take(name, { content: Buffer.concat(chunks), mediaType, fileName });
        });
      });
      parser.on("error", fail);
      parser.on("finish", () => resolve(Object.fromEntries(parts)));
      parser.end(Buffer.from(bytes));
    } catch {
      // The parser throws for a content type without a boundary.
      fail();
    }
  });
}

function malformed(reason: string): Fault {
  return new Fault("request.malformed", `The body is not readable as multipart/form-data: ${reason}`);
}
