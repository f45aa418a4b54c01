/**
 * Interoperability: an independent, certified client library discovers the server, and requests and verifies tokens.
 */
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as openid from "openid-client";
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const { newClient } = oauthOf(api);
const VIEW = "internal_application_mgt_view";
let client: TestClient;
beforeAll(async () => {
  client = await newClient([VIEW], { accessToken: { type: "JWT" } });
});

const discover = (
  how: "oidc" | "oauth2",
  authentication?: openid.ClientAuth,
  { clientId, clientSecret } = client,
  issuer = `${api.url}/oauth2/token`,
) =>
  openid.discovery(new URL(issuer), clientId, clientSecret, authentication, {
    algorithm: how,
    // The service of a test uses plain HTTP.
    execute: [openid.allowInsecureRequests],
  });

/** Verifies a token like a resource server that knows only the issuer. */
const verified = async (config: openid.Configuration, text: string) => {
  const { issuer, jwks_uri = "" } = config.serverMetadata();
  return jwtVerify(text, createRemoteJWKSet(new URL(jwks_uri)), {
    issuer,
    audience: api.url,
    typ: "at+jwt",
    algorithms: ["ES256"],
  });
};
const list = (access: string) => api.ask("GET", APPLICATIONS, { as: `Bearer ${access}` });

describe.each(["oidc", "oauth2"] as const)("discovered by %s", (how) => {
  test.each<[string, () => openid.ClientAuth]>([
    ["a header", () => openid.ClientSecretBasic(client.clientSecret)],
    ["the form", () => openid.ClientSecretPost(client.clientSecret)],
  ])("client_credentials, with the secret in %s", async (_, authentication) => {
    const config = await discover(how, authentication());
    const tokens = await openid.clientCredentialsGrant(config, { scope: VIEW });
    expect([tokens.token_type, tokens.expires_in, tokens.scope]).toEqual(["bearer", 3600, VIEW]);
    const { payload } = await verified(config, tokens.access_token);
    expect(payload).toMatchObject({ sub: client.clientId, client_id: client.clientId, scope: VIEW });
    expect((await list(tokens.access_token)).status).toBe(200);
  });

  test("supports password, refresh, introspection and revocation", async () => {
    const config = await discover(how, openid.ClientSecretBasic(client.clientSecret));
    const first = await openid.genericGrantRequest(config, "password", { ...ADMIN, scope: VIEW });
    expect((await verified(config, first.access_token)).payload.aut).toBe("APPLICATION_USER");
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? "");
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await list(second.access_token)).status).toBe(200);
    expect((await openid.tokenIntrospection(config, second.access_token)).active).toBe(true);
    await openid.tokenRevocation(config, second.refresh_token ?? "");
    expect((await openid.tokenIntrospection(config, second.access_token)).active).toBe(false);
    await expect(openid.refreshTokenGrant(config, second.refresh_token ?? "")).rejects.toMatchObject({
      error: "invalid_grant",
      status: 400,
    });
  });
});

test("supports a public client, by its id alone", async () => {
  const open = await newClient([VIEW], { publicClient: true, accessToken: { type: "JWT" } });
  const config = await discover("oidc", openid.None(), open);
  const first = await openid.genericGrantRequest(config, "password", { ...ADMIN, scope: VIEW });
  const second = await openid.refreshTokenGrant(config, first.refresh_token ?? "");
  await verified(config, second.access_token);
});

test("understands the errors", async () => {
  const wrong = await discover("oidc", openid.ClientSecretBasic("wrong"));
  await expect(openid.clientCredentialsGrant(wrong)).rejects.toMatchObject({
    cause: [{ scheme: "basic", parameters: { realm: "Identity Admin API", charset: "UTF-8" } }],
  });
  const config = await discover("oidc");
  await expect(
    openid.genericGrantRequest(config, "password", { username: "admin", password: "wrong" }),
  ).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
});

test("understands the challenge of a resource that refuses the token", async () => {
  const config = await discover("oidc");
  const url = new URL(`${api.url}${APPLICATIONS}`);
  const refused = openid.fetchProtectedResource(config, "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", url, "GET");
  await expect(refused).rejects.toMatchObject({
    status: 401,
    cause: [{ scheme: "basic" }, { scheme: "bearer", parameters: { error: "invalid_token" } }],
  });
});

test("supports the issuer of a tenant", async () => {
  const administrator = { username: "boss", password: "a good password" };
  await bootstrapTenant(tableOf(api.service), "acme.com", administrator);
  const as = basic({ username: "boss@acme.com", password: administrator.password });
  const made = await api.ask("POST", `/t/acme.com${APPLICATIONS}`, {
    body: {
      name: "theirs",
      inboundProtocolConfiguration: {
        oidc: { grantTypes: ["password", "client_credentials"], accessToken: { type: "JWT" } },
      },
    },
    as,
  });
  const applicationId = made.headers.get("location")?.split("/").at(-1) ?? "";
  const { body } = await api.ask("GET", `${APPLICATIONS}/${applicationId}/inbound-protocols/oidc`, { as });
  const theirs = { applicationId, clientId: body.clientId, clientSecret: body.clientSecret };
  for (const how of ["oidc", "oauth2"] as const) {
    const config = await discover(how, undefined, theirs, `${api.url}/t/acme.com/oauth2/token`);
    // A name without a tenant belongs to the client's tenant.
    const tokens = await openid.genericGrantRequest(config, "password", { ...administrator });
    expect((await verified(config, tokens.access_token)).payload.iss).toBe(`${api.url}/t/acme.com/oauth2/token`);
    await expect(openid.genericGrantRequest(config, "password", { ...ADMIN })).rejects.toMatchObject({
      error: "invalid_grant",
    });
    await expect(
      openid.genericGrantRequest(config, "password", { username: "admin@carbon.super", password: "admin" }),
    ).rejects.toMatchObject({ error: "invalid_grant" });
  }
});
