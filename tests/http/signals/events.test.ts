/** Security events of users, groups and roles, as a receiver that polls gets and verifies them. */
import { afterEach, describe, expect, test } from "vitest";
import { oauthOf } from "#tests/support/oauth.ts";
import { RFC7644 } from "#tests/support/scim.ts";
import { CAEP, receiverOf, SCIM, SSF, typesOf, verifiedSet } from "#tests/support/signals.ts";
import { basic, world } from "#tests/support/world.ts";

const api = world({ deployment: RFC7644 });
const receiver = receiverOf(api);
const oauth = oauthOf(api);
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const PLANTED = "Planted-Secret-81!";

let made = 0;
const newUser = async (more: object = {}) => {
  made += 1;
  const body = { userName: `signal-${made}`, ...more };
  const answer = await api.ask("POST", "/scim2/Users", { body });
  expect(answer.status).toBe(201);
  return { id: answer.body.id as string, name: body.userName };
};
const patch = (path: string, ...Operations: unknown[]) =>
  api.ask("PATCH", path, { body: { schemas: [PATCH], Operations } });
afterEach(() => receiver.deleteAll());

const about = (id: string) => ({ format: "scim", uri: `/Users/${id}` });

describe("pollStream", () => {
  test("delivers the life of a user in order, signed by the published keys", async () => {
    const stream = await receiver.stream();
    const { id, name } = await newUser({ externalId: "x-1", password: PLANTED, name: { givenName: "A" } });
    await patch(`/scim2/Users/${id}`, { op: "replace", path: "name.familyName", value: "Miller" });
    await api.ask("PUT", `/scim2/Users/${id}`, { body: { userName: name, nickName: "n" } });
    await patch(`/scim2/Users/${id}`, { op: "replace", path: "active", value: false });
    await api.ask("DELETE", `/scim2/Users/${id}`);
    const events = await receiver.events(stream);
    expect(typesOf(events)).toEqual([
      "prov:create:notice",
      "credential-change",
      "prov:patch:notice",
      "prov:put:notice",
      "prov:patch:notice",
      "prov:deactivate",
      "session-revoked",
      "prov:delete",
      "session-revoked",
    ]);
    const { issuer } = await receiver.metadata();
    const isScim = (event: (typeof events)[number]) => Object.keys(event.events)[0]?.startsWith(SCIM);
    for (const event of events) {
      expect(event.sub_id).toEqual(
        isScim(event) ? { ...about(id), ...externalOf(event) } : { format: "iss_sub", iss: issuer, sub: id },
      );
    }
    expect(new Set(events.map(({ jti }) => jti)).size).toBe(events.length);
    expect(new Set(events.map(({ txn }) => txn)).size).toBe(5);
    expect(events[2]?.events[`${SCIM}prov:patch:notice`]).toEqual({ attributes: ["name.familyName"] });
    await receiver.drain(stream);
    expect(await receiver.events(stream)).toEqual([]);
  });
  test("delivers groups with their members, and roles", async () => {
    const stream = await receiver.stream({
      events_requested: [`${SCIM}prov:create:full`, `${SCIM}prov:patch:full`, `${SCIM}prov:delete`],
    });
    const { id } = await newUser();
    await receiver.drain(stream);
    const group = await api.ask("POST", "/scim2/Groups", {
      body: { displayName: "signals", members: [{ value: id }] },
    });
    await patch(`/scim2/Groups/${group.body.id}`, { op: "remove", path: `members[value eq "${id}"]` });
    const role = await api.ask("POST", "/scim2/v2/Roles", {
      body: { displayName: "signals", permissions: [{ value: "internal_user_mgt_view" }] },
    });
    expect(role.status).toBe(201);
    await api.ask("DELETE", `/scim2/v2/Roles/${role.body.id}`);
    const events = await receiver.events(stream);
    expect(events.map(({ sub_id, events: own }) => [sub_id.uri, own])).toEqual([
      [
        `/Groups/${group.body.id}`,
        {
          [`${SCIM}prov:create:full`]: {
            data: {
              schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
              id: group.body.id,
              displayName: "signals",
              members: [{ value: id }],
            },
          },
        },
      ],
      [
        `/Groups/${group.body.id}`,
        {
          [`${SCIM}prov:patch:full`]: {
            data: { schemas: [PATCH], Operations: [{ op: "remove", path: `members[value eq "${id}"]` }] },
          },
        },
      ],
      [
        `/v2/Roles/${role.body.id}`,
        {
          [`${SCIM}prov:create:full`]: {
            data: expect.objectContaining({
              displayName: "signals",
              permissions: [{ value: "internal_user_mgt_view" }],
            }),
          },
        },
      ],
      [`/v2/Roles/${role.body.id}`, { [`${SCIM}prov:delete`]: {} }],
    ]);
  });
  test("delivers a replacement as the resource was right after it, also when it has changed since", async () => {
    const stream = await receiver.stream({ events_requested: [`${SCIM}prov:put:full`] });
    const { id, name } = await newUser({ title: "first" });
    await api.ask("PUT", `/scim2/Users/${id}`, { body: { userName: name, title: "second" } });
    await patch(`/scim2/Users/${id}`, { op: "replace", path: "title", value: "third" });
    const [event, ...more] = await receiver.events(stream);
    expect(more).toEqual([]);
    expect(event?.events[`${SCIM}prov:put:full`].data).toMatchObject({
      id,
      userName: name,
      title: "second",
      active: true,
    });
  });
  test("sends data only for what the token of the call may read", async () => {
    const requested = [`${SCIM}prov:create:full`, `${SCIM}prov:create:notice`];
    const client = await oauth.newClient(["ssf.read", "ssf.manage", "internal_user_mgt_view"]);
    const as = async (scope: string) => {
      const { access_token } = await oauth.token(client, { grant_type: "client_credentials", scope });
      return receiverOf(api, `Bearer ${access_token}`);
    };
    const all = await as("ssf.read ssf.manage internal_user_mgt_view");
    const stream = await all.stream({ events_requested: requested });
    await newUser();
    expect(typesOf(await all.events(stream))).toEqual(["prov:create:full"]);
    expect(typesOf(await (await as("ssf.read")).events(stream))).toEqual(["prov:create:notice"]);
  });
  test("contains no secret, in no event of any kind", async () => {
    const { events_supported } = (await receiver.create()).body;
    const stream = await receiver.stream({ events_requested: events_supported });
    const { id } = await newUser({ password: PLANTED });
    await patch(`/scim2/Users/${id}`, { op: "replace", path: "password", value: `${PLANTED}2` });
    const events = await receiver.events(stream);
    expect(typesOf(events)).toEqual([
      "prov:create:full",
      "credential-change",
      "prov:patch:notice",
      "credential-change",
      "session-revoked",
    ]);
    expect(events[3]?.events[`${CAEP}credential-change`]).toEqual({
      event_timestamp: expect.any(Number),
      initiating_entity: "admin",
      credential_type: "password",
      change_type: "update",
    });
    expect(JSON.stringify(events)).not.toContain(PLANTED.slice(0, 10));
    expect(JSON.stringify(events)).not.toMatch(/argon2|\$/);
  });
  test("says that a user changed the own password", async () => {
    const stream = await receiver.stream({ events_requested: [`${CAEP}credential-change`] });
    const { id, name } = await newUser({ password: PLANTED });
    await receiver.drain(stream);
    const as = basic({ username: name, password: PLANTED });
    const answer = await api.ask("PATCH", "/scim2/Me", {
      as,
      body: { schemas: [PATCH], Operations: [{ op: "replace", path: "password", value: `${PLANTED}3` }] },
    });
    expect(answer.status).toBe(200);
    const [event] = await receiver.events(stream);
    expect(event?.sub_id.sub).toBe(id);
    expect(event?.events[`${CAEP}credential-change`].initiating_entity).toBe("user");
  });
  test("forgets what is acknowledged or refused, one by one, and says whether more waits", async () => {
    const stream = await receiver.stream({ events_requested: [`${SCIM}prov:create:notice`] });
    for (let count = 0; count < 4; count += 1) await newUser();
    const first = await receiver.poll(stream, { maxEvents: 3 });
    const [one = "", two = "", three = ""] = Object.keys(first.body.sets);
    expect([Object.keys(first.body.sets).length, first.body.moreAvailable]).toEqual([3, true]);
    expect(first.headers.get("cache-control")).toBe("no-store");
    const second = await receiver.poll(stream, {
      ack: [three],
      setErrs: { [one]: { err: "invalid_key", description: "unknown key" } },
    });
    expect([Object.keys(second.body.sets).length, second.body.moreAvailable]).toEqual([2, undefined]);
    expect(Object.keys(second.body.sets)[0]).toBe(two);
    const last = await receiver.poll(stream, { ack: Object.keys(second.body.sets), maxEvents: 0 });
    expect(last.body).toEqual({ sets: {} });
  });
  test("waits for an event unless it is told not to", async () => {
    const stream = await receiver.stream({ events_requested: [`${SCIM}prov:create:notice`] });
    const answer = receiver.ask("POST", `/ssf/poll/${stream}`, {});
    await newUser();
    expect(Object.keys((await answer).body.sets)).toHaveLength(1);
  });
  test("delivers to each stream by itself, under ids of its own", async () => {
    const requested = { events_requested: [`${SCIM}prov:create:notice`] };
    const [one, two] = [await receiver.stream(requested), await receiver.stream(requested)];
    await newUser();
    const [[a], [b]] = [await receiver.events(one), await receiver.events(two)];
    expect(a?.txn).toBe(b?.txn);
    expect(a?.jti).not.toBe(b?.jti);
    await receiver.drain(one);
    expect(await receiver.events(two)).toHaveLength(1);
  });
  test("refuses another stream than the caller's own, and one that is pushed", async () => {
    expect((await receiver.poll("unknown")).status).toBe(404);
    expect((await receiver.poll("unknown", { maxEvents: -1 })).status).toBe(400);
  });
});

describe("getSignalKeys", () => {
  test("has public keys only, which are not those of access tokens", async () => {
    const stream = await receiver.stream({ events_requested: [`${SCIM}prov:create:notice`] });
    await newUser();
    const [set = ""] = Object.values<string>((await receiver.poll(stream)).body.sets);
    const metadata = await receiver.metadata();
    const { header } = await verifiedSet(set, metadata);
    expect(header).toMatchObject({ typ: "secevent+jwt", alg: "ES256" });
    const { keys } = (await api.ask("GET", "/ssf/jwks", { as: null })).body;
    expect(keys.map(({ kid }: { kid: string }) => kid)).toContain(header.kid);
    for (const key of keys) expect(key).not.toHaveProperty("d");
    const own = (await api.ask("GET", "/oauth2/jwks", { as: null })).body.keys;
    expect(own.map(({ kid }: { kid: string }) => kid)).not.toContain(header.kid);
    const asToken = await api.ask("GET", "/scim2/Users", { as: `Bearer ${set}` });
    expect(asToken.status).toBe(401);
  });
});

describe("verifyStream", () => {
  test("sends the state back in an event about the stream, whatever the stream delivers", async () => {
    const stream = await receiver.stream({ events_requested: [`${SCIM}prov:delete`] });
    const answer = await receiver.ask("POST", "/ssf/verification", { stream_id: stream, state: "s-1" });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const [event, ...more] = await receiver.events(stream);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      sub_id: { format: "opaque", id: stream },
      events: { [`${SSF}verification`]: { state: "s-1" } },
    });
    await receiver.drain(stream);
    expect((await receiver.ask("POST", "/ssf/verification", { stream_id: "unknown" })).status).toBe(404);
  });
  test("refuses with 429 when many events about the stream wait", async () => {
    const stream = await receiver.stream();
    const statuses: number[] = [];
    for (let count = 0; count <= 50; count += 1) {
      statuses.push((await receiver.ask("POST", "/ssf/verification", { stream_id: stream })).status);
    }
    expect([statuses[49], statuses[50]]).toEqual([204, 429]);
  });
});

/** The external id is shown where the record has it: of a creation and of a removal. */
function externalOf({ sub_id }: { readonly sub_id: Readonly<Record<string, string>> }) {
  return "externalId" in sub_id ? { externalId: "x-1" } : {};
}
