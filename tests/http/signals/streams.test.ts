/** The management of streams of security events (SSF 1.0), by applications and users of two tenants. */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { changeIdOf, digestOfResource } from "#core/database/changes/change-id.ts";
import { recordItems } from "#core/database/changes/record-rows.ts";
import { deliveryStore, subscriberStore } from "#core/events/delivery/subscriber-store.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser, tableOf } from "#tests/support/people.ts";
import { allItems } from "#tests/support/protocols.ts";
import { RFC7644 } from "#tests/support/scim.ts";
import { POLL, PUSH, receiverOf, SCIM, typesOf } from "#tests/support/signals.ts";
import { type Ask, world } from "#tests/support/world.ts";
import { recordOf } from "#tests/unit/signals/support.ts";

const api = world({ deployment: RFC7644 });
const { ask, stream, create, events, drain, deleteAll } = receiverOf(api);
const password = "a-long-password";
const reader = { username: "reader", password };
const other = { username: "other", password };
const THERE = "there.example";
const there: Ask["as"] = { username: `kim@${THERE}`, password };
const oauth = oauthOf(api);

beforeAll(async () => {
  await addUser(api.service, { ...reader, scopes: ["ssf.read"] });
  await addUser(api.service, { ...other, scopes: ["ssf.manage"] });
  const body = { domain: THERE, owners: [{ username: "kim", password }] };
  expect((await api.ask("POST", "/api/server/v1/tenants", { body })).status).toBe(201);
});
afterEach(() => deleteAll());

/** The row of a change whose transaction took long. */
const committedLate = (atMs: number) => {
  const id = changeIdOf(atMs, digestOfResource("user", "late"));
  const changes = [{ op: "replace", path: "/title", value: "b", from: "a" }] as const;
  return recordItems(recordOf(changes, { id, atMs, resource: { type: "user", id: "late" } }), [], 4_000_000_000).item;
};
const issuer = () => `${api.url}/oauth2/token`;
const push = { method: PUSH, endpoint_url: "https://receiver.example.com/events" };
const newUser = async (userName: string, as?: Ask["as"]) =>
  (await api.ask("POST", "/scim2/Users", { body: { userName }, ...(as && { as }) })).body.id as string;

describe("createStream", () => {
  test("returns a stream that is polled, with every event that shows no data, when nothing is asked for", async () => {
    const { status, headers, body } = await create();
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(body).toEqual({
      stream_id: expect.any(String),
      iss: issuer(),
      aud: expect.any(String),
      delivery: { method: POLL, endpoint_url: `${api.url}/ssf/poll/${body.stream_id}` },
      events_supported: expect.arrayContaining([`${SCIM}prov:create:full`]),
      events_requested: expect.arrayContaining([`${SCIM}prov:create:notice`]),
      events_delivered: body.events_requested,
    });
    expect(body.events_requested.filter((type: string) => type.endsWith(":full"))).toEqual([]);
  });
  test("misses no change that was made before it and became visible after it", async () => {
    await newUser("before-the-stream");
    const atMs = Date.now() - 1_000;
    const id = await stream();
    const late = committedLate(atMs);
    await tableOf(api.service).write({ put: late, when: "absent", otherwise: () => new Error("it exists") });
    expect((await events(id)).map(({ sub_id }) => sub_id.uri)).toEqual(["/Users/late"]);
  });
  test("delivers those of the requested events that are supported, and ignores others", async () => {
    const events_requested = ["https://example.com/unknown", `${SCIM}prov:delete`];
    const { body } = await create({ events_requested, description: "HR" });
    expect(body).toMatchObject({ events_requested, events_delivered: [`${SCIM}prov:delete`], description: "HR" });
  });
  test("has the client id as its audience, and never shows the header of a receiver", async () => {
    const client = await oauth.newClient(["ssf.read", "ssf.manage"]);
    const { access_token } = await oauth.token(client, { grant_type: "client_credentials", scope: "ssf.manage" });
    const own = receiverOf(api, `Bearer ${access_token}`);
    const delivery = { ...push, authorization_header: "Bearer planted-header-77" };
    const { status, body, text } = await own.create({ delivery });
    expect([status, body.aud, body.delivery]).toEqual([201, client.clientId, push]);
    const shown = await own.ask("GET", `/ssf/streams?stream_id=${body.stream_id}`);
    expect(shown.body).toEqual(body);
    expect(text + shown.text + JSON.stringify(await allItems(api.service))).not.toContain("planted-header");
  });
  test.each<[string, unknown, RegExp]>([
    ["push without an address", { method: PUSH }, /endpoint_url: push delivery needs the address/],
    ["http", { ...push, endpoint_url: "http://receiver.example.com" }, /must begin with https/],
    ["a private address", { ...push, endpoint_url: "https://10.0.0.1/" }, /public address/],
    ["no URL", { ...push, endpoint_url: "receiver" }, /not valid/],
    ["an unknown method", { method: "urn:ietf:rfc:1" }, /delivery\.method/],
    ["a header of two lines", { ...push, authorization_header: "a\r\nb" }, /authorization_header/],
  ])("refuses %s", async (_, delivery, sentence) => {
    const { status, body } = await create({ delivery });
    expect([status, body.description]).toEqual([400, expect.stringMatching(sentence)]);
  });
  test("returns 409 for more than ten streams of one caller", async () => {
    for (let count = 0; count < 10; count += 1) await stream();
    const { status, body } = await create();
    expect([status, body.description]).toEqual([409, expect.stringMatching(/at most 10 streams/)]);
    expect((await receiverOf(api, other).create()).status).toBe(201);
    await receiverOf(api, other).deleteAll();
  });
});

describe("readStreams", () => {
  test("shows one stream, or all of the caller and none of others, to readers and managers", async () => {
    const id = await stream();
    const all = await ask("GET", "/ssf/streams");
    expect(all.body.map(({ stream_id }: { stream_id: string }) => stream_id)).toEqual([id]);
    expect((await ask("GET", `/ssf/streams?stream_id=${id}`)).body).toEqual(all.body[0]);
    for (const as of [reader, other]) {
      const theirs = receiverOf(api, as);
      expect((await theirs.ask("GET", "/ssf/streams")).body).toEqual([]);
      expect((await theirs.ask("GET", `/ssf/streams?stream_id=${id}`)).status).toBe(404);
    }
    expect((await receiverOf(api, reader).create()).status).toBe(403);
  });
});

describe("updateStream", () => {
  test("changes what it names, and keeps the secret header with its address", async () => {
    const id = await stream({ delivery: { ...push, authorization_header: "Bearer x" }, description: "one" });
    const { body } = await ask("PATCH", "/ssf/streams", {
      stream_id: id,
      events_requested: [`${SCIM}prov:delete`],
      delivery: push,
    });
    expect(body).toMatchObject({ description: "one", events_requested: [`${SCIM}prov:delete`], delivery: push });
  });
  test.each([
    ["another issuer", { iss: "https://other.example" }],
    ["another audience", { aud: ["other"] }],
    ["other supported events", { events_supported: [] }],
    ["other delivered events", { events_delivered: ["x"] }],
  ])("refuses %s, and accepts the present one", async (_, sent) => {
    const { body } = await create();
    const [name = ""] = Object.keys(sent);
    expect((await ask("PATCH", "/ssf/streams", { stream_id: body.stream_id, ...sent })).status).toBe(400);
    const present = { stream_id: body.stream_id, [name]: body[name] };
    expect((await ask("PATCH", "/ssf/streams", present)).body).toEqual(body);
  });
  test("returns 404 for a stream of somebody else, of another tenant, and for none", async () => {
    const id = await stream();
    for (const by of [receiverOf(api, other), receiverOf(api, there, `/t/${THERE}`)]) {
      expect((await by.ask("PATCH", "/ssf/streams", { stream_id: id, description: "x" })).status).toBe(404);
    }
    expect((await ask("PATCH", "/ssf/streams", { stream_id: "x" })).status).toBe(404);
  });
});

describe("replaceStream", () => {
  test("removes what it does not name", async () => {
    const { body } = await create({ description: "one", events_requested: [`${SCIM}prov:delete`], delivery: push });
    const { iss, aud, stream_id, delivery } = body;
    const after = (await ask("PUT", "/ssf/streams", { iss, aud, stream_id, delivery })).body;
    expect(after).not.toHaveProperty("description");
    expect(after.events_requested.length).toBeGreaterThan(1);
    expect(after.delivery).toEqual(push);
    expect((await ask("PUT", "/ssf/streams", { stream_id })).body.delivery.method).toBe(POLL);
    expect((await ask("PUT", "/ssf/streams", { stream_id: "x" })).status).toBe(404);
  });
});

describe("deleteStream", () => {
  test("removes a stream of the caller only", async () => {
    const id = await stream();
    expect((await receiverOf(api, other).ask("DELETE", `/ssf/streams?stream_id=${id}`)).status).toBe(404);
    expect((await ask("DELETE", `/ssf/streams?stream_id=${id}`)).status).toBe(204);
    for (const path of [`/ssf/streams?stream_id=${id}`, `/ssf/status?stream_id=${id}`]) {
      expect((await ask("GET", path)).status).toBe(404);
    }
    expect((await ask("DELETE", `/ssf/streams?stream_id=${id}`)).status).toBe(404);
  });
});

describe("getStreamStatus", () => {
  test("is enabled for a new stream", async () => {
    const stream_id = await stream();
    expect((await ask("GET", `/ssf/status?stream_id=${stream_id}`)).body).toEqual({ stream_id, status: "enabled" });
    expect((await ask("GET", "/ssf/status")).status).toBe(400);
  });
});

describe("setStreamStatus", () => {
  const creations = { events_requested: [`${SCIM}prov:create:notice`] };
  const set = (stream_id: string, status: string, reason?: string) =>
    ask("POST", "/ssf/status", { stream_id, status, reason });
  test("pauses: events wait, and follow when the stream is enabled again", async () => {
    const id = await stream(creations);
    const { body } = await set(id, "paused", "maintenance");
    expect(body).toEqual({ stream_id: id, status: "paused", reason: "maintenance" });
    const user = await newUser("paused");
    expect(await events(id)).toEqual([]);
    expect((await set(id, "enabled")).body).toEqual({ stream_id: id, status: "enabled" });
    expect((await events(id)).map(({ sub_id }) => sub_id.uri)).toEqual([`/Users/${user}`]);
  });
  test.each(["enabled", "paused"])("disables: what happens until the stream is %s is left out", async (next) => {
    const id = await stream(creations);
    await set(id, "disabled");
    await newUser(`disabled-before-${next}`);
    await set(id, next);
    const user = await newUser(`${next}-after-disabled`);
    await set(id, "enabled");
    expect((await events(id)).map(({ sub_id }) => sub_id.uri)).toEqual([`/Users/${user}`]);
  });
  test("forgets failures from before a pause, but not where the stream is enabled already", async () => {
    const id = await stream({ delivery: push });
    const table = tableOf(api.service);
    const stateOf = async () => {
      const state = await subscriberStore(table).find(SUPER_TENANT, id);
      if (!state) throw new Error("no such stream");
      return state;
    };
    const failed = { failures: 1, firstFailureMs: 1, nextAttemptMs: 4_000_000_000_000, lastFailure: "It failed." };
    const state = await stateOf();
    await deliveryStore(table).save(state, { ...state.progress, ...failed });
    await set(id, "enabled");
    expect((await stateOf()).progress).toMatchObject(failed);
    await set(id, "paused");
    expect((await stateOf()).progress).toMatchObject(failed);
    await set(id, "enabled");
    const { progress } = await stateOf();
    expect(progress).toMatchObject({ failures: 0, firstFailureMs: 0, nextAttemptMs: 0, asides: [] });
    expect([progress.lastFailure, progress.cursor]).toEqual([undefined, state.progress.cursor]);
  });
  test("refuses another status, and a stream of somebody else", async () => {
    const id = await stream();
    expect((await set(id, "off")).status).toBe(400);
    const body = { stream_id: id, status: "paused" };
    expect((await receiverOf(api, other).ask("POST", "/ssf/status", body)).status).toBe(404);
  });
});

describe("removeStreamSubject", () => {
  test("leaves events about a subject out, until it is added again", async () => {
    const id = await stream();
    const user = await newUser("subject");
    await drain(id);
    const subject = { format: "scim", uri: `/Users/${user}` };
    const answer = await ask("POST", "/ssf/subjects/remove", { stream_id: id, subject });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const patch = (title: string) => {
      const Operations = [{ op: "replace", path: "title", value: title }];
      return api.ask("PATCH", `/scim2/Users/${user}`, {
        body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations },
      });
    };
    await patch("one");
    const left = await events(id);
    expect([typesOf(left), left[0]?.sub_id]).toEqual([["feed:remove"], subject]);
    await drain(id);
    const back = { stream_id: id, subject: { format: "iss_sub", iss: issuer(), sub: user }, verified: true };
    expect((await ask("POST", "/ssf/subjects/add", back)).status).toBe(200);
    await patch("two");
    expect(typesOf(await events(id))).toEqual(["feed:add", "prov:patch:notice"]);
  });
});

describe("addStreamSubject", () => {
  test.each(["add", "remove"])("%s does not tell whether a subject exists", async (verb) => {
    const id = await stream();
    const [known, unknown] = [await newUser(`known-${verb}`), "00000000-0000-4000-8000-000000000000"];
    const statusOf = async (sub: string) =>
      (
        await ask("POST", `/ssf/subjects/${verb}`, {
          stream_id: id,
          subject: { format: "iss_sub", iss: issuer(), sub },
        })
      ).status;
    expect(await statusOf(known)).toBe(await statusOf(unknown));
  });
  test.each([
    ["an e-mail address", { format: "email", email: "a@example.com" }],
    ["a path of another kind", { format: "scim", uri: "/Applications/1" }],
    ["another issuer", { format: "iss_sub", iss: "https://other.example", sub: "u" }],
  ])("refuses %s", async (_, subject) => {
    const id = await stream();
    expect((await ask("POST", "/ssf/subjects/add", { stream_id: id, subject })).status).toBe(400);
  });
  test("returns 404 for a stream of somebody else", async () => {
    const body = { stream_id: await stream(), subject: { format: "scim", uri: "/Users/u" } };
    for (const verb of ["add", "remove"]) {
      expect((await receiverOf(api, other).ask("POST", `/ssf/subjects/${verb}`, body)).status).toBe(404);
    }
  });
});

describe("getSignalTransmitter", () => {
  test("describes the transmitter of the super tenant and of others", async () => {
    for (const [prefix, domain] of [
      ["", undefined],
      [`/t/${THERE}`, THERE],
    ] as const) {
      const base = `${api.url}${prefix}`;
      const expected = {
        spec_version: "1_0",
        issuer: `${base}/oauth2/token`,
        jwks_uri: `${base}/ssf/jwks`,
        delivery_methods_supported: [PUSH, POLL],
        configuration_endpoint: `${base}/ssf/streams`,
        status_endpoint: `${base}/ssf/status`,
        add_subject_endpoint: `${base}/ssf/subjects/add`,
        remove_subject_endpoint: `${base}/ssf/subjects/remove`,
        verification_endpoint: `${base}/ssf/verification`,
        authorization_schemes: [{ spec_urn: "urn:ietf:rfc:6749" }],
        default_subjects: "ALL",
      };
      const at = async (path: string) => (await api.ask("GET", path, { as: null })).body;
      expect(await at(`${prefix}/.well-known/ssf-configuration`)).toEqual(expected);
      // The path of the issuer follows the well-known path.
      const place = domain === undefined ? "" : `/t/${domain}`;
      expect(await at(`/.well-known/ssf-configuration${place}/oauth2/token`)).toEqual(expected);
      expect((await fetch(expected.jwks_uri)).status).toBe(200);
    }
  });
});

describe("getSignalIssuer", () => {
  test("may be cached, and knows no other paths", async () => {
    const found = await api.ask("GET", "/.well-known/ssf-configuration/oauth2/token", { as: null });
    expect(found.headers.get("cache-control")).toBe("public, max-age=3600");
  });
});

describe("getTenantSignalIssuer", () => {
  test("returns 404 for a tenant that does not exist", async () => {
    const path = "/.well-known/ssf-configuration/t/nowhere.example/oauth2/token";
    expect((await api.ask("GET", path, { as: null })).status).toBe(404);
  });
});

describe("two tenants", () => {
  test("get their own events under their own issuers, and reach nothing of each other by any id", async () => {
    const theirs = receiverOf(api, there, `/t/${THERE}`);
    const [mine, yours] = [await stream(), await theirs.stream()];
    const [a, b] = [await newUser("here"), await newUser("yonder", there)];
    const [own] = await events(mine);
    const [foreign] = await theirs.events(yours);
    expect([own?.iss, own?.sub_id.uri]).toEqual([issuer(), `/Users/${a}`]);
    expect([foreign?.iss, foreign?.sub_id.uri]).toEqual([`${api.url}/t/${THERE}/oauth2/token`, `/Users/${b}`]);
    expect((await theirs.poll(mine)).status).toBe(404);
    expect((await receiverOf(api).poll(yours)).status).toBe(404);
    expect((await theirs.ask("GET", "/ssf/streams")).body).toHaveLength(1);
  });
});
