import { describe, expect, test } from "vitest";
import { allItems } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world({
  deployment: `
[[custom_inbound_protocol]]
name = "my proto"
display_name = "My protocol"
config_name = "mine"
[[custom_inbound_protocol.property]]
name = "endpoint"
display_name = "Endpoint"
required = true
validation_regex = "https://.+"
[[custom_inbound_protocol.property]]
name = "mode"
available_values = ["fast", "safe"]
default_value = "safe"
[[custom_inbound_protocol.property]]
name = "strict"
type = "BOOLEAN"
[[custom_inbound_protocol.property]]
name = "lifetime"
type = "INTEGER"
[[custom_inbound_protocol.property]]
name = "shared-secret"
display_name = "Shared secret"
confidential = true
`,
});
const { ask, create } = api;
const at = (id: string, name = "my+proto") => `${APPLICATIONS}/${id}/inbound-protocols/${name}`;
const properties = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }));
const body = (values: Readonly<Record<string, string>>) => ({
  name: "my proto",
  configName: "mine",
  properties: properties(values),
});
const put = (id: string, values: Readonly<Record<string, string>>) => ask("PUT", at(id), { body: body(values) });
let made = 0;
const bare = () => create({ name: `custom ${made++}` });

describe("getCustomConfiguration", () => {
  test("returns settings by name with + or %20, with defaults, friendly names and decrypted confidential values", async () => {
    const id = await bare();
    await put(id, { endpoint: "https://a", "shared-secret": "hush-7b1", strict: "true", lifetime: "-5" });
    for (const name of ["my+proto", "my%20proto"]) {
      expect((await ask("GET", at(id, name))).body).toEqual({
        name: "my proto",
        configName: "mine",
        properties: [
          { key: "endpoint", value: "https://a", friendlyName: "Endpoint" },
          { key: "mode", value: "safe", friendlyName: "mode" },
          { key: "strict", value: "true", friendlyName: "strict" },
          { key: "lifetime", value: "-5", friendlyName: "lifetime" },
          { key: "shared-secret", value: "hush-7b1", friendlyName: "Shared secret" },
        ],
      });
    }
    expect(JSON.stringify(await allItems(api.service))).not.toContain("hush-7b1");
    expect((await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols`)).body).toEqual([
      { type: "my proto", name: "my proto", self: expect.stringMatching(/inbound-protocols\/my\+proto$/) },
    ]);
  });
  test("returns 404 without settings and 400 for an undeclared protocol", async () => {
    const id = await bare();
    expect((await ask("GET", at(id))).body.code).toBe("APP-60502");
    const unknown = await ask("GET", at(id, "cas"));
    expect([unknown.status, unknown.body.code]).toEqual([400, "APP-60001"]);
    expect(unknown.body.description).toMatch(/^Unknown inbound type: cas/);
    for (const name of ["OIDC", "__proto__", "oidc%2Frevoke", "saml%2F..%2Foidc"]) {
      expect([400, 404, 405]).toContain((await ask("GET", at(id, name))).status);
    }
  });
});

describe("updateCustomConfiguration", () => {
  test("replaces all values, and sets them in a new application", async () => {
    const id = await create({
      name: "born custom",
      inboundProtocolConfiguration: { custom: [body({ endpoint: "https://a", mode: "fast" })] },
    });
    expect((await ask("GET", at(id))).body.properties).toMatchObject(
      properties({ endpoint: "https://a", mode: "fast" }),
    );
    expect((await put(id, { endpoint: "https://b" })).status).toBe(200);
    expect((await ask("GET", at(id))).body.properties).toMatchObject(
      properties({ endpoint: "https://b", mode: "safe" }),
    );
  });
  test.each<[string, Readonly<Record<string, string>>]>([
    ["without a required property", {}],
    ["at odds with its pattern", { endpoint: "http://a" }],
    ["a pattern is for the whole value", { endpoint: "x https://a" }],
    ["none of the available values", { endpoint: "https://a", mode: "reckless" }],
    ["no boolean", { endpoint: "https://a", strict: "yes" }],
    ["no number", { endpoint: "https://a", lifetime: "1.5" }],
    ["an unknown property", { endpoint: "https://a", nonsense: "x" }],
  ])("%s is 400 and changes nothing", async (_, values) => {
    const id = await bare();
    const answer = await put(id, values);
    expect([answer.status, answer.body.code]).toEqual([400, "APP-60001"]);
    expect((await ask("GET", at(id))).status).toBe(404);
  });
  test("an undeclared protocol is 400, also in a new application", async () => {
    expect((await ask("PUT", at(await bare(), "cas"), { body: body({ endpoint: "https://a" }) })).status).toBe(400);
    const custom = [{ name: "cas", configName: "cas" }];
    expect(
      (await ask("POST", APPLICATIONS, { body: { name: "cas app", inboundProtocolConfiguration: { custom } } })).status,
    ).toBe(400);
  });
});

describe("deleteCustomConfiguration", () => {
  test("returns 204 with and without settings, and for an undeclared protocol", async () => {
    const id = await bare();
    await put(id, { endpoint: "https://a" });
    for (const name of ["my+proto", "my+proto", "cas"]) expect((await ask("DELETE", at(id, name))).status).toBe(204);
    expect((await ask("GET", at(id))).status).toBe(404);
    expect((await ask("GET", `${APPLICATIONS}/${id}`)).body.inboundProtocols).toEqual([]);
  });
});
