/**
 * Resources of the package for SST in a program that Pulumi's library runs, and their providers in Pulumi's plugin: from
 * the text that a deployment stores, in a project that has the package installed.
 */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN, world } from "#tests/support/world.ts";
import { type Plugin, projectFolder, type Registered, registeredBy, startPlugin } from "./support/pulumi-program.ts";

const service = world();
let folder = "";
let registered: readonly Registered[] = [];
let plugin: Plugin;

beforeAll(async () => {
  folder = await projectFolder();
  registered = await registeredBy(
    `
    const api = new ApiResource("Orders", {
      identifier: "https://orders.example.com",
      name: "Orders",
      scopes: [{ name: "orders:read" }],
    });
    const bucket = pulumi.output("https://cars.example.com/back");
    const application = new Application("Dispatch", {
      description: "Cars",
      inboundProtocolConfiguration: { oidc: { grantTypes: ["authorization_code"], callbackURLs: [bucket] } },
      authorizedApis: [{ api, scopes: ["orders:read"] }],
    });
    declared.push(api, application, new Application("Other", { name: "Another name" }, { import: "an-id" }));`,
    folder,
  );
  plugin = await startPlugin(folder, {
    IDENTITY_ADMIN_URL: service.url,
    IDENTITY_ADMIN_USER: ADMIN.username,
    IDENTITY_ADMIN_PASSWORD: ADMIN.password,
  });
}, 120_000);
afterAll(async () => {
  plugin?.stop();
  await rm(folder, { recursive: true, force: true });
});

const named = (name: string) => {
  const found = registered.find((each) => each.name === name);
  if (!found) throw new Error(`${name} is not registered`);
  return found;
};

describe("the program", () => {
  test("registers what it declares, with the values of other resources", () => {
    expect(named("Dispatch").type).toBe("pulumi-nodejs:dynamic:Resource");
    expect(named("Dispatch").inputs).toMatchObject({
      name: "Dispatch",
      description: "Cars",
      inboundProtocolConfiguration: { oidc: { callbackURLs: ["https://cars.example.com/back"] } },
      authorizedApis: [{ identifier: "https://orders.example.com", scopes: ["orders:read"], offered: ["orders:read"] }],
    });
    expect(named("Other").inputs).toMatchObject({ name: "Another name", importId: "an-id" });
  });
  test("makes a secret of the client secret", () => {
    expect(named("Dispatch").secretOutputs).toEqual(["clientSecret"]);
    expect(named("Orders").secretOutputs).toEqual([]);
  });
  test("stores a provider that has no address, no credential and no code of the package", () => {
    const text = String(named("Dispatch").inputs.__provider);
    expect(text).toContain("@identity-admin-api/sst/providers");
    expect(text).not.toMatch(/127\.0\.0\.1|IDENTITY_ADMIN|password/i);
    expect(text.length).toBeLessThan(8_000);
    expect(named("Other").inputs.__provider).toBe(text);
  });
});

test("the plugin creates both, finds no difference, sees a change by hand, takes it back, and removes them", async () => {
  const made = new Map<string, { readonly id: string; readonly outs: Readonly<Record<string, unknown>> }>();
  for (const name of ["Orders", "Dispatch"]) {
    const { inputs } = named(name);
    const checked = await plugin.check({}, inputs);
    expect(checked.failures).toEqual([]);
    const one = await plugin.create(checked.inputs);
    made.set(name, one);
    expect(await plugin.diff(one.id, one.outs, inputs)).toEqual({ changes: false, replaces: [] });
  }
  const { id, outs } = made.get("Dispatch") ?? { id: "", outs: {} };
  const path = `/api/server/v1/applications/${id}`;
  expect((await service.ask("GET", path)).body).toMatchObject({ name: "Dispatch", clientId: outs.clientId });
  const { clientSecret, __provider: _, ...stored } = outs;
  expect(clientSecret).toMatch(/^\S{20,}$/);
  for (const secret of [String(clientSecret), service.url, `"${ADMIN.password}"`]) {
    expect(JSON.stringify(stored)).not.toContain(secret);
  }

  await service.ask("PATCH", path, { body: { description: "by hand" } });
  const { inputs } = named("Dispatch");
  expect(await plugin.diff(id, outs, inputs)).toEqual({ changes: true, replaces: [] });
  expect((await plugin.read(id, outs)).outs.description).toBe("by hand");
  await plugin.update(id, outs, inputs);
  expect((await service.ask("GET", path)).body.description).toBe("Cars");

  for (const name of ["Dispatch", "Orders"]) {
    const one = made.get(name);
    if (one) await plugin.remove(one.id, one.outs);
  }
  expect((await service.ask("GET", path)).status).toBe(404);
});

test("a preview fails with the sentence of the service", async () => {
  const { inputs } = named("Dispatch");
  const { failures } = await plugin.check({}, { ...inputs, descriptoin: "Cars" });
  expect(failures.join()).toMatch(/^application "Dispatch": .*descriptoin/);
});
