/** The provider of applications against the service: what a deployment with SST does, call by call. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { type Api, client } from "#client/client.ts";
import { ADMIN, APPLICATIONS, world } from "#tests/support/world.ts";
import { application } from "../../../packages/sst/providers/application.ts";
import { requestHeaders } from "../../../packages/sst/providers/resource.ts";
import { UNKNOWN } from "./support.ts";

const service = world();
let api: Api;
beforeAll(() => {
  api = client({ url: service.url, credentials: ADMIN, headers: requestHeaders });
});
const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`;
const oidc = { grantTypes: ["authorization_code", "refresh_token"], callbackURLs: ["https://dispatch.example.com/in"] };
const declaration = (more: object = {}) => ({
  name: unique("Dispatch"),
  description: "Sends drivers",
  inboundProtocolConfiguration: { oidc },
  authorizedApis: [{ identifier: "/scim2/Users", scopes: ["internal_user_mgt_view", "internal_user_mgt_list"] }],
  ...more,
});
const created = async (inputs: ReturnType<typeof declaration>) => {
  const checked = await application.check(api, {}, inputs);
  expect(checked).toEqual({ inputs, failures: [] });
  return application.create(api, checked.inputs);
};
const shown = async (id: string, rest = "") => (await service.ask("GET", `${APPLICATIONS}/${id}${rest}`)).body;
const patch = (id: string, body: object) => service.ask("PATCH", `${APPLICATIONS}/${id}`, { body });
/** Everything of an application that a refused change could have written. */
const everything = async (id: string) =>
  JSON.stringify([
    await shown(id),
    await shown(id, "/inbound-protocols/oidc"),
    await shown(id, "/authorized-apis"),
    (await shown(id, "/history"))?.changes?.length,
  ]);

describe("a deployment", () => {
  test("creates the application with its protocol and APIs, and then has nothing to do", async () => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    const settings = await shown(id, "/inbound-protocols/oidc");
    expect(settings).toMatchObject(oidc);
    expect(outs).toEqual({
      ...inputs,
      applicationId: id,
      clientId: settings.clientId,
      clientSecret: settings.clientSecret,
      shown: expect.any(Object),
    });
    expect(await shown(id)).toMatchObject({ name: inputs.name, description: "Sends drivers" });
    const [authorized] = await shown(id, "/authorized-apis");
    expect(authorized.authorizedScopes.map(({ name }: { name: string }) => name).sort()).toEqual(
      [...(inputs.authorizedApis[0]?.scopes ?? [])].sort(),
    );
    expect(await application.diff(api, id, outs, inputs)).toEqual({
      changes: false,
      changed: [],
      replaces: [],
      deleteBeforeReplace: false,
    });
    expect(await application.read(api, id, outs)).toEqual({ id, props: outs });
  });
  test("changes the members that differ, and leaves those that are not declared", async () => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    await patch(id, { imageUrl: "https://dispatch.example.com/logo.png" });
    const before = await shown(id, "/inbound-protocols/oidc");
    await service.ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, {
      body: { ...oidc, allowedOrigins: ["https://by-hand.example.com"] },
    });
    expect((await application.diff(api, id, outs, inputs)).changes).toBe(false);
    const next = {
      ...inputs,
      description: "Sends vans",
      inboundProtocolConfiguration: { oidc: { ...oidc, pkce: { mandatory: true } } },
      authorizedApis: [
        { identifier: "/scim2/Users", scopes: ["internal_user_mgt_list"] },
        { identifier: "/scim2/Groups", scopes: ["internal_group_mgt_view"] },
      ],
    };
    const { changes, changed, replaces } = await application.diff(api, id, outs, next);
    expect([changes, [...changed].sort(), replaces]).toEqual([true, ["authorizedApis", "description", "oidc"], []]);
    const updated = await application.update(api, id, outs, next);
    expect(await shown(id)).toMatchObject({
      description: "Sends vans",
      imageUrl: "https://dispatch.example.com/logo.png",
    });
    expect(await shown(id, "/inbound-protocols/oidc")).toMatchObject({
      ...oidc,
      clientId: before.clientId,
      clientSecret: before.clientSecret,
      pkce: { mandatory: true },
      allowedOrigins: ["https://by-hand.example.com"],
    });
    const scopes = (await shown(id, "/authorized-apis")).flatMap(
      ({ authorizedScopes }: { authorizedScopes: readonly { name: string }[] }) =>
        authorizedScopes.map(({ name }) => name),
    );
    expect(scopes.sort()).toEqual(["internal_group_mgt_view", "internal_user_mgt_list"]);
    expect((await application.diff(api, id, updated.outs, next)).changes).toBe(false);
  });
  test("takes back a protocol and APIs that are no longer declared, and no others", async () => {
    const inputs = declaration({
      inboundProtocolConfiguration: {
        oidc,
        passiveSts: { realm: unique("realm"), replyTo: "https://sts.example.com" },
      },
    });
    const { id, outs } = await created(inputs);
    const { authorizedApis: _, ...rest } = inputs;
    const next = { ...rest, inboundProtocolConfiguration: { oidc } };
    expect((await application.diff(api, id, outs, next)).changed).toEqual(["passiveSts", "authorizedApis"]);
    const updated = await application.update(api, id, outs, next);
    expect((await shown(id, "/inbound-protocols")).map(({ type }: { type: string }) => type)).toEqual(["oauth2"]);
    expect(await shown(id, "/authorized-apis")).toEqual([]);
    await service.ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/passive-sts`, {
      body: { realm: unique("realm"), replyTo: "https://sts.example.com" },
    });
    expect((await application.diff(api, id, updated.outs, next)).changes).toBe(false);
  });
  test("a value that the service shows in another form is no difference, unless it changes", async () => {
    const settings = { ...oidc, accessToken: { userAccessTokenExpiryInSeconds: 0 } };
    const inputs = declaration({ inboundProtocolConfiguration: { oidc: settings } });
    const { id, outs } = await created(inputs);
    expect((await application.diff(api, id, outs, inputs)).changes).toBe(false);
    expect((await application.read(api, id, outs)).props).toEqual(outs);
    await service.ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, {
      body: { ...oidc, accessToken: { userAccessTokenExpiryInSeconds: 77 } },
    });
    expect((await application.diff(api, id, outs, inputs)).changed).toEqual(["oidc"]);
  });
  test("SAML by its settings and by metadata", async () => {
    const issuer = unique("issuer").replace(" ", "-");
    const manualConfiguration = { issuer, assertionConsumerUrls: ["https://saml.example.com/acs"] };
    const inputs = { name: unique("Saml"), inboundProtocolConfiguration: { saml: { manualConfiguration } } };
    const { id, outs } = await application.create(api, inputs);
    expect(outs).not.toHaveProperty("clientId");
    expect((await application.diff(api, id, outs, inputs)).changes).toBe(false);
    const next = {
      ...inputs,
      inboundProtocolConfiguration: {
        saml: { manualConfiguration: { ...manualConfiguration, responseSigning: { enabled: true } } },
      },
    };
    expect((await application.diff(api, id, outs, next)).changed).toEqual(["saml"]);
    const updated = await application.update(api, id, outs, next);
    expect((await application.diff(api, id, updated.outs, next)).changes).toBe(false);
    const metadataFile = Buffer.from(
      `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${issuer}"><SPSSODescriptor ` +
        'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService index="0" ' +
        'Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://saml.example.com/two"/>' +
        "</SPSSODescriptor></EntityDescriptor>",
    ).toString("base64");
    const file = { ...inputs, inboundProtocolConfiguration: { saml: { metadataFile } } };
    const third = await application.update(api, id, updated.outs, file);
    expect((await shown(id, "/inbound-protocols/saml")).assertionConsumerUrls).toEqual([
      "https://saml.example.com/two",
    ]);
    expect((await application.diff(api, id, third.outs, file)).changes).toBe(false);
  });
  test("deletes it; one that is gone is no error", async () => {
    const { id, outs } = await created(declaration());
    await application.remove(api, id, outs);
    expect((await service.ask("GET", `${APPLICATIONS}/${id}`)).status).toBe(404);
    await expect(application.remove(api, id, outs)).resolves.toBeUndefined();
    expect(await application.read(api, id, outs)).toEqual({ id: "" });
  });
  test("one that was deleted by hand is created again", async () => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    await service.ask("DELETE", `${APPLICATIONS}/${id}`);
    expect(await application.diff(api, id, outs, inputs)).toMatchObject({
      changes: true,
      replaces: ["applicationId"],
      deleteBeforeReplace: true,
    });
  });
  test("a member that only a new application can have replaces it", async () => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    expect(await application.diff(api, id, outs, { ...inputs, isManagementApp: true })).toMatchObject({
      replaces: ["isManagementApp"],
      deleteBeforeReplace: true,
    });
  });
});

describe("a change by hand", () => {
  test("of a declared member is shown by diff and read, and taken back by a deployment", async () => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    await patch(id, { description: "by hand" });
    await service.ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, {
      body: { ...oidc, callbackURLs: ["https://elsewhere.example.com/"] },
    });
    expect((await application.diff(api, id, outs, inputs)).changed).toEqual(["description", "oidc"]);
    const { props = {} } = await application.read(api, id, outs);
    expect(props).toMatchObject({
      name: inputs.name,
      description: "by hand",
      inboundProtocolConfiguration: { oidc: { ...oidc, callbackURLs: ["https://elsewhere.example.com/"] } },
    });
    expect((await application.diff(api, id, props, inputs)).changed).toEqual(["description", "oidc"]);
    await application.update(api, id, props, inputs);
    expect(await shown(id)).toMatchObject({ description: "Sends drivers" });
    expect(await shown(id, "/inbound-protocols/oidc")).toMatchObject(oidc);
  });
  test("an API that was authorized by hand is shown, and removed", async () => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    const groups = await api.apiResources.list({ filter: "identifier eq /scim2/Groups" }).all();
    await service.ask("POST", `${APPLICATIONS}/${id}/authorized-apis`, {
      body: { id: groups[0]?.id, scopes: ["internal_group_mgt_view"] },
    });
    expect((await application.diff(api, id, outs, inputs)).changed).toEqual(["authorizedApis"]);
    await application.update(api, id, outs, inputs);
    expect(await shown(id, "/authorized-apis")).toHaveLength(1);
  });
  test("a new client secret arrives in the outputs", async () => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    const { body } = await service.ask("POST", `${APPLICATIONS}/${id}/inbound-protocols/oidc/regenerate-secret`);
    expect((await application.diff(api, id, outs, inputs)).changed).toEqual(["clientSecret"]);
    expect((await application.update(api, id, outs, inputs)).outs.clientSecret).toBe(body.clientSecret);
  });
});

describe("a refusal", () => {
  const refusals: readonly [string, (inputs: ReturnType<typeof declaration>) => object, RegExp][] = [
    [
      "of an unknown grant",
      (inputs) => ({ ...inputs, inboundProtocolConfiguration: { oidc: { ...oidc, grantTypes: ["telepathy"] } } }),
      /^application "Dispatch [^"]+": .*'telepathy' grant type is not allowed/,
    ],
    ["of an unknown member", (inputs) => ({ ...inputs, descriptoin: "x" }), /descriptoin/],
    [
      "of a scope that the API does not have",
      (inputs) => ({ ...inputs, authorizedApis: [{ identifier: "/scim2/Users", scopes: ["internal_user_mgt_fly"] }] }),
      /has no scope 'internal_user_mgt_fly'/,
    ],
    [
      "of an API that does not exist",
      (inputs) => ({ ...inputs, authorizedApis: [{ identifier: "https://nowhere", scopes: [] }] }),
      /No API resource has the identifier https:\/\/nowhere\. .*\{ api: <the resource> \}/,
    ],
  ];
  test.each(refusals)("%s fails before anything is written", async (_, changed, sentence) => {
    const inputs = declaration();
    const { id, outs } = await created(inputs);
    const before = await everything(id);
    await expect(application.diff(api, id, outs, { ...changed(inputs) })).rejects.toThrow(sentence);
    await expect(
      application.update(api, id, outs, { ...changed(inputs), description: "never written" }),
    ).rejects.toThrow(sentence);
    expect(await everything(id)).toBe(before);
    const fresh = { ...changed(declaration()) } as { readonly name: string };
    const { failures } = await application.check(api, {}, fresh);
    expect(failures.map(({ reason }) => reason)).toEqual([expect.stringMatching(sentence)]);
    expect(await api.applications.list({ filter: `name eq ${fresh.name}` }).all()).toEqual([]);
  });
  test("of a taken name names the application, and how to manage it", async () => {
    const [first, second] = [await created(declaration()), await created(declaration())];
    const name = String(first.outs.name);
    const { failures } = await application.check(api, {}, declaration({ name }));
    expect(failures).toEqual([
      { property: "name", reason: expect.stringMatching(new RegExp(`\\{ import: "${first.id}" \\}\\.$`)) },
    ]);
    await expect(application.create(api, declaration({ name }))).rejects.toThrow(`{ import: "${first.id}" }`);
    await expect(application.diff(api, second.id, second.outs, { ...second.outs, name })).rejects.toThrow(
      /already exists|taken|in use/,
    );
  });
  test("of an API leaves no application behind", async () => {
    const viewer = await limited([
      "internal_application_mgt_create",
      "internal_application_mgt_view",
      "internal_application_mgt_update",
      "internal_application_mgt_delete",
      "internal_api_resource_view",
    ]);
    const inputs = declaration();
    await expect(application.create(viewer, inputs)).rejects.toThrow(/cannot grant scopes/);
    expect(await api.applications.list({ filter: `name eq ${inputs.name}` }).all()).toEqual([]);
  });
});

/** A client with some scopes only. */
async function limited(scopes: readonly string[]): Promise<Api> {
  const { id } = await api.applications.create({
    name: unique("Deployer"),
    inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
  });
  const apis = await api.apiResources.list({ limit: 100 }).all();
  for (const { id: apiId } of apis) {
    const names = (await api.apiResources.get(apiId)).scopes
      .map(({ name }) => name)
      .filter((name) => scopes.includes(name));
    if (names.length > 0)
      await service.ask("POST", `${APPLICATIONS}/${id}/authorized-apis`, { body: { id: apiId, scopes: names } });
  }
  const { clientId, clientSecret } = await shown(id, "/inbound-protocols/oidc");
  return client({ url: service.url, credentials: { clientId, clientSecret, scope: scopes } });
}

describe("what a preview does not know", () => {
  test("is left out of the rehearsal, and everything else is tried", async () => {
    const inputs = declaration({
      description: UNKNOWN,
      inboundProtocolConfiguration: { oidc: { ...oidc, callbackURLs: [UNKNOWN] } },
    });
    expect((await application.check(api, {}, inputs)).failures).toEqual([]);
    const wrong = { ...inputs, accessUrl: 5 };
    expect((await application.check(api, {}, wrong)).failures).toHaveLength(1);
    const { id, outs } = await created(declaration());
    const { changed } = await application.diff(api, id, outs, {
      ...outs,
      inboundProtocolConfiguration: inputs.inboundProtocolConfiguration,
    });
    expect(changed).toEqual(["oidc"]);
  });
  test("an API of the same program may come later; its scopes are those that it declares", async () => {
    const api2 = { identifier: unique("https://cars").replace(" ", "/"), offered: ["cars_view"] };
    const inputs = declaration({ authorizedApis: [{ ...api2, scopes: ["cars_view"] }] });
    expect((await application.check(api, {}, inputs)).failures).toEqual([]);
    const { failures } = await application.check(
      api,
      {},
      { ...inputs, authorizedApis: [{ ...api2, scopes: ["cars_sell"] }] },
    );
    expect(failures[0]?.reason).toMatch(/has no scope 'cars_sell'/);
    await expect(application.create(api, inputs)).rejects.toThrow(/No API resource has the identifier/);
    await api.apiResources.create({
      name: "Cars",
      identifier: api2.identifier,
      scopes: [{ name: "cars_view", displayName: "View" }],
    });
    const { id, outs } = await application.create(api, inputs);
    expect((await application.diff(api, id, outs, inputs)).changes).toBe(false);
  });
});

describe("import", () => {
  test("takes an application over, as declared", async () => {
    const id = await service.create({ name: unique("By hand"), imageUrl: "https://x.example.com/i.png" });
    const inputs = { ...declaration(), importId: id };
    expect((await application.check(api, {}, inputs)).failures).toEqual([]);
    const made = await application.create(api, inputs);
    expect(made.id).toBe(id);
    expect(await shown(id)).toMatchObject({ name: inputs.name, imageUrl: "https://x.example.com/i.png" });
    expect(await shown(id, "/inbound-protocols/oidc")).toMatchObject(oidc);
    expect((await application.diff(api, id, made.outs, inputs)).changes).toBe(false);
    const { importId: _, ...later } = inputs;
    expect((await application.diff(api, id, made.outs, later)).changes).toBe(false);
    await expect(application.diff(api, id, made.outs, { ...inputs, importId: randomUUID() })).rejects.toThrow(
      /Remove the option/,
    );
  });
  test("of an id that does not exist is refused", async () => {
    const { failures } = await application.check(api, {}, { ...declaration(), importId: randomUUID() });
    expect(failures[0]?.reason).toMatch(/the service has no application with the id/);
  });
});
