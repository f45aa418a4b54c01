/** The feed of changes over HTTP: complete, in order per resource, of one tenant, for readers that crash. */
import { beforeAll, describe, expect, test } from "vitest";
import { changeFeed } from "#core/database/changes/feed.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { recordsIn } from "#tests/support/changes.ts";
import { addUser, tableOf } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const API = "/api/server/v1";
const SECRET = "a-planted-Secret-1";
const OTHER = { username: "owner@feed.example", password: SECRET };

interface Shown {
  readonly id: string;
  readonly tenant: string;
  readonly resource: { readonly type: string; readonly id: string; readonly applicationId?: string };
}

const page = async (after: string | undefined, limit = 20, as?: typeof OTHER) => {
  const answer = await api.ask("GET", `${API}/changes?limit=${limit}${after ? `&after=${after}` : ""}`, {
    ...(as && { as }),
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as { readonly records: readonly Shown[]; readonly next: string };
};
const resourceOf = ({ resource }: Shown) => `${resource.type} ${resource.applicationId ?? resource.id}`;

beforeAll(async () => {
  const owner = { ...OTHER, username: "owner", email: "o@feed.example", firstname: "O", lastname: "O" };
  const created = await api.ask("POST", `${API}/tenants`, {
    body: { domain: "feed.example", owners: [{ ...owner, provisioningMethod: "inline-password" }] },
  });
  expect(created.status, created.text).toBe(201);
});

describe("listChanges", () => {
  test("shows every change at least once and in order to a reader that crashes, while 8 writers write", async () => {
    let writing = 8;
    const writer = async (number: number) => {
      const path = `${APPLICATIONS}/${await api.create({ name: `w-${number}` })}`;
      for (let at = 0; at < 4; at += 1) await api.ask("PATCH", path, { body: { description: `${at}` } });
      if (number % 2 === 0) await api.ask("DELETE", path);
      writing -= 1;
    };
    const seen: Shown[] = [];
    const note = (records: readonly Shown[]) => {
      const known = new Set(seen.map(({ id }) => id));
      seen.push(...records.filter(({ id }) => !known.has(id)));
    };
    let saved: string | undefined;
    const read = async () => {
      for (let turn = 0; writing > 0; turn += 1) {
        const { records, next } = await page(saved, 1 + (turn % 9));
        note(records);
        // Every third time the reader crashes before it saves its cursor.
        if (turn % 3 !== 2) saved = next;
      }
    };
    await Promise.all([read(), ...Array.from({ length: 8 }, (_, number) => writer(number))]);
    expect(seen.length).toBeGreaterThan(0);
    // The rest is read as it will be when all of it is settled.
    const feed = changeFeed(tableOf(api.service));
    for (let isEnd = false; !isEnd; ) {
      const { records, next } = await feed.read("carbon.super", saved, 10, systemClock.now() + 60_000);
      note(records);
      isEnd = records.length === 0;
      saved = next;
    }
    const stored: readonly Shown[] = await recordsIn(api);
    expect(seen.map(({ id }) => id).toSorted()).toEqual(stored.map(({ id }) => id));
    for (const resource of new Set(seen.map(resourceOf))) {
      const own = seen.filter((record) => resourceOf(record) === resource).map(({ id }) => id);
      expect(own).toEqual(own.toSorted());
    }
    expect(JSON.stringify(seen)).not.toContain(SECRET);
  });

  test("always has a next cursor, and shows what comes after it", async () => {
    let { next } = await page(undefined, 1_000);
    const first = await page(next);
    expect(first.next).toEqual(expect.any(String));
    next = first.next;
    expect((await api.ask("GET", `${API}/changes?after=x`)).status).toBe(400);
    expect((await api.ask("GET", `${API}/changes?limit=0`)).status).toBe(400);
  });

  test("two tenants see nothing of each other by any id or cursor", async () => {
    const own = await page(undefined, 1_000);
    const other = await page(undefined, 1_000, OTHER);
    expect(new Set(own.records.map(({ tenant }) => tenant))).toEqual(new Set(["carbon.super"]));
    expect(new Set(other.records.map(({ tenant }) => tenant))).toEqual(new Set(["feed.example"]));
    const foreign = await api.ask("GET", `${API}/changes?after=${own.next}`, { as: OTHER });
    expect(foreign.status).toBe(400);
    const list = (await api.ask("GET", `${API}/audit-events?limit=1`)).body;
    expect((await api.ask("GET", `${API}/audit-events?limit=1&after=${list.next}`, { as: OTHER })).status).toBe(400);
    // A tenant sees its own creation, which the super tenant has made.
    const ofOwn = own.records.filter(({ resource }) => !("tenant" in resource) && resource.type !== "tenant");
    const ids = new Set(ofOwn.map(({ resource }) => resource.id));
    for (const id of [...ids].slice(0, 5)) {
      const { body } = await api.ask("GET", `${API}/audit-events?resourceId=${id}`, { as: OTHER });
      expect(body).toEqual({ records: [] });
    }
    const user = own.records.find(({ resource }) => resource.type === "user");
    for (const path of [
      `/scim2/Users/${user?.resource.id}/history`,
      `/scim2/Users/${user?.resource.id}/history/${user?.id}`,
    ]) {
      expect((await api.ask("GET", path, { as: OTHER })).status).toBe(404);
    }
    const mine = (await api.ask("GET", "/scim2/Me", { as: OTHER })).body.id;
    const version = await api.ask("GET", `/scim2/Users/${mine}/history/${user?.id}`, { as: OTHER });
    expect(version.status).toBe(404);
  });

  test("needs its scope, which shows no resource", async () => {
    const auditor = { username: "auditor", password: SECRET };
    await addUser(api.service, { ...auditor, scopes: ["internal_audit_view"] });
    expect((await api.ask("GET", `${API}/changes`, { as: auditor })).status).toBe(200);
    expect((await api.ask("GET", "/scim2/Users", { as: auditor })).status).toBe(403);
    const viewer = { username: "viewer", password: SECRET };
    await addUser(api.service, { ...viewer, scopes: ["internal_user_mgt_view"] });
    expect((await api.ask("GET", `${API}/changes`, { as: viewer })).status).toBe(403);
  });
});
