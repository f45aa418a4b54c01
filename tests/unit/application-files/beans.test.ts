/** Application files in YAML and JSON: what Identity Server writes is read, and nothing of the XML form is lost. */
import { describe, expect, test } from "vitest";
import { type Bean, beansOf, treeOf } from "#core/applications/files/beans.ts";
import { formatOf, readTree, writeTree } from "#core/applications/files/formats.ts";
import { readXml } from "#core/applications/files/read-xml.ts";
import type { Element } from "#core/applications/files/tree.ts";
import { readYaml } from "#core/applications/files/yaml.ts";
import { fileOf, oauthEntry, samlEntry, sampleFile } from "#tests/support/files.ts";

/** The order of elements has no meaning. */
const sorted = (from: Element): Element => ({
  ...from,
  children: from.children.map(sorted).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
});
const asXml = (content: string): Element => readXml(Buffer.from(`<ServiceProvider>${content}</ServiceProvider>`));

const files: readonly (readonly [string, () => Promise<Element>])[] = [
  ["the file of Identity Server", async () => readXml(Buffer.from(await sampleFile()))],
  [
    "a client and a SAML service",
    async () => readXml(Buffer.from(fileOf({ inbound: oauthEntry("a") + samlEntry("b") }))),
  ],
  ["unknown elements", async () => asXml("<Own><name>x</name><Name>y</Name><A-1.b/></Own><own/><owner>z</owner>")],
  ["repeated elements", async () => asXml("<Own>1</Own><Own>2</Own><Properties/><Properties><Property/></Properties>")],
  ["attributes and text", async () => asXml('<Own a="1" b="true">text<In c=""/></Own>')],
  ["a list with other items", async () => asXml("<Permissions><Other/><ApplicationPermission/></Permissions>")],
  ["a script", async () => asXml('<AuthenticationScript enabled="true" language="x">a\nb</AuthenticationScript>')],
  [
    "flags and numbers",
    async () => asXml("<A>true</A><B>TRUE</B><StepOrder>01</StepOrder><xExpiryTime>9</xExpiryTime>"),
  ],
  [
    "names of connectors",
    async () => asXml("<DefaultProvisioningConnectorConfig><name>n</name></DefaultProvisioningConnectorConfig>"),
  ],
  [
    "one thumbprint",
    async () => asXml("<TrustedAppMetadata><AndroidThumbprints>x</AndroidThumbprints></TrustedAppMetadata>"),
  ],
];

describe.each(files)("%s", (_, read) => {
  test.each(["json", "yaml", "xml", "xml-inline"] as const)("comes back from %s", async (format) => {
    const tree = await read();
    const text = await writeTree(tree, format);
    expect(sorted(await readTree(Buffer.from(text), format))).toEqual(sorted(tree));
  });
});

test("the names are those of Identity Server's beans", async () => {
  const beans = beansOf(readXml(Buffer.from(fileOf({ name: "x", inbound: oauthEntry("a") }))));
  expect(beans).toMatchObject({
    applicationName: "x",
    inboundAuthenticationConfig: {
      inboundAuthenticationRequestConfigs: [
        {
          inboundAuthKey: "a",
          inboundAuthType: "oauth2",
          inboundConfigurationProtocol: { type: "oAuthAppDO", oauthConsumerKey: "a", oauthConsumerSecret: null },
        },
      ],
    },
  });
});

test("YAML as Identity Server writes it is read, with anchors, nulls and keys that are unknown here", () => {
  const text = [
    "!!org.wso2.carbon.identity.application.common.model.ServiceProvider",
    "accessUrl: null",
    "applicationName: from yaml",
    'applicationVersion: "v2.0.0"',
    "spProperties: &id001 []",
    "requestPathAuthenticatorConfigs: *id001",
    "saasApp: true",
    "inboundAuthenticationConfig:",
    "  inboundAuthenticationRequestConfigs:",
    "  - inboundAuthKey: 0123",
    "    inboundAuthType: oauth2",
    "    inboundConfiguration: null",
    "    inboundConfigurationProtocol: !!org.wso2.carbon.identity.oauth.dao.OAuthAppDO",
    "      audiences: [a, b]",
    "      oauthConsumerKey: 0123",
    "      pkceMandatory: false",
    "",
  ].join("\n");
  const tree = treeOf(readYaml(text));
  const entry = tree.children.find(({ name }) => name === "InboundAuthenticationConfig")?.children[0]?.children[0];
  expect(entry?.children.map(({ name, text: value }) => [name, value])).toEqual([
    ["InboundAuthKey", "0123"],
    ["InboundAuthType", "oauth2"],
    ["inboundConfiguration", ""],
  ]);
  const document = entry?.children[2]?.children[0];
  expect([document?.name, document?.children[0]?.children.map(({ text: value }) => value)]).toEqual([
    "oAuthAppDO",
    ["a", "b"],
  ]);
  expect(tree.children.map(({ name, text: value }) => [name, value]).slice(0, 2)).toEqual([
    ["ApplicationName", "from yaml"],
    ["ApplicationVersion", "v2.0.0"],
  ]);
});

describe("refuses", () => {
  const bomb = [
    "a: &a [1,1,1,1,1,1,1,1,1]",
    ..."bcdefgh".split("").map((name, at) => {
      const before = "abcdefg"[at];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(",")}]`;
    }),
  ].join("\n");
  test.each([
    ["yaml", "[", "not YAML"],
    ["yaml", "a: 1\n---\nb: 2", "not YAML"],
    ["yaml", "a: 1\na: 2", "not YAML"],
    ["yaml", "!!js/function 'x'", "not YAML"],
    ["yaml", "!!java.net.URL [x]", "not YAML"],
    ["yaml", "- a", "must have an object"],
    ["yaml", "just text", "must have an object"],
    ["yaml", "? [a]\n: b", "not YAML|not a text"],
    ["yaml", bomb, "too many values"],
    ["yaml", "a: &a [*a]", "not YAML|too many"],
    ["yaml", `x: &x ${"q".repeat(100_000)}\ny: [${Array(50).fill("*x").join(",")}]`, "too large once its aliases"],
    ["yaml", "[".repeat(100_000), "not YAML"],
    ["yaml", "a b: 1", "cannot be stored"],
    ["yaml", "x</a><b>: 1", "cannot be stored"],
    ["json", "{", "not JSON"],
    ["json", "[]", "must have an object"],
    ["json", '{"a":1,"a":2}', "not JSON"],
    ["json", "[".repeat(100_000), "not JSON"],
    ["json", '{"__proto__":{}}', "not JSON"],
    ["json", '{"@a b":"1"}', "cannot be stored"],
    ["json", '{"a":{"b":"x\\u0000"}}', "a\\.b has a character"],
    ["json", '{"a":["x","\\uD800"]}', "unpaired surrogate"],
    ["yaml", 'a: "x\\u0007"', ": a has a character"],
  ] as const)("%s %j", async (format, text, reason) => {
    await expect(readTree(Buffer.from(text), format)).rejects.toThrow(new RegExp(reason));
  });
  test("a tree that is too deep or too large", () => {
    let deep: Bean = "x";
    for (let at = 0; at < 40; at += 1) deep = { a: deep };
    expect(() => treeOf({ a: deep })).toThrow("more than 30 levels");
    expect(() => treeOf({ a: Array(80_000).fill("x") })).toThrow("75000 members");
  });
});

test.each([
  ["application/xml", "x.json", "xml"],
  ["text/yaml; charset=utf-8", undefined, "yaml"],
  ["application/x-yaml", undefined, "yaml"],
  ["text/json", undefined, "json"],
  ["application/octet-stream", "app.yml", "yaml"],
  ["application/octet-stream", "app.YAML", "yaml"],
  ["text/plain", "app.json", "json"],
  ["application/octet-stream", "app.xml", "xml"],
  ["text/plain", undefined, "xml"],
])("a part of type %s with the name %s is %s", (mediaType, fileName, format) => {
  expect(formatOf({ mediaType, fileName })).toBe(format);
});
