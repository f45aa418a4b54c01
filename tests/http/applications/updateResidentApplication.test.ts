import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask } = world();
const RESIDENT = `${APPLICATIONS}/resident`;
const put = (body: unknown) => ask("PUT", RESIDENT, { body });

test("returns the new settings; absent members stay", async () => {
  const first = await put({
    inboundProvisioning: { proxyMode: false, provisioningUserstoreDomain: "PRIMARY" },
    outboundProvisioningIdps: [{ idp: "Google", connector: "googleapps", blocking: true }],
  });
  expect(first.status).toBe(200);
  const expected = {
    provisioningConfigurations: {
      inboundProvisioning: { proxyMode: false, provisioningUserstoreDomain: "PRIMARY" },
      outboundProvisioningIdps: [{ idp: "Google", connector: "googleapps", blocking: true, rules: false, jit: false }],
    },
  };
  expect(first.body).toEqual(expected);
  expect((await put({})).body).toEqual(expected);
  expect((await ask("GET", RESIDENT)).body).toEqual(expected);
  expect((await put({ outboundProvisioningIdps: [] })).body.provisioningConfigurations).toEqual({
    inboundProvisioning: expected.provisioningConfigurations.inboundProvisioning,
    outboundProvisioningIdps: [],
  });
});

test("concurrent changes of different parts are both stored", async () => {
  await Promise.all([
    put({ inboundProvisioning: { proxyMode: true } }),
    put({ outboundProvisioningIdps: [{ idp: "One", connector: "scim" }] }),
    put({ inboundProvisioning: { provisioningUserstoreDomain: "SALES" } }),
  ]);
  expect((await ask("GET", RESIDENT)).body.provisioningConfigurations).toMatchObject({
    inboundProvisioning: { proxyMode: true, provisioningUserstoreDomain: "SALES" },
    outboundProvisioningIdps: [{ idp: "One" }],
  });
});

test("returns 400 with the sizes for settings that are too large", async () => {
  const outboundProvisioningIdps = Array.from({ length: 1_000 }, (_, index) => ({
    idp: `${index}${"a".repeat(250)}`,
    connector: "b".repeat(255),
  }));
  const answer = await put({ outboundProvisioningIdps });
  expect([answer.status, answer.body.code]).toEqual([400, "APP-60001"]);
  expect(answer.body.description).toMatch(/\d+ bytes/);
});

test.each([
  [{ inboundProvisioning: { proxyMode: "yes" } }],
  [{ outboundProvisioningIdps: [{ idp: "x" }] }],
  [{ outboundProvisioningIdps: {} }],
  [[]],
])("returns 400 for %j and changes nothing", async (body) => {
  const before = (await ask("GET", RESIDENT)).body;
  expect((await put(body)).status).toBe(400);
  expect((await ask("GET", RESIDENT)).body).toEqual(before);
});
