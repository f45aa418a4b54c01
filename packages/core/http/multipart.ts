/**
 * Parses `multipart/form-data` (RFC 7578) in memory, without a file system. Loaded with the first such body, so that
 * functions without uploads do not load the parser.
 *
 * The parser is used directly: middy's middleware does not listen for errors of a part, so an upload that breaks off
 * inside a part ends the process (decision 0040).
 */
import { Busboy } from "@fastify/busboy";
import { Fault } from "../kernel/faults.ts";

/** More than any operation reads. */
const PARTS_MAX = 10;
const HEADERS_PER_PART_MAX = 20;
const NAME_SHOWN_MAX = 100;
/** The parser goes on after its limits: a body is given to it piece by piece, until it is refused. */
const PIECE_BYTES = 65_536;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

/** One part: a file, or a field, which is a part without a file name. */
export interface Part {
  readonly content: Uint8Array;
  /** The media type of the part; `text/plain` where it has none. */
  readonly mediaType: string;
  readonly fileName: string | undefined;
}

/**
 * The parts by their names. Throws `request.malformed` for a body that ends early, has no boundary or too many parts,
 * and `request.invalid` for a repeated name: a reader that takes the first part and one that takes the last would
 * disagree.
 */
export function readMultipart(bytes: Uint8Array, contentType: string): Promise<Readonly<Record<string, Part>>> {
  return new Promise((resolve, refuse) => {
    const parts = new Map<string, Part>();
    let isRefused = false;
    const reject = (fault: Fault) => {
      isRefused = true;
      refuse(fault);
    };
    const fail = () => reject(malformed("it has no boundary, or ends before the last boundary."));
    const take = (name: string, part: Part) => {
      if (parts.has(name)) {
        reject(
          new Fault("request.invalid", `The body has more than one part named "${name.slice(0, NAME_SHOWN_MAX)}".`),
        );
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
      // Unlike its type says, the parser passes `undefined` for a part without a name.
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
      const body = closed(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), contentType);
      const give = (from: number) => {
        if (isRefused) return;
        const to = from + PIECE_BYTES;
        if (to >= body.length) parser.end(body.subarray(from));
        else parser.write(body.subarray(from, to), () => give(to));
      };
      give(0);
    } catch {
      // The parser throws for a content type without a boundary.
      fail();
    }
  });
}

/**
 * A body with its last boundary. Identity Server's `iamctl` sends one part and leaves that boundary out; the length of
 * the request says that nothing is missing. Where anything else is missing, the body stays as it is, and is refused.
 */
function closed(body: Buffer, contentType: string): Buffer {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return body;
  const isOpen = body.indexOf(`--${boundary}`) === 0 && body.indexOf(`--${boundary}`, 1) < 0;
  const hasContent = body.indexOf("\r\n\r\n") >= 0;
  return isOpen && hasContent ? Buffer.concat([body, Buffer.from(`\r\n--${boundary}--\r\n`)]) : body;
}

function malformed(reason: string): Fault {
  return new Fault("request.malformed", `The body is not valid multipart/form-data: ${reason}`);
}
