/**
 * No privilege escalation through applications (decision 0061): every write to an application by every setting that it
 * changes. A manager without the scopes of an application makes no change by which somebody newly gets them, and keeps
 * its other work.
 */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { OidcBody, PassiveStsBody, SamlBody, SamlManual } from "#core/applications/protocols/shapes.ts";
import { ApplicationPatch } from "#core/applications/registry/shapes.ts";
import { type OperationId, operations } from "#core/catalogue.ts";
import {
  API,
  type Change,
  changes,
  oidcMembers,
  passiveStsMembers,
  patchMembers,
  SCOPE,
  type Send,
  samlMembers,
  states,
} from "#tests/support/application-changes.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const oauth = oauthOf(api);
const password = "a-long-password";
const AUTHORIZE_ANY = "internal_application_internal_api_update";

/** The operations that change one application. */
const writes = Object.entries(operations).filter(
  ([, { method, path }]) =>
    method !== "GET" &&
    path.startsWith(APPLICATIONS) &&
    (path.includes("{applicationId}") || (method === "PUT" && path.endsWith("/import"))),
);
/** The scopes of all of them, and to read applications: without those that give scopes away. */
const managing = [...new Set(["internal_application_mgt_view", ...writes.map(([, { scope }]) => scope)])];
const manager = { username: "manager", password };
const rich = { username: "rich", password };
const able = { username: "able", password };

const upload = async (method: string, text: string, who: { username: string; password: string }) => {
  const form = new FormData();
  form.set("file", new Blob([text]), "app.xml");
  const answer = await fetch(`${api.url}${APPLICATIONS}/import`, {
    method,
    headers: { authorization: basic(who) },
    body: form,
  });
  return { status: answer.status, text: await answer.text() };
};

const as =
  (who: { username: string; password: string }): Send =>
  (method, path, ask = {}) =>
    api.ask(method, path, { ...ask, as: who });

let made = 0;
const authorize = async (id: string) => {
  const answer = await api.ask("POST", `${APPLICATIONS}/${id}/authorized-apis`, { body: { id: API, scopes: [SCOPE] } });
  expect([answer.status, answer.text]).toEqual([200, ""]);
};
const ids: string[] = [];
const created = async (state: Change["state"]) => {
  made += 1;
  const id = await api.create({ ...states[state], name: `${state} ${made}` });
  ids.push(id);
  if (state === "revoked") await api.ask("POST", `${APPLICATIONS}/${id}/inbound-protocols/oidc/revoke`);
  return id;
};
// Issuers, realms and client ids are free again for the next test.
afterEach(async () => {
  for (const id of ids.splice(0)) await api.ask("DELETE", `${APPLICATIONS}/${id}`);
});
const READS = ["", "/inbound-protocols/oidc", "/inbound-protocols/saml", "/inbound-protocols/passive-sts"];
const snapshot = async (id: string) => {
  const paths = [...READS, "/inbound-protocols/ws-trust", "/inbound-protocols/cas", "/authorized-apis"];
  const answers = await Promise.all(paths.map((path) => api.ask("GET", `${APPLICATIONS}/${id}${path}`)));
  return answers.map(({ body }) => ({ ...body, traceId: "" }));
};

/** Whether the manager, with all that it can read or chose, gets a token with the scope. */
const getsScope = async (id: string) => {
  const { body } = await as(manager)("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`);
  const { clientId = "", clientSecret = "" } = body ?? {};
  const asked = { grant_type: "client_credentials", scope: SCOPE };
  const answers = await Promise.all([
    oauth.post(TOKEN, asked, { applicationId: id, clientId, clientSecret }),
    oauth.post(TOKEN, { ...asked, client_id: clientId }),
    oauth.post(TOKEN, asked, { applicationId: id, clientId: "mine", clientSecret: "a-secret-of-my-own-which-is-long" }),
  ]);
  return answers.some(({ body: token }) => String(token?.scope ?? "").includes(SCOPE));
};

beforeAll(async () => {
  await addUser(api.service, { ...manager, scopes: managing });
  await addUser(api.service, {
    ...rich,
    scopes: [...managing, SCOPE, "internal_user_mgt_view", "internal_group_mgt_view"],
  });
  await addUser(api.service, { ...able, scopes: [...managing, AUTHORIZE_ANY] });
});

describe("a manager without the scopes of an application", () => {
  test.each(changes)("$name: gain $isGain", async ({ state, isGain, send }) => {
    const id = await created(state);
    await authorize(id);
    expect(await getsScope(id)).toBe(false);
    const before = await snapshot(id);
    const answer = await send(as(manager), id);
    if (isGain) {
      expect([answer.status, answer.body?.code]).toEqual([403, "APP-60520"]);
      expect(await snapshot(id)).toEqual(before);
    } else expect([answer.status < 300, answer.text]).toEqual([true, expect.anything()]);
    expect(await getsScope(id)).toBe(false);
    if (!isGain) return;
    // With the scopes of the application, or with the scope that allows any, the same change is made.
    for (const who of state === "clientless" ? [rich] : [rich, able]) {
      const allowed = await send(as(who), id);
      expect([allowed.status === 200 || allowed.status === 409, allowed.text]).toEqual([true, expect.anything()]);
    }
  });

  const inFiles = changes.filter(
    ({ operation, name }) =>
      !/ApiS?|authorizeApi|AuthorizedApi|deleteApplication|Owner/.test(operation) && !name.includes("another name"),
  );
  test.each(inFiles)("by a file, $name: gain $isGain", async ({ state, isGain, send }) => {
    const donor = await created(state);
    const file = async () => (await api.ask("GET", `${APPLICATIONS}/${donor}/export?exportSecrets=true`)).text;
    const original = await file();
    expect((await send(as(ADMIN), donor)).status).toBeLessThan(300);
    const changed = await file();
    await api.ask("DELETE", `${APPLICATIONS}/${donor}`);
    const imported = await upload("POST", original, ADMIN);
    expect(imported.status).toBe(201);
    const id: string = JSON.parse(imported.text).applicationId;
    ids.push(id);
    await authorize(id);
    const before = await snapshot(id);
    const { status, text } = await upload("PUT", changed, manager);
    expect([status, text]).toEqual(isGain ? [403, expect.stringContaining("APP-60520")] : [200, expect.anything()]);
    if (isGain) expect(await snapshot(id)).toEqual(before);
    expect(await getsScope(id)).toBe(false);
  });

  test("adds client_credentials to an application without authorizations", async () => {
    const id = await created("users");
    const path = `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
    const { body } = await as(manager)("GET", path);
    const answer = await as(manager)("PUT", path, { body: { ...body, grantTypes: ["client_credentials"] } });
    expect(answer.status).toBe(200);
  });
});

describe("the class is complete:", () => {
  test("every write to an application is tried", () => {
    const tried = new Set([...changes.map(({ operation }) => operation), "updateApplicationFromFile"]);
    expect([...tried].sort()).toEqual(writes.map(([id]) => id).sort());
  });
  test.each<[string, z.ZodType, typeof oidcMembers]>([
    ["OIDC", OidcBody, oidcMembers],
    ["PATCH", ApplicationPatch, patchMembers],
    ["SAML2", SamlManual, samlMembers],
    ["Passive STS", PassiveStsBody, passiveStsMembers],
  ])("every member of %s is judged", (_, shape, members) => {
    const listed = Object.keys(members);
    const leaves = leavesOf(withoutRefs(shape));
    expect(leaves.filter((leaf) => !listed.some((path) => leaf === path || leaf.startsWith(`${path}.`)))).toEqual([]);
    expect(listed.filter((path) => !leaves.some((leaf) => leaf === path || leaf.startsWith(`${path}.`)))).toEqual([]);
  });
  test("every source of SAML2 settings is known", () => {
    expect(Object.keys(SamlBody.shape)).toEqual(["metadataFile", "metadataURL", "manualConfiguration"]);
  });
  test("every operation that may be a gain sees the scopes of its caller", () => {
    const gains = new Set(changes.filter(({ isGain }) => isGain).map(({ operation }) => operation as OperationId));
    expect([...gains].filter((id) => operations[id]?.seesScopes !== true)).toEqual([]);
  });
});

type Schema = z.core.JSONSchema._JSONSchema;

/** The paths of the members that are not objects. */
function leavesOf(schema: Schema, path = ""): string[] {
  if (typeof schema === "boolean" || !schema.properties) return [path];
  return Object.entries(schema.properties).flatMap(([name, one]) =>
    leavesOf(one, path === "" ? name : `${path}.${name}`),
  );
}

/** The schema of a shape, with the shapes that it refers to in their places. */
function withoutRefs(shape: z.ZodType): Schema {
  const { $defs = {}, ...schema } = z.toJSONSchema(shape, { io: "input" });
  const inlined = (one: Schema): Schema => {
    if (typeof one === "boolean") return one;
    const found = one.$ref === undefined ? one : ($defs[one.$ref.split("/").at(-1) ?? ""] ?? {});
    if (typeof found === "boolean" || !found.properties) return found;
    const members = Object.entries(found.properties).map(([name, member]) => [name, inlined(member)] as const);
    return { ...found, properties: Object.fromEntries(members) };
  };
  return inlined(schema);
}
