/** Refusals of protocol settings name the member as the caller wrote it; all of a body are told at once. Generated. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { openApiDocument } from "#core/service/documents/openapi.ts";
import type { Document, Schema } from "#tests/support/document/document.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const document = openApiDocument(operations, { version: "0.0.0" }) as unknown as Document;
const { schemas } = document.components;

const valid: Readonly<Record<string, object>> = {
  oidc: { grantTypes: ["client_credentials"], callbackURLs: ["https://example.com/cb"] },
  saml: {
    manualConfiguration: { issuer: "https://example.com/sp", assertionConsumerUrls: ["https://example.com/acs"] },
  },
  "passive-sts": { realm: "urn:example", replyTo: "https://example.com/reply" },
  "ws-trust": { audience: "https://example.com/service", certificateAlias: "wso2carbon" },
  cas: { name: "cas", configName: "cas", properties: [{ key: "serviceURL", value: "https://example.com/" }] },
};
const pathOf: Readonly<Record<string, string>> = {
  oidc: "/api/server/v1/applications/{applicationId}/inbound-protocols/oidc",
  saml: "/api/server/v1/applications/{applicationId}/inbound-protocols/saml",
  "passive-sts": "/api/server/v1/applications/{applicationId}/inbound-protocols/passive-sts",
  "ws-trust": "/api/server/v1/applications/{applicationId}/inbound-protocols/ws-trust",
  cas: "/api/server/v1/applications/{applicationId}/inbound-protocols/{inboundProtocolId}",
};

type Leaf = { readonly path: readonly string[]; readonly schema: Schema };
const whole = ({ $ref, ...rest }: Schema): Schema =>
  typeof $ref === "string" ? (schemas[$ref.split("/").at(-1) ?? ""] ?? {}) : rest;
function leavesOf(given: Schema, path: readonly string[] = []): Leaf[] {
  const schema = whole(given);
  const parts = [schema, ...["anyOf", "oneOf", "allOf"].flatMap((name) => (schema[name] as Schema[]) ?? [])].map(whole);
  const members = parts.flatMap(({ properties }) => Object.entries((properties as Record<string, Schema>) ?? {}));
  if (members.length === 0) return [{ path, schema }];
  return members.flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

function withLeaf(base: unknown, [name = "", ...rest]: readonly string[], value: unknown): unknown {
  const object = typeof base === "object" && base !== null ? (base as Record<string, unknown>) : {};
  return { ...object, [name]: rest.length === 0 ? value : withLeaf(object[name], rest, value) };
}

/** Values of another type, and of the type that no rule takes: those must be refused only where a rule refuses them. */
const valuesFor = ({ type }: Schema): { readonly wrong: readonly unknown[]; readonly odd: readonly unknown[] } => {
  switch (type) {
    case "string":
      return { wrong: [5, true, ["x"], { a: 1 }], odd: ["", " ", "@@ no\n", "x".repeat(3_000), "javascript:alert(1)"] };
    case "boolean":
      return { wrong: ["maybe", 5, []], odd: [] };
    case "integer":
    case "number":
      return { wrong: ["x", true, 1.5, []], odd: [-1, 999_999_999] };
    case "array":
      return { wrong: ["x", 5, { a: 1 }], odd: [["@@ no"], ["x", "x"], [""], ["javascript:alert(1)"]] };
    default:
      return { wrong: [5], odd: [] };
  }
};

let id = "";
beforeAll(async () => {
  id = await api.create({ name: "Dispatch" });
});
afterAll(() => expect(id).not.toBe(""));

describe.each(Object.entries(valid))("%s", (protocol, body) => {
  const content = document.paths[pathOf[protocol] ?? ""]?.put?.requestBody?.content["application/json"];
  const leaves = leavesOf(content?.schema ?? {});
  const at = `${APPLICATIONS}/{id}/inbound-protocols/${protocol}`;
  const put = (sent: unknown) => api.ask("PUT", at.replace("{id}", id), { body: sent });

  test("a valid body is taken", async () => {
    const answer = await put(body);
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(leaves.length).toBeGreaterThan(1);
  });
  test.each(leaves.map((leaf) => [leaf.path.join("."), leaf] as const))(
    "%s is named",
    async (name, { path, schema }) => {
      const { wrong, odd } = valuesFor(schema);
      for (const value of wrong) {
        const { status, body: told } = await put(withLeaf(body, path, value));
        expect([JSON.stringify(value), status, told.description]).toEqual([
          JSON.stringify(value),
          400,
          expect.stringContaining(name),
        ]);
      }
      for (const value of odd) {
        const { status, text, body: told } = await put(withLeaf(body, path, value));
        expect(status, text).toBeLessThan(500);
        if (status === 400)
          expect([String(value).slice(0, 30), told.description]).toEqual([
            String(value).slice(0, 30),
            expect.stringContaining(path.at(-1) ?? ""),
          ]);
      }
    },
  );
});

describe("an application's body tells the faults of its protocols with those of its other members", () => {
  const shapes = {
    imageUrl: 5,
    claimConfiguration: "x",
    inboundProtocolConfiguration: {
      oidc: { grantTypes: "x", callbackURLs: 5 },
      saml: { manualConfiguration: { issuer: 5 } },
      passiveSts: { realm: 5 },
    },
  };
  const rules = {
    accessUrl: "ftp://example.com",
    inboundProtocolConfiguration: {
      oidc: {
        grantTypes: ["nope"],
        callbackURLs: ["no address"],
        idToken: { audience: ["", ""] },
        subject: { sectorIdentifierUri: "x" },
        clientId: "a b",
      },
      saml: {
        manualConfiguration: {
          issuer: "a@b",
          assertionConsumerUrls: ["x"],
          responseSigning: { signingAlgorithm: "x" },
        },
      },
      passiveSts: { realm: "r", replyTo: "x" },
      custom: [{ name: "cass", configName: "x", properties: [] }],
    },
  };
  const told = async (method: string, path: string, body: unknown) => {
    const answer = await api.ask(method, path, { body });
    expect(answer.status, answer.text).toBe(400);
    return String(answer.body.description);
  };
  test("types, of a new application", async () => {
    const text = await told("POST", APPLICATIONS, { name: 5, ...shapes });
    for (const member of [
      "name",
      "imageUrl",
      "claimConfiguration",
      "oidc.grantTypes",
      "oidc.callbackURLs",
      "manualConfiguration.issuer",
      "passiveSts.realm",
    ])
      expect(text).toContain(member);
  });
  test("rules, of a new application", async () => {
    const text = await told("POST", APPLICATIONS, { name: "Rules", ...rules });
    for (const member of [
      "accessUrl",
      "grantTypes",
      "callbackURLs",
      "idToken.audience",
      "sectorIdentifierUri",
      "issuer: '@'",
      "assertionConsumerUrls",
      "responseSigning.signingAlgorithm",
      "replyTo",
      "cass",
    ])
      expect(text).toContain(member);
  });
  test("types and rules, of a change", async () => {
    const types = await told("PATCH", `${APPLICATIONS}/${id}`, {
      imageUrl: 5,
      claimConfiguration: "x",
      advancedConfigurations: { saas: "x" },
    });
    for (const member of ["imageUrl", "claimConfiguration", "advancedConfigurations.saas"])
      expect(types).toContain(member);
    const links = await told("PATCH", `${APPLICATIONS}/${id}`, { accessUrl: "ftp://x", imageUrl: "ftp://x" });
    for (const member of ["accessUrl", "imageUrl"]) expect(links).toContain(member);
  });
  test.each([
    [
      "application/json",
      '{"applicationName": 5, "imageUrl": ["x"], "inboundAuthenticationConfig": {"inboundAuthenticationRequestConfigs": [{"inboundAuthType": 5, "inboundConfigurationProtocol": {"type": "oAuthAppDO", "grantTypes": ["x"]}}]}}',
      ["applicationName", "imageUrl", "inboundAuthType", "inboundConfigurationProtocol.grantTypes"],
    ],
    [
      "application/yaml",
      "applicationName: {a: b}\nimageUrl: [x]\ninboundAuthenticationConfig:\n  inboundAuthenticationRequestConfigs:\n  - inboundAuthType: [x]\n",
      ["applicationName", "imageUrl", "inboundAuthType"],
    ],
    [
      "application/xml",
      "<ServiceProvider><ApplicationName><a>x</a></ApplicationName><ImageUrl>x</ImageUrl><ImageUrl>y</ImageUrl><InboundAuthenticationConfig><InboundAuthenticationRequestConfigs><InboundAuthenticationRequestConfig><InboundAuthType>oauth2</InboundAuthType><InboundAuthType>x</InboundAuthType></InboundAuthenticationRequestConfig></InboundAuthenticationRequestConfigs></InboundAuthenticationConfig></ServiceProvider>",
      ["ApplicationName", "ImageUrl", "InboundAuthType"],
    ],
  ])("of an imported file, %s", async (type, file, members) => {
    const form = new FormData();
    form.set("file", new Blob([file], { type }), `file.${type.split("/")[1]}`);
    const request = new Request("http://x", { method: "POST", body: form });
    const answer = await api.ask("POST", `${APPLICATIONS}/import`, {
      raw: new Uint8Array(await request.arrayBuffer()),
      headers: { "content-type": request.headers.get("content-type") ?? "" },
    });
    expect(answer.status, answer.text).toBe(400);
    for (const member of members) expect(answer.body.description).toContain(member);
  });
});
