/** The parser of uploads: it accepts or refuses any bytes, and never throws later, hangs, or mixes parts up. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMultipart } from "#core/http/multipart.ts";
import { Fault } from "#core/kernel/faults.ts";
import { MULTIPART_TYPE, multipart } from "#tests/support/files.ts";

const later: unknown[] = [];
const note = (error: unknown) => void later.push(error);
beforeAll(() => {
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
});
afterAll(async () => {
  await new Promise((done) => setTimeout(done, 50));
  process.off("uncaughtException", note);
  process.off("unhandledRejection", note);
  expect(later).toEqual([]);
});

const faultOf = async (bytes: Uint8Array, type = MULTIPART_TYPE): Promise<string> => {
  try {
    return `read ${Object.keys(await readMultipart(bytes, type)).join(",")}`;
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
};

describe("a part", () => {
  test("has the bytes that were sent, also where they look like a boundary", async () => {
    const traps = fc.constantFrom("\r\n", "--", "----a-boundary-of-the-test", "\r\n--", "\0", "é");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(traps, fc.string()), { maxLength: 30 }), async (pieces) => {
        const text = pieces.join("");
        // The sender chooses a boundary that no line of the content begins with: its first line follows the headers.
        fc.pre(!`\r\n${text}`.includes("\r\n------a-boundary-of-the-tests"));
        const content = Buffer.from(text);
        const parts = await readMultipart(multipart({ name: "file", content }), MULTIPART_TYPE);
        expect(Buffer.from(parts.file?.content ?? []).equals(content)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
  test("has its media type and file name, or those of a plain field", async () => {
    const plain = { headers: 'Content-Disposition: form-data; name="plain"', content: "x" };
    const parts = await readMultipart(multipart({ name: "file", content: "" }, plain), MULTIPART_TYPE);
    expect(parts.file).toMatchObject({ mediaType: "application/xml", fileName: "app.xml" });
    expect(parts.plain).toMatchObject({ mediaType: "text/plain", fileName: undefined });
  });
  test("of a megabyte needs no more memory than its size", async () => {
    const content = Buffer.from("\r\n-".repeat(350_000));
    const parts = await readMultipart(multipart({ name: "file", content }), MULTIPART_TYPE);
    expect(parts.file?.content.length).toBe(content.length);
  });
});

describe("an invalid upload", () => {
  // Longer than the boundary, so that the parser has passed on some of a part before the body ends.
  const body = multipart({ name: "file", content: "<a/>".repeat(60) }, { name: "other", content: "b" });
  test("that ends anywhere before its last boundary is refused, unless only the boundary of one part is missing", async () => {
    const boundary = Buffer.from(`--${MULTIPART_TYPE.split("=")[1]}`);
    const [content, second] = [body.indexOf("\r\n\r\n") + 4, body.indexOf(boundary, 1) + boundary.length];
    // The last boundary is complete with its two hyphens.
    for (let length = 0; length < body.length - 2; length += 1) {
      const isOnePart = length >= content && length < second;
      const expected = isOnePart ? "read file" : "request.malformed";
      expect([length, await faultOf(body.subarray(0, length))]).toEqual([length, expected]);
    }
    expect(await faultOf(body)).toBe("read file,other");
  });
  test.each<[string, Uint8Array, string | undefined, string]>([
    ["another boundary", body, "multipart/form-data; boundary=x", "request.malformed"],
    ["no boundary", body, "multipart/form-data", "request.malformed"],
    ["an empty boundary", body, "multipart/form-data; boundary=", "read "],
    [
      "the same name twice",
      multipart({ name: "file", content: "a" }, { name: "file", content: "b" }),
      undefined,
      "request.invalid",
    ],
    [
      "a file and a field of one name",
      multipart(
        { name: "file", content: "a" },
        { headers: 'Content-Disposition: form-data; name="file"', content: "b" },
      ),
      undefined,
      "request.invalid",
    ],
    [
      "eleven parts",
      multipart(...Array.from({ length: 11 }, (_, at) => ({ name: `p${at}`, content: "" }))),
      undefined,
      "request.malformed",
    ],
    ["no name", multipart({ headers: "Content-Disposition: form-data", content: "a" }), undefined, "request.malformed"],
  ])("with %s is refused or empty", async (_, bytes, type, fault) => {
    expect(await faultOf(bytes, type)).toBe(fault);
  });
  test("ignores a part that is not form data", async () => {
    expect(await faultOf(multipart({ headers: "X-Other: 1", content: "a" }))).toBe("read ");
  });
  test("of any bytes is accepted or refused", { timeout: 60_000 }, async () => {
    const pieces = fc.constantFrom(
      ...["----a-boundary-of-the-tests", "--", "\r\n", "\r\n\r\n", "Content-Disposition: form-data", '; name="file"'],
      ...['; name="', "; name*=utf-8''%ff", '; filename="', ": ", "\n", "\0", "x"],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(pieces, fc.string({ unit: "binary", maxLength: 5 })), { maxLength: 20 }),
        async (given) => {
          expect(await faultOf(Buffer.from(given.join("")))).toMatch(/^(read |request\.)/);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
