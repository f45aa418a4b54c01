/** First answers and changes that need more than one transaction (decisions 0066 and 0086). */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { tableOf } from "#tests/support/people.ts";
import { contentOf, key, rowsOf, sameIn } from "#tests/support/repeatable.ts";
import { type Answer, world } from "#tests/support/world.ts";

// New users need no password: hashing takes time.
const api = world({ deployment: '[scim2]\nprofile = "rfc7644"\n' });
const { ask } = api;
const USERS = "/scim2/Users";
const GROUPS = "/scim2/Groups";
const MEMBERS = 400;
const AT_ONCE = 100;
const replayed = "idempotency-replayed";

let ids: string[] = [];
let made = 0;
const newName = (): string => {
  made += 1;
  return `name-${made}`;
};
const values = (list: readonly string[]) => list.map((value) => ({ value }));
const creating = (at: number, userName: string) => ({
  method: "POST",
  path: "/Users",
  bulkId: `b${at}`,
  data: { userName },
});
const bulk = (Operations: readonly unknown[], headers = {}): Promise<Answer> =>
  ask("POST", "/scim2/Bulk", {
    body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], Operations },
    headers,
  });

beforeAll(async () => {
  // Long names of chance: an answer that lists them is large after compression too.
  const name = () => randomBytes(124).toString("hex");
  for (let from = 0; from < MEMBERS; from += AT_ONCE) {
    const answer = await bulk(Array.from({ length: AT_ONCE }, (_, at) => creating(at, name())));
    ids.push(...answer.body.Operations.map(({ location }: { location: string }) => location.split("/").at(-1)));
  }
  ids = ids.sort();
}, 120_000);

describe("a group of more members than one transaction holds", () => {
  test("is created once, and its large answer comes again from rows of its own", async () => {
    const sent = { body: { displayName: newName(), members: values(ids) }, headers: key(newName()) };
    const first = await ask("POST", GROUPS, sent);
    expect(first.status, first.text).toBe(201);
    expect(first.body.members).toHaveLength(MEMBERS);
    const parts = (await rowsOf(api.service, { all: true })).filter(({ SK }) => SK.startsWith("P#"));
    expect(parts.length).toBeGreaterThan(0);
    const before = await contentOf(api.service);
    expect(sameIn(await ask("POST", GROUPS, sent))).toEqual(sameIn(first));
    expect(await contentOf(api.service)).toEqual(before);
    const path = `${GROUPS}/${first.body.id}`;
    expect((await ask("GET", path)).body.members).toHaveLength(MEMBERS);

    const half = ids.slice(0, MEMBERS / 2);
    const removal = { Operations: [{ op: "replace", path: "members", value: values(half) }] };
    const patch = { body: removal, headers: key(newName()) };
    const changed = await ask("PATCH", path, patch);
    expect(changed.status, changed.text).toBeLessThan(300);
    // Somebody else changes it meanwhile: the repeat does not take that back.
    await ask("PATCH", path, { body: { Operations: [{ op: "add", path: "members", value: values(ids.slice(-1)) }] } });
    const again = await ask("PATCH", path, patch);
    expect([sameIn(again), again.headers.get(replayed)]).toEqual([sameIn(changed), "true"]);
    const now = (await ask("GET", path)).body.members.map(({ value }: { value: string }) => value);
    expect(now.sort()).toEqual([...half, ids.at(-1)].sort());
    const left = (await contentOf(api.service)).filter((row) => /"bulk":|"SK":"B#|"bulks":/.test(row));
    expect(left).toEqual([]);
  }, 120_000);
});

describe("a bulk request", () => {
  const request = () => {
    const [one, two] = [newName(), newName()];
    return [
      creating(1, one),
      creating(2, two),
      creating(3, one),
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g",
        data: { displayName: newName(), members: [{ value: "bulkId:b1" }] },
      },
    ];
  };
  const named = async (name: string) =>
    (await ask("GET", `${USERS}?filter=${encodeURIComponent(`userName eq "${name}"`)}`)).body.totalResults;

  test.each(["/scim2/Bulk", "/svc/scim/Bulk"])("of %s takes effect once, and its outcomes come again", async (path) => {
    const sent = { body: { Operations: request() }, headers: key(newName()) };
    const first = await ask("POST", path, sent);
    expect(first.status, first.text).toBe(200);
    const before = await contentOf(api.service);
    const second = await ask("POST", path, sent);
    expect([sameIn(second), second.headers.get(replayed)]).toEqual([sameIn(first), "true"]);
    expect(await contentOf(api.service)).toEqual(before);
  });

  test("that was cut off goes on where it ended: no operation takes effect twice", async () => {
    const Operations = request();
    const sent = { body: { Operations }, headers: key(newName()) };
    const known = new Set((await rowsOf(api.service)).map(({ PK }) => PK));
    const first = await ask("POST", "/scim2/Bulk", sent);
    const statuses = (answer: Answer) => answer.body.Operations.map(({ status }: { status: string }) => status);
    expect(statuses(first)).toEqual(["201", "201", "409", "201"]);
    // As a crash after the second operation leaves it: without the answer, the group and its mark.
    const [row] = (await rowsOf(api.service)).filter(({ PK }) => !known.has(PK));
    const steps = (await rowsOf(api.service, { all: true })).filter(
      ({ PK, SK }) => PK === row?.PK && SK.startsWith("S#"),
    );
    expect(steps.map(({ SK }) => SK.slice(-1)).sort()).toEqual(["0", "1", "3"]);
    const group = first.body.Operations[3].location.split("/").at(-1);
    expect((await ask("DELETE", `${GROUPS}/${group}`)).status).toBe(204);
    const table = tableOf(api.service);
    await table.forget(steps.find(({ SK }) => SK.endsWith("3")) ?? { PK: "-", SK: "-" });
    await table.write({
      change: { PK: row?.PK ?? "", SK: "A" },
      set: { state: "running", sinceMs: Date.now() - 41_000 },
      clear: ["answer"],
      when: "present",
      otherwise: () => new Error("no row"),
    });
    const second = await ask("POST", "/scim2/Bulk", sent);
    expect(second.headers.get(replayed)).toBeNull();
    expect(statuses(second)).toEqual(["201", "201", "409", "201"]);
    const users = (answer: Answer) => answer.body.Operations.slice(0, 3);
    expect(users(second)).toEqual(users(first));
    expect(second.body.Operations[3].location).not.toBe(first.body.Operations[3].location);
    for (const { data } of Operations.slice(0, 2)) {
      expect(await named(String((data as { userName: string }).userName))).toBe(1);
    }
    expect(sameIn(await ask("POST", "/scim2/Bulk", sent))).toEqual(sameIn(second));
  });
});
