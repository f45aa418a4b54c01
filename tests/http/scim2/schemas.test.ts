/**
 * What `/Schemas` and `/ResourceTypes` declare, answers keep: of every attribute of every resource type, where it is
 * returned, who writes it, its type and its uniqueness. And answers have nothing else.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { type Declared, declaredBy, valuesAt, violationsIn } from "#tests/support/declared.ts";
import { fresh, NEGOTIATED, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { sampleOf, sampleOfAll } from "#tests/support/scim-samples.ts";
import { type Answer, world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const password = "good-Passw0rd";
const TYPES = ["User", "Group", "Role"] as const;
type TypeName = (typeof TYPES)[number];

/** Extensions that mark what a list leaves out. `large-groups.test.ts` and `declared.test.ts` show them. */
const MARKS = /^urn:scim:identity-admin:schema:/;
/** What a declaration says of an attribute that is there for tools that name it. */
const VALUELESS = /This service gives it no value\.$/;
/** Another spelling of `userName` in the profile wso2: names of attributes have no letter case, so no schema has it. */
const ALIAS = "username";

describe.each(["wso2", "rfc7644"] as const)("in the profile %s", (profile) => {
  const scim = scimOf(api, profile);
  let schemas: Shown[];
  let types: Shown[];
  /** A resource of each type with a value of everything that can have one, and the body that gave it. */
  const made: Record<string, { readonly id: string; readonly body: Shown; readonly created: Shown }> = {};

  const typeOf = (name: TypeName): Shown => types.find(({ id }) => id === name) as Shown;
  const declared = (name: TypeName) => declaredBy(schemas, typeOf(name), (urn) => MARKS.test(urn));
  const at = (name: TypeName) => `${typeOf(name).endpoint}/${made[name]?.id}`;
  const samples = (name: TypeName): Shown => ({
    externalId: fresh("external"),
    ...sampleOfAll(schemas.find(({ id }) => id === typeOf(name).schema)?.attributes),
    ...Object.fromEntries(
      typeOf(name)
        .schemaExtensions.filter(({ schema }: Shown) => !MARKS.test(schema))
        .map(({ schema }: Shown) => [schema, sampleOfAll(schemas.find(({ id }) => id === schema)?.attributes)]),
    ),
  });
  /** The body of a new resource, with a value of everything that a client can write. */
  const bodyOf = async (name: TypeName): Promise<Shown> => {
    const body = samples(name);
    if (name === "User") {
      const account = { accountLocked: false, accountDisabled: false, askPassword: false, forcePasswordReset: false };
      return { ...body, userName: fresh("full"), password, [URN.system]: { ...body[URN.system], ...account } };
    }
    const displayName = fresh(name);
    const users = [{ value: made.User?.id }];
    if (name === "Group") return { ...body, displayName, members: users };
    const application = await api.create({ name: fresh("audience") });
    return {
      ...body,
      displayName,
      audience: { type: "application", value: application },
      permissions: [{ value: "internal_application_mgt_view" }],
      users,
      groups: [{ value: made.Group?.id }],
    };
  };
  const answered = (answer: Answer, status: number): Shown => {
    expect(answer.status, answer.text).toBe(status);
    return answer.body;
  };
  const only = (list: Shown): Shown => {
    expect(list.Resources).toHaveLength(1);
    return list.Resources[0];
  };
  const read = async (name: TypeName, query: Shown = {}) => answered(await scim.get(at(name), query), 200);
  /** The paths that have a value in a resource. */
  const shownOf = (name: TypeName, resource: Shown): string[] =>
    declared(name)
      .filter(({ steps }) => valuesAt(resource, steps).length > 0)
      .map(({ path }) => path);
  const isReturned = (returned: readonly string[]) => (one: Declared) =>
    returned.includes(one.attribute.returned) && (!one.parent || returned.includes(one.parent.attribute.returned));
  const pathsOf = (name: TypeName, isIt: (one: Declared) => boolean) =>
    declared(name)
      .filter((one) => isIt(one) && !VALUELESS.test(one.attribute.description ?? ""))
      .map(({ path }) => path);

  beforeAll(async () => {
    [schemas, types] = await Promise.all(
      ["/Schemas", "/ResourceTypes"].map(async (path) => answered(await scim.get(path), 200).Resources),
    );
    for (const name of TYPES) {
      const body = await bodyOf(name);
      const created = answered(await scim.ask("POST", typeOf(name).endpoint, { body }), 201);
      made[name] = { id: created.id, body, created };
    }
  });

  test("every resource type is looked at", () => {
    expect(types.map(({ id }) => id)).toEqual([...TYPES]);
  });

  describe.each(TYPES)("a %s", (name) => {
    /** A query that lists it alone. */
    const filter = () => `id eq "${made[name]?.id}"`;
    /** Each way to see it, with a selection. */
    const everywhere = async (selection: Shown): Promise<Record<string, Shown>> => {
      const { endpoint } = typeOf(name);
      const path = at(name);
      const search = { filter: filter(), ...selection };
      const asLists = Object.fromEntries(
        Object.entries(selection).map(([key, names]) => [key, String(names).split(",")]),
      );
      const change = { Operations: [{ op: "add", path: "externalId", value: fresh("changed") }] };
      const query = selection;
      const shown: Record<string, Shown> = {
        read: await read(name, selection),
        list: only(answered(await scim.get(endpoint, search), 200)),
        search: only(
          answered(await scim.ask("POST", `${endpoint}/.search`, { body: { filter: filter(), ...asLists } }), 200),
        ),
        patch: answered(await scim.ask("PATCH", path, { query, body: change }), 200),
        put: answered(await scim.ask("PUT", path, { query, body: made[name]?.body }), 200),
      };
      if (name !== "Role") {
        const body = { filter: filter(), ...asLists };
        shown["search of all types"] = only(answered(await scim.ask("POST", "/.search", { body }), 200));
      } else {
        shown["read, v3"] = answered(await scim.get(`/v3/Roles/${made.Role?.id}`, query), 200);
        shown["list, v3"] = only(answered(await scim.get("/v3/Roles", search), 200));
      }
      if (name === "User") {
        const as = { username: made.User?.body.userName, password };
        shown.me = answered(await scim.ask("GET", "/Me", { query, as }), 200);
      }
      return shown;
    };

    test("shows by default what is declared so, wherever it is shown, and as it is declared", async () => {
      const expected = pathsOf(name, isReturned(["always", "default"]));
      const atFirst = name === "User" ? /^(?:groups|roles\.(?:\$ref|audience\w+))\b/ : /^roles\b/;
      expect(shownOf(name, made[name]?.created as Shown)).toEqual(expected.filter((path) => !atFirst.test(path)));
      for (const [where, { [ALIAS]: alias, ...resource }] of Object.entries(await everywhere({}))) {
        expect(shownOf(name, resource), where).toEqual(expected);
        expect(violationsIn(schemas, resource), where).toEqual([]);
        expect(alias !== undefined, where).toBe(name === "User" && profile === "wso2");
      }
    });

    test("shows what is always returned, whatever a request leaves out, and nothing else then", async () => {
      const expected = pathsOf(name, isReturned(["always"]));
      const excludedAttributes = declared(name)
        .map(({ path }) => path)
        .join(",");
      for (const [where, resource] of Object.entries(await everywhere({ excludedAttributes }))) {
        expect(shownOf(name, resource), where).toEqual(expected);
        expect(violationsIn(schemas, resource, false), where).toEqual([]);
      }
    });

    test("shows each attribute where a request names it, and never what is never returned", async () => {
      const attributes = declared(name)
        .map(({ path }) => path)
        .join(",");
      const expected = pathsOf(name, isReturned(["always", "default", "request"]));
      for (const [where, { [ALIAS]: _, ...resource }] of Object.entries(await everywhere({ attributes }))) {
        expect(shownOf(name, resource), where).toEqual(expected);
        expect(violationsIn(schemas, resource), where).toEqual([]);
      }
      const always = pathsOf(name, isReturned(["always"]));
      const every = pathsOf(name, () => true);
      for (const one of declared(name)) {
        const shown = shownOf(name, await read(name, { attributes: one.path }));
        const named = every.filter(
          (path) => one.attribute.returned !== "never" && (path === one.path || path.startsWith(`${one.path}.`)),
        );
        const above = named.length > 0 && one.parent ? [one.parent.path] : [];
        const parts = new Set([...always, ...above, ...named]);
        expect(shown.toSorted(), one.path).toEqual([...parts].toSorted());
      }
    });

    test("has every value that a client sent, and the type that was sent", async () => {
      const { body, created } = made[name] as { body: Shown; created: Shown };
      const writable = declared(name).filter(
        ({ attribute, parent }) =>
          attribute.mutability !== "readOnly" &&
          parent?.attribute.mutability !== "readOnly" &&
          attribute.returned !== "never" &&
          attribute.type !== "complex",
      );
      expect(writable.length).toBeGreaterThan(4);
      for (const { path, steps } of writable) {
        expect(valuesAt(created, steps), path).toEqual(expect.arrayContaining([...valuesAt(body, steps)]));
        if (!/^(?:users|groups|members)\.|^permissions|\$ref$|^members/.test(path))
          expect(valuesAt(body, steps), path).not.toEqual([]);
      }
    });

    test("ignores what is read-only in a POST and a PUT, and refuses to change it by PATCH", async () => {
      const fixed = declared(name).filter(({ attribute }) => attribute.mutability === "readOnly");
      const { body, id } = made[name] as { body: Shown; id: string };
      const { meta: _, ...before } = await read(name);
      const forged = fixed.reduce(
        (sent, { steps, attribute, parent }) => (parent ? sent : withValue(sent, steps, forgedOf(attribute))),
        { ...body },
      );
      const put = answered(await scim.ask("PUT", at(name), { body: { ...forged, id: fresh("forged") } }), 200);
      const { meta, ...after } = put;
      expect(after).toEqual({ ...before, externalId: body.externalId });
      expect([after.id, meta.resourceType]).toEqual([id, name]);
      for (const { path, attribute, parent } of fixed) {
        // A whole list is replaced by PATCH with its parts, of which the read-only ones are ignored.
        const where = parent?.attribute.multiValued
          ? `${parent.path}[value pr]${path.slice(parent.path.length)}`
          : path;
        const answer = await scim.patch(at(name), { op: "replace", path: where, value: sampleOf(attribute) });
        expect([answer.status, answer.body?.scimType], `${where}: ${answer.text}`).toEqual([400, "mutability"]);
      }
      expect((await read(name)).meta.version).toBe(put.meta.version);
    });

    test("keeps what is immutable", async () => {
      for (const { path, attribute, parent } of declared(name)) {
        if (attribute.mutability !== "immutable") continue;
        const where = parent?.attribute.multiValued
          ? `${parent.path}[value pr]${path.slice(parent.path.length)}`
          : path;
        const value = attribute.type === "complex" ? { value: "another", type: "application" } : fresh("other");
        const answer = await scim.patch(at(name), { op: "replace", path: where, value });
        expect([answer.status, answer.body?.scimType], `${where}: ${answer.text}`).toEqual([400, "mutability"]);
        if (parent?.attribute.multiValued) continue;
        const changed = withValue(made[name]?.body as Shown, path.split("."), value);
        const put = await scim.ask("PUT", at(name), { body: changed });
        expect([put.status, put.body?.scimType], `${path}: ${put.text}`).toEqual([400, "mutability"]);
      }
    });

    test("has what is required, or is refused with its name", async () => {
      const required = declared(name).filter(({ attribute }) => attribute.required);
      expect(required.length).toBeGreaterThan(0);
      for (const { path, attribute, parent } of required) {
        const body = { ...(made[name]?.body as Shown), ...uniqueOf(name) };
        if (parent) body[parent.path] = [{ display: "none" }];
        else delete body[path];
        const post = await scim.ask("POST", typeOf(name).endpoint, { body });
        expect([post.status, post.body.detail], path).toEqual([400, expect.stringContaining(parent?.path ?? path)]);
        // A password is write-only: a user is replaced without it.
        if (attribute.mutability === "writeOnly") continue;
        const put = await scim.ask("PUT", at(name), { body });
        expect([put.status, put.body.detail], path).toEqual([400, expect.stringContaining(parent?.path ?? path)]);
        if (parent) continue;
        expect((await scim.patch(at(name), { op: "remove", path })).status, path).toBe(400);
      }
    });

    test("is the only one with what is unique, in any letter case", async () => {
      for (const { path, attribute } of declared(name)) {
        if (attribute.uniqueness !== "server" || attribute.mutability === "readOnly") continue;
        const body = { ...made[name]?.body, [path]: made[name]?.body[path].toUpperCase() };
        const again = await scim.ask("POST", typeOf(name).endpoint, { body });
        expect([again.status, again.body.scimType], path).toEqual([409, "uniqueness"]);
      }
    });

    test("takes no value of another type", async () => {
      const writable = declared(name).filter(
        ({ attribute, parent }) =>
          attribute.mutability !== "readOnly" && parent?.attribute.mutability !== "readOnly" && !parent,
      );
      for (const { path, attribute } of writable) {
        const wrong = attribute.type === "complex" ? 7 : { nothing: "such" };
        const value = attribute.multiValued ? [wrong] : wrong;
        const answer = await scim.patch(at(name), { op: "replace", path, value });
        expect([answer.status, answer.body?.detail], path).toEqual([400, expect.stringMatching(/\w/)]);
      }
    });
  });

  const uniqueOf = (name: TypeName): Shown =>
    name === "User" ? { userName: fresh("required") } : { displayName: fresh("required") };
});

/** A value of a read-only attribute that a client makes up. */
const forgedOf = (attribute: Shown): unknown => {
  const writable = (one: Shown): Shown => ({
    ...one,
    mutability: "readWrite",
    ...(one.subAttributes && { subAttributes: one.subAttributes.map(writable) }),
  });
  return sampleOf(writable(attribute));
};

/** A body with a value at some steps. */
const withValue = (body: Shown, [step = "", ...steps]: readonly string[], value: unknown): Shown => ({
  ...body,
  [step]: steps.length === 0 ? value : withValue(body[step] ?? {}, steps, value),
});
