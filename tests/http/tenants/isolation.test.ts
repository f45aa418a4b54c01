/**
 * Isolation of tenants: for ids of another tenant, every operation returns exactly what it returns for unknown ids, and
 * changes nothing. Both tenants have resources of the same names.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { type Answer, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const password = "a-long-password";
const HERE = "here.example";
const THERE = "there.example";
const as = (domain: string) => ({ username: `kim@${domain}`, password });
const NOTHING = "00000000-0000-0000-0000-000000000000";

/** The ids of one tenant, by the kind of resource in a path. */
interface Ids {
  readonly application: string;
  readonly template: string;
  readonly api: string;
  readonly user: string;
  readonly group: string;
  readonly role: string;
  readonly tenant: string;
}
const unknownIds: Ids = {
  application: NOTHING,
  template: NOTHING,
  api: NOTHING,
  user: NOTHING,
  group: NOTHING,
  role: NOTHING,
  tenant: NOTHING,
};

const made = async (path: string, body: unknown, domain: string): Promise<string> => {
  const answer = await api.ask("POST", path, { body, as: as(domain) });
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.headers.get("location")?.split("/").at(-1) ?? "";
};

const furnish = async (domain: string): Promise<Ids> => {
  const body = { domain, owners: [{ username: "kim", password }] };
  const location = (await api.ask("POST", "/api/server/v1/tenants", { body })).headers.get("location");
  const user = await made("/scim2/Users", { userName: "lee", password, externalId: "e-1" }, domain);
  const group = await made("/scim2/Groups", { displayName: "drivers", members: [{ value: user }] }, domain);
  const application = await made(
    APPLICATIONS,
    {
      name: "Pickup",
      inboundProtocolConfiguration: {
        saml: { manualConfiguration: { issuer: "taxi", assertionConsumerUrls: ["https://taxi.example/acs"] } },
        passiveSts: { realm: "taxi", replyTo: "https://taxi.example" },
      },
    },
    domain,
  );
  const scopes = [{ name: "taxi:book" }];
  return {
    application,
    user,
    group,
    template: await made(`${APPLICATIONS}/templates`, { name: "T", application: { name: "x" } }, domain),
    api: await made("/api/server/v1/api-resources", { name: "Taxi", identifier: "taxi", scopes }, domain),
    role: await made("/scim2/v2/Roles", { displayName: "drivers", users: [{ value: user }] }, domain),
    tenant: location?.split("/").at(-1) ?? "",
  };
};

const kinds: readonly (readonly [RegExp, keyof Ids])[] = [
  [/^\/scim2\/Users/, "user"],
  [/^\/scim2\/Groups/, "group"],
  [/^\/scim2\/v2\/Roles/, "role"],
  [/\/templates\//, "template"],
  [/\/api-resources\//, "api"],
  [/\/tenants\//, "tenant"],
];
const pathFor = (path: string, ids: Ids): string => {
  const kind = kinds.find(([pattern]) => pattern.test(path))?.[1] ?? "application";
  return path
    .replace("{scopeName}", "taxi:book")
    .replace("{inboundProtocolId}", "cas")
    .replace("{apiId}", ids.api)
    .replace("{domain}", THERE)
    .replace("{secretId}", NOTHING)
    .replace("{ownerId}", NOTHING)
    .replace("{assignmentId}", `user.${ids.user}`)
    .replace(/\{\w+\}/, ids[kind]);
};

const patchOf = (...Operations: unknown[]) => ({ Operations });
/** Bodies with which the operations would succeed on resources of the caller's tenant. */
const bodies: Readonly<Record<string, unknown>> = {
  patchApplication: { description: "taken over" },
  changeApplicationOwner: { id: NOTHING },
  updateSamlConfiguration: {
    manualConfiguration: { issuer: "other", assertionConsumerUrls: ["https://other.example/acs"] },
  },
  updateOidcConfiguration: { grantTypes: ["client_credentials"] },
  updatePassiveStsConfiguration: { realm: "other", replyTo: "https://other.example" },
  updateWsTrustConfiguration: { audience: "https://other.example", certificateAlias: "wso2carbon" },
  updateCustomConfiguration: {
    name: "cas",
    properties: [{ key: "serviceURL", value: "https://other.example" }],
  },
  updateApplicationTemplate: { name: "taken over", application: { name: "x" } },
  authorizeApi: { id: NOTHING, policyIdentifier: "RBAC", scopes: [] },
  patchAuthorizedApi: { addedScopes: [] },
  assign: { type: "user", id: NOTHING },
  patchApiResource: { name: "taken over" },
  replaceApiResourceScopes: [{ name: "other:scope" }],
  patchApiResourceScope: { displayName: "taken over" },
  replaceUser: { userName: "taken-over" },
  patchUser: patchOf({ op: "replace", path: "nickName", value: "taken over" }),
  replaceGroup: { displayName: "taken over" },
  patchGroup: patchOf({ op: "replace", path: "displayName", value: "taken over" }),
  patchApiResourceScopeById: { displayName: "taken over" },
  replaceRole: { displayName: "taken over" },
  replaceRoleV3: { displayName: "taken over" },
  patchRoleV3: patchOf({ op: "replace", path: "displayName", value: "taken over" }),
  replaceRoleUsers: [],
  patchRoleUsers: patchOf({ op: "remove" }),
  replaceRoleGroups: [],
  patchRoleGroups: patchOf({ op: "remove" }),
  patchRole: patchOf({ op: "replace", path: "displayName", value: "taken over" }),
  updateTenantStatus: { activated: false },
  updateTenantOwner: { email: "taken@over.example", firstname: "Taken", lastname: "Over" },
};

const addressed = Object.entries(operations).filter(
  ([id, { path }]) => path.includes("{") && !["getResourceType", "getSchema", "getCustomProtocolMetadata"].includes(id),
);

let here: Ids;
let there: Ids;
const shownThere = async (): Promise<unknown[]> => {
  const paths = [
    `${APPLICATIONS}/${there.application}`,
    `${APPLICATIONS}/${there.application}/inbound-protocols`,
    `${APPLICATIONS}/templates/${there.template}`,
    `/api/server/v1/api-resources/${there.api}`,
    `/scim2/Users/${there.user}`,
    `/scim2/Groups/${there.group}`,
    `/scim2/v2/Roles/${there.role}`,
  ];
  return Promise.all(paths.map(async (path) => (await api.ask("GET", path, { as: as(THERE) })).body));
};

beforeAll(async () => {
  here = await furnish(HERE);
  there = await furnish(THERE);
});

/** What the other tenant shows. No test changes it, so the first test reads it for all. */
let before: unknown[] | undefined;

/** A response without the ids of the request and without what differs between any two requests. */
const essenceOf = ({ status, text, headers }: Answer, ids: Ids) => ({
  status,
  allow: headers.get("allow"),
  location: headers.get("location"),
  text: [...Object.values(ids), NOTHING]
    .reduce((rest, id) => rest.replaceAll(id, "<id>"), text)
    .replace(/"traceId":"[^"]*"/, '"traceId":"<trace>"'),
});

describe.each(addressed)("%s", (id, { method, path, body }) => {
  test("treats ids of another tenant as unknown ids, and changes nothing", async () => {
    before ??= await shownThere();
    const ask = async (ids: Ids) => {
      // The body may refer to a resource of the other tenant.
      const payload = body ? (bodies[id] ?? {}) : undefined;
      return api.ask(method, pathFor(path, ids), { as: as(HERE), ...(payload !== undefined && { body: payload }) });
    };
    const [theirs, none] = [await ask(there), await ask(unknownIds)];
    expect(essenceOf(theirs, there)).toEqual(essenceOf(none, unknownIds));
    expect(await shownThere()).toEqual(before);
  });
});

describe("a reference to a resource of another tenant is unknown", () => {
  const asks: [string, () => [string, string, unknown]][] = [
    [
      "a member of a group",
      () => [
        "PATCH",
        `/scim2/Groups/${here.group}`,
        patchOf({ op: "add", path: "members", value: [{ value: there.user }] }),
      ],
    ],
    ["a new group's member", () => ["POST", "/scim2/Groups", { displayName: "g", members: [{ value: there.user }] }]],
    [
      "an assignee of a role",
      () => [
        "PATCH",
        `/scim2/v2/Roles/${here.role}`,
        patchOf({ op: "add", path: "users", value: [{ value: there.user }] }),
      ],
    ],
    [
      "a group that holds a role",
      () => [
        "PATCH",
        `/scim2/v2/Roles/${here.role}`,
        patchOf({ op: "add", path: "groups", value: [{ value: there.group }] }),
      ],
    ],
    [
      "the audience of a role",
      () => [
        "POST",
        "/scim2/v2/Roles",
        { displayName: "r", audience: { type: "application", value: there.application } },
      ],
    ],
    ["the owner of an application", () => ["PUT", `${APPLICATIONS}/${here.application}/owner`, { id: there.user }]],
    [
      "an authorized API",
      () => [
        "POST",
        `${APPLICATIONS}/${here.application}/authorized-apis`,
        { id: there.api, policyIdentifier: "RBAC", scopes: [] },
      ],
    ],
    ["a template", () => ["POST", `${APPLICATIONS}?template=${there.template}`, { name: "from theirs" }]],
  ];
  test.each(asks)("%s", async (_, call) => {
    const before = await shownThere();
    const [method, path, body] = call();
    const theirs = await api.ask(method, path, { body, as: as(HERE) });
    expect([400, 404]).toContain(theirs.status);
    const swap = (text: string) => Object.values(there).reduce((rest, id) => rest.replaceAll(id, NOTHING), text);
    const none = await api.ask(method, swap(path), { raw: swap(JSON.stringify(body)), as: as(HERE) });
    expect(essenceOf(none, unknownIds)).toEqual(essenceOf(theirs, there));
    expect(await shownThere()).toEqual(before);
  });
});

describe("lists and searches", () => {
  test.each([
    `${APPLICATIONS}?filter=name+eq+Pickup`,
    `${APPLICATIONS}/templates`,
    "/api/server/v1/api-resources?filter=identifier+eq+taxi",
    '/scim2/Users?filter=userName+eq+"lee"',
    '/scim2/Users?filter=externalId+eq+"e-1"',
    "/scim2/Groups",
    '/scim2/v2/Roles?filter=displayName+eq+"drivers"',
    "/scim2",
  ])("%s contains only resources of the tenant", async (path) => {
    const { status, text } = await api.ask("GET", path, { as: as(HERE) });
    expect(status).toBe(200);
    for (const id of Object.values(there)) expect(text).not.toContain(id);
    expect(Object.values(here).some((id) => text.includes(id))).toBe(true);
  });
  test("a filter with an id of another tenant has no match", async () => {
    for (const filter of [`id eq "${there.user}"`, `groups.value eq "${there.group}"`]) {
      const { body } = await api.ask("GET", `/scim2/Users?filter=${encodeURIComponent(filter)}`, { as: as(HERE) });
      expect(body.totalResults).toBe(0);
    }
    const members = encodeURIComponent(`members.value eq "${there.user}"`);
    expect((await api.ask("GET", `/scim2/Groups?filter=${members}`, { as: as(HERE) })).body.totalResults).toBe(0);
  });
  test("a cursor of another tenant is not followed", async () => {
    const first = await api.ask("GET", "/scim2/Users?cursor&count=1", { as: as(THERE) });
    const cursor = first.body.nextCursor;
    expect((await api.ask("GET", `/scim2/Users?cursor=${cursor}&count=1`, { as: as(THERE) })).status).toBe(200);
    const stolen = await api.ask("GET", `/scim2/Users?cursor=${cursor}&count=1`, { as: as(HERE) });
    expect([stolen.status, stolen.body.scimType]).toEqual([400, "invalidCursor"]);
  });
  test("a deletion in one tenant does not change a resource of the same name in another", async () => {
    expect((await api.ask("DELETE", `/scim2/Groups/${here.group}`, { as: as(HERE) })).status).toBe(204);
    expect((await api.ask("DELETE", `${APPLICATIONS}/${here.application}`, { as: as(HERE) })).status).toBe(204);
    expect((await api.ask("GET", `/scim2/Groups/${there.group}`, { as: as(THERE) })).body.members).toHaveLength(1);
    expect((await api.ask("GET", `${APPLICATIONS}/${there.application}`, { as: as(THERE) })).status).toBe(200);
  });
});
