import { expect, test } from "vitest";
import { addTemplate } from "#tests/http/templates/support.ts";
import { allItems } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world({
  deployment: `
[[custom_inbound_protocol]]
name = "proto"
[[custom_inbound_protocol.property]]
name = "endpoint"
[[custom_inbound_protocol.property]]
name = "shared-secret"
confidential = true
`,
});

test("a template stores no client secret and no confidential value, added or updated", async () => {
  const custom = [
    {
      name: "proto",
      configName: "proto",
      properties: [
        { key: "endpoint", value: "https://kept" },
        { key: "shared-secret", value: "hush-2c9" },
      ],
    },
  ];
  const body = {
    name: "with secrets",
    application: {
      name: "a",
      inboundProtocolConfiguration: { custom, oidc: { grantTypes: ["password"], clientSecret: "hush-2c9" } },
    },
  };
  const path = `${APPLICATIONS}/templates/${await addTemplate(api, body)}`;
  for (let again = 0; again < 2; again += 1) {
    const { application } = (await api.ask("GET", path)).body;
    expect(application.inboundProtocolConfiguration).toEqual({
      custom: [{ ...custom[0], properties: [{ key: "endpoint", value: "https://kept" }, { key: "shared-secret" }] }],
      oidc: { grantTypes: ["password"] },
    });
    expect(JSON.stringify(await allItems(api.service))).not.toContain("hush-2c9");
    expect((await api.ask("PUT", path, { body })).status).toBe(200);
  }
});
