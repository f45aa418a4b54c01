/** A rehearsed restore of a resource of each kind: it answers as the restore does, and the resource stays deleted. */
import { expect, test } from "vitest";
import { indexProblemsIn } from "#tests/support/application-index.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { DELETED, recoveryOf } from "#tests/support/recovery.ts";
import { fresh, scimOf } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";
import { SAML } from "#tools/operation-units/fixture.ts";

const api = world();
const scim = scimOf(api, "wso2");
const { newClient } = oauthOf(api);
const { remove, restore, restored, list } = recoveryOf(api);
const TEMPLATES = `${APPLICATIONS}/templates`;
const APIS = "/api/server/v1/api-resources";
const ROLES = "/scim2/v2/Roles";

const created = async (path: string, body: object): Promise<string> => {
  const answer = await api.ask("POST", path, { body });
  expect(answer.status, answer.text).toBe(201);
  return `${path}/${answer.headers.get("location")?.split("/").at(-1)}`;
};

/** Create a resource and return its path. */
const kinds: Readonly<Record<string, () => Promise<string>>> = {
  async "an application with protocols and authorized APIs"() {
    const path = `${APPLICATIONS}/${(await newClient(["internal_application_mgt_view"])).applicationId}`;
    const answer = await api.ask("PUT", `${path}/inbound-protocols/saml`, { body: SAML });
    expect(answer.status, answer.text).toBe(200);
    return path;
  },
  "an application template": () => created(TEMPLATES, { name: fresh("template"), application: { name: "a" } }),
  "an API resource with scopes": () =>
    created(APIS, { name: "A", identifier: `urn:${fresh("api")}`, scopes: [{ name: fresh("scope") }] }),
  async "a user with other keys than the name, a group and a role"() {
    const name = fresh("user");
    const { id } = await scim.user({ userName: name, externalId: name, emails: [`${name}@x.example`] });
    await scim.group({ members: [{ value: id }] });
    await created(ROLES, { displayName: fresh("role"), users: [{ value: id }] });
    return `/scim2/Users/${id}`;
  },
  async "a user whose name has the form of an address"() {
    return `/scim2/Users/${(await scim.user({ userName: `${fresh("user")}@nowhere.example` })).id}`;
  },
  async "a group with a member"() {
    const { id } = await scim.user();
    return `/scim2/Groups/${(await scim.group({ members: [{ value: id }] })).id}`;
  },
  async "a role with a user and a group"() {
    const [user, group] = [await scim.user(), await scim.group()];
    const members = { users: [{ value: user.id }], groups: [{ value: group.id }] };
    return created(ROLES, { displayName: fresh("role"), ...members });
  },
};

/** Where a resource shows all that it has. */
const partsOf = (path: string): readonly string[] =>
  path.startsWith(`${APPLICATIONS}/`) && !path.startsWith(TEMPLATES)
    ? [path, `${path}/authorized-apis`, `${path}/inbound-protocols/oidc`, `${path}/inbound-protocols/saml`]
    : [path];

test.each(Object.entries(kinds))("%s", async (_, make) => {
  const path = await make();
  const id = path.split("/").at(-1) ?? "";
  const shown = async () => {
    const parts = await Promise.all(partsOf(path).map((each) => api.ask("GET", each)));
    expect(parts.map(({ status }) => status)).toEqual(parts.map(() => 200));
    return parts.map(({ body: { meta: _, ...rest } }) => rest);
  };
  const before = await shown();
  await remove(path);
  const rehearsed = await api.ask("POST", `${DELETED}/${id}/restore?dryRun=true`);
  expect(rehearsed.status, rehearsed.text).toBe(200);
  expect(rehearsed.headers.get("dry-run")).toBe("true");
  expect((await api.ask("GET", path)).status).toBe(404);
  expect((await list()).map((one) => one.id)).toContain(id);

  expect(await restored(id)).toEqual(rehearsed.body);
  expect(await shown()).toEqual(before);
  const again = [await api.ask("POST", `${DELETED}/${id}/restore?dryRun=true`), await restore(id)];
  expect(again.map(({ status }) => status)).toEqual([404, 404]);
});

test("many applications, one after the other, are in lists again, newest first", async () => {
  // Long names fill the changes of the index that are not folded yet.
  const name = fresh("many").padEnd(200, "-");
  const ids: string[] = [];
  for (let at = 0; at < 40; at += 1) ids.push(await api.create({ name: `${name} ${at}` }));
  for (const id of ids) await remove(`${APPLICATIONS}/${id}`);
  for (const id of ids) await restored(id);
  const { body } = await api.ask("GET", `${APPLICATIONS}?limit=50&filter=name+sw+${encodeURIComponent(name)}`);
  expect(body.totalResults).toBe(ids.length);
  expect(body.applications.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed());
  expect(await indexProblemsIn(api.service)).toEqual([]);
});
