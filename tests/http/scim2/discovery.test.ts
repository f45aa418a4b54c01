/**
 * Rows C196 to C211, S01, T01 to T06, W01, W03 and M33 of docs/scim-conformance.md: discovery, and whether it is true.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { violationsIn } from "#tests/support/declared.ts";
import { addUser } from "#tests/support/people.ts";
import { fresh, NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { sampleOfAll } from "#tests/support/scim-samples.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get, patch } = scim;
const CORE = "urn:ietf:params:scim:schemas:core:2.0";
/** Upstream's endpoint, which no RFC has. */
const ROLE = "urn:ietf:params:scim:schemas:extension:2.0:Role";
const [CONFIG, TYPES, SCHEMAS] = ["/ServiceProviderConfig", "/ResourceTypes", "/Schemas"] as const;
const TYPE_NAMES = ["string", "boolean", "decimal", "integer", "dateTime", "reference", "complex", "binary"];
const read = async (path: string): Promise<Shown> => (await get(path)).body;
let schemas: Shown[];
let types: Shown[];

beforeAll(async () => {
  schemas = (await read(SCHEMAS)).Resources;
  types = (await read(TYPES)).Resources;
});

describe("getServiceProviderConfig", () => {
  test("C196 C197 W01 T01 returns one object with every required member, each of its type", async () => {
    const config = await read(CONFIG);
    expect(config).toMatchObject({
      schemas: [`${CORE}:ServiceProviderConfig`],
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 1_000, maxPayloadSize: 1_048_576 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: true },
      sort: { supported: true },
      etag: { supported: true },
      meta: { resourceType: "ServiceProviderConfig", location: `${api.url}/scim2${CONFIG}` },
    });
    expect(config).not.toHaveProperty("id");
    expect(config.authenticationSchemes.map(({ type }: Shown) => type)).toEqual(["oauthbearertoken", "httpbasic"]);
    for (const scheme of config.authenticationSchemes) {
      expect(scheme).toMatchObject({
        name: expect.any(String),
        description: expect.any(String),
        specUri: expect.stringMatching(/^https:/),
      });
    }
  });
  test("names the events that a stream can deliver, and no asynchronous requests (RFC 9967)", async () => {
    expect(await read(CONFIG)).not.toHaveProperty("securityEvents");
    const { securityEvents } = (await api.ask("GET", `/scim2${CONFIG}`)).body;
    const { stream_id, events_supported } = (await api.ask("POST", "/ssf/streams", { body: {} })).body;
    const isScim = (type: string) => type.startsWith("urn:ietf:params:scim:event:");
    expect(securityEvents).toEqual({ asyncRequest: "none", eventUris: events_supported.filter(isScim) });
    await api.ask("DELETE", `/ssf/streams?stream_id=${stream_id}`);
  });
  test("C198 describes what the service does", async () => {
    const kim = await scim.user({ userName: "advertised", password: "before-word", title: "T" });
    const path = `/Users/${kim.id}`;
    // patch, changePassword, filter, sort, etag, pagination, bulk
    expect((await patch(path, { op: "replace", path: "password", value: "behind-word" })).status).toBe(200);
    expect((await ask("GET", "/Me", { as: { username: "advertised", password: "behind-word" } })).status).toBe(200);
    expect((await scim.find('title eq "t"', "/Users", { sortBy: "title" })).totalResults).toBe(1);
    const { version } = (await read(path)).meta;
    expect((await ask("GET", path, { headers: { "if-none-match": version } })).status).toBe(304);
    expect((await get("/Users", { cursor: "", count: 1 })).body).toHaveProperty("nextCursor");
    expect((await get("/Users", { startIndex: 2, count: 1 })).body.startIndex).toBe(2);
    const Operations = [{ method: "DELETE", path }];
    expect((await ask("POST", "/Bulk", { body: { Operations } })).body.Operations[0].status).toBe("204");
    expect((await get("/Users", { count: 1_000 })).body.itemsPerPage).toBeLessThanOrEqual(200);
  });
});

describe("listResourceTypes", () => {
  test("C202 T01 lists users, groups and roles", async () => {
    expect(await read(TYPES)).toMatchObject({ schemas: [URN.list], totalResults: 3, startIndex: 1, itemsPerPage: 3 });
    const typeOf = (name: string, extensions: readonly string[], more: Shown = {}) => ({
      schemas: [`${CORE}:ResourceType`],
      id: name,
      name,
      description: expect.any(String),
      endpoint: `/${name}s`,
      schema: `${CORE}:${name}`,
      schemaExtensions: extensions.map((schema) => ({ schema, required: false })),
      meta: { resourceType: "ResourceType", location: `${api.url}/scim2${TYPES}/${name}` },
      ...more,
    });
    const ofRoles = { endpoint: "/v2/Roles", schema: ROLE };
    expect(types).toEqual([
      typeOf("User", [URN.enterprise, URN.system]),
      typeOf("Group", ["urn:scim:identity-admin:schema:GroupMembers"]),
      typeOf("Role", ["urn:scim:identity-admin:schema:RoleAssignees"], ofRoles),
    ]);
  });
});

describe("getResourceType", () => {
  test("C203 S01 T02 returns each type by its name in any case", async () => {
    for (const type of types) {
      expect(await read(`${TYPES}/${type.id}`)).toEqual(type);
      expect(await read(new URL(type.meta.location).pathname.replace("/scim2", ""))).toEqual(type);
    }
    expect(await read(`${TYPES}/user`)).toEqual(types[0]);
  });
  test("C204 T04 names schemas that exist", async () => {
    const known = schemas.map(({ id }) => id);
    for (const { schema, schemaExtensions } of types) {
      for (const urn of [schema, ...schemaExtensions.map((extension: Shown) => extension.schema)])
        expect(known).toContain(urn);
    }
  });
  test("C205 names an endpoint that responds", async () => {
    for (const { endpoint, schema } of types) {
      expect(endpoint).toMatch(/^(?:\/\w+)+$/);
      const page = await read(endpoint);
      for (const resource of page.Resources) expect(resource.schemas).toContain(schema);
    }
  });
});

describe("listSchemas", () => {
  test("C199 T06 W03 lists every schema in use, and those of the protocol", async () => {
    const page = await read(SCHEMAS);
    expect(page).toMatchObject({ schemas: [URN.list], totalResults: 10, startIndex: 1, itemsPerPage: 10 });
    expect(schemas.map(({ id }) => id)).toEqual([
      URN.user,
      URN.group,
      ROLE,
      URN.enterprise,
      URN.system,
      "urn:scim:identity-admin:schema:GroupMembers",
      "urn:scim:identity-admin:schema:RoleAssignees",
      `${CORE}:ResourceType`,
      `${CORE}:Schema`,
      `${CORE}:ServiceProviderConfig`,
    ]);
  });
  test("C209 M33 gives every attribute all characteristics, with legal values and without nulls", async () => {
    const check = (attribute: Shown, path: string): void => {
      expect(attribute, path).toMatchObject({
        name: expect.stringMatching(/^[$A-Za-z][\w-]*$/),
        type: expect.stringMatching(new RegExp(`^(?:${TYPE_NAMES.join("|")})$`)),
        multiValued: expect.any(Boolean),
        description: expect.stringMatching(/\w/),
        required: expect.any(Boolean),
        caseExact: expect.any(Boolean),
        mutability: expect.stringMatching(/^(?:readOnly|readWrite|immutable|writeOnly)$/),
        returned: expect.stringMatching(/^(?:always|never|default|request)$/),
        uniqueness: expect.stringMatching(/^(?:none|server|global)$/),
      });
      expect(attribute.type === "complex", path).toBe(attribute.subAttributes !== undefined);
      expect(attribute.type === "reference", path).toBe(attribute.referenceTypes !== undefined);
      for (const sub of attribute.subAttributes ?? []) check(sub, `${path}.${sub.name}`);
    };
    for (const { attributes, id } of schemas)
      for (const attribute of attributes) check(attribute, `${id}:${attribute.name}`);
    expect(JSON.stringify(schemas)).not.toMatch(/null|lengthMax|selfService|alsoHolds/);
    expect(schemas[0]?.description).toContain("User Account");
  });
});

describe("getSchema", () => {
  test("C200 T02 C211 returns each schema by its URN, in any case and escaped, with its type and location", async () => {
    for (const schema of schemas) {
      expect(await read(`${SCHEMAS}/${schema.id}`)).toEqual(schema);
      expect(schema.schemas).toEqual([`${CORE}:Schema`]);
      expect(schema.meta).toEqual({ resourceType: "Schema", location: `${api.url}/scim2${SCHEMAS}/${schema.id}` });
    }
    expect(await read(`${SCHEMAS}/${encodeURIComponent(URN.user.toUpperCase())}`)).toEqual(schemas[0]);
  });
  test("C201 T03 returns 404 for an unknown id", async () => {
    for (const path of [
      `${SCHEMAS}/urn:nothing`,
      `${SCHEMAS}/User`,
      `${SCHEMAS}/__proto__`,
      `${TYPES}/Device`,
      `${TYPES}/constructor`,
    ])
      refusal(await get(path), 404);
  });
});

describe("every discovery endpoint", () => {
  const paths = () => [CONFIG, TYPES, SCHEMAS, `${TYPES}/User`, `${SCHEMAS}/${URN.user}`];

  test("C206 returns 403 for a filter", async () => {
    for (const path of [CONFIG, TYPES, SCHEMAS]) refusal(await get(path, { filter: 'name eq "User"' }), 403);
  });
  test("C207 ignores sorting, paging and projections", async () => {
    for (const path of paths()) {
      const query = {
        sortBy: "name",
        sortOrder: "x",
        startIndex: "2",
        count: "0",
        attributes: "id",
        excludedAttributes: "name",
      };
      expect((await get(path, query)).body).toEqual(await read(path));
    }
  });
  test("C208 T05 returns 405 for writes", async () => {
    for (const path of paths()) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const answer = await ask(method, path, { body: {} });
        refusal(answer, 405);
        expect(answer.headers.get("allow")).toBe("GET");
      }
    }
  });
  test("needs a credential and no scope", async () => {
    const as = { username: "roleless", password: "a long enough password" };
    await addUser(api.service, as);
    for (const path of paths()) expect((await ask("GET", path, { as })).status).toBe(200);
  });
});

describe("resources", () => {
  test("C210 follow the schemas: they store all writable attributes, and show only attributes of a schema", async () => {
    const [core, enterprise, system] = [URN.user, URN.enterprise, URN.system].map(
      (urn) => schemas.find(({ id }) => id === urn) ?? {},
    ) as [Shown, Shown, Shown];
    const body = {
      ...sampleOfAll(core.attributes),
      userName: fresh("full"),
      password: "a-good-password",
      [enterprise.id]: sampleOfAll(enterprise.attributes),
      [system.id]: { ...sampleOfAll(system.attributes), accountLocked: false, accountDisabled: false },
    };
    const user = await scim.user(body);
    const { password: _, ...kept } = body;
    expect(user).toMatchObject(kept);
    const group = await scim.group({ displayName: "full", members: [{ value: user.id }] });
    const all = [
      user,
      group,
      await scim.read(`/Users/${user.id}`),
      ...(await read("/Users")).Resources,
      ...(await read("/Groups")).Resources,
      ...(await read("/v2/Roles")).Resources,
    ];
    for (const resource of all) expect(violationsIn(schemas, resource)).toEqual([]);
    expect(violationsIn(schemas, { ...user, shoeSize: 5, title: [1], active: "true" })).toHaveLength(3);
  });
});
