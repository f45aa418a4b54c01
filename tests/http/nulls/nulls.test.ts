/**
 * `null` in bodies, for every member that the API document declares: it means what a missing member means, or the
 * response is 400. It is never stored, shown or a server error.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { fresh, URN } from "#tests/support/scim.ts";
import { type Answer, world } from "#tests/support/world.ts";
import { ALWAYS, type Caller, type Sent } from "#tools/operation-units/caller.ts";
import { type Calls, changes, reads } from "#tools/operation-units/calls.ts";
import { createFixture, type Fixture } from "#tools/operation-units/fixture.ts";

type Json = Record<string, unknown>;
/** The steps from a body to a member: names, and `0` for the element of a list. */
type Path = readonly (string | 0)[];

const document = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
const api = world();
const DEPTH_MAX = 8;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const resolved = (schema: Json): Json => {
  const name = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
  return name === undefined ? schema : document.components.schemas[name];
};

/** The paths of all members of a schema. */
const pathsIn = (schema: Json, depth = 0): Path[] => {
  if (depth > DEPTH_MAX) return [];
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = resolved(schema) as Record<string, Json[]>;
  const own = Object.entries(properties).flatMap(([name, member]): Path[] => [
    [name],
    ...pathsIn(member as Json, depth + 1).map((path): Path => [name, ...path]),
  ]);
  const inList = isObject(items) ? [[0] as Path, ...pathsIn(items, depth + 1).map((path): Path => [0, ...path])] : [];
  const parts = [anyOf, oneOf, allOf].flatMap((list) => list.flatMap((part) => pathsIn(part, depth + 1)));
  return [...own, ...inList, ...parts];
};
/** A body with a value at a path, or without the member where the value is `undefined`. */
const withValue = (body: unknown, [step, ...rest]: Path, value: unknown): unknown => {
  if (step === undefined) return value;
  if (step === 0) {
    const list = Array.isArray(body) ? body : [];
    const first = withValue(list[0], rest, value);
    return first === undefined ? list.slice(1) : [first, ...list.slice(1)];
  }
  const { [step]: member, ...others } = isObject(body) ? body : {};
  const after = withValue(member, rest, value);
  return after === undefined ? others : { ...others, [step]: after };
};
const textOf = (path: Path): string => path.join(".");

const send = (id: OperationId, { params = {}, body, form, as }: Sent): Promise<Answer> => {
  const { method = "", path: template = "" } = operations[id] ?? {};
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return api.ask(method, path, {
    ...(form
      ? { raw: new URLSearchParams(form).toString(), headers: { "content-type": "application/x-www-form-urlencoded" } }
      : body !== undefined && { body }),
    ...(as && { as }),
  });
};
const caller: Caller = async (id, sent = {}) => {
  const { method = "", path: template = "" } = operations[id] ?? {};
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(sent.params?.[name] ?? ""));
  const { query = "" } = sent;
  const answer =
    query === ""
      ? await send(id, sent)
      : await api.ask(method, `${path}?${query}`, sent.body === undefined ? {} : { body: sent.body });
  if (answer.status >= 300) throw new Error(`${id} returned ${answer.status}: ${answer.text}`);
  const created = answer.headers.get("location")?.split("/").at(-1) ?? "";
  return {
    status: answer.status,
    id: created,
    body: answer.body ?? {},
    units: { roundTrips: 0, readUnits: 0, writeUnits: 0 },
  };
};

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture(caller);
}, 60_000);

const bodyOf = (id: OperationId): Json | undefined => {
  const { method = "", path = "" } = operations[id] ?? {};
  return document.paths[path]?.[method.toLowerCase()]?.requestBody?.content;
};
const schemaOf = (id: OperationId): Json | undefined => {
  const content = bodyOf(id) as Record<string, { schema: Json }> | undefined;
  return Object.entries(content ?? {}).find(([type]) => /json/.test(type))?.[1].schema;
};
const withBodies = (Object.keys(operations) as OperationId[]).filter((id) => schemaOf(id) && id !== "createMe");

/** Kinds of resources of which a tenant has few: the operations that list, create and delete them. */
const few = [
  { paths: "/api/server/v1/webhooks", list: "listWebhooks", creation: "createWebhook", id: "id" },
  { paths: "/ssf/", list: "readStreams", creation: "createStream", id: "stream_id" },
] as const;

/** The calls that come before one in a recovery, whose codes it needs. */
const stepsBefore: Readonly<Partial<Record<OperationId, readonly OperationId[]>>> = {
  recoverPassword: ["initPasswordRecovery"],
  resendPasswordRecovery: ["initPasswordRecovery", "recoverPassword"],
  recoverUserName: ["initUserNameRecovery"],
};
type Made = (id: OperationId) => Readonly<Record<string, unknown>>;
const afterSteps = async (id: OperationId, call: (made: Made) => Sent): Promise<Sent> => {
  const answers = new Map<OperationId, Readonly<Record<string, unknown>>>();
  const made = (name: OperationId) => answers.get(name) ?? {};
  for (const step of stepsBefore[id] ?? []) {
    const [, given] = [...reads(fixture), ...changes(fixture)].find(([name]) => name === step) ?? [];
    answers.set(step, (await send(step, typeof given === "function" ? given(made) : (given ?? {}))).body);
  }
  return stepsBefore[id] ? call(made) : {};
};

/** A request on resources that exist: they are created for each request, because an earlier one may have used them up. */
const sentNow = async (id: OperationId, call: Calls[number][1] | undefined): Promise<Sent> => {
  if (id === "restoreDeletedResource") {
    const user = await api.ask("POST", "/scim2/Users", {
      body: { userName: fresh("null"), password: "good-password" },
    });
    expect((await api.ask("DELETE", `/scim2/Users/${user.body.id}`)).status).toBe(204);
    return { params: { id: user.body.id } };
  }
  const kind = few.find(({ paths }) => operations[id]?.path.startsWith(paths));
  if (!kind) return typeof call === "function" ? afterSteps(id, call) : (call ?? {});
  const listed = (await send(kind.list, {})).body;
  for (const one of Array.isArray(listed) ? listed : listed.webhooks) {
    const { path = "" } = operations[kind.creation] ?? {};
    const at = kind.id === "id" ? `${path}/${one.id}` : `${path}?stream_id=${one.stream_id}`;
    expect((await api.ask("DELETE", at)).status).toBe(204);
  }
  const [, creating] = changes(fixture).find(([name]) => name === kind.creation) ?? [];
  const created =
    id === kind.creation || typeof creating !== "object" ? undefined : await send(kind.creation, creating);
  return typeof call === "function" ? call(() => created?.body ?? {}) : (call ?? {});
};

const NAMES = new Set(["name", "identifier", "displayName", "userName"]);
/** New names where an operation creates something, so that the requests do not collide. */
const renewed = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(renewed);
  if (!isObject(body)) return body;
  const after = ([name, value]: [string, unknown]): [string, unknown] => {
    if (typeof value !== "string") return [name, renewed(value)];
    if (name === "domain") return [name, `${fresh("null")}.example`];
    return [name, NAMES.has(name) ? fresh(`null-${name}`) : value];
  };
  return Object.fromEntries(Object.entries(body).map(after));
};

const nullsIn = (value: unknown, at = ""): string[] => {
  if (value === null) return [at];
  if (Array.isArray(value)) return value.flatMap((each, index) => nullsIn(each, `${at}[${index}]`));
  return isObject(value) ? Object.entries(value).flatMap(([name, each]) => nullsIn(each, `${at}.${name}`)) : [];
};

test("the document declares no member that may be null", () => {
  const nullable = JSON.stringify(document).match(/"(?:type":"null"|nullable":true)|"null"\]/g);
  expect(nullable).toBeNull();
});

/** A request with some of the cases, and what is wrong with its response; `undefined` for a plain 400. */
type Attempt<Case> = (cases: readonly Case[]) => Promise<readonly string[] | undefined>;

/** The problems of all cases. Cases that succeed together are not sent one by one. */
const problemsOf = async <Case>(cases: readonly Case[], attempt: Attempt<Case>): Promise<readonly string[]> => {
  if (cases.length === 0) return [];
  const problems = await attempt(cases);
  if (problems?.length === 0 || cases.length === 1) return problems ?? [];
  const half = Math.ceil(cases.length / 2);
  return [...(await problemsOf(cases.slice(0, half), attempt)), ...(await problemsOf(cases.slice(half), attempt))];
};

/** What is wrong with a response to a request with nulls at those places. */
const wrongWith = async (answer: Answer, success: readonly number[], where: string) => {
  const { status, text, body, headers } = answer;
  if (status === 400 && nullsIn(body).length === 0) return undefined;
  if (!success.includes(status)) return [`${where}: ${status} ${text.slice(0, 200)}`];
  const location = headers.get("location");
  const shown =
    location === null
      ? undefined
      : (await api.ask("GET", new URL(location).pathname.replace("/t/carbon.super", ""))).body;
  const nulls = [...nullsIn(body, "response"), ...nullsIn(shown, "stored")];
  return nulls.length > 0 ? [`${where}: null in ${nulls.join(", ")}`] : [];
};

/** Parts of elements that are references: groups have members, and roles have the rest. */
const elementsWithIds = /^(?:members|permissions|users|groups)\.0\./;

describe.each(withBodies)("%s", (id) => {
  test("a null member counts as missing, or is refused with 400", { timeout: 120_000 }, async () => {
    const call = [...reads(fixture), ...changes(fixture)].find(([name]) => name === id)?.[1];
    const { success } = operations[id] ?? {};
    // The names in a webhook are those of events.
    const isCreation = success?.status === 201 && id !== "createWebhook";
    const paths = [...new Map(pathsIn(schemaOf(id) ?? {}).map((path) => [textOf(path), path])).values()];
    // The same API cannot be authorised twice, and a client has few secrets.
    const mayConflict = id === "authorizeApi" || id === "createClientSecret";
    const expected = [ALWAYS[id] ?? success?.status ?? 0, ...(mayConflict ? [409] : [])];
    const sentWith = async (value: null | undefined, cases: readonly Path[]) => {
      const sent = await sentNow(id, call);
      const base = isCreation ? renewed(sent.body) : sent.body;
      return send(id, { ...sent, body: cases.reduce<unknown>((body, path) => withValue(body, path, value), base) });
    };
    const attempt: Attempt<Path> = async (cases) => {
      const where = cases.map(textOf).join(", ");
      const problems = await wrongWith(await sentWith(null, cases), expected, where);
      // A list has no members that could be missing. SCIM ignores an empty element, but none that has members and no id.
      const hasNoMissing = cases[0]?.at(-1) === 0 || elementsWithIds.test(where);
      if (problems || cases.length !== 1 || hasNoMissing) return problems;
      const { status } = await sentWith(undefined, cases);
      return status === 400 ? undefined : [`${where}: null is refused, but without the member it is ${status}`];
    };
    expect(await wrongWith(await sentWith(null, []), expected, "")).toEqual([]);
    expect((await send(id, { ...(await sentNow(id, call)), body: null })).status).toBe(400);
    // Members of one depth do not hide each other.
    for (const depth of new Set(paths.map(({ length }) => length))) {
      const level = paths.filter(({ length }) => length === depth);
      expect(await problemsOf(level, attempt)).toEqual([]);
    }
  });
});

describe.each([
  ["ScimUserInput", "/scim2/Users", { userName: "u", password: "good-password" }],
  ["ScimGroupInput", "/scim2/Groups", { displayName: "g" }],
  ["ScimRoleInput", "/scim2/v2/Roles", { displayName: "r" }],
] as const)("PATCH of %s", (name, path, body) => {
  test("null in a value means no value, with and without a path", { timeout: 120_000 }, async () => {
    const at = `${path}/${(await api.ask("POST", path, { body: renewed(body) })).body.id}`;
    const before = (await api.ask("GET", at)).body;
    const members = pathsIn({ $ref: `#/${name}` });
    const targetOf = (member: Path) =>
      textOf(member.filter((step) => step !== 0)).replace(/^(urn:.*?)\.(?=[a-z])/i, "$1:");
    // As paths, elements and their parts are for PATCH of values, which other tests cover.
    const named = members.filter((member) => !member.includes(0));
    const cases: Json[] = [
      ...members.map((member) => ({ op: "add", value: withValue({}, member, null) })),
      ...members.map((member) => ({ op: "replace", value: withValue({}, member, null) })),
      ...named.map((member) => ({ op: "replace", path: targetOf(member), value: null })),
      ...named.map((member) => ({ op: "add", path: targetOf(member), value: null })),
    ];
    const attempt: Attempt<Json> = async (Operations) => {
      const answer = await api.ask("PATCH", at, { body: { schemas: [URN.patch], Operations } });
      return wrongWith(answer, [200, 204], Operations.map((one) => JSON.stringify(one)).join(", "));
    };
    expect(await problemsOf(cases, attempt)).toEqual([]);
    const { meta: _, ...after } = (await api.ask("GET", at)).body;
    expect({ ...after, meta: before.meta }).toEqual(before);
  });
});
