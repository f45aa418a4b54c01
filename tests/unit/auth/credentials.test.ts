import { execFile } from "node:child_process";
import { argon2Sync, createHash } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parseUsername } from "#core/kernel/domain/username.ts";
import { hashPassword, verifyNothing, verifyPassword } from "#core/kernel/password.ts";
import { readBasic } from "#core/sign-in/authentication/basic.ts";

const basic = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString("base64")}`;

describe("a Basic header", () => {
  test("can have any letter case of the scheme, several spaces, and colons in the password", () => {
    expect(readBasic(`bASIC   ${Buffer.from("a:b:c").toString("base64")}`)).toEqual({ username: "a", password: "b:c" });
    expect(readBasic(basic("e\u0301va:p\u00e4ss"))).toEqual({ username: "\u00e9va", password: "p\u00e4ss" });
  });
  test.each([
    ["no token", "Basic"],
    ["a space", "Basic "],
    ["junk", "Basic !!!"],
    ["url-safe alphabet", "Basic Pz8_Oj8_Pw=="],
    ["missing padding", "Basic YTpi\u0020"],
    ["padding left out", "Basic YTpiYg"],
    ["text after the padding", "Basic YTpiYg==x"],
    ["unused bits that are set", "Basic YTpiYh=="],
    ["two tokens", "Basic YTpi YTpi"],
    ["two headers joined", `${basic("a:b")}, ${basic("c:d")}`],
    ["another scheme", `Digest ${Buffer.from("a:b").toString("base64")}`],
    ["no colon", basic("admin")],
    ["no user", basic(":password")],
    ["no password", basic("user:")],
    ["NUL in the name", basic("admin\0x:pw")],
    ["NUL in the password", basic("admin:pw\0x")],
    ["a line break", basic("admin\r\nX-Y: z:pw")],
    ["overlong UTF-8", basic(Uint8Array.from([0xc0, 0xaf, 0x3a, 0x61]))],
    ["ISO 8859-1", basic(Uint8Array.from([0x61, 0x3a, 0xe4]))],
    ["a surrogate in UTF-8", basic(Uint8Array.from([0xed, 0xa0, 0x80, 0x3a, 0x61]))],
    ["a name of 1,401 bytes", basic(`${"a".repeat(1_401)}:b`)],
    ["a password of 9 KB", basic(`a:${"b".repeat(9_000)}`)],
  ])("with %s is refused", (_, header) => expect(readBasic(header)).toBeUndefined());
});

describe("a user name", () => {
  const named = (tenant: string, userStore: string, name: string) => ({ tenant, userStore, name });
  test.each([
    ["alice", named("carbon.super", "PRIMARY", "alice")],
    ["SALES/alice", named("carbon.super", "SALES", "alice")],
    ["primary/alice", named("carbon.super", "PRIMARY", "alice")],
    ["alice@acme.com", named("acme.com", "PRIMARY", "alice")],
    ["sales/alice@ACME.com", named("acme.com", "SALES", "alice")],
    ["alice@gmail.com@acme.com", named("acme.com", "PRIMARY", "alice@gmail.com")],
    ["alice@carbon.super", named("carbon.super", "PRIMARY", "alice")],
    [" alice ", named("carbon.super", "PRIMARY", "alice")],
    ["al ice", named("carbon.super", "PRIMARY", "al ice")],
  ])("%s", (text, expected) => expect(parseUsername(text)).toEqual(expected));
  test.each([
    "",
    "alice@",
    "@acme.com",
    "SALES/",
    "/alice",
    "a/b/c",
    "INTERNAL/x",
    "application/x",
    "System/x",
    "al\tice",
    "al\u00a0ice",
    "alice@a#b",
    "alice@..",
    "a#b/alice",
    "alice@x|y",
  ])("%j is not a user name", (text) => expect(parseUsername(text)).toBeUndefined());
});

/** What the module gives in a process of its own, where hashes are not light, and its calls of argon2. */
const inProduction = async () => {
  const module = JSON.stringify(import.meta.resolve("#core/kernel/password.ts"));
  const script = `
    import crypto from "node:crypto";
    import { syncBuiltinESMExports } from "node:module";
    const [calls, { argon2 }] = [[], crypto];
    crypto.argon2 = (algorithm, parameters, done) => argon2(algorithm, (calls.push(parameters), parameters), done);
    syncBuiltinESMExports();
    const { digestPassword, hashPassword, verifyNothing, verifyPassword } = await import(${module});
    const hash = await hashPassword("secret");
    const digest = await digestPassword("secret", "owner");
    await verifyPassword("secret", hash);
    await verifyNothing("secret");
    console.log(JSON.stringify({ hash, digest, calls }));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  return JSON.parse(stdout) as { hash: string; digest: string; calls: readonly object[] };
};

describe("a password hash", () => {
  test("is argon2id with OWASP's first parameters, and never the same twice", async () => {
    const [one, two] = await Promise.all([hashPassword("secret"), hashPassword("secret")]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword("secret", one)).toBe(true);
    expect(await verifyPassword("Secret", one)).toBe(false);
  });
  test("of another format is an error, not a refusal", async () => {
    await expect(verifyPassword("x", "$2b$10$abc")).rejects.toThrow(/argon2id/);
  });
  test("an unknown user is refused", async () => expect(await verifyNothing("secret")).toBe(false));
  test("costs what OWASP recommends, and so does each comparison, also for an unknown user", async () => {
    const { hash, digest, calls } = await inProduction();
    const work = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
    expect(calls).toEqual(Array.from({ length: 4 }, () => expect.objectContaining(work)));
    const tagOf = (nonce: Buffer) => argon2Sync("argon2id", { ...work, message: "secret", nonce });
    const [salt = "", tag] = hash.split("$").slice(-2);
    expect(tagOf(Buffer.from(salt, "base64"))).toEqual(Buffer.from(tag ?? "", "base64"));
    const owner = createHash("sha256").update("owner").digest().subarray(0, 16);
    expect(digest).toBe(tagOf(owner).toString("base64url"));
  });
});
