/** What receivers of webhooks get: events, signatures, order, repetitions; and what they never get. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import { recordItems } from "#core/database/changes/record-rows.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { tableOf } from "#tests/support/people.ts";
import { receiver } from "#tests/support/receiver.ts";
import { type Ask, world } from "#tests/support/world.ts";
import { recordOf } from "#tests/unit/signals/support.ts";

const inbox = receiver();
const api = world({ delivers: true });
const { ask } = api;

const WEBHOOKS = "/api/server/v1/webhooks";
const WSO2 = { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" };
const CHANGES = { name: "Changes", uri: "urn:identity-admin-api:events" };
const of = (profile: { uri: string }, ...names: string[]) => names.map((name) => `${profile.uri}/${name}`);
const event = (profile: { uri: string }, channel: string, name: string) =>
  `${profile.uri}/${channel}/event-type/${name}`;
const SECRET = "the planted secret of a webhook";
const PASSWORD = "Planted-password-1";
let counter = 0;
const unique = (name: string) => {
  counter += 1;
  return `${name}.${counter}`;
};

const subscribe = async (path: string, more: Readonly<Record<string, unknown>> = {}, as?: Ask["as"]) => {
  const body = {
    endpoint: inbox.url(path),
    name: path,
    eventProfile: WSO2,
    channelsSubscribed: of(WSO2, "user", "credential", "role"),
    secret: SECRET,
    ...more,
  };
  const answer = await ask("POST", WEBHOOKS, { body, ...(as !== undefined && { as }) });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id as string;
};
const addUser = async (userName: string, as?: Ask["as"]) => {
  const body = {
    userName,
    password: PASSWORD,
    name: { givenName: "Kim", familyName: "Lee" },
    emails: ["kim@x.example"],
  };
  const answer = await ask("POST", "/scim2/Users", { body, ...(as !== undefined && { as }) });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id as string;
};
const patch = (id: string, ...Operations: unknown[]) =>
  ask("PATCH", `/scim2/Users/${id}`, {
    body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations },
  });
// Otherwise the receivers of all tests before get the events of this one.
afterEach(async () => {
  const { webhooks } = (await ask("GET", WEBHOOKS)).body;
  for (const { id } of webhooks) await ask("DELETE", `${WEBHOOKS}/${id}`);
});
const webhook = async (id: string) => (await ask("GET", `${WEBHOOKS}/${id}`)).body;
const until = async (id: string, is: (shown: { status: string; delivery: Record<string, unknown> }) => boolean) => {
  for (let tries = 0; tries < 400; tries += 1) {
    const shown = await webhook(id);
    if (is(shown)) return shown;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`the webhook is still ${JSON.stringify(await webhook(id))}`);
};
const eventIn = ({ body }: { body: { events: Record<string, unknown> } }) => Object.keys(body.events)[0] ?? "";

describe("events of WSO2 Identity Server", () => {
  test("tell of a user's life in order, with the signatures of both kinds, and without the password", async () => {
    await subscribe("/life");
    const name = unique("life");
    const id = await addUser(name);
    await patch(
      id,
      { op: "replace", path: "nickName", value: "Kimmy" },
      { op: "replace", path: "active", value: false },
    );
    await patch(id, { op: "replace", path: "password", value: `${PASSWORD}!` });
    await ask("DELETE", `/scim2/Users/${id}`);
    const messages = await inbox.waitFor("/life", 5);
    expect(messages.map(eventIn)).toEqual([
      event(WSO2, "user", "userCreated"),
      event(WSO2, "user", "userDisabled"),
      event(WSO2, "user", "userProfileUpdated"),
      event(WSO2, "credential", "credentialUpdated"),
      event(WSO2, "user", "userDeleted"),
    ]);
    const [created, , updated, credential] = messages;
    expect(created?.body).toEqual({
      iss: `${api.url}/t/carbon.super`,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: expect.any(Number),
      rci: expect.any(String),
      events: {
        [event(WSO2, "user", "userCreated")]: {
          initiatorType: "ADMIN",
          initiatorIpAddress: expect.any(String),
          user: {
            id,
            ref: `${api.url}/t/carbon.super/scim2/Users/${id}`,
            claims: expect.arrayContaining([
              { uri: "http://wso2.org/claims/username", value: name },
              { uri: "http://wso2.org/claims/givenname", value: "Kim" },
              { uri: "http://wso2.org/claims/lastname", value: "Lee" },
              { uri: "http://wso2.org/claims/emailaddress", value: "kim@x.example" },
            ]),
          },
          userStore: { id: "UFJJTUFSWQ==", name: "PRIMARY" },
          action: "REGISTER",
          tenant: { id: expect.any(String), name: "carbon.super" },
        },
      },
    });
    const payload = (message: typeof created) => Object.values(message?.body.events ?? {})[0];
    expect(payload(updated)).toMatchObject({
      user: { addedClaims: [{ uri: "http://wso2.org/claims/nickname", value: "Kimmy" }] },
    });
    expect(payload(credential)).toMatchObject({ credentialType: "password", action: "CREDENTIAL_UPDATE" });

    // Standard Webhooks 1.0.0, computed here from its text.
    for (const { headers, text } of messages) {
      const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = headers;
      const standard = createHmac("sha256", SECRET).update(`${id}.${time}.${text}`).digest();
      const [version, sent = ""] = String(signature).split(",");
      expect(version).toBe("v1");
      expect(timingSafeEqual(Buffer.from(sent, "base64"), standard)).toBe(true);
      const upstream = createHmac("sha256", SECRET).update(text).digest("hex");
      expect(headers["x-wso2-event-signature"]).toBe(`sha256=${upstream}`);
      expect(headers["content-type"]).toBe("application/json");
      expect(id).toBe(JSON.parse(text).jti);
      expect(Math.abs(Number(time) * 1_000 - Date.now())).toBeLessThan(300_000);
    }
    const everything = JSON.stringify(messages);
    expect(everything).not.toMatch(/planted/i);
    expect(everything).not.toMatch(/scrypt|argon|pbkdf2/i);
  });

  test("tell of roles: members and permissions that were added and removed", async () => {
    await subscribe("/roles", { channelsSubscribed: of(WSO2, "role") });
    const user = await addUser(unique("member"));
    const schemas = ["urn:ietf:params:scim:schemas:extension:2.0:Role"];
    const made = await ask("POST", "/scim2/v2/Roles", { body: { schemas, displayName: unique("auditors") } });
    expect(made.status).toBe(201);
    const change = (op: unknown) =>
      ask("PATCH", `/scim2/v2/Roles/${made.body.id}`, {
        body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations: [op] },
      });
    await change({ op: "add", path: "users", value: [{ value: user }] });
    await change({ op: "replace", path: "permissions", value: [{ value: "internal_user_mgt_view" }] });
    await ask("DELETE", `/scim2/v2/Roles/${made.body.id}`);
    const messages = await inbox.waitFor("/roles", 4);
    expect(messages.map(eventIn)).toEqual([
      event(WSO2, "role", "roleCreated"),
      event(WSO2, "role", "roleUsersUpdated"),
      event(WSO2, "role", "rolePermissionsUpdated"),
      event(WSO2, "role", "roleDeleted"),
    ]);
    const roles = messages.map(({ body }) => Object.values(body.events as Record<string, { role: unknown }>)[0]?.role);
    expect(roles[1]).toMatchObject({ addedUsers: [{ id: user }] });
    expect(roles[2]).toMatchObject({ addedPermissions: [{ name: "internal_user_mgt_view" }] });
  });
});

describe("events of the profile Changes", () => {
  test("tell of every kind of resource what changed, without values and secrets", async () => {
    const channelsSubscribed = of(CHANGES, "application", "group");
    await subscribe("/changes", { eventProfile: CHANGES, channelsSubscribed });
    const id = await api.create({
      name: unique("Billing"),
      inboundProtocolConfiguration: {
        oidc: { grantTypes: ["client_credentials"], clientSecret: "Planted-client-secret-0123456789-abcdef" },
      },
    });
    await ask("PATCH", `/api/server/v1/applications/${id}`, { body: { description: "planted description" } });
    await ask("POST", "/scim2/Groups", { body: { displayName: unique("group") } });
    await ask("DELETE", `/api/server/v1/applications/${id}`);
    const messages = await inbox.waitFor("/changes", 4);
    // In order for each resource: those of two resources may change places.
    const [created, updated, deleted, ...more] = messages.filter((each) => eventIn(each).includes("/application/"));
    expect(more).toEqual([]);
    expect([created, updated, deleted].map((each) => each && eventIn(each))).toEqual([
      event(CHANGES, "application", "created"),
      event(CHANGES, "application", "updated"),
      event(CHANGES, "application", "deleted"),
    ]);
    expect(messages.map(eventIn)).toContain(event(CHANGES, "group", "created"));
    expect(Object.values(updated?.body.events ?? {})[0]).toMatchObject({
      operation: "patchApplication",
      actor: { type: "user", name: "admin" },
      resource: { type: "application", id },
      changes: [{ op: "add", path: "/description" }],
    });
    expect(JSON.stringify(messages)).not.toMatch(/planted/i);
  });
});

describe("two tenants", () => {
  test("never see each other's events", async () => {
    const administrator = { username: "boss", password: PASSWORD };
    await bootstrapTenant(tableOf(api.service), "acme.example", administrator);
    const as = { username: "boss@acme.example", password: PASSWORD };
    await subscribe("/acme", {}, as);
    await subscribe("/super");
    const [theirs, ours] = [unique("theirs"), unique("ours")];
    await addUser(theirs, as);
    await addUser(ours);
    const [acme] = await inbox.waitFor("/acme", 1);
    const [carbon] = await inbox.waitFor("/super", 1);
    expect(acme?.body.iss).toBe(`${api.url}/t/acme.example`);
    expect(acme?.text).toContain(theirs);
    expect(carbon?.text).toContain(ours);
    await addUser(unique("last"), as);
    await inbox.waitFor("/acme", 2);
    expect(JSON.stringify(inbox.at("/acme"))).not.toContain(ours);
    expect(JSON.stringify(inbox.at("/super"))).not.toContain(theirs);
    const [own] = (await ask("GET", WEBHOOKS, { as })).body.webhooks;
    expect((await ask("GET", `${WEBHOOKS}/${own.id}`)).status).toBe(404);
    expect(
      (await ask("POST", `${WEBHOOKS}/${own.id}/replay`, { body: { since: "2026-01-01T00:00:00Z" } })).status,
    ).toBe(404);
    const { delivery } = (await ask("GET", `${WEBHOOKS}/${own.id}`, { as })).body;
    const mine = await subscribe("/mine");
    const stolen = await ask("POST", `${WEBHOOKS}/${mine}/replay`, { body: { cursor: delivery.cursor } });
    expect(stolen.status).toBe(400);
  });
});

describe("a receiver that fails", () => {
  test("gets the same event again, in order, with the same id and another time; GET shows why", async () => {
    let isDown = true;
    inbox.respond("/flaky", (_, response) => void response.writeHead(isDown ? 503 : 200).end("secret of the receiver"));
    const id = await subscribe("/flaky");
    const user = await addUser(unique("ann"));
    await patch(user, { op: "replace", path: "password", value: `${PASSWORD}!` });
    const shown = await until(id, ({ delivery }) => delivery.failedAttempts === 1);
    expect(shown.delivery).toMatchObject({
      lastFailure: "The receiver responded with 503.",
      nextAttemptAt: expect.any(String),
    });
    expect(shown.status).toBe("ACTIVE");
    isDown = false;
    expect((await ask("POST", `${WEBHOOKS}/${id}/retry`)).status).toBe(200);
    const [failed, repeated, next] = await inbox.waitFor("/flaky", 3);
    expect(repeated?.text).toBe(failed?.text);
    expect(repeated?.headers["webhook-id"]).toBe(failed?.headers["webhook-id"]);
    expect(failed && eventIn(failed)).toBe(event(WSO2, "user", "userCreated"));
    expect(next && eventIn(next)).toBe(event(WSO2, "credential", "credentialUpdated"));
    const after = await until(id, ({ delivery }) => delivery.failedAttempts === 0);
    expect(after.delivery.lastFailure).toBeUndefined();
  });

  test("with 410 is paused with a reason, until its owner activates it: nothing is missing", async () => {
    let isGone = true;
    inbox.respond("/gone", (_, response) => void response.writeHead(isGone ? 410 : 204).end());
    const id = await subscribe("/gone");
    const name = unique("gone");
    await addUser(name);
    const shown = await until(id, ({ status }) => status === "INACTIVE");
    expect(shown.delivery).toMatchObject({
      pausedReason: "The receiver responded with 410. It wants no further events.",
      pausedAt: expect.any(String),
    });
    expect((await ask("POST", `${WEBHOOKS}/${id}/deactivate`)).body.code).toBe("WEBHOOKMGT-60014");
    isGone = false;
    expect((await ask("POST", `${WEBHOOKS}/${id}/activate`)).body.status).toBe("ACTIVE");
    const [, again] = await inbox.waitFor("/gone", 2);
    expect(again?.text).toContain(name);
  });

  test("with 429 is asked again when it says", async () => {
    inbox.respond("/busy", (_, response) => void response.writeHead(429, { "retry-after": "600" }).end());
    const id = await subscribe("/busy");
    await addUser(unique("busy"));
    const { delivery } = await until(id, ({ delivery }) => delivery.failedAttempts === 1);
    expect(Date.parse(String(delivery.nextAttemptAt)) - Date.now()).toBeGreaterThan(500_000);
  });

  test("with a redirect is not followed", async () => {
    inbox.respond("/moved", (_, response) => void response.writeHead(307, { location: inbox.url("/inside") }).end());
    const id = await subscribe("/moved");
    await addUser(unique("moved"));
    const { delivery } = await until(id, ({ delivery }) => delivery.failedAttempts === 1);
    expect(delivery.lastFailure).toBe("The receiver responded with 307.");
    expect(inbox.at("/inside")).toEqual([]);
  });

  test("that is not public any more by its name gets nothing", async () => {
    const id = await subscribe("/unused", { endpoint: "https://localhost/hook" });
    await addUser(unique("inside"));
    const { delivery } = await until(id, ({ delivery }) => delivery.failedAttempts === 1);
    expect(delivery.lastFailure).toBe("The URL does not lead to a public address.");
  });

  test("that breaks the connection is named as such", async () => {
    inbox.respond("/broken", ({ socket }) => void socket.destroy());
    const id = await subscribe("/broken");
    await addUser(unique("broken"));
    const { delivery } = await until(id, ({ delivery }) => delivery.failedAttempts === 1);
    expect(delivery.lastFailure).toMatch(/^The connection to the receiver failed \(E?[A-Z_]+\)\.$/);
  });
});

describe("replay", () => {
  test("sends events again from a time or a cursor on, with the same ids", async () => {
    const id = await subscribe("/replay");
    const [first, second] = [unique("ann"), unique("bob")];
    await addUser(first);
    await inbox.waitFor("/replay", 1);
    const { delivery } = await until(id, ({ delivery }) => delivery.lastDeliveredAt !== undefined);
    await addUser(second);
    const before = await inbox.waitFor("/replay", 2);
    const since = new Date(Number(before[0]?.body.iat)).toISOString();
    expect((await ask("POST", `${WEBHOOKS}/${id}/replay`, { body: { since } })).status).toBe(200);
    const texts = (await inbox.waitFor("/replay", 4)).map(({ text }) => text);
    expect(texts.slice(2)).toEqual(texts.slice(0, 2));
    await ask("POST", `${WEBHOOKS}/${id}/replay`, { body: { cursor: delivery.cursor } });
    expect((await inbox.waitFor("/replay", 5))[4]?.text).toBe(texts[1]);
  });
});

test("a new webhook misses no change that was made before it and became visible after it", async () => {
  await addUser(unique("before"));
  const [atMs, late] = [Date.now() - 1_000, unique("late")];
  await subscribe("/new", { eventProfile: CHANGES, channelsSubscribed: of(CHANGES, "user") });
  const id = changeIdOf(atMs, digestOfResource("user", late));
  const record = recordOf([{ op: "replace", path: "/title", value: "b", from: "a" }], {
    id,
    atMs,
    resource: { type: "user", id: late },
  });
  const { item } = recordItems(record, [], 4_000_000_000);
  await tableOf(api.service).write({ put: item, when: "absent", otherwise: () => new Error("it exists") });
  const user = await addUser(unique("after"));
  const [first, second] = await inbox.waitFor("/new", 2);
  expect(first?.text).toContain(late);
  expect(second?.text).toContain(user);
});

describe("an inactive webhook", () => {
  test("gets nothing, and later what it missed", async () => {
    const id = await subscribe("/off", { status: "INACTIVE" });
    const name = unique("off");
    await addUser(name);
    await subscribe("/on");
    await addUser(unique("on"));
    await inbox.waitFor("/on", 1);
    expect(inbox.at("/off")).toEqual([]);
    await ask("POST", `${WEBHOOKS}/${id}/activate`);
    expect((await inbox.waitFor("/off", 2))[0]?.text).toContain(name);
  });
});

describe("a webhook without a secret", () => {
  test("gets messages without signatures", async () => {
    await subscribe("/plain", { secret: undefined });
    await addUser(unique("plain"));
    const [message] = await inbox.waitFor("/plain", 1);
    expect(message?.headers).toMatchObject({ "webhook-id": message?.body.jti });
    expect(Object.keys(message?.headers ?? {}).filter((name) => name.includes("signature"))).toEqual([]);
  });
});
