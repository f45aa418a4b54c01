/**
 * Every operation of the catalogue that changes data leaves a record that says who: type, id and name of the caller, in
 * the audit events of the caller's tenant. The others are listed here, each with its reason.
 */
import { beforeAll, expect, test } from "vitest";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import type { Shown } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";
import { ALWAYS, type Caller, callerOf, type Received, type Sent } from "#tools/operation-units/caller.ts";
import { changes } from "#tools/operation-units/calls.ts";
import { createFixture } from "#tools/operation-units/fixture.ts";

const api = world();

const SESSIONS = "sessions and consents of people are no administered resources: the request log says who";
const TOKENS = "tokens are no administered resources: the request log says who";
const DELIVERIES = "it sends events again or takes them, and changes no setting: the request log says who";
const unrecorded: Readonly<Partial<Record<OperationId, string>>> = {
  endMySession: SESSIONS,
  endMySessions: SESSIONS,
  endUserSession: SESSIONS,
  endUserSessions: SESSIONS,
  revokeMyAuthorizedApp: SESSIONS,
  revokeMyAuthorizedApps: SESSIONS,
  revokeUserAuthorizedApp: SESSIONS,
  revokeUserAuthorizedApps: SESSIONS,
  requestToken: TOKENS,
  revokeToken: TOKENS,
  pushAuthorizationRequest: TOKENS,
  retryWebhook: DELIVERIES,
  replayWebhook: DELIVERIES,
  verifyStream: DELIVERIES,
  pollStream: DELIVERIES,
  patchWebhookMetadata: "its only policy is the one that it has",
  removeDeletedResource: "the record of the deletion stays; what is removed is the possibility to take it back",
};

const changing = (Object.keys(operations) as OperationId[]).filter((id) => {
  const declared = operations[id];
  return declared && declared.method !== "GET" && !declared.changesNothing && ALWAYS[id] === undefined;
});
const records = new Map<string, Shown[]>();
/** Names of callers by operation, where it is not the administrator. */
const callers = new Map<OperationId, string>();

/** Changes where the calls of the catalogue ask for what is so already. */
const others = async (call: Caller): Promise<void> => {
  const password = "good-Passw0rd";
  const user = await call("createUser", { body: { userName: "next-owner", password } });
  const applicationId = (await call("createApplication", { body: { name: "Every operation" } })).id;
  await call("changeApplicationOwner", { params: { applicationId }, body: { id: String(user.body.id) } });
  const file = (description: string) =>
    `<ServiceProvider><ApplicationName>From a file</ApplicationName><Description>${description}</Description></ServiceProvider>`;
  await call("importApplication", { file: file("one") });
  await call("updateApplicationFromFile", { file: file("two") });
  const oidc = (host: string) => ({
    params: { applicationId },
    body: { grantTypes: ["authorization_code"], callbackURLs: [`https://${host}.example/cb`] },
  });
  await call("updateOidcConfiguration", oidc("one"));
  await call("updateOidcConfiguration", oidc("two"));
  const params = { applicationId, inboundProtocolId: "oidc" };
  const { records: versions } = (await call("listInboundProtocolHistory", { params })).body as Shown;
  await call("restoreInboundProtocolVersion", { params: { ...params, version: versions[1].id } });
  const { stream_id } = (await call("createStream", { body: {} })).body;
  await call("replaceStream", { body: { stream_id, description: "replaced" } });
  await call("setStreamStatus", { body: { stream_id, status: "paused" } });
};

beforeAll(async () => {
  const call = callerOf(api.url);
  const called = new Map<OperationId, Received>();
  for (const [id, given] of changes(await createFixture(call))) {
    const sent: Sent = typeof given === "function" ? given((earlier) => called.get(earlier)?.body ?? {}) : given;
    called.set(id, await call(id, sent));
    if (sent.as) callers.set(id, sent.as.username);
  }
  await others(call);
  for (let path: string | undefined = "/api/server/v1/audit-events?limit=1000"; path; ) {
    const { body } = await api.ask("GET", path);
    for (const one of body.records) records.set(one.operation, [...(records.get(one.operation) ?? []), one]);
    path = body.next && `/api/server/v1/audit-events?limit=1000&after=${encodeURIComponent(body.next)}`;
  }
}, 120_000);

test("the list of operations without a record has no other, and none that leaves one", () => {
  expect(changing.length).toBeGreaterThan(80);
  expect(changing.filter((id) => !records.has(id)).sort()).toEqual(
    Object.keys(unrecorded)
      .filter((id) => ALWAYS[id as OperationId] === undefined)
      .sort(),
  );
});

test.each(changing.filter((id) => !unrecorded[id]))("%s leaves a record that says who, and from where", (id) => {
  // The service itself creates the super tenant.
  const own = (records.get(id) ?? []).filter(({ actor }) => actor.type !== "operator" || id !== "createTenant");
  expect(own.length).toBeGreaterThan(0);
  for (const { actor, tenant, sourceIp, traceId } of own) {
    expect(actor).toMatchObject({ type: "user", id: expect.stringMatching(/./), signIn: "password" });
    expect([callers.get(id), "admin"]).toContain(actor.name);
    expect([tenant, sourceIp, traceId]).toEqual([
      "carbon.super",
      expect.stringMatching(/./),
      expect.stringMatching(/./),
    ]);
  }
});
