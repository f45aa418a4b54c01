/** What a webhook shows: no more than who sent its settings last may read when an event is sent (decision 0149). */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { resourceTypes } from "#core/database/changes/model.ts";
import { readScopes } from "#core/database/changes/read-scopes.ts";
import { catalogue } from "#core/service/catalogue.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { type Arrived, receiver } from "#tests/support/receiver.ts";
import { type Ask, world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world({ delivers: true });
const oauth = oauthOf(api);
const { ask } = api;

const WEBHOOKS = "/api/server/v1/webhooks";
const WSO2 = { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" };
const CHANGES = { name: "Changes", uri: "urn:identity-admin-api:events" };
const password = "a-long-password";
const OWN = ["internal_webhook_create", "internal_webhook_update", "internal_webhook_view"];
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const ids: Record<string, string> = {};
const as = (username: string): Ask["as"] => ({ username, password });

let counter = 0;
const unique = (name: string) => {
  counter += 1;
  return `${name}.${counter}`;
};
const body = (path: string, profile = WSO2, ...channels: string[]) => ({
  endpoint: inbox.url(path),
  name: path.slice(1),
  eventProfile: profile,
  channelsSubscribed: channels.map((name) => `${profile.uri}/${name}`),
  secret: "a secret of the receiver",
});
const subscribe = async (who: Ask["as"], sent: unknown) => {
  const answer = await ask("POST", WEBHOOKS, { body: sent, ...(who !== undefined && { as: who }) });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
const planted = async (name = unique("planted")) => {
  const user = { userName: name, password, name: { givenName: "Plantedname" } };
  const answer = await ask("POST", "/scim2/Users", { body: user });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id as string;
};
const until = async <T>(read: () => Promise<T>, is: (value: T) => boolean): Promise<T> => {
  for (let tries = 0; tries < 400; tries += 1) {
    const value = await read();
    if (is(value)) return value;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`it is still ${JSON.stringify(await read())}`);
};
/** The delivery reads the rights of an owner again after a second. */
const fresh = () => new Promise((done) => setTimeout(done, 1_200));
const shown = async (id: string) => (await ask("GET", `${WEBHOOKS}/${id}`)).body;
const setPermissions = (role: string, ...permissions: string[]) =>
  ask("PATCH", `/scim2/v2/Roles/${role}`, {
    body: {
      schemas: [PATCH],
      Operations: [{ op: "replace", path: "permissions", value: permissions.map((value) => ({ value })) }],
    },
  });
const roleOf = async (username: string): Promise<string> => {
  const filter = encodeURIComponent(`displayName eq "role of ${username}"`);
  return (await ask("GET", `/scim2/v2/Roles?filter=${filter}`)).body.Resources[0].id;
};
const texts = (messages: readonly Arrived[]) => messages.map(({ text }) => text).join("\n");
// biome-ignore lint/suspicious/noExplicitAny: any event
const payload = (message: Arrived | undefined): any => Object.values(message?.body.events ?? {})[0];

beforeAll(async () => {
  const people: Readonly<Record<string, readonly string[]>> = {
    blind: OWN,
    reader: [...OWN, "internal_user_mgt_view"],
    auditor: [...OWN, "internal_audit_view"],
    leaver: [...OWN, "internal_user_mgt_view"],
    demoted: [...OWN, "internal_user_mgt_view", "internal_audit_view"],
  };
  for (const [username, scopes] of Object.entries(people)) {
    ids[username] = await addUser(api.service, { username, password, scopes });
  }
});
afterEach(async () => {
  const { webhooks } = (await ask("GET", WEBHOOKS)).body;
  for (const { id } of webhooks) await ask("DELETE", `${WEBHOOKS}/${id}`);
});

describe("the read scopes of who sent the settings", () => {
  test("decide about values: without one for a type, its events have ids only, and GET says so", async () => {
    const blind = await subscribe(as("blind"), body("/blind", WSO2, "user", "role", "credential"));
    const blindChanges = await subscribe(as("blind"), body("/blind-changes", CHANGES, "user", "role"));
    const reader = await subscribe(as("reader"), body("/reader", WSO2, "user", "role"));
    expect(blind.delivery.idsOnly).toEqual(["user", "role"]);
    expect(blindChanges.delivery.idsOnly).toEqual(["user", "role"]);
    expect(reader.delivery.idsOnly).toEqual(["role"]);
    const user = await planted();
    await ask("PATCH", `/scim2/Users/${user}`, {
      body: { schemas: [PATCH], Operations: [{ op: "replace", path: "nickName", value: "Plantednick" }] },
    });
    const schemas = ["urn:ietf:params:scim:schemas:extension:2.0:Role"];
    const role = await ask("POST", "/scim2/v2/Roles", {
      body: { schemas, displayName: unique("planted"), users: [{ value: user }] },
    });
    expect(role.status).toBe(201);
    for (const path of ["/blind", "/blind-changes"]) {
      const messages = await inbox.waitFor(path, 3);
      expect(texts(messages)).not.toMatch(/planted/i);
      expect(messages.map((one) => payload(one).user?.id ?? payload(one).role?.id ?? payload(one).resource.id)).toEqual(
        [user, user, role.body.id],
      );
    }
    // The members of a role are data of the role.
    expect(payload(inbox.at("/blind")[2]).role).toEqual({ id: role.body.id, ref: expect.any(String) });
    expect(payload(inbox.at("/blind-changes")[1])).not.toHaveProperty("changes");
    const read = await inbox.waitFor("/reader", 3);
    expect(texts(read.slice(0, 1))).toContain("Plantedname");
    expect(texts(read.slice(1, 2))).toContain("Plantednick");
    expect(texts(read.slice(2))).not.toMatch(/planted/i);
  });

  test("count as they are now: who loses one, or all rights, gets no further values, also by a replay", async () => {
    const { id } = await subscribe(as("demoted"), body("/demoted", WSO2, "user"));
    expect((await shown(id)).delivery).toMatchObject({ showsActors: true, idsOnly: [] });
    await planted();
    expect(texts(await inbox.waitFor("/demoted", 1))).toMatch(/Plantedname/);
    await setPermissions(await roleOf("demoted"), ...OWN);
    await fresh();
    await planted();
    const second = (await inbox.waitFor("/demoted", 2))[1];
    expect(second?.text).not.toMatch(/Plantedname/);
    expect(payload(second)).not.toHaveProperty("initiatorIpAddress");
    const since = new Date(Number(inbox.at("/demoted")[0]?.body.iat)).toISOString();
    expect((await ask("POST", `${WEBHOOKS}/${id}/replay`, { body: { since } })).status).toBe(200);
    expect(texts((await inbox.waitFor("/demoted", 4)).slice(2))).not.toMatch(/Plantedname/);
    const { delivery } = await until(
      () => shown(id),
      ({ delivery }) => delivery.idsOnly.length > 0,
    );
    expect(delivery).toMatchObject({ idsOnly: ["user"], showsActors: false });
  });

  test("of a narrow token are no wider than the token, whatever its user may read", async () => {
    const client = await oauth.newClient(["internal_webhook_create", "internal_user_mgt_view"]);
    const { access_token } = await oauth.token(client, {
      grant_type: "password",
      username: "admin",
      password: "admin",
      scope: "internal_webhook_create",
    });
    const { delivery } = await subscribe(`Bearer ${access_token}`, body("/narrow", WSO2, "user"));
    expect(delivery).toMatchObject({ idsOnly: ["user"], showsActors: false });
    await planted();
    expect(texts(await inbox.waitFor("/narrow", 1))).not.toMatch(/planted/i);
  });

  test("of an application are those that it is authorized for, as long as it is", async () => {
    const client = await oauth.newClient(["internal_webhook_create", "internal_user_mgt_view"]);
    const token = await oauth.ownToken(client, "internal_webhook_create internal_user_mgt_view");
    const { id } = await subscribe(`Bearer ${token}`, body("/client", WSO2, "user"));
    await planted();
    expect(texts(await inbox.waitFor("/client", 1))).toMatch(/Plantedname/);
    await ask("DELETE", `/api/server/v1/applications/${client.applicationId}`);
    await fresh();
    await planted();
    const { status, delivery } = await until(
      () => shown(id),
      (one) => one.status === "INACTIVE",
    );
    expect(status).toBe("INACTIVE");
    expect(delivery.pausedReason).toMatch(/^Who sent its settings last /);
    expect(inbox.at("/client")).toHaveLength(1);
  });

  test("are those of who sends a PUT: the values end with it", async () => {
    const sent = body("/taken", WSO2, "user");
    const { id } = await subscribe(undefined, sent);
    expect((await shown(id)).delivery.idsOnly).toEqual([]);
    const put = await ask("PUT", `${WEBHOOKS}/${id}`, { body: sent, as: as("blind") });
    expect(put.body.delivery).toMatchObject({ idsOnly: ["user"], showsActors: false });
    await planted();
    expect(texts(await inbox.waitFor("/taken", 1))).not.toMatch(/planted/i);
  });

  test("end with a user who is deactivated: nothing is sent until somebody else sends the settings", async () => {
    const sent = body("/leaver", WSO2, "user");
    const { id } = await subscribe(as("leaver"), sent);
    const off = { schemas: [PATCH], Operations: [{ op: "replace", path: "active", value: false }] };
    expect((await ask("PATCH", `/scim2/Users/${ids.leaver}`, { body: off })).status).toBe(200);
    await fresh();
    const user = await planted();
    const { delivery } = await until(
      () => shown(id),
      (one) => one.status === "INACTIVE",
    );
    expect(delivery.pausedReason).toMatch(/^Who sent its settings last .* PUT/);
    expect(texts(inbox.at("/leaver"))).not.toContain(user);
    expect((await ask("PUT", `${WEBHOOKS}/${id}`, { body: sent })).body.status).toBe("ACTIVE");
    const messages = await until(
      async () => inbox.at("/leaver"),
      (all) => all.some(({ text }) => text.includes(user)),
    );
    expect(texts(messages)).toContain("Plantedname");
  });
});

describe("a replay", () => {
  const replay = (id: string, sent: unknown, who?: Ask["as"]) =>
    ask("POST", `${WEBHOOKS}/${id}/replay`, { body: sent, ...(who !== undefined && { as: who }) });

  test("goes back to the creation of the webhook, and further only with internal_audit_view", async () => {
    const hidden = await planted(unique("hidden"));
    const { records } = (await ask("GET", `/api/server/v1/audit-events?resourceId=${hidden}`)).body;
    const { next } = (await ask("GET", "/api/server/v1/changes?limit=1")).body;
    const { id, createdAt } = await subscribe(as("reader"), body("/early", WSO2, "user"));
    for (const sent of [{ since: records[0].time }, { since: "2020-01-01T00:00:00Z" }, { cursor: next }]) {
      const refused = await replay(id, sent, as("reader"));
      expect(refused).toMatchObject({ status: 403, body: { description: expect.stringContaining(createdAt) } });
      expect(refused.body.description).toContain("internal_audit_view");
    }
    expect((await replay(id, { since: createdAt }, as("reader"))).status).toBe(200);
    const { delivery } = await shown(id);
    expect((await replay(id, { cursor: delivery.cursor }, as("reader"))).status).toBe(200);
    const user = await planted();
    const messages = await inbox.waitFor("/early", 1);
    expect(texts(messages)).toContain(user);
    expect(texts(inbox.at("/early"))).not.toContain(hidden);
    expect((await replay(id, { since: records[0].time }, as("auditor"))).status).toBe(200);
    await until(
      async () => texts(inbox.at("/early")),
      (text) => text.includes(hidden),
    );
  });
});

describe("another endpoint", () => {
  test("does not get signatures under the secret of the one before", async () => {
    const { id, delivery } = await subscribe(undefined, body("/home", WSO2, "user"));
    expect(delivery.isSigned).toBe(true);
    const { secret: _, ...moved } = body("/elsewhere", WSO2, "user");
    const put = await ask("PUT", `${WEBHOOKS}/${id}`, { body: moved });
    expect(put).toMatchObject({ status: 200, body: { delivery: { isSigned: false } } });
    await planted();
    const [message] = await inbox.waitFor("/elsewhere", 1);
    expect(Object.keys(message?.headers ?? {}).filter((name) => name.includes("signature"))).toEqual([]);
    const back = await ask("PUT", `${WEBHOOKS}/${id}`, { body: { ...moved, secret: "another secret" } });
    expect(back.body.delivery.isSigned).toBe(true);
    // The same endpoint keeps it.
    expect((await ask("PUT", `${WEBHOOKS}/${id}`, { body: moved })).body.delivery.isSigned).toBe(true);
  });
});

test("the scope of each type is that of the operation that reads the type", () => {
  const reading = {
    application: catalogue.getApplication,
    "inbound-protocol": catalogue.getApplication,
    "authorized-apis": catalogue.listAuthorizedApis,
    assignments: catalogue.listAssignments,
    "application-template": catalogue.getApplicationTemplate,
    "resident-application": catalogue.getResidentApplication,
    "api-resource": catalogue.getApiResource,
    "oidc-scopes": catalogue.getOidcScope,
    user: catalogue.getUser,
    group: catalogue.getGroup,
    role: catalogue.getRole,
    tenant: catalogue.getTenant,
    webhook: catalogue.getWebhook,
    "event-stream": catalogue.listChanges,
  };
  for (const type of resourceTypes) expect(readScopes[type], type).toBe(reading[type].scope);
});
