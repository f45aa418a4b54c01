/**
 * SCIMMY, an independent implementation of SCIM 2.0, uses and validates the service: it reads the schemas, runs as a
 * proxy through which a client reads, writes and deletes, and evaluates filters and changes by itself, whose results
 * must be those of the service.
 */
import SCIMMY from "scimmy";
import { beforeAll, describe, expect, test } from "vitest";
import { fresh, NEGOTIATED, type Op, type Shown, scimOf, UNKNOWN_ID, URN } from "#tests/support/scim.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: NEGOTIATED });
const scim = scimOf(api);
const { ask, get } = scim;
/** The JSON form of a value. */
const plain = (value: unknown): Shown => JSON.parse(JSON.stringify(value));

/** A response of the service. SCIMMY throws the errors that it reads. */
const answered = async (method: string, path: string, body?: unknown): Promise<Shown> => {
  const { status, body: found } = await ask(method, path, { body });
  if (status < 400) return found;
  throw new SCIMMY.Messages.ErrorResponse(found);
};
const whatFails = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ status, scimType }) => [Number(status), scimType],
  );
const pathOf = (endpoint: string, { id, filter }: { id?: string; filter?: { expression?: string } }): string => {
  if (id !== undefined) return `${endpoint}/${id}`;
  return filter?.expression === undefined ? endpoint : `${endpoint}?filter=${encodeURIComponent(filter.expression)}`;
};
const reading = (endpoint: string) => async (resource: Shown) => {
  const found = await answered("GET", pathOf(endpoint, resource));
  return resource.id === undefined ? found.Resources : found;
};
const writing = (endpoint: string) => (resource: Shown, data: unknown) =>
  answered(resource.id === undefined ? "POST" : "PUT", pathOf(endpoint, { id: resource.id }), plain(data));
const deleting = (endpoint: string) => async (resource: Shown) => {
  await answered("DELETE", pathOf(endpoint, resource));
};
const { User, Group } = SCIMMY.Resources;

beforeAll(() => {
  SCIMMY.Resources.declare(User)
    .extend(SCIMMY.Schemas.EnterpriseUser, false)
    .ingress(writing("/Users") as never)
    .egress(reading("/Users") as never)
    .degress(deleting("/Users") as never);
  SCIMMY.Resources.declare(Group)
    .ingress(writing("/Groups") as never)
    .egress(reading("/Groups") as never)
    .degress(deleting("/Groups") as never);
});

/** An attribute of SCIMMY, which rejects what RFC 7643 section 7 does not allow. */
const attributeOf = ({ type, name, subAttributes, mutability: mutable, ...config }: Shown): SCIMMY.Types.Attribute =>
  new SCIMMY.Types.Attribute(type, name, { ...config, mutable }, subAttributes?.map(attributeOf));

describe("SCIMMY reads", () => {
  test("C209 every schema, and publishes the same", async () => {
    for (const schema of (await get("/Schemas")).body.Resources) {
      // SCIMMY accepts only URNs of the IETF.
      const id = schema.id.replace(/^urn:scim:/, "urn:ietf:params:scim:schemas:extension:");
      const definition = new SCIMMY.Types.SchemaDefinition(
        schema.name,
        id,
        schema.description,
        schema.attributes.map(attributeOf),
      );
      const described = plain(definition.describe());
      expect(schema.attributes).toMatchObject(described.attributes);
    }
  });
  test("C199 the same schemas of users, groups and the enterprise extension as its own", async () => {
    const shapeOf = ({ name, type, multiValued, subAttributes = [] }: Shown): unknown => [
      name,
      type,
      multiValued,
      subAttributes.map(shapeOf).sort(),
    ];
    for (const own of [SCIMMY.Schemas.User, SCIMMY.Schemas.EnterpriseUser]) {
      const { body } = await get(`/Schemas/${own.definition.id}`);
      const ours = new Map(body.attributes.map((attribute: Shown) => [attribute.name, shapeOf(attribute)]));
      for (const attribute of plain(own.definition.describe()).attributes)
        expect(ours.get(attribute.name)).toEqual(shapeOf(attribute));
    }
  });
  test("C188 errors, lists and bulk responses", async () => {
    for (const answer of [
      await get(`/Users/${UNKNOWN_ID}`),
      await get("/Users", { filter: "x" }),
      await ask("GET", "/Me", { as: null }),
    ]) {
      expect(() => new SCIMMY.Messages.ErrorResponse(answer.body)).toThrow(SCIMMY.Types.Error);
    }
    const { body: page } = await get("/Users");
    expect(plain(new SCIMMY.Messages.ListResponse(page as never))).toMatchObject({
      totalResults: 1,
      Resources: [{ userName: "admin" }],
    });
    const Operations = [{ method: "POST", path: "/Users", bulkId: "one", data: { userName: fresh("one") } }];
    const { body: done } = await ask("POST", "/Bulk", { body: { schemas: [URN.bulk], Operations } });
    const [outcome] = plain(new SCIMMY.Messages.BulkResponse(done as never)).Operations;
    expect(outcome).toMatchObject({ method: "POST", bulkId: "one", status: "201" });
    await ask("DELETE", `/Users/${outcome.location.split("/").at(-1)}`);
  });
});

describe("SCIMMY as a proxy", () => {
  test("creates, finds, reads, changes, replaces and deletes a user", async () => {
    const userName = fresh("through");
    const made = plain(
      await new User().write({
        userName,
        name: { givenName: "G", familyName: "F" },
        emails: [{ value: "g@example.org", type: "work" }],
        [URN.enterprise]: { department: "D" },
      } as never),
    );
    expect(made).toMatchObject({ userName, active: true, [URN.enterprise]: { department: "D" } });
    const { id } = made;
    expect(plain(await new User(id).read())).toEqual(made);
    const list = plain(await new User({ filter: `userName eq "${userName}"` } as never).read());
    expect(list).toMatchObject({ schemas: [URN.list], totalResults: 1, Resources: [made] });
    const changed = plain(
      await new User(id).patch({
        schemas: [URN.patch],
        Operations: [
          { op: "add", path: "nickName", value: "N" },
          { op: "replace", path: 'emails[type eq "work"].value', value: "h@example.org" },
          { op: "remove", path: "name.givenName" },
        ],
      } as never),
    );
    expect(changed).toMatchObject({
      nickName: "N",
      emails: [{ value: "h@example.org", type: "work" }],
      name: { familyName: "F" },
    });
    expect(plain(await scim.read(`/Users/${id}`))).toMatchObject({ nickName: "N", name: { familyName: "F" } });
    const replaced = plain(await new User(id).write({ userName, title: "T" } as never));
    expect([replaced.title, replaced.nickName]).toEqual(["T", undefined]);
    await new User(id).dispose();
    expect(await whatFails(new User(id).read())).toEqual([404, undefined]);
  });
  test("adds and removes members of a group", async () => {
    const [kim, lee] = await Promise.all([scim.user(), scim.user()]);
    const made = plain(await new Group().write({ displayName: fresh("crew"), members: [{ value: kim.id }] } as never));
    const add = { schemas: [URN.patch], Operations: [{ op: "add", path: "members", value: { value: lee.id } }] };
    const both = plain(await new Group(made.id).patch(add as never));
    expect(both.members.map(({ value }: Shown) => value).sort()).toEqual([kim.id, lee.id].sort());
    const remove = { schemas: [URN.patch], Operations: [{ op: "remove", path: `members[value eq "${kim.id}"]` }] };
    await new Group(made.id).patch(remove as never);
    expect((await scim.read(`/Groups/${made.id}`)).members.map(({ value }: Shown) => value)).toEqual([lee.id]);
    await new Group(made.id).dispose();
    await Promise.all([kim, lee].map(({ id }) => ask("DELETE", `/Users/${id}`)));
  });
  test("passes errors on with their type", async () => {
    const { id, userName } = await scim.user();
    expect(await whatFails(new User().write({ userName } as never))).toEqual([409, "uniqueness"]);
    expect(await whatFails(new User(UNKNOWN_ID).write({ userName } as never))).toEqual([404, undefined]);
    expect(await whatFails(new User().write({ userName: "a b" } as never))).toEqual([400, "invalidValue"]);
    expect(await whatFails(new User(UNKNOWN_ID).dispose())).toEqual([404, undefined]);
    await new User(id).dispose();
  });
  test("applies bulk operations with references", async () => {
    const Operations = [
      { method: "POST", path: "/Users", bulkId: "u", data: { userName: fresh("bulk") } },
      {
        method: "POST",
        path: "/Groups",
        bulkId: "g",
        data: { displayName: fresh("bulk"), members: [{ value: "bulkId:u" }] },
      },
    ];
    const request = new SCIMMY.Messages.BulkRequest({ schemas: [URN.bulk], Operations } as never);
    const outcomes: Shown[] = plain(await request.apply([User, Group] as never)).Operations;
    expect(outcomes.map(({ status }) => status)).toEqual(["201", "201"]);
    const [userId, groupId] = outcomes.map(({ location }) => location.split("/").at(-1));
    expect((await scim.read(`/Groups/${groupId}`)).members).toMatchObject([{ value: userId }]);
    await ask("DELETE", `/Groups/${groupId}`);
    await ask("DELETE", `/Users/${userId}`);
  });
});

/** SCIMMY fails on an absent complex attribute, so every user has a name and an e-mail address. */
const crowd: readonly Shown[] = [
  { userName: "anna", title: "lead", name: { familyName: "berg" }, emails: [{ value: "a@one.example", type: "work" }] },
  {
    userName: "berta",
    title: "staff",
    name: { familyName: "tal" },
    active: false,
    emails: [{ value: "b@two.example", type: "home" }],
  },
  { userName: "carla", name: { familyName: "bergmann" }, emails: [{ value: "c@two.example", type: "other" }] },
  {
    userName: "dora",
    title: "lead",
    nickName: "d",
    name: { familyName: "see" },
    emails: [
      { value: "d@one.example", type: "home" },
      { value: "d@two.example", type: "work" },
    ],
  },
];

describe("SCIMMY agrees with the service on", () => {
  /** In the order of their names, like lists. */
  let members: Shown[];
  beforeAll(async () => {
    members = await Promise.all(crowd.map((body) => scim.user(body)));
  });

  test.each([
    'userName eq "anna"',
    'userName ne "anna"',
    'userName sw "b" or userName ew "a"',
    'title eq "lead" and active eq true',
    "title pr and not (nickName pr)",
    "active eq false",
    'name.familyName sw "berg"',
    'name.familyName co "erg" and (title pr or userName eq "carla")',
    'emails[type eq "work" and value ew "one.example"]',
    'emails.value co "two"',
    'emails[type eq "home"] and title eq "staff"',
    'userName gt "b" and userName le "carla"',
    'userName eq "nobody"',
    'title eq "lead" or title eq "staff" and active eq true',
  ])("the users that match %s", async (filter) => {
    const wanted = new SCIMMY.Types.Filter(filter).match(members).map(({ userName }) => userName);
    const found = await scim.names(filter);
    expect(found.filter((name) => members.some(({ userName }) => userName === name))).toEqual(wanted);
  });

  const work = { value: "w@example.org", type: "work", primary: true };
  const home = { value: "h@example.org", type: "home" };
  /**
   * Not the replacement of a complex attribute: SCIMMY removes the parts that are not named, RFC 7644 keeps them
   * (C159).
   */
  const changes: readonly (readonly Op[])[] = [
    [{ op: "add", path: "nickName", value: "N" }],
    [{ op: "add", path: "title", value: "other" }],
    [{ op: "add", value: { nickName: "N", name: { middleName: "M" } } }],
    [{ op: "add", path: "emails", value: [{ value: "n@example.org", type: "other" }] }],
    [{ op: "add", path: `${URN.enterprise}:costCenter`, value: "C" }],
    [{ op: "remove", path: "title" }],
    [{ op: "remove", path: "emails" }],
    [{ op: "remove", path: 'emails[type eq "home"]' }],
    [{ op: "remove", path: "name.givenName" }],
    [{ op: "remove", path: `${URN.enterprise}:department` }],
    [{ op: "replace", path: "title", value: "T" }],
    [{ op: "replace", path: "emails", value: [home] }],
    [{ op: "replace", path: 'emails[type eq "home"].value', value: "x@example.org" }],
    [{ op: "replace", value: { title: "T", active: false } }],
    [
      { op: "remove", path: "emails" },
      { op: "add", path: "emails", value: [{ value: "new@example.org" }] },
      { op: "replace", path: "title", value: "last" },
    ],
  ];
  test.each(changes.map((operations) => [JSON.stringify(operations), operations] as const))(
    "the result of %s",
    async (_, operations) => {
      const before = await scim.user({
        title: "T0",
        name: { givenName: "G", familyName: "F" },
        emails: [work, home],
        [URN.enterprise]: { department: "D", division: "V" },
      });
      const message = { schemas: [URN.patch], Operations: operations };
      const request = new SCIMMY.Messages.PatchOp(message as never);
      const theirs = (await request.apply(new SCIMMY.Schemas.User(before as never) as never)) ?? before;
      const ours = await scim.patched(`/Users/${before.id}`, ...operations);
      const { meta: _theirs, ...wanted } = plain(theirs);
      const { meta: _ours, ...is } = ours;
      expect(is).toEqual(wanted);
      await ask("DELETE", `/Users/${before.id}`);
    },
  );
});
