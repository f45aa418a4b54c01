/** Tokens and sign-ins of a clock that was a day ahead, once it is right again: they are not valid, in any format. */
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import type { Value } from "#core/database/table/table.ts";
import { digestOf } from "#core/tokens/opaque.ts";
import { revokingUser } from "#core/tokens/revocation-store.ts";
import { container } from "#tests/support/authorizer.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { madeAt } from "#tests/support/token-world.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newClient, post, token } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
const DAY_MS = 86_400_000;
const PASSWORD = { grant_type: "password", ...ADMIN, scope: VIEW };
const JWT = { accessToken: { type: "JWT" } };

type Row = Readonly<Record<string, Value>>;
const table = () => tableOf(api.service);
const never = () => new Error("no such row");
const later = (seconds: unknown) => Number(seconds) + DAY_MS / 1_000;
const laterMs = (ms: unknown) => (Number(ms) > 0 ? Number(ms) + DAY_MS : 0);

/** Moves an opaque token a day ahead, as if its clock had been. */
const moveToken = async (text: string) => {
  const key = keys.accessToken(digestOf(text));
  const found = ((await table().get(key))?.token ?? {}) as Row;
  const moved = {
    ...found,
    issuedAtSeconds: later(found.issuedAtSeconds),
    issuedMs: laterMs(found.issuedMs),
    expiresAtSeconds: later(found.expiresAtSeconds),
  };
  await table().write({ change: key, set: { token: moved }, when: "present", otherwise: never });
};
/** Moves a sign-in a day ahead; `only` the latest use of its refresh token. */
const moveFamily = async (refreshToken: string | undefined, only?: "rotation") => {
  const found = await table().get(keys.refreshToken(digestOf(refreshToken ?? "")));
  const key = keys.family(TENANT, String(found?.familyId));
  const family = ((await table().get(key))?.family ?? {}) as Row;
  const start = { startedMs: laterMs(family.startedMs), startedSeconds: later(family.startedSeconds) };
  const moved = { ...family, ...(!only && start), rotatedMs: laterMs(family.rotatedMs) };
  await table().write({ change: key, set: { family: moved }, when: "present", otherwise: never });
};
const lets = async (text: string) => (await api.ask("GET", APPLICATIONS, { as: `Bearer ${text}` })).status;
const introspect = async (text: string | undefined, as: Parameters<typeof post>[2]) =>
  (await post("/oauth2/introspect", { token: text }, as)).body.active;
const refresh = async (text: string | undefined, as: Parameters<typeof post>[2]) =>
  (await post(TOKEN, { grant_type: "refresh_token", refresh_token: text }, as)).body;

describe("what a clock that was a day ahead issued is not valid:", () => {
  test("an opaque token", async () => {
    const client = await newClient([VIEW]);
    const pair = await token(client, PASSWORD);
    expect([await lets(pair.access_token), await introspect(pair.access_token, client)]).toEqual([200, true]);
    await moveToken(pair.access_token);
    expect([await lets(pair.access_token), await introspect(pair.access_token, client)]).toEqual([401, false]);
  });
  test("a JWT, for a container whose clock is a day behind it", async () => {
    const pair = await token(await newClient([VIEW], JWT), PASSWORD);
    const behind = container(api, { ms: Date.now() - DAY_MS, now: () => Date.now() - DAY_MS });
    expect((await behind.ask(`Bearer ${pair.access_token}`)).context.decision).toBe("refuse");
    expect((await container(api).ask(`Bearer ${pair.access_token}`)).context.decision).toBe("allow");
  });
  test("a sign-in", async () => {
    const client = await newClient([VIEW]);
    const pair = await token(client, PASSWORD);
    expect(await introspect(pair.refresh_token, client)).toBe(true);
    await moveFamily(pair.refresh_token);
    expect(await introspect(pair.refresh_token, client)).toBe(false);
    expect((await refresh(pair.refresh_token, client)).error).toBe("invalid_grant");
  });
  test("a refreshed sign-in; and a used refresh token still ends it", async () => {
    const client = await newClient([VIEW]);
    const first = await token(client, PASSWORD);
    const second = await refresh(first.refresh_token, client);
    await moveFamily(second.refresh_token, "rotation");
    expect(await introspect(second.refresh_token, client)).toBe(false);
    expect((await refresh(second.refresh_token, client)).error).toBe("invalid_grant");
    expect(await lets(second.access_token)).toBe(200);
    expect((await refresh(first.refresh_token, client)).error).toBe("invalid_grant");
    expect(await lets(second.access_token)).toBe(401);
  });
});

test("after a revocation by a clock that was a day ahead, new tokens are valid, and end by the next revocation", async () => {
  for (const oidc of [{}, JWT]) {
    const client = await newClient([VIEW], oidc);
    // The client is older than the lead of its first revocation.
    const change = keys.client(client.clientId);
    await table().write({ change, set: { tokensFromMs: 0 }, when: "present", otherwise: never });
    const username = `ahead-${"accessToken" in oidc}`;
    const userId = await addUser(api.service, { username, password: "a good password", scopes: [VIEW] });
    const grant = { grant_type: "password", username, password: "a good password", scope: VIEW };
    const before = await token(client, grant);
    await table().write(...madeAt(Date.now() + DAY_MS, () => revokingUser(TENANT, userId)));
    const decide = async (text: string) => (await container(api).ask(`Bearer ${text}`)).context.decision;
    expect(await decide(before.access_token)).toBe("refuse");
    expect((await refresh(before.refresh_token, client)).error).toBe("invalid_grant");
    const after = await refresh((await token(client, grant)).refresh_token, client);
    expect(await decide(after.access_token)).toBe("allow");
    await table().write(...revokingUser(TENANT, userId));
    expect(await decide(after.access_token)).toBe("refuse");
    expect((await refresh(after.refresh_token, client)).error).toBe("invalid_grant");
    expect(await decide((await token(client, grant)).access_token)).toBe("allow");
  }
});
