/** Bodies in JSON, from their bytes. */
import { describe, expect, test } from "vitest";
import { bodyReader } from "#core/http/body.ts";
import { dialects } from "#core/http/dialects.ts";
import { operations } from "#core/service/catalogue.ts";

const declared = operations.createApplication;
const read = (body: string) => {
  if (!declared) throw new Error("createApplication is not in the catalogue");
  const request = { headers: { "content-type": "application/json" } } as unknown as Parameters<
    ReturnType<typeof bodyReader>
  >[2];
  return bodyReader()(declared, dialects.management, request, { body, isBase64Encoded: false });
};

describe("a JSON body", () => {
  test.each(['{"a":[1,{"constructor":"x"}]}', '{"constructor":{"other":1}}', "[]", '"text"', "null"])(
    "%s is read as it is",
    async (text) => expect(await read(text)).toEqual(JSON.parse(text)),
  );
  test.each([
    '{"__proto__":{"a":1}}',
    '{"a":{"constructor":{"prototype":{"b":1}}}}',
    '{"constructor":{"prototype":null}}',
    "{",
    "{'a':1}",
    "\uFEFF{}",
  ])("%s is refused, and no prototype changes", async (text) => {
    await expect(read(text)).rejects.toMatchObject({ fault: "request.malformed" });
    expect(Object.hasOwn(Object.prototype, "b")).toBe(false);
  });
});
