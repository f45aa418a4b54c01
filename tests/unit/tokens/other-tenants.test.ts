/** No request waits for the data of another tenant than its token's, or fails by it. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Table } from "#core/database/table/table.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { newRevocationCache } from "#core/sign-in/authentication/token-validity.ts";
import type { AccessToken } from "#core/tokens/model.ts";
import { anything, newReader, TOKEN_TENANT, tokenOf, tokenWorld } from "#tests/support/token-world.ts";

const { addTenant, read, write, jwtOf, opaqueOf } = tokenWorld();
const OTHER = "other.example";

/** A table that never returns, or fails, whatever belongs to other tenants than this one. */
const only =
  (tenant: string, otherwise: () => Promise<never>) =>
  (own: Table): Table => {
    const isOther = (PK: string) =>
      PK.startsWith("T#") && !PK.startsWith(`T#${tenant}#`) && PK !== keys.tenant(tenant).PK;
    return {
      ...own,
      get: (key, options) => (isOther(key.PK) ? otherwise() : own.get(key, options)),
      getMany: (some, options) => (some.some(({ PK }) => isOther(PK)) ? otherwise() : own.getMany(some, options)),
      query: (range) => (isOther(range.PK) ? otherwise() : own.query(range)),
      queryAll: (range, most) => (isOther(range.PK) ? otherwise() : own.queryAll(range, most)),
    };
  };
const never = () => new Promise<never>(() => undefined);
const failing = () => Promise.reject(new Error("the data of another tenant"));

test.each<[string, (token: AccessToken) => Promise<string>]>([
  ["a JWT", jwtOf],
  ["an opaque token", opaqueOf],
])("%s is validated while the data of every other tenant is silent or fails", async (_, textOf) => {
  await addTenant(OTHER);
  await write(anything({ ...keys.client("theirs"), tenant: OTHER, tokensFromMs: 0 }));
  const now = Date.now();
  const own = await textOf(tokenOf(now));
  const theirs = await textOf(tokenOf(now, { tenant: OTHER, clientId: "theirs" }));
  const old = await textOf(tokenOf(now - 3 * 86_400_000));
  for (const otherwise of [never, failing]) {
    const through = only(TOKEN_TENANT, otherwise);
    // A container that starts, whose first guess is the super tenant.
    for (const text of [own, old]) {
      expect((await read(newReader(), text, now, { through })).isValid).toBe(true);
      expect((await read(newReader(), text, now, { through, tenantGuess: OTHER })).isValid).toBe(true);
    }
    // A container that served the other tenant last, some time ago.
    const reader = newReader();
    expect((await read(reader, theirs, now)).isValid).toBe(true);
    for (const at of [now, now + 60_000]) expect((await read(reader, own, at, { through })).isValid).toBe(true);
  }
});

test("a JWT that claims a tenant falsely is refused; the tenant is not remembered, and costs nothing while the keys are fresh", async () => {
  const cache = newRevocationCache();
  const reader = newReader(cache);
  const now = Date.now();
  const text = await jwtOf(tokenOf(now));
  const [header, body, signature] = text.split(".");
  const forged = (tenant: string) => {
    const payload = JSON.parse(Buffer.from(body ?? "", "base64url").toString());
    payload.idp.tenant = tenant;
    return [header, Buffer.from(JSON.stringify(payload)).toString("base64url"), signature].join(".");
  };
  const first = await read(reader, forged("t0.example"), now);
  expect(first).toMatchObject({ isValid: false, roundTrips: 1 });
  expect(first.readUnits).toBeLessThan(6);
  for (let at = 1; at < 200; at += 1) {
    expect(await read(reader, forged(`t${at}.example`), now)).toMatchObject({ isValid: false, roundTrips: 0 });
    expect(cache.knows(`t${at}.example`)).toBe(false);
  }
  expect(cache.knows("t0.example")).toBe(false);
  for (const tenant of ["", "#", "x".repeat(3_000), "\ud800"]) {
    expect((await read(newReader(), forged(tenant), now)).isValid).toBe(false);
  }
  expect(await read(newReader(), text, now)).toMatchObject({ isValid: true, roundTrips: 1 });
});

test("a JWT of any tenant costs one round trip in a container that starts", async () => {
  await addTenant(SUPER_TENANT);
  await write(anything({ ...keys.client("root"), tenant: SUPER_TENANT, tokensFromMs: 0 }));
  const now = Date.now();
  for (const token of [tokenOf(now), tokenOf(now, { tenant: SUPER_TENANT, clientId: "root" })]) {
    expect(await read(newReader(), await jwtOf(token), now)).toMatchObject({ isValid: true, roundTrips: 1 });
  }
});
