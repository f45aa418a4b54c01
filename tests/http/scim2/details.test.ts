/** Details that strict clients notice: external ids of roles, PATCH with a boxed value, parts of roles in each profile. */
import { describe, expect, test } from "vitest";
import { NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { type World, world } from "#tests/support/world.ts";

const wso2 = world();
const rfc = world({ deployment: NEGOTIATED });
const ROLES = "/scim2/v2/Roles";
const VIEW = "internal_application_mgt_view";
let made = 0;
const newRole = async (api: World, more: Shown = {}): Promise<Shown> => {
  made += 1;
  const { status, body, text } = await api.ask("POST", ROLES, { body: { displayName: `role ${made}`, ...more } });
  expect(status, text).toBe(201);
  return body;
};

describe("externalId of a role", () => {
  const patch = (id: string, ...Operations: unknown[]) => wso2.ask("PATCH", `${ROLES}/${id}`, { body: { Operations } });
  const read = async (id: string): Promise<Shown> => (await wso2.ask("GET", `${ROLES}/${id}`)).body;

  test("is stored when a role is created, replaced and changed, and removed on request", async () => {
    const { id, displayName, externalId } = await newRole(wso2, { externalId: "hr-1", permissions: [{ value: VIEW }] });
    expect([externalId, (await read(id)).externalId]).toEqual(["hr-1", "hr-1"]);

    const put = await wso2.ask("PUT", `${ROLES}/${id}`, { body: { displayName, externalId: "hr-2" } });
    expect([put.status, put.body.externalId, (await read(id)).externalId]).toEqual([200, "hr-2", "hr-2"]);
    const before = (await read(id)).meta.version;
    for (const [operation, expected] of [
      [{ op: "replace", path: "externalId", value: "HR-3" }, "HR-3"],
      [{ op: "add", value: { externalId: "hr-4" } }, "hr-4"],
      [{ op: "remove", path: "externalId" }, undefined],
      [{ op: "add", path: "externalId", value: "hr-5" }, "hr-5"],
      [{ op: "replace", path: "externalId", value: null }, undefined],
    ] as const) {
      const answer = await patch(id, operation);
      expect([answer.status, answer.body.externalId, (await read(id)).externalId]).toEqual([200, expected, expected]);
    }
    expect((await read(id)).meta.version).not.toBe(before);
    const cleared = await wso2.ask("PUT", `${ROLES}/${id}`, { body: { displayName, externalId: "" } });
    expect([cleared.status, cleared.body.externalId]).toEqual([200, undefined]);
  });
  test("is shown in lists, and found by filter with its case, and sorted by", async () => {
    const { id } = await newRole(wso2, { externalId: "Find-Me" });
    const { id: other } = await newRole(wso2, { externalId: "Find-You" });
    const list = async (query: string) => (await wso2.ask("GET", `${ROLES}?${query}`)).body.Resources as Shown[];
    expect(await list('filter=externalId+eq+"Find-Me"')).toMatchObject([{ id, externalId: "Find-Me" }]);
    expect(await list('filter=externalId+eq+"find-me"')).toEqual([]);
    const sorted = await list('filter=externalId+sw+"Find-"&sortBy=externalId&sortOrder=descending');
    expect(sorted.map((role) => role.id)).toEqual([other, id]);
    expect(await list('filter=externalId+eq+"Find-Me"&attributes=externalId')).toEqual([
      expect.objectContaining({ externalId: "Find-Me" }),
    ]);
    expect((await list('filter=externalId+eq+"Find-Me"&excludedAttributes=externalId'))[0]).not.toHaveProperty(
      "externalId",
    );
  });
  test("can be set on a built-in role, which keeps everything else", async () => {
    const [admin] = (await wso2.ask("GET", `${ROLES}?filter=displayName+eq+"admin"`)).body.Resources;
    expect((await patch(admin.id, { op: "add", path: "externalId", value: "x" })).body.externalId).toBe("x");
    expect((await patch(admin.id, { op: "replace", path: "displayName", value: "x" })).status).toBe(403);
  });
});

describe.each([
  ["wso2", wso2],
  ["rfc7644", rfc],
] as const)("PATCH without a path, in the profile %s", (profile, api) => {
  const scim = scimOf(api, profile);
  const password = "good-password";
  const boxed = (path: string, value: unknown, op = "replace") =>
    api.ask("PATCH", path, { body: { schemas: [URN.patch], Operations: [{ op, value }] } });

  test("takes a list of one object as that object, for users, groups, roles and the calling user", async () => {
    const { id } = await scim.user({ password });
    const user = await boxed(`/scim2/Users/${id}`, [{ title: "driver", "name.familyName": "Berry" }]);
    expect([user.status, user.body.title, user.body.name]).toEqual([200, "driver", { familyName: "Berry" }]);
    expect((await boxed(`/scim2/Users/${id}`, [{ nickName: "K" }], "add")).body.nickName).toBe("K");
    const group = await scim.group();
    const members = [{ value: id }];
    const joined = await boxed(`/scim2/Groups/${group.id}`, [{ members, externalId: "g" }], "add");
    expect([joined.status, joined.body.members, joined.body.externalId]).toMatchObject([200, members, "g"]);
    const role = await newRole(api);
    expect((await boxed(`${ROLES}/${role.id}`, [{ users: members }], "add")).body.users).toMatchObject(members);
    expect((await boxed("/scim2/Me", [{ nickName: "Boss" }])).body.nickName).toBe("Boss");
  });
  test.each([[[]], [[{ title: "a" }, { title: "b" }]], [["title"]], [[[{ title: "a" }]]], ["title"], [[null]]])(
    "returns 400 for %j",
    async (value) => {
      const { id } = await scim.user({ password });
      refusal(await boxed(`/scim2/Users/${id}`, value), 400, "invalidSyntax");
    },
  );
});

describe("roles of users", () => {
  test.each([
    ["wso2", wso2, ["$ref", "audienceDisplay", "audienceType", "audienceValue", "display", "type", "value"]],
    ["rfc7644", rfc, ["display", "type", "value"]],
  ] as const)("have the parts of the profile %s, in every response and in the schema", async (profile, api, parts) => {
    const scim = scimOf(api, profile);
    const { id, userName } = await scim.user({ password: "good-password" });
    const role = await newRole(api, { users: [{ value: id }] });
    const shown = [
      await scim.read(`/Users/${id}`),
      (await scim.find(`userName eq "${userName}"`)).Resources[0],
      (await scim.get(`/Users/${id}`, { attributes: "roles" })).body,
      await scim.patched(`/Users/${id}`, { op: "add", path: "title", value: "driver" }),
      (await scim.ask("PUT", `/Users/${id}`, { body: { userName, title: "owner" } })).body,
    ];
    for (const user of shown) {
      expect(user.roles.map((one: Shown) => Object.keys(one).sort())).toEqual([parts]);
      expect(user.roles[0].value).toBe(role.displayName);
    }
    const { attributes } = (await scim.get(`/Schemas/${URN.user}`)).body;
    const declared = attributes.find(({ name }: Shown) => name === "roles").subAttributes;
    expect(declared.some(({ name }: Shown) => name === "$ref")).toBe(profile === "wso2");
  });
});
