/**
 * Random revocations, tokens and reads by several containers that read and remember only a few entries of the logs:
 * each decides as if it read all of them. Revocations are written up to nine seconds after the time that they contain.
 */
import { expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Step } from "#core/database/table/table.ts";
import { newRevocationCache, REVOCATION_FRESH_MS } from "#core/sign-in/authentication/token-validity.ts";
import type { AccessToken } from "#core/tokens/model.ts";
import {
  REVOCATION_LEAD_MS,
  revokingClient,
  revokingGrant,
  revokingOwnScopes,
  revokingRole,
  revokingScopes,
  revokingUser,
} from "#core/tokens/revocation-store.ts";
import { anything, issuer, madeAt, newReader, TOKEN_TENANT, tokenOf, tokenWorld } from "#tests/support/token-world.ts";

const { table, write, jwtOf, opaqueOf } = tokenWorld();
const LIMITS = { subjects: { first: 3, further: 5 }, grants: { first: 3, further: 5 }, generation: 6 };
const STEPS = 160;
const DAMAGED_EVERY = 40;

/** A linear congruential generator. */
const randomFrom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
};

interface Revoked {
  readonly ends: (token: AccessToken) => boolean;
  readonly fromMs: number;
  readonly committedMs: number;
}
interface Known {
  readonly token: AccessToken;
  readonly text: string;
}

test.each([1, 2, 3, 4])("random run %i", async (seed) => {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  let now = Date.now();
  const containers = [0, 1, 2].map(() => ({
    reader: newReader(newRevocationCache(undefined, LIMITS)),
    skewMs: random(900) - 450,
  }));
  const clients = new Map<string, { tokensFromMs: number; scopesFromMs: number }>();
  const clientRow = (id: string, more: Partial<{ tokensFromMs: number; scopesFromMs: number }> = {}): Step => {
    const row = { tokensFromMs: 0, scopesFromMs: 0, ...clients.get(id), ...more };
    clients.set(id, row);
    return anything({ ...keys.client(id), tenant: TOKEN_TENANT, ...row });
  };
  await write(clientRow("c0"), clientRow("c1"));
  const seen = new Set<boolean>();
  const [tokens, revoked]: [Known[], Revoked[]] = [[], []];
  let pending: { readonly steps: readonly Step[]; readonly revocation: Revoked; readonly dueMs: number } | undefined;
  const endersOf = (token: AccessToken) => revoked.filter(({ ends, fromMs }) => ends(token) && fromMs > token.issuedMs);

  const issue = async () => {
    const user = pick(["u0", "u1", "u2", undefined]);
    const token = tokenOf(now, {
      clientId: pick(["c0", "c1"]),
      roleIds: user ? [pick(["r0", "r1", "r2"])] : [],
      scopes: pick([["internal_x"], ["internal_x", "ride:a"], ["ride:b"]]),
      ...(user ? { user: { id: user, userName: user, userStore: "PRIMARY" } } : { user: undefined }),
      grantId: `g${tokens.length}`,
    } as Partial<AccessToken>);
    const issuedMs = Math.max(now, ...revoked.filter(({ ends }) => ends(token)).map(({ fromMs }) => fromMs));
    const dated = { ...token, issuedMs };
    tokens.push({ token: dated, text: await (random(2) ? jwtOf : opaqueOf)(dated) });
  };

  const revoke = async () => {
    const fromMs = now + REVOCATION_LEAD_MS;
    const [user, role, client] = [pick(["u0", "u1", "u2"]), pick(["r0", "r1", "r2"]), pick(["c0", "c1"])];
    const { token: some } = pick(tokens);
    const until = Math.floor(now / 1_000) + 40 * 86_400;
    const kinds: (() => [readonly Step[], Revoked["ends"]])[] = [
      () => [revokingUser(TOKEN_TENANT, user, fromMs), (token) => token.user?.id === user],
      () => [revokingRole(TOKEN_TENANT, role, fromMs), ({ roleIds }) => roleIds.includes(role)],
      () => [
        [revokingClient(TOKEN_TENANT, client, fromMs), clientRow(client, { tokensFromMs: fromMs })],
        ({ clientId }) => clientId === client,
      ],
      // Marks do not know single scopes: all that a client or tenant has of them, so that both agree.
      () => [
        [revokingScopes(TOKEN_TENANT, client, fromMs, ["x".repeat(301)]), clientRow(client, { scopesFromMs: fromMs })],
        ({ clientId }) => clientId === client,
      ],
      () => [
        revokingOwnScopes(TOKEN_TENANT, ["ride:a", "ride:b"], fromMs),
        ({ scopes }) => scopes.some((scope) => scope.startsWith("ride:")),
      ],
    ];
    const grant = (): [readonly Step[], Revoked["ends"]] => [
      revokingGrant(TOKEN_TENANT, some.grantId, fromMs, until),
      ({ grantId }) => grantId === some.grantId,
    ];
    let made: [readonly Step[], Revoked["ends"]] = [[], () => false];
    madeAt(now, () => {
      made = (random(3) ? grant : pick(kinds))();
      return made[0];
    });
    const [steps, ends] = made;
    const dueMs = now + random(9_000);
    pending = { steps, revocation: { ends, fromMs, committedMs: dueMs }, dueMs };
    if (random(2)) await commit();
  };
  const commit = async () => {
    if (!pending) return;
    now = Math.max(now, pending.dueMs);
    await write(...pending.steps);
    revoked.push(pending.revocation);
    pending = undefined;
  };

  const look = async (isStrict: boolean) => {
    const { reader, skewMs } = pick(containers);
    const { token, text } = pick(tokens);
    const reading = { table: table(), issuer, nowMs: now + skewMs, ...(isStrict && { isStrict: true as const }) };
    const isValid = (await reader.read(text, reading)) !== undefined;
    seen.add(isValid);
    const enders = endersOf(token);
    const isKnown = enders.some(({ committedMs }) => committedMs < now - REVOCATION_FRESH_MS - 1_000);
    if (isStrict || enders.length === 0 || isKnown) {
      expect({ step: now, token, isValid }).toEqual({ step: now, token, isValid: enders.length === 0 });
    }
  };

  await issue();
  for (let step = 0; step < STEPS; step += 1) {
    now += pick([0, 200, 1_000, 5_000, 31_000, 200_000]);
    if (pending && pending.dueMs <= now) await commit();
    if (step % DAMAGED_EVERY === DAMAGED_EVERY - 1) {
      const row = keys.revocationLog(TOKEN_TENANT, String(now).padStart(15, "0"), `damaged ${step}`);
      await write(anything({ ...row, subject: 7 }));
    }
    const action = random(10);
    if (action < 2) await issue();
    else if (action < 5 && !pending) await revoke();
    else for (let again = 0; again < 3; again += 1) await look(random(2) === 0);
  }
  await commit();
  for (let again = 0; again < 20; again += 1) await look(true);
  // The run reached both outcomes.
  expect(seen.size).toBe(2);
});
