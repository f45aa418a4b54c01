/** An independent, certified client library pushes and signs its requests, by itself and as FAPI 2.0 has it. */
import { importPKCS8 } from "jose";
import * as openid from "openid-client";
import { beforeAll, describe, expect, test } from "vitest";
import { type ClientKey, inline, keyFor, registering } from "#tests/support/client-keys.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { CALLBACK, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, enter, browser } = signInOf(api);
const { setCertificate } = registering(api, oauthOf(api));
const key = keyFor("ES256", "openid-client");

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", {
    body: { userName: PERSON.username, password: PERSON.password, emails: [{ value: "kim@cars.example" }] },
  });
});

const privateKey = async ({ privateKey: secret, kid, alg }: ClientKey) => ({
  key: await importPKCS8(String(secret.export({ format: "pem", type: "pkcs8" })), alg),
  kid,
});
const discover = (
  client: TestClient,
  authentication?: openid.ClientAuth,
  metadata: Partial<openid.ClientMetadata> = {},
) =>
  openid.discovery(new URL(`${api.url}/oauth2/token`), client.clientId, metadata, authentication, {
    execute: [openid.allowInsecureRequests],
  });

/** Signs in at an address, and lets the library take the answer. */
const signIn = async (
  config: openid.Configuration,
  build: (parameters: Record<string, string>) => Promise<URL>,
  options?: openid.DPoPOptions,
) => {
  const [verifier, state, nonce] = [openid.randomPKCECodeVerifier(), openid.randomState(), openid.randomNonce()];
  const address = await build({
    ...{ redirect_uri: CALLBACK, scope: "openid email", state, nonce, code_challenge_method: "S256" },
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  });
  const page = browser();
  await page.open(address.href);
  const { location } = await enter(page);
  if (!location) throw new Error("no answer");
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
  const tokens = await openid.authorizationCodeGrant(config, location, checks, undefined, options);
  const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? "", options);
  expect([info.email, tokens.claims()?.nonce]).toEqual(["kim@cars.example", nonce]);
  return { address, tokens };
};

describe("openid-client, as it is", () => {
  test("pushes its request", async () => {
    const client = await newApplication({ pushAuthorizationRequest: { requirePushAuthorizationRequest: true } });
    const config = await discover(client, openid.ClientSecretBasic(client.clientSecret));
    const { address } = await signIn(config, (all) => openid.buildAuthorizationUrlWithPAR(config, all));
    expect([...address.searchParams.keys()].sort()).toEqual(["client_id", "request_uri"]);
  });
  test("signs its request", async () => {
    const client = await newApplication({ validateRequestObjectSignature: true });
    await setCertificate(client, inline(key));
    const config = await discover(client, openid.ClientSecretPost(client.clientSecret));
    const signer = await privateKey(key);
    await signIn(config, (all) => openid.buildAuthorizationUrlWithJAR(config, all, signer));
  });
  test("signs its request and pushes it", async () => {
    const client = await newApplication({
      pushAuthorizationRequest: { requirePushAuthorizationRequest: true },
      validateRequestObjectSignature: true,
    });
    await setCertificate(client, inline(key));
    const config = await discover(client, openid.ClientSecretBasic(client.clientSecret));
    const signer = await privateKey(key);
    await signIn(config, async (all) => {
      const { searchParams } = await openid.buildAuthorizationUrlWithJAR(config, all, signer);
      return openid.buildAuthorizationUrlWithPAR(config, searchParams);
    });
  });
  test("is a client of FAPI 2.0: private_key_jwt, a pushed request, PKCE and DPoP", async () => {
    const client = await newApplication({
      ...{ isFAPIApplication: true, fapiProfile: "FAPI2_SECURITY", accessToken: { bindingType: "DPoP" } },
      clientAuthentication: { tokenEndpointAuthMethod: "private_key_jwt" },
    });
    await setCertificate(client, inline(key));
    const metadata = { id_token_signed_response_alg: "ES256" };
    const config = await discover(client, openid.PrivateKeyJwt(await privateKey(key)), metadata);
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
    const { tokens } = await signIn(config, (all) => openid.buildAuthorizationUrlWithPAR(config, all, { DPoP }), {
      DPoP,
    });
    expect(tokens.token_type).toBe("dpop");
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? "", undefined, { DPoP });
    await openid.fetchUserInfo(config, refreshed.access_token, tokens.claims()?.sub ?? "", { DPoP });
    const other = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair("ES256"));
    await expect(
      openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? "", { DPoP: other }),
    ).rejects.toThrow();
  });
});
