/** Client authentication does the same work for each client, whatever secrets it has (decision 0079). */
import { describe, expect, test } from "vitest";
import { newSecret, storedSecrets } from "#core/applications/protocols/client-secrets.ts";
import { CLIENT_SECRETS_CEILING } from "#core/applications/protocols/limits.ts";
import { ownerOf } from "#core/applications/protocols/model.ts";
import type { ClientRecord } from "#core/applications/registry/client-model.ts";
import type { Client } from "#core/applications/registry/client-store.ts";
import { newSeal, type Seal } from "#core/kernel/seal.ts";
import {
  type ClientAuthenticator,
  type ClientCheck,
  newClientAuthenticator,
} from "#core/sign-in/oauth/client-authentication.ts";

const NOW_MS = 1_790_000_000_000;
const own = newSeal(Buffer.alloc(32, 7));
const OWNER = ownerOf("carbon.super", "app");
let opened = 0;
const seal: Seal = {
  seal: own.seal,
  open: (text, owner) => {
    opened += 1;
    return own.open(text, owner);
  },
};

/** A client whose secrets are `secret-0`, the latest, `secret-1` and so on; every one may have an expiry. */
const clientWith = (...expiries: readonly (number | undefined)[]): Client => {
  const [latest, ...former] = expiries.map((expiresAtSeconds, at) =>
    newSecret({ text: `secret-${at}`, createdAtSeconds: 1, expiresAtSeconds }, own, OWNER),
  );
  if (!latest) throw new Error("a client has a secret");
  const { sealedSecret } = storedSecrets([latest, ...former]);
  const settings: ClientRecord = {
    sealedSecret,
    secretExpiresAtSeconds: latest.expiresAtSeconds,
    formerSecrets: former,
    isEnabled: true,
    state: "ACTIVE",
    grantTypes: ["client_credentials"],
    isPublic: false,
    tokenType: "Default",
    userTokenSeconds: 60,
    clientTokenSeconds: 60,
    refreshSeconds: 60,
    rotatesRefresh: true,
  };
  const place = { tenant: "carbon.super", applicationId: "app", clientId: "client" };
  return { ...place, settings, apis: [], tokensFromMs: 0, scopesFromMs: 0, guestsFromMs: 0, assignedFromMs: 0 };
};

/** Clients with secrets have no other proof. */
const noProofs = { assertion: async () => undefined, isCertified: async () => false };
const server = { issuers: new Set<string>(), addresses: new Set<string>(), issuer: "", nowMs: NOW_MS };

const authenticator = newClientAuthenticator(seal, noProofs);
const attempt = async (found: Client | undefined, ...secrets: readonly string[]) =>
  attemptWith(authenticator, found, secrets);
const attemptWith = async (
  authenticator: ClientAuthenticator,
  found: Client | undefined,
  secrets: readonly string[],
  differing: Partial<ClientCheck> = {},
) => {
  opened = 0;
  const presented = { clientId: "client", by: "client_secret_basic", secrets } as const;
  const { sourceIp = "10.0.0.1" } = differing;
  const accepted = authenticator.accepted(presented, sourceIp);
  const check = { found, pathTenant: undefined, isLocked: false, sourceIp, accepted, ...server, ...differing };
  const result = await authenticator.authenticate(presented, check);
  return { isRight: result !== undefined, opened };
};
const [past, now, soon] = [NOW_MS / 1_000 - 1, NOW_MS / 1_000, NOW_MS / 1_000 + 1];
const many = Array.from({ length: CLIENT_SECRETS_CEILING }, () => undefined);

describe("opens as many secrets, whether the secret is right or not, for", () => {
  test.each<[string, Client | undefined]>([
    ["an unknown client", undefined],
    ["a client with one secret", clientWith(undefined)],
    ["a client with two", clientWith(undefined, undefined)],
    ["a client whose secrets have expired", clientWith(past, past)],
    ["a client with the most", clientWith(...many)],
  ])("%s", async (_, client) => {
    for (const secrets of [["wrong"], ["wrong", "too"], ["secret-0"], ["secret-1"]]) {
      expect([secrets, (await attempt(client, ...secrets)).opened]).toEqual([secrets, CLIENT_SECRETS_CEILING]);
    }
  });
});

test("accepts each of the secrets until its second, and no other", async () => {
  const client = clientWith(soon, undefined, now, past);
  const accepted = await Promise.all([0, 1, 2, 3, 4].map((at) => attempt(client, `secret-${at}`)));
  expect(accepted.map(({ isRight }) => isRight)).toEqual([true, true, false, false, false]);
  expect(clientWith(...many).settings.formerSecrets).toHaveLength(CLIENT_SECRETS_CEILING - 1);
  for (const at of many.keys()) expect((await attempt(clientWith(...many), `secret-${at}`)).isRight).toBe(true);
});

test("accepts more than the ceiling where a row has more", async () => {
  const client = clientWith(...many, undefined);
  expect((await attempt(client, `secret-${CLIENT_SECRETS_CEILING}`)).isRight).toBe(true);
});

describe("an attempt that was accepted", () => {
  const start = async (client = clientWith(soon, undefined)) => {
    let nowMs = NOW_MS;
    const authenticator = newClientAuthenticator(seal, noProofs, { now: () => nowMs });
    const again = (differing: Partial<ClientCheck> = {}, secret = "secret-0") =>
      attemptWith(authenticator, client, [secret], differing);
    expect(await again()).toEqual({ isRight: true, opened: CLIENT_SECRETS_CEILING });
    return { client, again, wait: (ms: number) => (nowMs += ms) };
  };
  test("opens no secret again", async () => {
    const { again } = await start();
    expect(await again()).toEqual({ isRight: true, opened: 0 });
  });
  test.each<[string, Partial<ClientCheck>, boolean]>([
    ["from another source", { sourceIp: "10.0.0.2" }, true],
    ["of a locked client", { isLocked: true }, false],
    ["after the secret expired", { nowMs: NOW_MS + 1_000 }, false],
    ["of a client that has gone", { found: undefined }, false],
    ["of a client that has other secrets now", { found: clientWith(undefined) }, true],
    ["of a client whose new secret has expired", { found: clientWith(past) }, false],
  ])("is proven as the first one was: %s", async (_, differing, isRight) => {
    const { again } = await start();
    expect(await again(differing)).toEqual({ isRight, opened: CLIENT_SECRETS_CEILING });
  });
  test("is not that of texts which look like it together", async () => {
    const authenticator = newClientAuthenticator(seal, noProofs);
    const client = clientWith(undefined);
    expect((await attemptWith(authenticator, client, ["other", "secret-0"])).isRight).toBe(true);
    expect((await attemptWith(authenticator, client, ["other\nsecret-0"])).isRight).toBe(false);
  });
  test("is proven as the first one was: with another secret", async () => {
    const { again } = await start();
    expect(await again({}, "secret-1")).toEqual({ isRight: true, opened: CLIENT_SECRETS_CEILING });
    expect(await again({}, "wrong")).toEqual({ isRight: false, opened: CLIENT_SECRETS_CEILING });
  });
  test("is proven as the first one was: after a minute, also where it was repeated meanwhile", async () => {
    const { again, wait } = await start();
    wait(40_000);
    expect(await again()).toEqual({ isRight: true, opened: 0 });
    wait(20_001);
    expect(await again()).toEqual({ isRight: true, opened: CLIENT_SECRETS_CEILING });
  });
});
