/** An authorization code counts once, also for two requests that have both found it unused (RFC 6749 section 4.1.2). */
import { expect, test } from "vitest";
import { newMeter } from "#core/database/table/meter.ts";
import { type AuthorizationCode, codeStore, storingCode, usingCode } from "#core/tokens/code-store.ts";
import { newOpaque } from "#core/tokens/opaque.ts";
import { testTable } from "#tests/support/engine.ts";

const code: AuthorizationCode = {
  tenant: "acme.com",
  clientId: "cars",
  applicationId: "a-1",
  user: { id: "u-1", userName: "kim", userStore: "PRIMARY" },
  memberships: { groupIds: ["g-1"], roleIds: ["r-1"] },
  redirectUri: "https://cars.example.com/cb",
  isRedirectSent: true,
  scopes: ["openid"],
  resources: [],
  signedIn: { authSeconds: 1_000, sid: "s-1", scopes: ["openid"] },
  grantId: "grant-1",
  issuedMs: 1_000_000,
  issuedAtSeconds: 1_000,
};
const reused = () => new Error("used before");

test("two requests that found a code unused redeem it once", async () => {
  const table = (await testTable()).open(newMeter());
  const text = newOpaque("ac_");
  await table.write(storingCode(text, code));
  const found = await codeStore(table).find(text);
  if (!found) throw new Error("a stored code is found");
  expect(found).toMatchObject({ isUsed: false, code });
  const uses = await Promise.allSettled([1, 2].map(() => table.write(usingCode(found, reused))));
  expect(uses.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await codeStore(table).find(text)).toMatchObject({
    isUsed: true,
    code: { grantId: "grant-1", memberships: { groupIds: [], roleIds: [] } },
  });
});

test("a code that does not exist cannot be used", async () => {
  const table = (await testTable()).open(newMeter());
  const found = { digest: "unknown", code, isUsed: false };
  await expect(table.write(usingCode(found, reused))).rejects.toThrow("used before");
});
