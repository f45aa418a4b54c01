/** Which events a change record gives, and that they show no secret. */
import { describe, expect, test } from "vitest";
import {
  type Change,
  type ChangeRecord,
  type ResourceType,
  resourceTypes,
  SECRET,
} from "#core/database/changes/model.ts";
import { profiles } from "#core/events/webhooks/channels.ts";
import { changeEvents, wso2Events } from "#core/events/webhooks/events.ts";

const BASE = "https://id.example/t/acme.example";
const ALL = { actors: true, values: true };
const record = (type: ResourceType, ...changes: readonly Change[]): ChangeRecord => ({
  id: "0".repeat(18),
  atMs: 0,
  tenant: "acme.example",
  actor: { type: "operator", id: "" },
  sourceIp: "192.0.2.1",
  operation: "anyOperation",
  resource: { type, id: "id-1", name: "EMEA/kim" },
  changes,
  traceId: "trace",
});
const namesOf = (...changes: readonly Change[]) =>
  wso2Events(record("user", ...changes), BASE, ALL).map(({ uri }) => uri.split("/").at(-1));

describe("users", () => {
  test.each<[string, readonly Change[], readonly string[]]>([
    ["created", [{ op: "add", path: "", value: { userName: "kim" } }], ["userCreated"]],
    ["deleted", [{ op: "remove", path: "", from: { userName: "kim" } }], ["userDeleted"]],
    ["disabled", [{ op: "replace", path: "/active", value: false, from: true }], ["userDisabled"]],
    ["enabled", [{ op: "replace", path: "/active", value: true, from: false }], ["userEnabled"]],
    ["locked", [{ op: "add", path: "/urn:scim:wso2:schema/accountLocked", value: true }], ["userAccountLocked"]],
    ["unlocked", [{ op: "remove", path: "/urn:scim:wso2:schema/accountLocked", from: true }], ["userAccountUnlocked"]],
    ["with a new password", [{ op: "replace", path: "/password", secret: true }], ["credentialUpdated"]],
    [
      "with a new name and password",
      [
        { op: "replace", path: "/name/givenName", value: "Kim", from: "Jim" },
        { op: "add", path: "/password", secret: true },
      ],
      ["credentialUpdated", "userProfileUpdated"],
    ],
  ])("%s", (_, changes, names) => expect(namesOf(...changes)).toEqual(names));

  test("have their claims by the URIs of Identity Server, and others by those of SCIM", () => {
    const [event] = wso2Events(
      record(
        "user",
        { op: "add", path: "/title", value: "Dispatcher" },
        { op: "replace", path: "/emails", value: [{ value: "a@x.example" }], from: [] },
        { op: "remove", path: "/urn:ietf:params:scim:schemas:extension:enterprise:2.0:User/department", from: "Cabs" },
        { op: "add", path: "/favourite~1colour", value: "red" },
      ),
      BASE,
      ALL,
    );
    expect(event?.payload).toMatchObject({
      user: {
        id: "id-1",
        addedClaims: [
          { uri: "http://wso2.org/claims/title", value: "Dispatcher" },
          { uri: "urn:ietf:params:scim:schemas:core:2.0:User:favourite/colour", value: "red" },
        ],
        updatedClaims: [{ uri: "http://wso2.org/claims/emailaddress", value: "a@x.example" }],
        removedClaims: [
          { uri: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "Cabs" },
        ],
      },
      userStore: { id: Buffer.from("EMEA").toString("base64"), name: "EMEA" },
    });
  });

  test("never show a secret, wherever the record has one", () => {
    const changes: readonly Change[] = [
      { op: "add", path: "", value: { userName: "kim", password: "planted", nested: { pin: SECRET }, list: [SECRET] } },
      { op: "replace", path: "/pin", secret: true },
    ];
    const events = JSON.stringify([
      wso2Events(record("user", ...changes), BASE, ALL),
      changeEvents(record("user", ...changes), ALL),
    ]);
    expect(events).not.toContain("planted");
    expect(events).not.toContain('"pin"');
  });
});

describe("roles", () => {
  test("with more than 1,000 members in one change say how many, and where all of them are", () => {
    const changes = Array.from(
      { length: 1_001 },
      (_, at) => ({ op: "add", path: `/users/u${at}`, value: {} }) as const,
    );
    const [event, ...others] = wso2Events(record("role", ...changes), BASE, ALL);
    expect(others).toEqual([]);
    const role = event?.payload.role as { addedUsers: unknown[] } | undefined;
    expect(role).toMatchObject({
      addedUsersTruncated: true,
      addedUsersTotalCount: 1_001,
      addedUsersRef: `${BASE}/scim2/v2/Roles/id-1`,
    });
    expect(role?.addedUsers).toHaveLength(1_000);
  });
});

describe("the profile Changes", () => {
  test.each(resourceTypes)("has a channel for %s, whose events are in its metadata", (type) => {
    const known = profiles.find(({ name }) => name === "Changes")?.channels.flatMap(({ events }) => events) ?? [];
    const uris = known.map(({ uri }) => uri);
    const whole = { path: "", value: {} } as const;
    const each = [
      { op: "add", ...whole },
      { op: "remove", ...whole },
      { op: "replace", path: "/a", value: 1 },
    ] as const;
    for (const change of each) {
      const [event] = changeEvents(record(type, change), ALL);
      expect(uris).toContain(event?.uri);
      expect(JSON.stringify(event)).not.toContain('"value"');
    }
  });
});

test("an event of the profile Changes has 1,000 paths at most, and the number of all", () => {
  const changes = Array.from(
    { length: 1_001 },
    (_, at) => ({ op: "add", path: `/members/u${at}`, value: {} }) as const,
  );
  const [all] = changeEvents(record("group", ...changes.slice(1)), ALL);
  expect(all?.payload).not.toHaveProperty("changesTruncated");
  expect(all?.payload.changes).toHaveLength(1_000);
  const [some] = changeEvents(record("group", ...changes), ALL);
  expect(some?.payload).toMatchObject({ changesTruncated: true, changesTotalCount: 1_001 });
  expect(some?.payload.changes).toEqual(changes.slice(0, 1_000).map(({ op, path }) => ({ op, path })));
});

test("every event that a record gives is in the metadata of its profile", () => {
  const uris = new Set(
    profiles.flatMap(({ channels }) => channels.flatMap(({ events }) => events.map(({ uri }) => uri))),
  );
  expect(uris.size).toBe(profiles.flatMap(({ channels }) => channels.flatMap(({ events }) => events)).length);
  const some = wso2Events(
    record(
      "role",
      { op: "replace", path: "/displayName", value: "b", from: "a" },
      { op: "add", path: "/users/u", value: {} },
      { op: "remove", path: "/groups/g", from: {} },
      { op: "add", path: "/permissions/p", value: {} },
    ),
    BASE,
    ALL,
  );
  expect(some.map(({ uri }) => uri.split("/").at(-1))).toEqual([
    "roleMetaUpdated",
    "roleUsersUpdated",
    "roleGroupsUpdated",
    "rolePermissionsUpdated",
  ]);
  expect(some.filter(({ uri }) => !uris.has(uri))).toEqual([]);
});
