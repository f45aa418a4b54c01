/** Damaged rows are reported with their key and never read as something else. */
import { beforeAll, describe, expect, test } from "vitest";
import { apiResourceItems, apiResourceStore } from "#core/applications/apis/store.ts";
import { clientStore } from "#core/applications/registry/client-store.ts";
import { type Application, freshApplication } from "#core/applications/registry/model.ts";
import { applicationItems, applicationStore } from "#core/applications/registry/store.ts";
import { templateItems, templateStore } from "#core/applications/templates/store.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Item, Key, Table, Value } from "#core/database/table/table.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { newId } from "#core/kernel/ids.ts";
import { testTable } from "#tests/support/engine.ts";

const TENANT = "rows.example";
const scopes = [{ id: newId(), name: "read", displayName: "Read" }];
const application: Application = freshApplication(newId(), "app", "owner", false);
const template = { id: newId(), name: "template", application: { name: "app" } };
const api = {
  id: newId(),
  identifier: "api",
  name: "API",
  type: "BUSINESS",
  requiresAuthorization: true,
  scopes,
} as const;

let table: Table;
beforeAll(async () => {
  table = (await testTable()).open(newMeter());
});

const put = (item: Item) => table.write({ put: item, when: "any", otherwise: () => new Error("no condition") });
/** Stores rows, the one at `key` with other attributes. */
const store = async (rows: readonly Item[], key: Key, attributes: Readonly<Record<string, Value>>) => {
  for (const row of rows) await put(row.PK === key.PK && row.SK === key.SK ? { ...row, ...attributes } : row);
};

describe("a damaged row", () => {
  const applicationKey = keys.application(TENANT, application.id);
  const entryKey = keys.applicationEntry(TENANT, "app");
  const damages: [string, Readonly<Record<string, Value>>][] = [
    ["no application", { application: "text" }],
    [
      "a text for a list",
      { application: { ...application, authenticationSequence: { steps: "" } } as unknown as Value },
    ],
    ["a client without its secret", { application: { ...application, inbound: { oidc: {} } } as unknown as Value }],
    ["a missing member", { application: { id: application.id, name: "app" } }],
    ["no version", { ver: "1" }],
  ];
  test.each(damages)("of an application with %s is reported with its key", async (_, attributes) => {
    await store(applicationItems(TENANT, application), applicationKey, attributes);
    await expect(applicationStore(table).find(TENANT, application.id)).rejects.toThrow(
      `The application row PK=${JSON.stringify(applicationKey.PK)} SK="A" is damaged`,
    );
  });

  test("of the list of applications is reported with its key", async () => {
    await store(applicationItems(TENANT, application), entryKey, { i: new Uint8Array(3) });
    await expect(applicationStore(table).entries(TENANT)).rejects.toThrow(/application entry row .* is damaged: i /);
  });

  test("of a template, an API resource, a tenant and a client is reported", async () => {
    await store(templateItems(TENANT, template), keys.template(TENANT, template.id), { application: "{" });
    await expect(templateStore(table).find(TENANT, template.id)).rejects.toThrow(
      /template row .*: application must be/,
    );
    await store(apiResourceItems(TENANT, api), keys.apiResource(TENANT, api.id), { api: { ...api, scopes: "none" } });
    await expect(apiResourceStore(table).find(TENANT, api.id)).rejects.toThrow(/API resource row .*: api must be/);
    await put({ ...keys.tenant(TENANT), id: newId(), active: true, created: "today", administrator: newId() });
    await expect(tenantStore(table).find(TENANT)).rejects.toThrow(/tenant row .*: created must be a finite number/);
    await put({ ...keys.client("damaged"), tenant: TENANT, application: application.id, client: { state: "?" } });
    await expect(clientStore(table).find("damaged")).rejects.toThrow(/OAuth client row .*: client must be/);
  });
});
