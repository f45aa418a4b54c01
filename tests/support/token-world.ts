/** A table with a tenant and a client, tokens of any date in both formats, and revocations as they are made at any time. */
import { randomBytes } from "node:crypto";
import { beforeEach, vi } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { type Cost, newMeter } from "#core/database/table/meter.ts";
import type { Item, Step, Table } from "#core/database/table/table.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newId } from "#core/kernel/ids.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { newTokenReader, type TokenReader } from "#core/sign-in/authentication/token-reader.ts";
import { newRevocationCache } from "#core/sign-in/authentication/token-validity.ts";
import { storingAccessToken } from "#core/tokens/access-token-store.ts";
import { issuerAt } from "#core/tokens/jwt.ts";
import { newSigningKeys } from "#core/tokens/key-cache.ts";
import type { AccessToken } from "#core/tokens/model.ts";
import { newOpaque } from "#core/tokens/opaque.ts";
import { loadItems } from "#tools/bench/loading.ts";
import { type TestTable, testTable } from "./engine.ts";

export const TOKEN_TENANT = "acme.com";
export const issuer = issuerAt("https://id.example");
const fail = () => new Error("in use");
const TOKEN_SECONDS = 30 * 86_400;

export const anything = (put: Item): Step => ({ put, when: "any", otherwise: fail });

/** Steps as they are made at a time. */
export const madeAt = (ms: number, make: () => readonly Step[]): readonly Step[] => {
  const spy = vi.spyOn(systemClock, "now").mockReturnValue(ms);
  const steps = make();
  spy.mockRestore();
  return steps;
};

/** The rows that some steps put. */
export const rowsOf = (steps: readonly Step[]): Item[] => steps.flatMap((step) => ("put" in step ? [step.put] : []));

/** The reader of a new container. */
export const newReader = (cache = newRevocationCache()): TokenReader => newTokenReader(() => ["PRIMARY"], cache);

/** A token of a user that was issued at a time. */
export const tokenOf = (issuedMs: number, more: Partial<AccessToken> = {}): AccessToken => ({
  tenant: TOKEN_TENANT,
  clientId: "client",
  applicationId: "application",
  user: { id: "user", userName: "u", userStore: "PRIMARY" },
  scopes: ["internal_x"],
  roleIds: ["role"],
  grantId: newId(),
  issuedAtSeconds: Math.floor(issuedMs / 1_000),
  issuedMs,
  expiresAtSeconds: Math.floor(issuedMs / 1_000) + TOKEN_SECONDS,
  ...more,
});

/** Makes a new table for each test. */
export const tokenWorld = () => {
  let service: TestTable;
  let table: Table;
  let signing = newSigningKeys(newSeal(randomBytes(32)));
  const addTenant = (domain: string) =>
    table.write(
      ...tenantStore(table).adding({ id: domain, domain, active: true, createdMs: 0, administrator: "u" }, fail),
    );
  beforeEach(async () => {
    service = await testTable();
    table = service.open(newMeter());
    signing = newSigningKeys(newSeal(randomBytes(32)));
    await addTenant(TOKEN_TENANT);
    await table.write(anything({ ...keys.client("client"), tenant: TOKEN_TENANT, tokensFromMs: 0 }));
  });
  return {
    table: () => table,
    addTenant,
    write: (...steps: readonly Step[]) => table.write(...steps),
    load: (items: readonly Item[]) => loadItems(service.endpoint, service.tableName, "log", items.length, items),
    jwtOf: (token: AccessToken) => signing.sign(table, token, newId(), issuer, Date.now()),
    opaqueOf: async (token: AccessToken): Promise<string> => {
      const text = newOpaque("at_");
      await table.write(storingAccessToken(text, token));
      return text;
    },
    /** What a container decides, and the cost. `through` wraps the table. */
    read: async (
      reader: TokenReader,
      text: string,
      nowMs: number,
      { through = (own: Table) => own, ...more }: { through?: (own: Table) => Table; tenantGuess?: string } = {},
    ): Promise<Cost & { readonly isValid: boolean }> => {
      const meter = newMeter();
      const found = await reader.read(text, { table: through(service.open(meter)), issuer, nowMs, ...more });
      return { isValid: found !== undefined, ...meter.cost };
    },
  };
};
