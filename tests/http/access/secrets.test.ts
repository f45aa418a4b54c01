/** Who sees client secrets and confidential values, in every response about an application (decision 0061). */
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const custom = `
[[custom_inbound_protocol]]
name = "proto"
[[custom_inbound_protocol.property]]
name = "endpoint"
default_value = "https://default"
[[custom_inbound_protocol.property]]
name = "shared-secret"
required = true
confidential = true
`;
const CLIENT_SECRET = "client-secret-5f1b9c0e7a3d4286b1c0";
const CONFIDENTIAL = "confidential-value-77d2";
const password = "a-long-password";
const viewer = { username: "viewer", password };
const manager = { username: "manager", password };
const trusted = { username: "trusted", password };
const creator = { username: "creator", password };

/** Every read below the path of the applications, with the parameters that it needs. */
const reads = Object.values(operations).filter(
  ({ method, path }) => method === "GET" && path.startsWith(APPLICATIONS) && !path.includes("{templateId}"),
);

describe.each(["viewers", "secret_viewers"])('with show_client_secrets_to = "%s"', (shownTo) => {
  const api = world({ deployment: `[oauth]\nshow_client_secrets_to = "${shownTo}"\n${custom}` });
  const { ask } = api;
  const protocol = (id: string, name: string) => `${APPLICATIONS}/${id}/inbound-protocols/${name}`;
  const properties = (secret?: string) => [
    { key: "endpoint", value: "https://a" },
    { key: "shared-secret", ...(secret !== undefined && { value: secret }) },
  ];
  const body = (secret?: string) => ({ name: "proto", configName: "proto", properties: properties(secret) });
  const stored = async (id: string) => (await ask("GET", protocol(id, "proto"))).body.properties;
  const shown = [
    { key: "endpoint", value: "https://a", friendlyName: "endpoint" },
    { key: "shared-secret", value: CONFIDENTIAL, friendlyName: "shared-secret" },
  ];
  let made = 0;
  const create = () => {
    made += 1;
    const oidc = { grantTypes: ["password"], clientSecret: CLIENT_SECRET };
    return api.create({ name: `a ${made}`, inboundProtocolConfiguration: { oidc, custom: [body(CONFIDENTIAL)] } });
  };
  let id = "";

  beforeAll(async () => {
    const own = (...words: string[]) => words.map((word) => `internal_application_mgt_${word}`);
    const mine = own("view", "create", "update");
    await addUser(api.service, { ...viewer, scopes: own("view") });
    await addUser(api.service, { ...manager, scopes: mine });
    await addUser(api.service, { ...creator, scopes: [...mine, ...own("client_secret_create")] });
    await addUser(api.service, { ...trusted, scopes: [...mine, ...own("client_secret_view")] });
    id = await create();
  });

  test.each(reads.map(({ path }) => path))("GET %s shows a viewer no confidential value", async (path) => {
    const filled = path.replace("{applicationId}", id).replace(/\{\w+\}/, "proto");
    for (const query of ["", "?exportSecrets=true", "?attributes=advancedConfigurations,clientId"]) {
      if (query && !(query.includes("export") ? path.endsWith("/export") : path === APPLICATIONS)) continue;
      const { status, text } = await ask("GET", `${filled}${query}`, { as: viewer });
      // The secrets of a client have scopes of their own, and so have groups.
      expect(/\/secrets|\/meta\/groups$/.test(path) ? [403] : [200, 404]).toContain(status);
      expect(text).not.toContain(CONFIDENTIAL);
      const isClient = path.endsWith("/oidc") && !path.includes("/meta/");
      expect(text.includes(CLIENT_SECRET)).toBe(isClient && shownTo === "viewers");
    }
  });
  test("GET shows all to a caller with the scope for secrets", async () => {
    expect((await ask("GET", protocol(id, "oidc"), { as: trusted })).body.clientSecret).toBe(CLIENT_SECRET);
    expect((await ask("GET", protocol(id, "proto"), { as: trusted })).body.properties).toEqual(shown);
    const file = await ask("GET", `${APPLICATIONS}/${id}/export?exportSecrets=true`, { as: trusted });
    for (const secret of [CLIENT_SECRET, CONFIDENTIAL]) expect(file.text).toContain(secret);
  });
  test("the scope that creates secrets shows them where client secrets are shown to viewers", async () => {
    const file = await ask("GET", `${APPLICATIONS}/${id}/export?exportSecrets=true`, { as: creator });
    const read = await ask("GET", protocol(id, "proto"), { as: creator });
    for (const { text } of [file, read]) expect(text.includes(CONFIDENTIAL)).toBe(shownTo === "viewers");
  });
  test("a new secret shows to callers who see client secrets", async () => {
    const other = await create();
    const regenerate = (as: typeof viewer) => ask("POST", protocol(other, "oidc/regenerate-secret"), { as });
    const [one, two] = [await regenerate(manager), await regenerate(trusted)];
    expect([one.status, "clientSecret" in one.body]).toEqual([200, shownTo === "viewers"]);
    expect(two.body.clientSecret).toMatch(/^iacs_[0-9A-Za-z]{49}$/);
  });

  test("a further secret shows to the caller that creates it, once; what is known of secrets to those who see them", async () => {
    const other = await create();
    const { status, body } = await ask("POST", protocol(other, "oidc/secrets"), { as: creator });
    expect([status, typeof body.secretValue]).toEqual([201, "string"]);
    expect((await ask("GET", protocol(other, "oidc/secrets"), { as: creator })).status).toBe(403);
    for (const as of [manager, trusted]) {
      const shownSecret = (await ask("GET", protocol(other, "oidc"), { as })).body;
      const sees = as === trusted || shownTo === "viewers";
      expect([shownSecret.clientSecret, shownSecret.multipleClientSecretsConfigured]).toEqual(
        sees ? [body.secretValue, true] : [undefined, undefined],
      );
      expect("clientSecretExpiresAt" in shownSecret).toBe(sees);
    }
  });

  describe("writing back what was read", () => {
    test("keeps the client secret", async () => {
      const client = (await ask("GET", protocol(id, "oidc"), { as: manager })).body;
      expect((await ask("PUT", protocol(id, "oidc"), { as: manager, body: client })).status).toBe(200);
      expect((await ask("GET", protocol(id, "oidc"))).body.clientSecret).toBe(CLIENT_SECRET);
    });
    test("keeps a confidential value, also a required one", async () => {
      const other = await create();
      const { body: read } = await ask("GET", protocol(other, "proto"), { as: manager });
      expect(read.properties[1]).toEqual({ key: "shared-secret", friendlyName: "shared-secret" });
      expect((await ask("PUT", protocol(other, "proto"), { as: manager, body: read })).status).toBe(200);
      expect(await stored(other)).toEqual(shown);
      // Others get their default, as before.
      const changed = { ...read, properties: [{ key: "endpoint" }, { key: "shared-secret", value: null }] };
      expect((await ask("PUT", protocol(other, "proto"), { as: manager, body: changed })).status).toBe(200);
      expect(await stored(other)).toEqual([{ ...shown[0], value: "https://default" }, shown[1]]);
    });
    test("a value replaces the stored one; a property that is absent or empty has none", async () => {
      const other = await create();
      expect((await ask("PUT", protocol(other, "proto"), { as: manager, body: body("another-8c") })).status).toBe(200);
      expect((await stored(other))[1].value).toBe("another-8c");
      for (const wrong of [[{ key: "endpoint" }], [{ key: "shared-secret", value: "" }]]) {
        const answer = await ask("PUT", protocol(other, "proto"), { body: { ...body(), properties: wrong } });
        expect([answer.status, answer.body.description]).toEqual([400, "The property 'shared-secret' is required."]);
      }
      expect((await stored(other))[1].value).toBe("another-8c");
    });
    test("a name without a value is no value where none is stored", async () => {
      const bare = await api.create({ name: `bare ${shownTo}` });
      expect((await ask("PUT", protocol(bare, "proto"), { body: body() })).status).toBe(400);
    });
  });
});
