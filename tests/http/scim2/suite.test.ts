/**
 * Rows T08 to T18 of docs/scim-conformance.md: what python-scim's suite does with every attribute that `/Schemas`
 * declares writable. In both profiles, each chosen by the media types of the requests.
 */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { NEGOTIATED, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { sampleOf, sampleOfAll, writablePaths } from "#tests/support/scim-samples.ts";
import { world } from "#tests/support/world.ts";

describe.each(["rfc7644", "wso2"] as const)("the profile %s", (profile) => {
  const api = world({ deployment: NEGOTIATED });
  const scim = scimOf(api, profile);
  const { ask, get } = scim;
  let core: Shown;
  let extensions: Shown[];
  let user: Shown;
  let path: string;

  /** The value of a resource at a path. */
  const valueAt = (resource: Shown, name: string): unknown => {
    const urn = extensions.map(({ id }) => id).find((id) => name.startsWith(`${id}:`));
    return urn === undefined ? resource[name] : resource[urn]?.[name.slice(urn.length + 1)];
  };
  /** A user with every writable attribute except those that would lock it out. */
  const everything = (): Shown => ({
    ...sampleOfAll(core.attributes),
    ...Object.fromEntries(extensions.map(({ id, attributes }) => [id, sampleOfAll(attributes)])),
    userName: randomUUID(),
    password: randomUUID(),
  });
  const isHidden = ({ returned }: Shown): boolean => returned === "never";

  beforeAll(async () => {
    const schemas: Shown[] = (await get("/Schemas")).body.Resources;
    const named = (id: string): Shown => schemas.find((schema) => schema.id === id) ?? {};
    core = named(URN.user);
    extensions = [named(URN.enterprise), named(URN.system)];
    user = await scim.user({ userName: randomUUID() });
    path = `/Users/${user.id}`;
  });

  describe("resources", () => {
    test("T08 T09 T10 are created with required attributes alone, read and listed", async () => {
      expect(core.attributes.filter(({ required }: Shown) => required).map(({ name }: Shown) => name)).toEqual(
        profile === "wso2" ? ["userName", "password"] : ["userName"],
      );
      expect(await scim.read(path)).toEqual(user);
      expect((await get("/Users")).body.Resources.map(({ id }: Shown) => id)).toContain(user.id);
      const group = await scim.group({ displayName: randomUUID() });
      expect((await get("/Groups")).body.Resources).toEqual([group]);
    });
    test("T11 T13 are created with all writable attributes, and replaced by other values", async () => {
      const [first, second] = [everything(), everything()];
      const made = await scim.user(first);
      const { password: _, ...kept } = first;
      expect(made).toMatchObject(kept);
      const replaced = await ask("PUT", `/Users/${made.id}`, { body: second });
      const { password: __, ...then } = second;
      expect(replaced.status).toBe(200);
      expect(replaced.body).toMatchObject(then);
      expect(await scim.read(`/Users/${made.id}`)).toEqual(replaced.body);
    });
    test("T12 apply attributes and excludedAttributes one by one, in every read", async () => {
      const { id } = await scim.user(everything());
      const filter = `id eq "${id}"`;
      for (const [name] of writablePaths(core, extensions).filter(([, attribute]) => !isHidden(attribute))) {
        const read = (await get(`/Users/${id}`, { attributes: name })).body;
        expect(valueAt(read, name), name).toBeDefined();
        const [listed] = (await get("/Users", { filter, excludedAttributes: name })).body.Resources;
        expect(valueAt(listed, name), name).toBeUndefined();
      }
      const body = { filter, attributes: ["userName"], schemas: [URN.search] };
      const [one] = (await ask("POST", "/.search", { body })).body.Resources;
      expect(Object.keys(one)).toEqual(["schemas", "id", ...(profile === "wso2" ? ["username"] : []), "userName"]);
    });
    test("T17 are missing after deletion", async () => {
      const { id } = await scim.user(everything());
      expect((await ask("DELETE", `/Users/${id}`)).status).toBe(204);
      refusal(await get(`/Users/${id}`), 404);
    });
  });

  describe("attributes", () => {
    test("T14 T18 can be added if optional, and come back as sent", async () => {
      for (const [name, attribute] of writablePaths(core, extensions).filter(([, { required }]) => !required)) {
        const value = sampleOf(attribute);
        user = await scim.patched(path, { op: "add", path: name, value });
        expect(valueAt(user, name), name).toEqual(isHidden(attribute) ? undefined : value);
      }
      expect(await scim.read(path)).toEqual(user);
    });
    test("T15 T18 can be replaced, also required ones", async () => {
      for (const [name, attribute] of writablePaths(core, extensions)) {
        const value = sampleOf(attribute);
        user = await scim.patched(path, { op: "replace", path: name, value });
        expect(valueAt(user, name), name).toEqual(isHidden(attribute) ? undefined : value);
      }
      expect(await scim.read(path)).toEqual(user);
    });
    test("T16 can be removed if optional, except active, which keeps its value", async () => {
      for (const [name, attribute] of writablePaths(core, extensions)) {
        if (attribute.required || isHidden(attribute)) continue;
        user = await scim.patched(path, { op: "remove", path: name });
        expect(valueAt(user, name), name).toEqual(name === "active" ? true : undefined);
      }
      expect(user.schemas).toEqual([URN.user]);
      expect(await scim.read(path)).toEqual(user);
    });
    test("T14 T15 of members come back as sent, with the name that the service adds", async () => {
      const other = await scim.user();
      const group = await scim.group();
      for (const op of ["add", "replace"]) {
        const value = [{ value: other.id, $ref: other.meta.location, type: "User" }];
        const { members } = await scim.patched(`/Groups/${group.id}`, { op, path: "members", value });
        expect(members).toEqual(value.map((member) => ({ ...member, display: other.userName })));
        expect(await scim.patched(`/Groups/${group.id}`, { op: "remove", path: "members" })).toMatchObject({
          members: [],
        });
      }
    });
  });
});
