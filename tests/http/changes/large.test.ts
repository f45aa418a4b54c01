/**
 * Changes whose record does not fit into one row (decision 0082): every function that writes, reads or delivers records
 * gets all of their changes.
 */
import { randomBytes, randomInt } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { timeOfChange } from "#core/database/changes/change-id.ts";
import { feedCursorAt } from "#core/database/changes/feed.ts";
import { type RecordItems, recordItems } from "#core/database/changes/record-rows.ts";
import { newId } from "#core/kernel/ids.ts";
import { recordItemsIn, recordsIn } from "#tests/support/changes.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { tableOf } from "#tests/support/people.ts";
import { receiver } from "#tests/support/receiver.ts";
import { recoveryOf } from "#tests/support/recovery.ts";
import { fresh, RFC7644, type Shown, URN } from "#tests/support/scim.ts";
import { PUSH, receiverOf, SCIM, verifiedSet } from "#tests/support/signals.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world({ deployment: RFC7644, delivers: true });
const signals = receiverOf(api);
const oauth = oauthOf(api);
const { remove, restored } = recoveryOf(api);
const API = "/api/server/v1";
const TEMPLATES = `${APPLICATIONS}/templates`;
const WEBHOOKS = `${API}/webhooks`;
const CHANGES = { name: "Changes", uri: "urn:identity-admin-api:events" };
/** The record of random texts with so many characters in all has further rows: such texts cannot be compressed much. */
const LARGE = 40_000;
const random = (length: number): string => randomBytes(length).toString("base64url").slice(0, length);
const texts = (): readonly string[] => Array.from({ length: LARGE / 500 }, () => random(500));

const sent = async (method: string, path: string, body?: unknown) => {
  const answer = await api.ask(method, path, body === undefined ? {} : { body });
  expect(answer.status, `${method} ${path}: ${answer.text.slice(0, 500)}`).toBeLessThan(300);
  return answer;
};
const pathOf = (location: string | null) => new URL(location ?? "").pathname;
const patch = (...Operations: readonly unknown[]) => ({ schemas: [URN.patch], Operations });
/** The number of further rows of the newest record of a resource. */
const furtherRows = async (id: string): Promise<number> => {
  const rows = (await recordItemsIn(api)).filter(({ record: { resource } }) =>
    [resource.id, resource.applicationId].includes(id),
  );
  return rows.toSorted((a, b) => (a.record.id < b.record.id ? 1 : -1))[0]?.parts ?? 0;
};
/** Users who are members of groups: their ids. */
let people: readonly string[] = [];

beforeAll(async () => {
  const Operations = Array.from({ length: 1_000 }, (_, at) => ({
    method: "POST",
    path: "/Users",
    bulkId: `b${at}`,
    data: { schemas: [URN.user], userName: fresh(`member-${at}`) },
  }));
  const { body } = await sent("POST", "/scim2/Bulk", { schemas: [URN.bulk], Operations });
  people = body.Operations.map(({ location }: Shown) => location.split("/").at(-1));
}, 60_000);
afterEach(async () => {
  await signals.deleteAll();
  for (const { id } of (await sent("GET", WEBHOOKS)).body.webhooks) await sent("DELETE", `${WEBHOOKS}/${id}`);
});

/** A resource with its path, and what replaces its texts. */
interface Edited {
  readonly path: string;
  readonly write: (texts: readonly string[]) => Promise<unknown>;
}
const claimsOf = (given: readonly string[]) => ({
  claimConfiguration: {
    dialect: "CUSTOM",
    claimMappings: given.map((applicationClaim, at) => ({
      applicationClaim,
      localClaim: { uri: `http://wso2.org/claims/large${at}` },
    })),
  },
});
const userOf = (userName: string, given: readonly string[]) => ({
  userName,
  photos: given.map((text) => ({ value: `https://photos.example/${text}`, type: "photo" })),
});
const edited = {
  async "an application"() {
    const path = `${APPLICATIONS}/${await api.create({ name: fresh("app") })}`;
    return { path, write: (given) => sent("PATCH", path, claimsOf(given)) };
  },
  async "an inbound protocol"() {
    const path = `${APPLICATIONS}/${await api.create({ name: fresh("app") })}/inbound-protocols/oidc`;
    const oidc = (given: readonly string[]) => ({
      grantTypes: ["authorization_code"],
      callbackURLs: given.map((text) => `https://app.example/${text}`),
    });
    return { path, write: (given) => sent("PUT", path, oidc(given)) };
  },
  async "an application template"() {
    const body = (given: readonly string[] = []) => ({ name, application: { name: "x", ...claimsOf(given) } });
    const name = fresh("template");
    const path = pathOf((await sent("POST", TEMPLATES, body())).headers.get("location"));
    return { path, write: (given) => sent("PUT", path, body(given)) };
  },
  async "an API resource"() {
    const body = { name: fresh("api"), identifier: `urn:large:${fresh("api")}`, scopes: [] };
    const path = pathOf((await sent("POST", `${API}/api-resources`, body)).headers.get("location"));
    const scopesOf = (given: readonly string[]) =>
      given.map((description, at) => ({ name: `large:${at}`, description }));
    return { path, write: (given) => sent("PUT", `${path}/scopes`, scopesOf(given)) };
  },
  async "a user"() {
    const userName = fresh("large");
    const path = `/scim2/Users/${(await sent("POST", "/scim2/Users", { userName })).body.id}`;
    return { path, write: (given) => sent("PUT", path, userOf(userName, given)) };
  },
  async "a user of SCIM 1.1"() {
    const userName = fresh("large");
    const { id } = (await sent("POST", "/svc/scim/Users", { userName })).body;
    return {
      path: `/scim2/Users/${id}`,
      write: (given) => sent("PUT", `/svc/scim/Users/${id}`, userOf(userName, given)),
    };
  },
} satisfies Readonly<Record<string, () => Promise<Edited>>>;

describe("a version from before the change is shown as it was, and the list of all changes has all of it", () => {
  test.each(Object.entries(edited))("of %s", async (_, make) => {
    const { path, write } = await make();
    const [first, second] = [texts(), texts()];
    await write(first);
    await write(second);
    const id = path.split("/").find((part) => /^[\w-]{30,}$/.test(part)) ?? "";
    expect(await furtherRows(id)).toBeGreaterThan(0);
    const [now, before] = (await sent("GET", `${path}/history`)).body.records;
    const shown = (await sent("GET", `${path}/history/${before.version}`)).text;
    expect(first.filter((text) => !shown.includes(text))).toEqual([]);
    expect(second.filter((text) => shown.includes(text))).toEqual([]);
    const audit = await sent("GET", `${API}/audit-events?resourceType=${now.resource.type}&limit=1`);
    expect(audit.body.records).toMatchObject([{ id: now.id }]);
    expect([...first, ...second].filter((text) => !audit.text.includes(text))).toEqual([]);
  });
  test("of a group", async () => {
    const members = people.map((value) => ({ value }));
    const group = (await sent("POST", "/scim2/Groups", { displayName: fresh("large"), members })).body;
    const path = `/scim2/Groups/${group.id}`;
    await sent("PATCH", path, patch({ op: "remove", path: "members" }));
    expect(await furtherRows(group.id)).toBeGreaterThan(0);
    const [, before] = (await sent("GET", `${path}/history`)).body.records;
    const shown = (await sent("GET", `${path}/history/${before.version}`)).body;
    expect(shown.members.map(({ value }: Shown) => value).sort()).toEqual([...people].sort());
  });
  test("of a webhook: its record has no further row, however long its texts are", async () => {
    // Three bytes each in UTF-8, and at random: they cannot be compressed much.
    const wide = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(0x4e00 + randomInt(0x5000))).join("");
    const ORIGIN = "https://receiver.example/";
    const webhook = () => ({
      endpoint: `${ORIGIN}${wide(2_048 - ORIGIN.length)}`,
      name: wide(255),
      eventProfile: CHANGES,
      channelsSubscribed: [`${CHANGES.uri}/user`],
    });
    const { id } = (await sent("POST", WEBHOOKS, webhook())).body;
    await sent("PUT", `${WEBHOOKS}/${id}`, webhook());
    expect(await furtherRows(id)).toBe(0);
    expect((await sent("GET", `${WEBHOOKS}/${id}/history`)).body.records).toHaveLength(2);
  });
  test("of a stream", async () => {
    const types = () => Array.from({ length: 100 }, () => `urn:${random(251)}`);
    const stream_id = await signals.stream({ events_requested: types() });
    const events_requested = types();
    const answer = await signals.ask("PATCH", "/ssf/streams", { stream_id, events_requested });
    expect(answer.status, answer.text.slice(0, 500)).toBe(200);
    expect(await furtherRows(stream_id)).toBeGreaterThan(0);
    const audit = await sent("GET", `${API}/audit-events?resourceId=${stream_id}&resourceType=event-stream&limit=1`);
    expect(audit.text).toContain(events_requested[99]);
  });
});

describe("a record of 70,000 members, which no response holds,", () => {
  const COUNT = 70_000;
  let path = "";
  let [id, before, after] = ["", "", ""];
  beforeAll(async () => {
    id = (await sent("POST", "/scim2/Groups", { displayName: fresh("former") })).body.id;
    path = `/scim2/Groups/${id}`;
    await sent("PATCH", path, patch({ op: "replace", path: "displayName", value: fresh("renamed") }));
    const own = (await recordsIn(api)).filter(({ resource }) => resource.id === id);
    const [first, made] = own;
    if (!first || !made) throw new Error("the changes have no records");
    [before, after] = [first.id, made.id];
    const members = Array.from(
      { length: COUNT },
      () => ({ op: "add", path: `/members/${newId()}`, value: {} }) as const,
    );
    // The last of its changes is the new name: who reads the record must have read all of it.
    const record = { ...made, changes: [...members, ...made.changes] };
    const { item, parts }: RecordItems = recordItems(record, [], Math.floor(Date.now() / 1_000) + 3_600);
    for (const put of [...parts, item]) {
      await tableOf(api.service).write({ put, when: "any", otherwise: () => new Error("never") });
    }
  }, 60_000);
  const expectFirst = (shown: Shown | undefined) => {
    expect(shown).toMatchObject({ id: after, changesTruncated: true, changesTotalCount: COUNT + 1 });
    expect(shown?.changes.length).toBeGreaterThan(10_000);
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(2_100_000);
  };

  test("is passed in the feed, with the first of its changes and their number", async () => {
    const seen: Shown[] = [];
    for (let at = feedCursorAt("carbon.super", timeOfChange(before)); ; ) {
      const { body } = await sent("GET", `${API}/changes?limit=1000&after=${at}`);
      if (body.records.length === 0) break;
      seen.push(...body.records);
      at = body.next;
    }
    const own = seen.filter(({ resource }) => resource.id === id);
    expect(own.map((record) => record.id)).toEqual([before, after]);
    expectFirst(own[1]);
    expect(own[0]).not.toHaveProperty("changesTotalCount");
  });
  test("is in the list of changes and in the history of the group", async () => {
    for (const list of [`${API}/audit-events?resourceId=${id}&limit=1`, `${path}/history?limit=1`]) {
      const { body } = await sent("GET", list);
      expect(body.records).toHaveLength(1);
      expectFirst(body.records[0]);
      const { body: rest } = await sent("GET", `${list}&after=${body.next}`);
      expect(rest.records.map((record: Shown) => record.id)).toEqual([before]);
    }
  });
  test("is read as a whole for a version from before, and to restore it", async () => {
    const { displayName } = (await sent("GET", `${path}/history/${before}`)).body;
    expect(displayName).toContain("former");
    expect((await sent("POST", `${path}/history/${before}/restore`)).body.displayName).toBe(displayName);
  });
});

test("deleting and restoring", async () => {
  const { path, write } = await edited["an application"]();
  await write(texts());
  const before = (await sent("GET", path)).body;
  const id = path.split("/").at(-1) ?? "";
  await remove(path);
  expect(await furtherRows(id)).toBeGreaterThan(0);
  await restored(id);
  expect(await furtherRows(id)).toBeGreaterThan(0);
  expect((await sent("GET", path)).body).toEqual(before);
});

describe("receivers get all of it", () => {
  test("by webhook", async () => {
    const at = `/${fresh("webhook")}`;
    const channelsSubscribed = [`${CHANGES.uri}/group`];
    await sent("POST", WEBHOOKS, { endpoint: inbox.url(at), name: at, eventProfile: CHANGES, channelsSubscribed });
    // An event has 1,000 paths at most.
    const some = people.slice(0, 900);
    const members = some.map((value) => ({ value }));
    const { id } = (await sent("POST", "/scim2/Groups", { displayName: fresh("large"), members })).body;
    expect(await furtherRows(id)).toBeGreaterThan(0);
    const [message] = await inbox.waitFor(at, 1);
    // Values are left out of its events; the paths name the members.
    expect(some.filter((member) => !message?.text.includes(`/members/${member}`))).toEqual([]);
  });
  test.each(["/scim2/Groups", "/scim2/v2/Roles"])("%s by a stream that polls, and one that is pushed", async (path) => {
    const isGroup = path.endsWith("Groups");
    const scopes = ["ssf.read", "ssf.manage", `internal_${isGroup ? "group" : "role"}_mgt_view`];
    const client = await oauth.newClient(scopes);
    const as = `Bearer ${await oauth.ownToken(client, scopes.join(" "))}`;
    const own = receiverOf(api, as);
    const at = `/${fresh("pushed")}`;
    const events_requested = [`${SCIM}prov:put:full`];
    const polled = await own.stream({ events_requested });
    const delivery = { method: PUSH, endpoint_url: inbox.url(at) };
    const stream_id = await own.stream({ events_requested, delivery });
    await own.ask("POST", "/ssf/status", { stream_id, status: "paused" });

    const [name, other] = [fresh("put"), fresh("put again")];
    const members = { [isGroup ? "members" : "users"]: people.map((value) => ({ value })) };
    const { id } = (await sent("POST", path, { displayName: name })).body;
    await sent("PUT", `${path}/${id}`, { displayName: other, ...members });
    // Its receivers get it as it was before this, too.
    await sent("PUT", `${path}/${id}`, { displayName: name });
    await own.ask("POST", "/ssf/status", { stream_id, status: "enabled" });
    const [polledFirst, polledSecond] = await own.events(polled);
    const [pushed] = await inbox.waitFor(at, 1);
    const { payload } = await verifiedSet(pushed?.text ?? "", await own.metadata());
    for (const event of [polledFirst, payload]) {
      const { data } = event?.events[`${SCIM}prov:put:full`] ?? {};
      expect(data).toMatchObject({ id, displayName: other });
      expect(data[isGroup ? "members" : "users"]).toHaveLength(people.length);
    }
    const { data: last } = polledSecond?.events[`${SCIM}prov:put:full`] ?? {};
    expect(last).toMatchObject({ id, displayName: name });
    expect(last[isGroup ? "members" : "users"] ?? []).toEqual([]);
  });
});
