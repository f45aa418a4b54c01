/**
 * Rows that this service could not have written: reading one throws an error that names its key, and never a wrong
 * result.
 */
import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Item, Table } from "#core/database/table/table.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { defaultLockoutPolicy, lockoutStore } from "#core/sign-in/authentication/lockout-store.ts";
import { accessTokenStore } from "#core/tokens/access-token-store.ts";
import { keyStore, readRing } from "#core/tokens/key-store.ts";
import { digestOf, newOpaque } from "#core/tokens/opaque.ts";
import { familyStore } from "#core/tokens/refresh-family-store.ts";
import { revocationStore, subjects } from "#core/tokens/revocation-store.ts";
import { testTable } from "#tests/support/engine.ts";

const TENANT = "acme.com";
const [access, refresh] = [newOpaque("at_"), newOpaque("rt_")];
const name = { tenant: TENANT, userStore: "PRIMARY", name: "kim" };
const seal = newSeal(randomBytes(32));
const familyOf = { digest: "d", tenant: TENANT, familyId: "f", expiresAtSeconds: 1 };
let table: Table;
beforeEach(async () => {
  table = (await testTable()).open(newMeter());
});

describe.each<[string, Item, () => Promise<unknown>]>([
  [
    "an access token",
    { ...keys.accessToken(digestOf(access)), token: { tenant: TENANT }, expiresAtSeconds: 1 },
    () => accessTokenStore(table).find(access),
  ],
  [
    "a refresh token",
    { ...keys.refreshToken(digestOf(refresh)), tenant: TENANT, familyId: 1, expiresAtSeconds: 1 },
    () => familyStore(table).findToken(refresh),
  ],
  [
    "a family",
    { ...keys.family(TENANT, "f"), family: {}, current: "c", expiresAtSeconds: 1 },
    () => familyStore(table).withFamily(familyOf),
  ],
  [
    "a revocation mark",
    { ...keys.revocation(TENANT, subjects.user("u")), fromMs: "1" },
    () => revocationStore(table).validFrom(TENANT, [subjects.user("u")]),
  ],
  ["the key ring", { ...keys.keyRing(), ver: 1, keys: [{ kid: "k" }] }, () => readRing(table)],
  [
    "a lock",
    { ...keys.lock(TENANT, "PRIMARY", "kim"), lockedUntilMs: "never" },
    () => lockoutStore(table, defaultLockoutPolicy).find({ name, sourceIp: "192.0.2.1" }, 0),
  ],
])("%s", (_, item, read) => {
  test("throws an error with the key of the row", async () => {
    await table.write({ put: item, when: "absent", otherwise: () => new Error("in use") });
    await expect(read()).rejects.toThrow(`PK=${JSON.stringify(item.PK)}`);
  });
});

test("sealed signing keys of another form are refused", async () => {
  const sealed = seal.seal(JSON.stringify([{ kid: "k" }]), "signing-keys");
  await table.write({
    put: { ...keys.signingKeys(), ver: 1, sealed },
    when: "absent",
    otherwise: () => new Error("in use"),
  });
  await expect(keyStore(table, seal).open(0)).rejects.toThrow("sealed signing keys");
});
