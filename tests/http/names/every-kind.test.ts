/**
 * White space around the name of a resource of any kind counts nowhere: it is stored without, found as it was sent and
 * as it is stored, and a second one is a conflict. What can have none says so. Users, groups and roles are in
 * `white-space.test.ts`.
 */
import { describe, expect, test } from "vitest";
import { operations } from "#core/service/catalogue.ts";
import { fresh, type Shown } from "#tests/support/scim.ts";
import { type Answer, APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const REST = "/api/server/v1";
/** Blank, no-break space, tab, byte order mark, ideographic space, end of line. */
const SPACES = [" ", "\u00a0", "\t", "\ufeff", "\u3000", "\n"];
/** The path of a creation, how it is sent, and how its name is found. */
interface Kind {
  readonly operation: keyof typeof operations;
  readonly send: (name: string) => Promise<Answer>;
  /** The names that the list shows for a filter on the name; absent for a list without filters. */
  readonly find?: (operator: string, name: string) => Promise<readonly string[]>;
  /** All names that a list shows. */
  readonly all?: () => Promise<readonly string[]>;
  /** Changes the name of the last one, where it can change. */
  readonly rename?: (id: string, name: string) => Promise<string>;
  /** Whether two can have one name. */
  readonly isShared?: true;
  readonly conflict?: number;
}

/** In a filter of the management API a backslash stands before the character itself. */
const quoted = (name: string) => `"${name}"`;
const post = (path: string, body: unknown) => api.ask("POST", path, { body });
const listed = async (path: string, list: string, member: string): Promise<string[]> => {
  const { status, body, text } = await api.ask("GET", path);
  expect(status, text).toBe(200);
  return (Array.isArray(body) ? body : (body[list] ?? [])).map((one: Shown) => one[member]);
};
const filtered = (path: string, list: string, member: string) => (operator: string, name: string) =>
  listed(`${path}?${new URLSearchParams({ filter: `${member} ${operator} ${quoted(name)}` })}`, list, member);
const renamed = (path: string) => async (id: string, name: string) => {
  const answer = await api.ask("PATCH", `${path}/${id}`, { body: { name } });
  expect(answer.status, answer.text).toBeLessThan(300);
  return (await api.ask("GET", `${path}/${id}`)).body.name;
};
const imported = (method: string) => async (name: string) => {
  const upload = new FormData();
  const file = `<ServiceProvider><ApplicationName>${name}</ApplicationName></ServiceProvider>`;
  upload.set("file", new Blob([file]), "application.xml");
  const written = new Response(upload);
  return api.ask(method, `${APPLICATIONS}/import`, {
    raw: new Uint8Array(await written.arrayBuffer()),
    headers: { "content-type": written.headers.get("content-type") ?? "" },
  });
};

const applications = filtered(APPLICATIONS, "applications", "name");
const template = (name: string) => ({ name, application: { name: "from a template" } });
const TEMPLATES = `${APPLICATIONS}/templates`;
const APIS = `${REST}/api-resources`;
const PROFILE = { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" };
const kinds: Readonly<Record<string, Kind>> = {
  application: {
    operation: "createApplication",
    send: (name) => post(APPLICATIONS, { name }),
    find: applications,
    rename: renamed(APPLICATIONS),
  },
  "application of a file": {
    operation: "importApplication",
    send: imported("POST"),
    find: applications,
  },
  template: {
    operation: "addApplicationTemplate",
    send: (name) => post(TEMPLATES, template(name)),
    find: filtered(TEMPLATES, "templates", "name"),
  },
  "name of an API": {
    operation: "createApiResource",
    send: (name) => post(APIS, { name, identifier: fresh("identifier") }),
    find: filtered(APIS, "apiResources", "name"),
    rename: renamed(APIS),
    isShared: true,
  },
  "identifier of an API": {
    operation: "createApiResource",
    send: (identifier) => post(APIS, { name: "shared", identifier }),
    find: filtered(APIS, "apiResources", "identifier"),
  },
  "scope of an API": {
    operation: "createApiResource",
    send: (name) => post(APIS, { name: "shared", identifier: fresh("of-scope"), scopes: [{ name }] }),
    find: filtered(`${REST}/scopes`, "", "name"),
  },
  "scope of OpenID Connect": {
    operation: "createOidcScope",
    send: (name) => post(`${REST}/oidc/scopes`, { name, displayName: name, claims: ["email"] }),
    all: () => listed(`${REST}/oidc/scopes`, "", "name"),
  },
  webhook: {
    operation: "createWebhook",
    send: (name) =>
      post(`${REST}/webhooks`, {
        endpoint: `https://${fresh("receiver")}.example/`,
        name,
        eventProfile: PROFILE,
        channelsSubscribed: [`${PROFILE.uri}/user`],
      }),
    all: () => listed(`${REST}/webhooks`, "webhooks", "name"),
    isShared: true,
  },
  tenant: {
    operation: "createTenant",
    send: (domain) => post(`${REST}/tenants`, { domain, owners: [{ username: "boss", password: "a-long-password" }] }),
    all: () => listed(`${REST}/tenants`, "tenants", "domain"),
  },
};

/** Operations that create something without a name of its own, or whose names are tried elsewhere. */
const nameless = new Set([
  ...["createUser", "createGroup", "createRole", "createRoleV3", "createScim1User", "createScim1Group", "createMe"],
  ...["createClientSecret", "createStream"],
]);

test("every operation that creates a resource is tried", () => {
  const creating = Object.keys(operations).filter((id) => /^(?:create|add|import)/.test(id) && !nameless.has(id));
  const tried = new Set<string>(Object.values(kinds).map(({ operation }) => operation));
  expect(creating.filter((id) => !tried.has(id) && !/^(?:createPasskey|addStreamSubject)$/.test(id))).toEqual([]);
});

describe.each(Object.entries(kinds))("%s", (kind, { send, find, all, rename, isShared }) => {
  test.each(SPACES)("is stored without %j, and found with it and without", async (space) => {
    const name = `${kind === "tenant" ? fresh("t") : fresh("kind")}.example`;
    const sent = `${space}${name}${space}`;
    const made = await send(sent);
    expect(made.status, made.text).toBe(201);
    const shown = async (given: string) =>
      find ? find("eq", given) : ((await all?.()) ?? []).filter((one) => one === name);
    for (const given of [name, sent, `${name}${space}`, `${space}${name}`]) expect(await shown(given)).toEqual([name]);
    if (find) {
      expect(await find("sw", `${space}${name.slice(0, -1)}`)).toEqual([name]);
      expect(await find("ew", `${name.slice(1)}${space}`)).toContain(name);
    }
    for (const again of isShared ? [] : [sent, name]) {
      const second = await send(again);
      expect([400, 409], second.text).toContain(second.status);
      expect(second.text).toMatch(/already|exists/i);
    }
    if (!rename) return;
    const id = made.body?.id ?? made.headers.get("location")?.split("/").at(-1);
    expect(await rename(id, `${space}${name}.2${space}`)).toBe(`${name}.2`);
  });

  test("of white space alone is none", async () => {
    for (const space of SPACES) {
      const { status, text } = await send(space);
      expect(status, text).toBe(400);
    }
  });
});

test("a file replaces the application that it names", async () => {
  const name = fresh("of a file");
  expect((await imported("POST")(name)).status).toBe(201);
  const answer = await imported("PUT")(` ${name}\u00a0`);
  expect(answer.status, answer.text).toBe(200);
});
