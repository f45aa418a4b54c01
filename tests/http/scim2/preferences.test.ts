/** `Prefer: return=minimal`, bulk operations on roles, and cursors on roles. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { type Ask, world } from "#tests/support/world.ts";

const api = world();
const scim = scimOf(api);
const password = "a-long-password";
let made = 0;
const name = (): string => {
  made += 1;
  return `preferred-${made}`;
};
const send = (method: string, path: string, body: unknown, prefer?: string, more: Record<string, string> = {}) =>
  scim.ask(method, path, { body, headers: { ...(prefer !== undefined && { prefer }), ...more } });
const patchOf = (...Operations: readonly Shown[]) => ({ schemas: [URN.patch], Operations });
const bodyOf: Readonly<Record<string, () => Shown>> = {
  "/Users": () => ({ userName: name() }),
  "/Groups": () => ({ displayName: name() }),
  "/v2/Roles": () => ({ displayName: name() }),
};

describe.each(["/Users", "/Groups", "/v2/Roles"])("return=minimal on %s", (collection) => {
  const body = () => bodyOf[collection]?.() ?? {};
  test("leaves out the body of a creation, a replacement and a change", async () => {
    const created = await send("POST", collection, body(), "return=minimal");
    expect([created.status, created.text]).toEqual([201, ""]);
    expect(created.headers.get("preference-applied")).toBe("return=minimal");
    expect(created.headers.get("content-type")).toBeNull();
    const id = created.headers.get("location")?.split("/").at(-1);
    const path = `${collection}/${id}`;
    const shown = await scim.get(path);
    expect(created.headers.get("etag")).toBe(shown.headers.get("etag"));
    const put = await send("PUT", path, { ...shown.body, externalId: "x" }, 'respond-async, return="minimal"; a=b');
    expect([put.status, put.text, put.headers.get("preference-applied")]).toEqual([204, "", "return=minimal"]);
    const change = patchOf({ op: "replace", path: "externalId", value: "y" });
    const patched = await send("PATCH", path, change, "Return=Minimal");
    expect([patched.status, patched.text]).toEqual([204, ""]);
    const after = await scim.get(path);
    expect([after.body.externalId, patched.headers.get("etag")]).toEqual(["y", after.headers.get("etag")]);
  });
  test("is ignored by a change that selects attributes, which RFC 7644 section 3.5.2 answers with 200", async () => {
    const { id } = (await send("POST", collection, body())).body;
    const change = (value: string, query: string) =>
      send(
        "PATCH",
        `${collection}/${id}?${query}`,
        patchOf({ op: "replace", path: "externalId", value }),
        "return=minimal",
      );
    for (const [at, query] of ["attributes=externalId", "ATTRIBUTES=externalId&dryRun=true"].entries()) {
      const { status, body: shown, headers } = await change(`x${at}`, query);
      expect([status, shown.externalId, headers.get("preference-applied")]).toEqual([200, `x${at}`, null]);
    }
    for (const query of ["attributes=", "excludedAttributes=externalId"]) {
      expect((await change(`y${query}`, query)).status, query).toBe(204);
    }
    const path = `${collection}/${id}?attributes=externalId`;
    expect((await send("PUT", path, body(), "return=minimal")).status).toBe(204);
  });
  test.each([undefined, "return=representation", "return=representation, return=minimal", "respond-async", "=", ""])(
    "with Prefer: %j the body is there",
    async (prefer) => {
      const { status, body: shown, headers } = await send("POST", collection, body(), prefer);
      expect([status, shown.id, headers.get("preference-applied")]).toEqual([201, expect.any(String), null]);
    },
  );
  test("errors have their body", async () => {
    const { status, body: problem } = await send("PUT", `${collection}/${UNKNOWN_ID}`, body(), "return=minimal");
    expect([status, problem.schemas]).toEqual([404, [URN.error]]);
  });
});

describe("return=minimal", () => {
  test("is ignored by searches and bulk requests", async () => {
    const search = await send("POST", "/Users/.search", { schemas: [URN.search], count: 1 }, "return=minimal");
    expect(search.body.Resources).toHaveLength(1);
    const Operations = [{ method: "POST", path: "/Users", bulkId: "1", data: { userName: name() } }];
    const bulk = await send("POST", "/Bulk", { schemas: [URN.bulk], Operations }, "return=minimal");
    expect([bulk.status, bulk.body.Operations[0].status]).toEqual([200, "201"]);
  });
  test("goes together with handling=strict", async () => {
    const { status, text, headers } = await send(
      "POST",
      "/Users",
      { userName: name() },
      "handling=strict, return=minimal",
    );
    expect([status, text, headers.get("preference-applied")]).toEqual([201, "", "handling=strict, return=minimal"]);
  });
  test("holds for rehearsals and for repeated requests", async () => {
    const rehearsal = await send("POST", "/Users?dryRun=true", { userName: name() }, "return=minimal");
    expect([rehearsal.status, rehearsal.text]).toEqual([201, ""]);
    const body = { userName: name() };
    const key = { "idempotency-key": '"the same"' };
    const first = await send("POST", "/Users", body, "return=minimal", key);
    const again = await send("POST", "/Users", body, undefined, key);
    expect([first.text, again.body.userName]).toEqual(["", body.userName]);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
  });
});

describe("bulk operations on roles", () => {
  const bulk = async (Operations: readonly Shown[], as?: Ask["as"]): Promise<readonly Shown[]> => {
    const body = { schemas: [URN.bulk], Operations };
    const answer = await scim.ask("POST", "/Bulk", { body, ...(as && { as }) });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.Operations;
  };
  const keeper = { username: "bulk-keeper", password };

  beforeAll(async () => {
    const scopes = ["internal_bulk_resource_create", "internal_role_mgt_users_update"];
    await addUser(api.service, { ...keeper, scopes });
  });

  test("create, replace, change and delete them, with references to what was created before", async () => {
    const [userName, displayName, group] = [name(), name(), name()];
    const results = await bulk([
      { method: "POST", path: "/v2/Roles", bulkId: "r", data: { displayName, users: [{ value: "bulkId:u" }] } },
      { method: "POST", path: "/Users", bulkId: "u", data: { userName } },
      { method: "POST", path: "/Groups", bulkId: "g", data: { displayName: group, members: [{ value: "bulkId:u" }] } },
      {
        method: "PATCH",
        path: "/v2/Roles/bulkId:r",
        data: patchOf({ op: "add", path: "groups", value: [{ value: "bulkId:g" }] }),
      },
    ]);
    expect(results.map(({ status }) => status)).toEqual(["201", "201", "201", "200"]);
    const location = String(results[0]?.location);
    expect(location).toMatch(/\/scim2\/v2\/Roles\/[^/]+$/);
    const id = location.split("/").at(-1);
    const role = await scim.read(`/v2/Roles/${id}`);
    const shown = (list: readonly Shown[]) => list.map(({ display }) => display);
    expect([shown(role.users), shown(role.groups)]).toEqual([[userName], [group]]);
    expect(results[3]?.version).toBe(role.meta.version);
    const stale = { method: "PUT", path: `/v2/Roles/${id}`, version: 'W/"old"', data: { displayName } };
    const more = await bulk([
      stale,
      { ...stale, version: role.meta.version },
      { method: "DELETE", path: `/v2/roles/${id}` },
      { method: "DELETE", path: `/v2/Roles/${id}` },
    ]);
    expect(more.map(({ status }) => status)).toEqual(["412", "200", "204", "404"]);
  });

  test("need the scopes of the single operations, and PATCH allows each part alone", async () => {
    const { id } = (await send("POST", "/v2/Roles", { displayName: name() })).body;
    const { id: kim } = await scim.user();
    const path = `/v2/Roles/${id}`;
    const results = await bulk(
      [
        { method: "POST", path: "/v2/Roles", bulkId: "1", data: { displayName: name() } },
        { method: "PUT", path, data: { displayName: name() } },
        { method: "PATCH", path, data: patchOf({ op: "replace", path: "displayName", value: name() }) },
        { method: "PATCH", path, data: patchOf({ op: "add", path: "users", value: [{ value: kim }] }) },
        { method: "DELETE", path },
      ],
      keeper,
    );
    expect(results.map(({ status }) => status)).toEqual(["403", "403", "403", "200", "403"]);
    expect((await scim.read(path)).users.map(({ value }: Shown) => value)).toEqual([kim]);
    const admin = (await scim.find('displayName eq "admin"', "/v2/Roles")).Resources[0].id;
    const data = patchOf({ op: "add", path: "users", value: [{ value: kim }] });
    const [gain] = await bulk([{ method: "PATCH", path: `/v2/Roles/${admin}`, data }], keeper);
    expect(gain?.status).toBe("403");
  });

  test("know no other place, and SCIM 1.1 has none", async () => {
    for (const path of ["/Roles", "/v2", "/v2/RolesX", "/v2/Roles/a/b", "/v3/Roles", "/v2/Users"]) {
      const [result] = await bulk([{ method: "POST", path, bulkId: "1", data: { displayName: "x" } }]);
      expect([path, result?.status]).toEqual([path, "404"]);
    }
    const Operations = [{ method: "POST", path: "/v2/Roles", bulkId: "1", data: { displayName: "x" } }];
    const body = { schemas: ["urn:scim:schemas:core:1.0"], Operations };
    const answer = await api.ask("POST", "/svc/scim/Bulk", { body });
    expect(answer.body.Operations[0].status.code).toBe("400");
    expect(answer.body.Operations[0].status.description).toContain("/Users or /Groups, with");
  });
});

describe("cursors on roles", () => {
  const page = (cursor: string, more: Shown = {}) => scim.get("/v2/Roles", { cursor, count: 7, ...more });

  test("lead through all roles once, also when one is deleted", async () => {
    for (let at = 0; at < 20; at += 1) await send("POST", "/v2/Roles", { displayName: name() });
    const all = (await scim.get("/v2/Roles", { count: 200 })).body.Resources.map(({ id }: Shown) => id);
    const seen: string[] = [];
    let cursor: string | undefined = "";
    while (cursor !== undefined) {
      const { status, body } = await page(cursor);
      expect([status, body.totalResults]).toEqual([200, all.length]);
      expect(body).not.toHaveProperty("startIndex");
      seen.push(...body.Resources.map(({ id }: Shown) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(all);
    const first = (await page("")).body;
    await scim.ask("DELETE", `/v2/Roles/${first.Resources.at(-1).id}`);
    expect((await page(first.nextCursor)).body.Resources[0].id).toBe(all[7]);
  });
  test("belong to one list, one size and one caller", async () => {
    const { nextCursor } = (await page("")).body;
    const users = await scim.get("/Users", { cursor: nextCursor, count: 7 });
    expect([users.status, users.body.scimType]).toEqual([400, "invalidCursor"]);
    expect((await page(nextCursor, { filter: "displayName pr" })).body.scimType).toBe("invalidCursor");
    expect((await page(nextCursor, { count: 8 })).body.scimType).toBe("invalidCount");
    expect((await page(nextCursor, { startIndex: 1 })).status).toBe(400);
    const search = { schemas: [URN.search], cursor: "", count: 7 };
    expect((await send("POST", "/v2/Roles/.search", search)).body.nextCursor).toEqual(expect.any(String));
  });
});

test("a group cannot be a member of a group, and the schema says so", async () => {
  const { id } = await scim.group();
  const body = { displayName: name(), members: [{ value: id, type: "Group" }] };
  const { status, body: problem } = await send("POST", "/Groups", body);
  expect([status, problem.detail]).toEqual([400, expect.stringContaining("groups cannot be members of groups")]);
  const schema = await scim.read(`/Schemas/${URN.group}`);
  const members = schema.attributes.find((one: Shown) => one.name === "members");
  const part = (wanted: string) => members.subAttributes.find((one: Shown) => one.name === wanted);
  expect(members.description).toContain("Groups cannot be members of groups");
  expect([part("type").canonicalValues, part("$ref").referenceTypes]).toEqual([["User"], ["User"]]);
});
