/** What a starting and a warm container read after a day of 130,000 revocations, of which 120,000 are of grants. */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Item } from "#core/database/table/table.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { newId } from "#core/kernel/ids.ts";
import { revokingGrant, revokingUser } from "#core/tokens/revocation-store.ts";
import { anything, madeAt, newReader, rowsOf, TOKEN_TENANT, tokenOf, tokenWorld } from "#tests/support/token-world.ts";

const { addTenant, load, read, write, jwtOf, opaqueOf } = tokenWorld();
const GRANTS = 120_000;
const USERS = 10_000;
const DAY_MS = 23 * 3_600_000;
const UNITS_MAX = 50;
const LOADING_MS = 900_000;

test(
  "a starting container reads at most 50 units in two round trips; another tenant reads nothing of it",
  async () => {
    const start = Date.now();
    const until = Math.floor(start / 1_000) + 86_400;
    function* day(): Generator<Item> {
      for (let at = 0; at < GRANTS; at += 1) {
        const ms = Math.floor(start - DAY_MS + (DAY_MS * at) / GRANTS);
        yield* rowsOf(madeAt(ms, () => revokingGrant(TOKEN_TENANT, newId(), ms, until))).slice(1);
      }
      for (let at = 0; at < USERS; at += 1) {
        const ms = Math.floor(start - DAY_MS + (DAY_MS * at) / USERS);
        yield* rowsOf(madeAt(ms, () => revokingUser(TOKEN_TENANT, newId()))).slice(1);
      }
    }
    await load([...day()]);
    const ended = tokenOf(start - DAY_MS + 1_000);
    await write(...madeAt(start - DAY_MS + 2_000, () => revokingGrant(TOKEN_TENANT, ended.grantId, start, until)));
    await addTenant(SUPER_TENANT);
    await write(anything({ ...keys.client("root"), tenant: SUPER_TENANT, tokensFromMs: 0 }));
    const own = tokenOf(start, { tenant: SUPER_TENANT, clientId: "root" });
    const old = tokenOf(start - DAY_MS + 1_000);
    for (const textOf of [jwtOf, opaqueOf]) {
      for (const [token, isValid] of [
        [old, true],
        [ended, false],
      ] as const) {
        const cost = await read(newReader(), await textOf(token), start);
        expect(cost.isValid).toBe(isValid);
        expect(cost.readUnits).toBeLessThanOrEqual(UNITS_MAX);
        expect(cost.roundTrips).toBeLessThanOrEqual(2);
      }
      const cost = await read(newReader(), await textOf(own), start);
      expect(cost).toMatchObject({ isValid: true, roundTrips: 1 });
      expect(cost.readUnits).toBeLessThanOrEqual(5);
      const reader = newReader();
      const text = await textOf(old);
      await read(reader, text, start);
      const warm = await read(reader, text, start + 1_000);
      expect(warm).toMatchObject({ isValid: true });
      expect(warm.readUnits).toBeLessThanOrEqual(4);
    }
  },
  LOADING_MS,
);
