/** What counts as a key, and as the same request (decision 0086). */
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { digestOfKey, newAnswerSecrets, readIdempotencyKey, textOfRequest } from "#core/http/idempotency-key.ts";
import type { HttpRequest } from "#core/http/request.ts";
import { Fault } from "#core/kernel/faults.ts";
import type { Principal } from "#core/kernel/operation/context.ts";
import { answerKeysOf } from "#core/kernel/seal.ts";

const request = (over: Partial<HttpRequest> = {}): HttpRequest => ({
  traceId: "-",
  method: "POST",
  path: "/scim2/Users",
  pathTenant: undefined,
  headers: {},
  rawQuery: "",
  ...over,
});
const user: Principal = { kind: "user", tenant: "a", subject: "1", username: "u", userStore: "PRIMARY" };

describe("a key", () => {
  test.each([
    ['"8e03978e-40d5-43e8-bc93-6894a57f9324"', "8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ["8e03978e-40d5-43e8-bc93-6894a57f9324", "8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ['  "a key, with \\"quotes\\" and \\\\"  ', 'a key, with "quotes" and \\'],
    ['"a";v=1;w', "a"],
    ["a;b=c", "a;b=c"],
    ["~!#", "~!#"],
  ])("%j is read", (header, key) => expect(readIdempotencyKey(header)).toBe(key));

  test("any text is a key of 1 to 255 characters of ASCII, or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (header) => {
        try {
          expect(readIdempotencyKey(header)).toMatch(/^[ -~]{1,255}$/);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          expect((error as Fault).fault).toBe("request.invalid");
        }
      }),
    );
  });

  test("belongs to one caller", () => {
    const callers: readonly Principal[] = [
      user,
      { ...user, tenant: "b" },
      { ...user, subject: "2" },
      { ...user, actor: "service" },
      { kind: "client", tenant: "a", subject: "1", applicationId: "x" },
    ];
    expect(new Set(callers.map((caller) => digestOfKey(caller, "k"))).size).toBe(callers.length);
    expect(digestOfKey(user, "k")).toBe(digestOfKey({ ...user, username: "renamed" }, "k"));
  });
});

describe("a request", () => {
  const jsonValue = fc.jsonValue({ maxDepth: 3 });
  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, member]) => [name, reordered(member)]),
    );
  };
  test("is the same in any order of members and parameters", () => {
    fc.assert(
      fc.property(jsonValue, (body) => {
        const one = textOfRequest(request({ rawQuery: "a=1&b=%20" }), body);
        expect(textOfRequest(request({ rawQuery: "b=+&a=1" }), reordered(body))).toBe(one);
      }),
    );
  });
  test("is another one where anything differs", () => {
    const texts = [
      textOfRequest(request(), { a: 1 }),
      textOfRequest(request(), { a: "1" }),
      textOfRequest(request(), undefined),
      textOfRequest(request({ method: "PATCH" }), { a: 1 }),
      textOfRequest(request({ path: "/scim2/Groups" }), { a: 1 }),
      textOfRequest(request({ rawQuery: "a=1" }), { a: 1 }),
      textOfRequest(request(), { a: new Uint8Array([1]) }),
      textOfRequest(request(), { a: new Uint8Array([2]) }),
    ];
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe("secrets", () => {
  const [first, second] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  const secretsOf = (keys: string) => newAnswerSecrets(keys.split(",").map((key) => Buffer.from(key, "base64")));

  test("answers and digests of a former key stay readable", () => {
    const before = secretsOf(answerKeysOf(first, "none"));
    const after = secretsOf(answerKeysOf(second, first));
    expect(after.seal.open(before.seal.seal("an answer", "owner"), "owner")).toBe("an answer");
    expect(after.isDigestOf(before.digest("text"), "text")).toBe(true);
    expect(after.isDigestOf(before.digest("text"), "other")).toBe(false);
    expect(after.digest("text")).not.toBe(before.digest("text"));
    expect(() => secretsOf(answerKeysOf(second, "none")).seal.open(before.seal.seal("a", "o"), "o")).toThrow(
      "another key",
    );
  });
  test("the keys are not the sealing keys", () => {
    expect(answerKeysOf(first, second).split(",")).toHaveLength(2);
    expect(answerKeysOf(first, "none")).not.toContain(first);
  });
});
