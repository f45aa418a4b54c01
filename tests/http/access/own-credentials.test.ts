/**
 * Own credentials change with a fresh proof alone: every operation that writes the calling user, by every guarded
 * attribute, with every kind of token (decision 0145).
 */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { SIGNED_IN } from "#core/kernel/operation/operation.ts";
import type { Attribute } from "#core/scim/protocol/schema/attribute.ts";
import { systemSchema } from "#core/scim/protocol/schema/system.ts";
import { userSchemas } from "#core/scim/protocol/schema/user.ts";
import { operations } from "#core/service/catalogue.ts";
import { ALL_GRANTS, oauthOf } from "#tests/support/oauth.ts";
import { idOf } from "#tests/support/people.ts";
import { URN } from "#tests/support/scim.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const api = world();
const { newClient, token } = oauthOf(api);
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const SYSTEM = systemSchema.id;

/** What a request sets an attribute to. */
const sampleOf = ({ name, type, multiValued }: Attribute): unknown => {
  if (name === "password") return "another-good-Password-7";
  if (name === "preferredChannel") return "SMS";
  if (type === "boolean") return true;
  if (type === "complex") return [{ value: "thief@example.com" }];
  return multiValued ? ["thief@example.com"] : "thief";
};
const guarded = [
  ...userSchemas.wso2.attributes.map((attribute) => ({ attribute, isCore: true })),
  ...systemSchema.attributes.map((attribute) => ({ attribute, isCore: false })),
].filter(({ attribute }) => attribute.guarded);
type Guarded = (typeof guarded)[number];

let id = "";
let me: object = {};
/** The own tenant, of which the caller is the owner. */
let tenantId = "";
const members = ({ attribute, isCore }: Guarded) =>
  isCore ? { [attribute.name]: sampleOf(attribute) } : { [SYSTEM]: { [attribute.name]: sampleOf(attribute) } };
const patch = (one: Guarded) => ({ schemas: [URN.patch], Operations: [{ op: "replace", value: members(one) }] });
const ofScim1 = (one: Guarded) => ({ schemas: [], userName: "admin", ...members(one) });
const isOwn = ({ attribute }: Guarded) => attribute.selfService === true;
const isCore = (one: Guarded) => one.isCore;
const any = () => true;

interface Door {
  readonly path: () => string;
  readonly takes: (one: Guarded) => boolean;
  readonly body: (one: Guarded) => object;
}
const inBulk = (data: (one: Guarded) => object) => (one: Guarded) => ({
  schemas: [],
  Operations: [{ method: "PATCH", path: `/Users/${id}`, data: data(one) }],
});
const doors: Readonly<Record<string, Door>> = {
  patchMe: { path: () => "/scim2/Me", takes: isOwn, body: patch },
  replaceMe: { path: () => "/scim2/Me", takes: isOwn, body: (one) => ({ ...me, ...members(one) }) },
  patchUser: { path: () => `/scim2/Users/${id}`, takes: any, body: patch },
  replaceUser: { path: () => `/scim2/Users/${id}`, takes: any, body: (one) => ({ ...me, ...members(one) }) },
  bulk: { path: () => "/scim2/Bulk", takes: any, body: inBulk(patch) },
  patchScim1Me: { path: () => "/svc/scim/Users/me", takes: isCore, body: ofScim1 },
  replaceScim1Me: { path: () => "/svc/scim/Users/me", takes: isCore, body: ofScim1 },
  patchScim1User: { path: () => `/svc/scim/Users/${id}`, takes: isCore, body: ofScim1 },
  replaceScim1User: { path: () => `/svc/scim/Users/${id}`, takes: isCore, body: ofScim1 },
  updateTenantOwner: {
    path: () => `/api/server/v1/tenants/${tenantId}/owners/${id}`,
    takes: ({ attribute: { name } }) => name === "password" || name === "emails",
    body: ({ attribute: { name } }) => ({
      email: name === "emails" ? "thief@example.com" : "admin@local.example",
      ...{ firstname: "Local", lastname: "Administrator" },
      ...(name === "password" && { password: "another-good-Password-7" }),
    }),
  },
  scim1Bulk: { path: () => "/svc/scim/Bulk", takes: isCore, body: inBulk(ofScim1) },
};
/** Restores by the handler of a replacement. */
const SAME = { restoreUserVersion: "replaceUser" };

const scopes = [...systemScopes];
const tokens: Record<string, () => Promise<string>> = {};
const signIn = async (scope: readonly string[]) => {
  const client = await newClient(scopes, { grantTypes: [...ALL_GRANTS, EXCHANGE] });
  return { client, given: await token(client, { grant_type: "password", ...ADMIN, scope: scope.join(" ") }) };
};

beforeAll(async () => {
  id = await idOf(api.service, "admin");
  me = (await api.ask("GET", "/scim2/Me")).body;
  tenantId = (await api.ask("GET", "/api/server/v1/tenants/domain/carbon.super")).body.id;
  const { client, given } = await signIn(scopes);
  const other = await signIn(scopes.filter((name) => name !== SIGNED_IN));
  const { refresh_token } = given;
  const refreshed = await token(client, { grant_type: "refresh_token", refresh_token });
  const exchanged = await token(client, {
    grant_type: EXCHANGE,
    subject_token: refreshed.access_token,
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    scope: scopes.join(" "),
  });
  const old = await signIn(scopes);
  tokens["without internal_login"] = async () => other.given.access_token;
  tokens.refreshed = async () => refreshed.access_token;
  tokens.exchanged = async () => exchanged.access_token;
  tokens["of an old sign-in"] = async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6 * 60_000 });
    return old.given.access_token;
  };
});
afterEach(() => vi.useRealTimers());

test("every operation that writes a user has a door here", () => {
  const writing = Object.entries(operations).filter(
    ([, { method, path, changesNothing }]) =>
      /^(?:PUT|PATCH|POST)$/.test(method) &&
      !changesNothing &&
      /^\/(?:scim2|svc\/scim)\/(?:Me|Bulk|Users\/.*)$|\/owners\/\{\w+\}$/i.test(path),
  );
  const known = [...Object.keys(doors), ...Object.keys(SAME)];
  expect(writing.map(([name]) => name).sort()).toEqual(known.sort());
});

const kinds = ["without internal_login", "refreshed", "exchanged", "of an old sign-in"];
test.each(kinds)(
  "a token %s changes no guarded attribute of its user, by any operation",
  async (kind) => {
    const as = `Bearer ${await tokens[kind]?.()}`;
    for (const [name, { path, takes, body }] of Object.entries(doors)) {
      const { method = "" } = operations[name] ?? {};
      for (const one of guarded.filter(takes)) {
        const { status, text } = await api.ask(method, path(), { as, body: body(one) });
        const isInBulk = /bulk/i.test(name);
        expect([name, one.attribute.name, status, text]).toEqual([
          ...[name, one.attribute.name, isInBulk ? 200 : 403],
          expect.stringMatching(/Changing your own .* needs a fresh proof|scopes? internal_login/),
        ]);
      }
    }
    vi.useRealTimers();
    expect((await api.ask("GET", "/scim2/Me")).body).toMatchObject({ meta: (me as { meta: object }).meta });
  },
  120_000,
);

test("the current password and a fresh sign-in change them; any token changes the rest of the profile", async () => {
  const body = { userName: "ordinary", password: "a-good-Password-1" };
  await api.ask("POST", "/scim2/Users", { body });
  const client = await newClient();
  const person = { username: body.userName, password: body.password };
  const set = (value: object) => ({ schemas: [URN.patch], Operations: [{ op: "replace", value }] });
  const send = async (as: string | typeof person, value: object) =>
    (await api.ask("PATCH", "/scim2/Me", { as, body: set(value) })).status;
  const emails = [{ value: "kim@example.com" }];
  const plain = `Bearer ${(await token(client, { grant_type: "password", ...person })).access_token}`;
  const given = await token(client, { grant_type: "password", ...person, scope: SIGNED_IN });
  const login = `Bearer ${given.access_token}`;
  expect([await send(plain, { nickName: "K" }), await send(plain, { emails })]).toEqual([200, 403]);
  expect([await send(login, { nickName: "L" }), await send(login, { emails })]).toEqual([200, 200]);
  expect(await send({ ...person, password: "wrong-Password-1" }, { password: "another-Password-2" })).toBe(401);
  expect(await send(person, { password: "another-Password-2" })).toBe(200);
  expect(await send({ ...person, password: "another-Password-2" }, { emails: [] })).toBe(200);
});
