/** Which security events the changes of users, groups and roles are, and what these say (RFC 9967, CAEP 1.0). */
import { describe, expect, test } from "vitest";
import type { Change, ChangeRecord } from "#core/database/changes/model.ts";
import { claimsOf, type DataReads } from "#core/events/shared-signals/claims.ts";
import { defaultTypes, supportedTypes } from "#core/events/shared-signals/event-types.ts";
import { occurrenceOf } from "#core/events/shared-signals/happenings.ts";
import { deliveredTypes, PUSH, type Stream } from "#core/events/shared-signals/model.ts";
import { subjectDigest } from "#core/events/shared-signals/subjects.ts";
import { CAEP, envelope, NOON, reading, recordOf, SCIM, streamWith } from "./support.ts";

const ISSUER = "https://id.example/oauth2/token";
const eventsOf = async (record: ChangeRecord, stream: Partial<Stream> = {}, reads: DataReads = reading()) => {
  const occurrence = occurrenceOf(record);
  if (!occurrence) return [];
  const made = await Promise.all(
    occurrence.happenings.map((happening) => claimsOf(happening, occurrence, envelope(stream), reads)),
  );
  return made.flatMap((claims) => claims ?? []);
};
const notices = { requested: defaultTypes };
const change = (path: string, value: Change["value"] = "new", from: Change["from"] = "old"): Change => ({
  op: "replace",
  path,
  ...(value !== undefined && { value }),
  ...(from !== undefined && { from }),
});

describe("a patch", () => {
  test("is a notice with the names of its attributes in the form of PATCH paths, and no value", async () => {
    const changes = [
      change("/name/familyName", "Planted"),
      change("/emails", [{ value: "planted@example.com" }]),
      change("/urn:ietf:params:scim:schemas:extension:enterprise:2.0:User/department", "Planted"),
    ];
    const [claims, ...more] = await eventsOf(recordOf(changes), notices);
    expect(more).toEqual([]);
    expect(claims).toEqual({
      iss: ISSUER,
      aud: "receiver",
      jti: expect.stringMatching(/^[\w-]{22}$/),
      txn: "0000000000000000a1",
      toe: NOON / 1_000,
      sub_id: { format: "scim", uri: "/Users/u1" },
      events: {
        [`${SCIM}prov:patch:notice`]: {
          attributes: [
            "name.familyName",
            "emails",
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
          ],
        },
      },
    });
    expect(JSON.stringify(claims).toLowerCase()).not.toContain("planted");
  });
  test("has its operations for a stream that asked for data and whose owner may read users", async () => {
    const changes: Change[] = [
      change("/nickName", "n"),
      { op: "remove", path: "/title", from: "t" },
      { op: "add", path: "/emails", value: [{ value: "a@example.com" }] },
      { op: "replace", path: "/password", secret: true },
    ];
    const [{ events = {} } = {}] = await eventsOf(recordOf(changes), {}, reading("user"));
    expect(events[`${SCIM}prov:patch:full`]).toEqual({
      data: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [
          { op: "replace", path: "nickName", value: "n" },
          { op: "remove", path: "title" },
          { op: "add", path: "emails", value: [{ value: "a@example.com" }] },
        ],
      },
    });
  });
  test("of a password alone is a notice also where data was asked for, because no operation can say it", async () => {
    const changed = recordOf([{ op: "replace", path: "/password", secret: true }]);
    const [{ events = {} } = {}] = await eventsOf(changed, {}, reading("user"));
    expect(events).toEqual({ [`${SCIM}prov:patch:notice`]: { attributes: ["password"] } });
    const full = [`${SCIM}prov:patch:full`];
    expect(await eventsOf(changed, { requested: full }, reading("user"))).toEqual([]);
  });
  test("that receivers know nothing of has no event", async () => {
    const role = { resource: { type: "role", id: "r1" } } as const;
    expect(await eventsOf(recordOf([{ op: "add", path: "/holdsEveryScope", value: true }], role), {})).toEqual([]);
  });
  test("of members names the ids of those who came and went", async () => {
    const record = recordOf(
      [
        { op: "add", path: "/members/u2", value: {} },
        { op: "remove", path: "/members/u3", from: {} },
      ],
      { resource: { type: "group", id: "g1" } },
    );
    const [{ events = {} } = {}] = await eventsOf(record, {}, reading("group"));
    expect(events[`${SCIM}prov:patch:full`]).toMatchObject({
      data: {
        Operations: [
          { op: "add", path: "members", value: [{ value: "u2" }] },
          { op: "remove", path: 'members[value eq "u3"]' },
        ],
      },
    });
    const [{ events: less = {}, sub_id } = {}] = await eventsOf(record, notices);
    expect(less).toEqual({ [`${SCIM}prov:patch:notice`]: { attributes: ["members"] } });
    expect(sub_id).toEqual({ format: "scim", uri: "/Groups/g1" });
  });
});

describe("data", () => {
  const record = recordOf([change("/externalId", "x1")]);
  test("is not sent to an owner who may not read the type: a notice is, where it was asked for too", async () => {
    const [{ events = {}, sub_id } = {}] = await eventsOf(record, {}, reading("group", "role"));
    expect(Object.keys(events)).toEqual([`${SCIM}prov:patch:notice`]);
    expect(sub_id).not.toHaveProperty("externalId");
    expect(await eventsOf(record, { requested: [`${SCIM}prov:patch:full`] })).toEqual([]);
  });
  test("includes the external id of the subject", async () => {
    const [{ sub_id } = {}] = await eventsOf(record, {}, reading("user"));
    expect(sub_id).toEqual({ format: "scim", uri: "/Users/u1", externalId: "x1" });
  });
  test("of many members is a notice, unless the stream takes data only: up to 2 MB", async () => {
    const typesFor = async (count: number, requested: readonly string[]) => {
      const changes = Array.from(
        { length: count },
        (_, at): Change => ({ op: "add", path: `/members/member-number-${at}`, value: {} }),
      );
      const large = recordOf(changes, { resource: { type: "group", id: "g1" } });
      return (await eventsOf(large, { requested }, reading("group"))).flatMap(({ events }) => Object.keys(events));
    };
    const [full, notice] = [`${SCIM}prov:patch:full`, `${SCIM}prov:patch:notice`];
    expect(await typesFor(2_000, supportedTypes)).toEqual([notice]);
    expect(await typesFor(2_000, [full])).toEqual([full]);
    expect(await typesFor(70_000, [full])).toEqual([]);
    expect(await typesFor(70_000, supportedTypes)).toEqual([notice]);
  });
  test("is not pushed for a user, whose rights are known only while the user calls", () => {
    const push = { delivery: { method: PUSH, url: "https://receiver.example" } } as const;
    expect(deliveredTypes(streamWith({ ...push, owner: { kind: "user", subject: "u9" } }))).toEqual(defaultTypes);
    expect(deliveredTypes(streamWith(push))).toEqual(supportedTypes);
  });
});

test("a replacement is a put, with the resource as it was afterwards", async () => {
  const record = recordOf([change("/displayName")], { operation: "replaceUser" });
  const [full] = await eventsOf(record, {}, reading("user"));
  expect(full?.events).toEqual({ [`${SCIM}prov:put:full`]: { data: { id: "u1", displayName: "as it was" } } });
  const [notice] = await eventsOf(record, notices);
  expect(notice?.events).toEqual({ [`${SCIM}prov:put:notice`]: { attributes: ["displayName"] } });
});

describe("a creation", () => {
  const record = recordOf([
    { op: "add", path: "", value: { userName: "ann", active: true, externalId: "x1", token: { secret: true } } },
    { op: "add", path: "/password", secret: true },
  ]);
  test("has the new resource with its id, without secrets", async () => {
    const [claims] = await eventsOf(record, {}, reading("user"));
    expect(claims?.sub_id).toEqual({ format: "scim", uri: "/Users/u1", externalId: "x1" });
    expect(claims?.events[`${SCIM}prov:create:full`]).toEqual({
      data: {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        id: "u1",
        userName: "ann",
        active: true,
        externalId: "x1",
      },
    });
  });
  test("with a password is a change of a credential too, and ends no session", async () => {
    const events = await eventsOf(record, notices);
    expect(events.map((claims) => claims.events)).toEqual([
      { [`${SCIM}prov:create:notice`]: { attributes: ["userName", "active", "externalId", "token", "password"] } },
      {
        [`${CAEP}credential-change`]: {
          event_timestamp: NOON / 1_000,
          initiating_entity: "admin",
          credential_type: "password",
          change_type: "create",
        },
      },
    ]);
  });
  test("of a group has its members", async () => {
    const changes: Change[] = [
      { op: "add", path: "", value: { displayName: "G" } },
      { op: "add", path: "/members/u2", value: {} },
    ];
    const [claims] = await eventsOf(recordOf(changes, { resource: { type: "group", id: "g1" } }), {}, reading("group"));
    expect(claims?.events[`${SCIM}prov:create:full`]).toMatchObject({
      data: { displayName: "G", members: [{ value: "u2" }] },
    });
  });
});

describe("the end of sessions", () => {
  const typesOf = async (record: ChangeRecord) =>
    (await eventsOf(record, notices)).flatMap(({ events }) =>
      Object.keys(events).map((type) => type.split(/[:/]/).at(-1)),
    );
  const SYSTEM = "/urn:scim:wso2:schema";
  test.each<[string, Change, string[]]>([
    ["a deactivation", change("/active", false, true), ["notice", "deactivate", "session-revoked"]],
    ["an activation", change("/active", true, false), ["notice", "activate"]],
    [
      "another password",
      { op: "replace", path: "/password", secret: true },
      ["notice", "credential-change", "session-revoked"],
    ],
    ["a lock", change(`${SYSTEM}/accountLocked`, true, false), ["notice", "session-revoked"]],
    ["a first lock", { op: "add", path: SYSTEM, value: { accountLocked: true } }, ["notice", "session-revoked"]],
    ["the end of a lock", change(`${SYSTEM}/accountLocked`, false, true), ["notice"]],
    ["a removal", { op: "remove", path: "", from: { userName: "ann" } }, ["delete", "session-revoked"]],
  ])("%s", async (_, made, types) => {
    expect(await typesOf(recordOf([made]))).toEqual(types);
  });
  test("names the user by the claims of tokens, who began it and why; all events of a change share a transaction", async () => {
    const actor = { type: "user", id: "u1", name: "ann", signIn: "token" } as const;
    const events = await eventsOf(recordOf([{ op: "replace", path: "/password", secret: true }], { actor }), notices);
    expect(new Set(events.map(({ txn }) => txn)).size).toBe(1);
    expect(new Set(events.map(({ jti }) => jti)).size).toBe(3);
    expect(events.at(-1)).toMatchObject({
      sub_id: { format: "iss_sub", iss: ISSUER, sub: "u1" },
      events: {
        [`${CAEP}session-revoked`]: {
          event_timestamp: NOON / 1_000,
          initiating_entity: "user",
          reason_admin: { en: "The password was changed." },
        },
      },
    });
  });
});

test("other resources than those of SCIM have no events", async () => {
  const changes: Change[] = [{ op: "replace", path: "/clientSecret", secret: true }];
  expect(occurrenceOf(recordOf(changes, { resource: { type: "application", id: "a1" } }))).toBeUndefined();
});

test("each stream has ids of its own for the same events, which are the same again when they are sent again", async () => {
  const record = recordOf([change("/title")]);
  const idsIn = async (id: string) => (await eventsOf(record, { id })).map(({ jti }) => jti);
  expect(await idsIn("one")).toEqual(await idsIn("one"));
  expect(await idsIn("one")).not.toEqual(await idsIn("two"));
});

test("a stream has no events about subjects that it leaves out", async () => {
  const excluded = [subjectDigest({ type: "user", id: "u1" })];
  const made = recordOf([change("/active", false, true)]);
  expect(await eventsOf(made, { excluded })).toEqual([]);
  expect(await eventsOf({ ...made, resource: { type: "user", id: "u2" } }, { excluded })).toHaveLength(3);
});
