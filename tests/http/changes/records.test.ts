/** Every change of a resource writes one record in its transaction; what changes nothing or is refused writes none. */
import { expect, test } from "vitest";
import { historyOf } from "#core/database/changes/history-rows.ts";
import type { ChangeRecord } from "#core/database/changes/model.ts";
import { keys } from "#core/database/table/keys.ts";
import { recordItemsIn, recordsIn } from "#tests/support/changes.ts";
import { tableOf } from "#tests/support/people.ts";
import { URN } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const SECRET = "a-planted-Secret-1";

const sent = async (method: string, path: string, body?: unknown) => {
  const from = new Set((await recordsIn(api)).map(({ id }) => id));
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  const records = (await recordsIn(api)).filter(({ id }) => !from.has(id));
  return { ...answer, records };
};
const patch = (...Operations: readonly unknown[]) => ({ schemas: [URN.patch], Operations });
const OIDC = { grantTypes: ["authorization_code"], callbackURLs: ["https://app.example/cb"] };

test("a user: created, changed, a password set, unchanged, deleted", async () => {
  const created = await sent("POST", "/scim2/Users", { userName: "rec", password: SECRET, name: { familyName: "A" } });
  const { id } = created.body;
  expect(created.records).toMatchObject([
    {
      tenant: "carbon.super",
      operation: "createUser",
      traceId: created.headers.get("x-correlation-id"),
      actor: { type: "user", name: "admin", signIn: "password" },
      resource: { type: "user", id, name: "rec" },
      changes: [
        { op: "add", path: "", value: { userName: "rec", active: true, name: { familyName: "A" } } },
        { op: "add", path: "/password", secret: true },
      ],
    },
  ]);
  const renamed = await sent(
    "PATCH",
    `/scim2/Users/${id}`,
    patch({ op: "replace", path: "name.familyName", value: "B" }),
  );
  expect(renamed.records).toMatchObject([
    { changes: [{ op: "replace", path: "/name/familyName", from: "A", value: "B" }], previous: created.records[0]?.id },
  ]);
  const same = await sent("PATCH", `/scim2/Users/${id}`, patch({ op: "replace", path: "name.familyName", value: "B" }));
  expect(same.records).toEqual([]);
  const secret = await sent(
    "PATCH",
    `/scim2/Users/${id}`,
    patch({ op: "replace", path: "password", value: `${SECRET}x` }),
  );
  expect(secret.records).toMatchObject([{ changes: [{ op: "replace", path: "/password", secret: true }] }]);
  const refused = await sent("POST", "/scim2/Users", { userName: "rec", password: SECRET });
  expect([refused.status, refused.records]).toEqual([409, []]);
  const deleted = await sent("DELETE", `/scim2/Users/${id}`);
  expect(deleted.records).toMatchObject([
    { resource: { type: "user", id, name: "rec" }, changes: [{ op: "remove", path: "", from: { userName: "rec" } }] },
  ]);
  expect(JSON.stringify(await recordsIn(api))).not.toContain(SECRET);
});

test("a group: members are objects by id, whether few or many", async () => {
  const ids: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    ids.push((await api.ask("POST", "/scim2/Users", { body: { userName: `member-${at}`, password: SECRET } })).body.id);
  }
  const [first = "", second = ""] = ids;
  const created = await sent("POST", "/scim2/Groups", { displayName: "g", members: [{ value: first }] });
  const { id } = created.body;
  expect(created.records).toMatchObject([
    {
      resource: { type: "group", id, name: "g" },
      changes: [
        { op: "add", path: "", value: { displayName: "g" } },
        { op: "add", path: `/members/${first}`, value: {} },
      ],
    },
  ]);
  const added = await sent(
    "PATCH",
    `/scim2/Groups/${id}`,
    patch({ op: "add", path: "members", value: [{ value: second }] }),
  );
  expect(added.records).toMatchObject([{ changes: [{ op: "add", path: `/members/${second}` }] }]);
  const all = await sent("PUT", `/scim2/Groups/${id}`, {
    displayName: "g2",
    members: ids.slice(1).map((value) => ({ value })),
  });
  expect(all.status, all.text).toBe(200);
  expect(all.records).toHaveLength(1);
  const [{ changes = [] } = {}] = all.records;
  expect(changes).toHaveLength(60);
  expect(changes).toContainEqual({ op: "remove", path: `/members/${first}`, from: {} });
  expect(changes).toContainEqual({ op: "replace", path: "/displayName", from: "g", value: "g2" });
});

test("a protocol carries the id of its application, and secrets are named only", async () => {
  const id = await api.create({ name: "rec-app" });
  const path = `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
  const added = await sent("PUT", path, { ...OIDC, clientSecret: SECRET, clientId: "rec-client" });
  expect(added.status, added.text).toBeLessThan(300);
  expect(added.records).toMatchObject([
    {
      resource: { type: "inbound-protocol", id: "oidc", applicationId: id, name: "rec-app" },
      changes: [{ op: "add", path: "" }],
    },
  ]);
  expect(JSON.stringify(added.records)).toContain('"clientSecret":{"secret":true}');
  const rotated = await sent("POST", `${path}/regenerate-secret`);
  expect(rotated.records).toMatchObject([
    {
      // Its time is a change too, unless both secrets are of one second.
      changes: expect.arrayContaining([
        expect.objectContaining({ op: "replace", path: "/latestSecret/secretId" }),
        expect.objectContaining({ op: "replace", path: "/clientSecret", secret: true }),
      ]),
    },
  ]);
  const renamed = await sent("PATCH", `${APPLICATIONS}/${id}`, { description: "d" });
  expect(renamed.records).toMatchObject([
    { resource: { type: "application", id }, changes: [{ op: "add", path: "/description", value: "d" }] },
  ]);
  const deleted = await sent("DELETE", `${APPLICATIONS}/${id}`);
  expect(deleted.records).toMatchObject([
    { resource: { type: "application", id }, changes: [{ op: "remove", path: "" }] },
  ]);
  expect(JSON.stringify(await recordsIn(api))).not.toContain(SECRET);
});

test("roles, API resources, templates, authorized APIs and tenants", async () => {
  const role = await sent("POST", "/scim2/v2/Roles", {
    displayName: "r",
    permissions: [{ value: "internal_user_mgt_list" }],
  });
  expect(role.records).toMatchObject([
    { resource: { type: "role", name: "r" }, changes: [{ value: { permissions: { internal_user_mgt_list: {} } } }] },
  ]);
  const resource = await sent("POST", "/api/server/v1/api-resources", {
    name: "N",
    identifier: "urn:n",
    requiresAuthorization: true,
    scopes: [{ name: "n:read" }],
  });
  expect(resource.records).toMatchObject([{ resource: { type: "api-resource", name: "N" } }]);
  const application = await api.create({ name: "rec-app-2" });
  const authorized = await sent("POST", `${APPLICATIONS}/${application}/authorized-apis`, {
    id: resource.body.id,
    policyIdentifier: "RBAC",
    scopes: ["n:read"],
  });
  expect(authorized.status, authorized.text).toBe(200);
  expect(authorized.records).toMatchObject([
    { resource: { type: "authorized-apis", id: application, applicationId: application } },
  ]);
  const template = await sent("POST", `${APPLICATIONS}/templates`, { name: "T", application: { name: "X" } });
  expect(template.status, template.text).toBe(201);
  expect(template.records).toMatchObject([{ resource: { type: "application-template", name: "T" } }]);
  const tenant = await sent("POST", "/api/server/v1/tenants", {
    domain: "rec.example",
    owners: [
      {
        username: "owner",
        password: SECRET,
        email: "o@rec.example",
        firstname: "O",
        lastname: "O",
        provisioningMethod: "inline-password",
      },
    ],
  });
  expect(tenant.status, tenant.text).toBe(201);
  const own = await recordsIn(api, "rec.example");
  expect(own.length).toBeGreaterThan(0);
  expect(new Set(own.map(({ actor }) => actor.type))).toEqual(new Set(["operator"]));
});

test("100 changes of one group, one after the other and concurrently, are one chain of records", async () => {
  const users = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const { body } = await api.ask("POST", "/scim2/Users", { body: { userName: `chain-${at}`, password: SECRET } });
      return body.id as string;
    }),
  );
  const group = (await api.ask("POST", "/scim2/Groups", { body: { displayName: "chain" } })).body.id;
  const path = `/scim2/Groups/${group}`;
  const add = (id: string) =>
    api.ask("PATCH", path, { body: patch({ op: "add", path: "members", value: [{ value: id }] }) });
  const remove = (id: string) =>
    api.ask("PATCH", path, { body: patch({ op: "remove", path: `members[value eq "${id}"]` }) });
  for (let round = 0; round < 2; round += 1) {
    for (const { status } of await Promise.all(users.map(add))) expect(status).toBe(200);
    for (const id of users) expect((await remove(id)).status).toBe(200);
  }
  const isOwn = ({ resource }: ChangeRecord) => resource.id === group;
  const records = (await recordsIn(api)).filter(isOwn);
  expect(records).toHaveLength(81);
  const members = new Set<string>();
  for (const change of records.flatMap(({ changes }) => changes).filter(({ path: at }) => at !== "")) {
    if (change.op === "add") members.add(change.path);
    else expect(members.delete(change.path), change.path).toBe(true);
  }
  expect(members.size).toBe(0);
  const row = await tableOf(api.service).get(keys.group("carbon.super", group));
  const times = historyOf(row);
  expect(times.length).toBeGreaterThanOrEqual(16);
  expect(times.length).toBeLessThan(48);
  // Older times are in the records that cut them off.
  const found = new Set(times);
  const items = (await recordItemsIn(api)).filter((one) => records.some(({ id }) => id === one.record.id));
  for (const { older } of items) for (const time of older) found.add(time);
  expect([...found].sort((a, b) => a - b)).toEqual(records.map(({ atMs }) => atMs));
});
