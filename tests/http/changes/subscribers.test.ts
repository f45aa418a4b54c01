/** Changes of webhooks and of streams of security events are recorded, in the list, the feed and the histories. */
import { afterEach, expect, test } from "vitest";
import { recordsIn } from "#tests/support/changes.ts";
import { tableOf } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const API = "/api/server/v1";
const WEBHOOKS = `${API}/webhooks`;
const STREAMS = "/ssf/streams";
const SECRET = "a-planted-Secret-1";
const WSO2 = "https://schemas.identity.wso2.org/events";

const sent = async (method: string, path: string, body?: unknown) => {
  const from = new Set((await recordsIn(api)).map(({ id }) => id));
  const answer = await ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  const records = (await recordsIn(api)).filter(({ id }) => !from.has(id));
  expect(JSON.stringify(records)).not.toContain(SECRET);
  return { ...answer, records };
};
const deleteAll = async () => {
  for (const { id } of (await ask("GET", WEBHOOKS)).body.webhooks) await ask("DELETE", `${WEBHOOKS}/${id}`);
};
afterEach(deleteAll);
const webhookBody = (more: Readonly<Record<string, unknown>> = {}) => ({
  endpoint: "https://receiver.example/one",
  name: "Billing",
  eventProfile: { name: "WSO2", uri: WSO2 },
  channelsSubscribed: [`${WSO2}/user`],
  secret: SECRET,
  ...more,
});

test("a webhook: created, changed, turned off and on, replayed, deleted", async () => {
  const created = await sent("POST", WEBHOOKS, webhookBody());
  const { id } = created.body;
  const resource = { type: "webhook", id, name: "Billing" };
  expect(created.records).toMatchObject([
    {
      tenant: "carbon.super",
      operation: "createWebhook",
      traceId: created.headers.get("x-correlation-id"),
      actor: { type: "user", name: "admin", signIn: "password" },
      resource,
    },
  ]);
  expect(created.records[0]?.changes).toEqual([
    {
      op: "add",
      path: "",
      value: {
        name: "Billing",
        endpoint: "https://receiver.example/one",
        eventProfile: "WSO2",
        channelsSubscribed: [`${WSO2}/user`],
        status: "ACTIVE",
        owner: { kind: "user", subject: expect.any(String), userStore: "PRIMARY" },
        scopes: expect.arrayContaining(["internal_user_mgt_view", "internal_audit_view"]),
        secret: { secret: true },
      },
    },
  ]);
  const at = `${WEBHOOKS}/${id}`;
  const moved = await sent("PUT", at, webhookBody({ endpoint: "https://receiver.example/two", secret: undefined }));
  expect(moved.records).toMatchObject([
    {
      operation: "updateWebhook",
      previous: created.records[0]?.id,
      changes: [
        {
          op: "replace",
          path: "/endpoint",
          from: "https://receiver.example/one",
          value: "https://receiver.example/two",
        },
        // Another endpoint does not get the secret of the former one.
        { op: "remove", path: "/secret", secret: true },
      ],
    },
  ]);
  const other = await sent("PUT", at, webhookBody({ endpoint: "https://receiver.example/two", secret: `${SECRET}2` }));
  expect(other.records).toMatchObject([{ changes: [{ op: "add", path: "/secret", secret: true }] }]);
  const none = await sent("PUT", at, webhookBody({ endpoint: "https://receiver.example/two", secret: "" }));
  expect(none.records).toMatchObject([{ changes: [{ op: "remove", path: "/secret", secret: true }] }]);
  const off = await sent("POST", `${at}/deactivate`);
  expect(off.records).toMatchObject([
    { operation: "deactivateWebhook", changes: [{ path: "/status", from: "ACTIVE", value: "INACTIVE" }] },
  ]);
  const on = await sent("POST", `${at}/activate`);
  expect(on.records).toMatchObject([{ operation: "activateWebhook", changes: [{ path: "/status" }] }]);
  // How far a delivery is, is no setting.
  expect((await sent("POST", `${at}/replay`, { since: "2020-01-01T00:00:00Z" })).records).toEqual([]);
  const deleted = await sent("DELETE", at);
  expect(deleted.records).toMatchObject([
    { operation: "deleteWebhook", resource, changes: [{ op: "remove", path: "", from: { name: "Billing" } }] },
  ]);
});

test("a stream: created, configured, paused, with subjects left out, deleted", async () => {
  const delivery = {
    method: "urn:ietf:rfc:8935",
    endpoint_url: "https://receiver.example/sets",
    authorization_header: `Bearer ${SECRET}`,
  };
  const created = await sent("POST", STREAMS, { description: "HR", delivery });
  const { stream_id } = created.body;
  expect(created.records).toMatchObject([
    {
      operation: "createStream",
      resource: { type: "event-stream", id: stream_id },
      changes: [
        {
          op: "add",
          path: "",
          value: {
            owner: { kind: "user" },
            description: "HR",
            status: "enabled",
            delivery: { ...delivery, authorization_header: { secret: true } },
            excludedSubjects: {},
          },
        },
      ],
    },
  ]);
  const described = await sent("PATCH", STREAMS, { stream_id, description: "CRM" });
  expect(described.records).toMatchObject([
    { operation: "updateStream", changes: [{ op: "replace", path: "/description", from: "HR", value: "CRM" }] },
  ]);
  const replaced = await sent("PUT", STREAMS, {
    stream_id,
    description: "CRM",
    delivery: { method: "urn:ietf:rfc:8936" },
  });
  expect(replaced.records[0]?.changes).toEqual([
    expect.objectContaining({ path: "/delivery/method" }),
    expect.objectContaining({ op: "remove", path: "/delivery/endpoint_url" }),
    { op: "remove", path: "/delivery/authorization_header", secret: true },
  ]);
  const paused = await sent("POST", "/ssf/status", { stream_id, status: "paused", reason: "maintenance" });
  expect(paused.records).toMatchObject([
    {
      operation: "setStreamStatus",
      changes: [
        { path: "/status", value: "paused" },
        { op: "add", path: "/reason" },
      ],
    },
  ]);
  const subject = { format: "scim", uri: "/Users/1" };
  const removed = await sent("POST", "/ssf/subjects/remove", { stream_id, subject });
  expect(removed.records).toMatchObject([
    {
      operation: "removeStreamSubject",
      changes: [{ op: "add", path: expect.stringMatching(/^\/excludedSubjects\/./) }],
    },
  ]);
  expect((await sent("POST", "/ssf/subjects/remove", { stream_id, subject })).records).toEqual([]);
  const added = await sent("POST", "/ssf/subjects/add", { stream_id, subject });
  expect(added.records).toMatchObject([
    { operation: "addStreamSubject", changes: [{ op: "remove", path: removed.records[0]?.changes[0]?.path }] },
  ]);
  expect((await sent("POST", "/ssf/verification", { stream_id, state: "x" })).records).toEqual([]);
  const deleted = await sent("DELETE", `${STREAMS}?stream_id=${stream_id}`);
  expect(deleted.records).toMatchObject([{ operation: "deleteStream", changes: [{ op: "remove", path: "" }] }]);
});

test("the list finds them by type and id, also after the deletion, and the feed has them", async () => {
  const start = (await ask("GET", `${API}/changes?limit=1000`)).body.next;
  const { id } = (await sent("POST", WEBHOOKS, webhookBody())).body;
  const { stream_id } = (await sent("POST", STREAMS, {})).body;
  await sent("POST", `${WEBHOOKS}/${id}/deactivate`);
  const operations = async (query: string): Promise<string[]> => {
    const { status, body, text } = await ask("GET", `${API}/audit-events?${query}`);
    expect(status, text).toBe(200);
    return body.records.map(({ operation }: { operation: string }) => operation);
  };
  expect(await operations(`resourceId=${id}`)).toEqual(["deactivateWebhook", "createWebhook"]);
  expect(await operations(`resourceType=webhook&resourceId=${id}&limit=1`)).toEqual(["deactivateWebhook"]);
  expect(await operations(`resourceId=${stream_id}`)).toEqual(["createStream"]);
  expect(await operations(`resourceType=event-stream&resourceId=${stream_id}`)).toEqual(["createStream"]);
  const { records } = (await ask("GET", `${API}/changes?after=${start}`)).body;
  expect(records.map(({ operation }: { operation: string }) => operation)).toEqual(
    expect.arrayContaining(["createWebhook", "createStream", "deactivateWebhook"]),
  );
  await sent("DELETE", `${WEBHOOKS}/${id}`);
  await sent("DELETE", `${STREAMS}?stream_id=${stream_id}`);
  expect(await operations(`resourceId=${id}`)).toEqual(["deleteWebhook", "deactivateWebhook", "createWebhook"]);
  expect(await operations(`resourceId=${stream_id}`)).toEqual(["deleteStream", "createStream"]);
});

test("a refused or rehearsed change has no record", async () => {
  const { id } = (await sent("POST", WEBHOOKS, webhookBody())).body;
  const before = (await recordsIn(api)).length;
  expect((await ask("POST", WEBHOOKS, { body: webhookBody() })).status).toBe(400);
  const tried = await ask("POST", `${WEBHOOKS}/${id}/deactivate?dryRun=true`);
  expect([tried.status, tried.body.status]).toEqual([200, "INACTIVE"]);
  expect((await ask("POST", `${STREAMS}?dryRun=true`, { body: {} })).status).toBe(201);
  expect((await recordsIn(api)).length).toBe(before);
  await sent("DELETE", `${WEBHOOKS}/${id}`);
});

test("the history of a row that many changes made stays with it", async () => {
  const { id } = (await sent("POST", WEBHOOKS, webhookBody())).body;
  for (let round = 0; round < 20; round += 1) {
    const verb = round % 2 === 0 ? "deactivate" : "activate";
    expect((await ask("POST", `${WEBHOOKS}/${id}/${verb}`)).status).toBe(200);
    // Changes nothing that is recorded, and writes the row.
    expect((await ask("POST", `${WEBHOOKS}/${id}/replay`, { body: { since: "2020-01-01T00:00:00Z" } })).status).toBe(
      200,
    );
  }
  const { body } = await ask("GET", `${API}/audit-events?resourceId=${id}&limit=100`);
  expect(body.records).toHaveLength(21);
  const items = await tableOf(api.service).queryAll({ PK: "T#carbon.super#SUBS", limit: 100 });
  expect(JSON.stringify(items)).not.toContain(SECRET);
});
