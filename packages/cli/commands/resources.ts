/** Users, groups, roles, applications, API resources and tenants: what their commands do. */
import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { type Api, type BodyOf, isFault, type Listing, type NewUser } from "#client/client.ts";
import { wrongInput } from "../frame/errors.ts";
import { secretAsked } from "../frame/output.ts";
import { at, type Further, given, type Item, idOf, itemsAt, type Kind, quoted, several, type Values } from "./kinds.ts";

const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const word = (value: unknown): string => (value === undefined ? "" : String(value));
/** Lists of SCIM leave the store of a user out of the column. */
const scimQuery = ({ filter, sort, limit }: Parameters<Kind["list"]>[1]) =>
  given({ filter, sortBy: sort, count: limit === undefined ? undefined : Math.min(limit, 200) });

export const users: Kind = {
  word: "users",
  one: "user",
  name: "userName",
  columns: {
    "user name": ({ userName }) => word(userName),
    name: (item) => [at(item, "name", "givenName"), at(item, "name", "familyName")].filter(Boolean).join(" "),
    email: (item) => word(itemsAt(item, "emails").map(({ value }) => value)[0]),
    active: ({ active }) => (active === false ? "no" : "yes"),
    id: ({ id }) => word(id),
  },
  list: (api, query) => api.users.list(scimQuery(query)),
  get: (api, id) => api.users.get(id),
  named: (api, name) => api.users.list({ filter: `userName eq ${quoted(name)}` }).all(),
  options: (command, isNew) =>
    command
      .option("--given-name <name>")
      .option("--family-name <name>")
      .option("--email <address>", "e-mail address for work")
      .option("--display-name <name>")
      .option("--title <title>")
      .option("--department <name>")
      .option("--active", "allow the user to sign in")
      .option("--inactive", "do not allow the user to sign in")
      .option("--password-stdin", "read the password from standard input")
      .option(
        "--no-password",
        isNew ? "create the user with a random, unknown password" : "do not change the password",
      ),
  async body(_, values, name) {
    const { givenName, familyName, email, displayName, title, department, active, inactive } = values;
    const fullName = given({ givenName, familyName });
    return given({
      userName: name,
      name: Object.keys(fullName).length > 0 ? fullName : undefined,
      emails: email === undefined ? undefined : [{ value: email, type: "work", primary: true }],
      displayName,
      title,
      [ENTERPRISE]: department === undefined ? undefined : { department },
      active: active ? true : inactive ? false : undefined,
      password: await passwordOf(values, name !== undefined),
    });
  },
  create: (api, body, options) => api.users.create(body as NewUser, options),
  update: (api, id, body, options) => api.users.update(id, body as Partial<NewUser>, options),
  delete: (api, id, options) => api.users.delete(id, options),
};

/** Throws a `CommandError` for options that contradict each other, and where no option says the password. */
async function passwordOf({ passwordStdin, password, file }: Values, isNew: boolean): Promise<string | undefined> {
  if (passwordStdin && password === false) {
    throw wrongInput("--password-stdin and --no-password contradict each other.", "Keep one of them.");
  }
  if (passwordStdin) return secretAsked("The password", "--password-stdin", true);
  if (isNew && password === false) return randomBytes(24).toString("base64url");
  if (!isNew || file !== undefined) return undefined;
  return secretAsked("The password", "--password-stdin (or --no-password)");
}

/** The ids of users that people name. */
export async function userIds(api: Api, names: readonly string[] = []): Promise<readonly { value: string }[]> {
  const ids = [];
  for (const name of names) ids.push({ value: await idOf(users, api, name) });
  return ids;
}

export const groups: Kind = {
  word: "groups",
  one: "group",
  name: "displayName",
  columns: {
    name: ({ displayName }) => word(displayName),
    members: (item) => word(itemsAt(item, "members").length),
    id: ({ id }) => word(id),
  },
  list: (api, query) => api.groups.list(scimQuery(query)),
  get: (api, id) => api.groups.get(id),
  named: (api, name) => api.groups.list({ filter: `displayName eq ${quoted(name)}` }).all(),
  options: (command, isNew) =>
    isNew
      ? command.option("--member <user>", "a user; can be repeated", several)
      : command.option("--name <name>", "the new name"),
  async body(api, { member, name: renamed }, name) {
    const members = member === undefined ? undefined : await userIds(api, member as readonly string[]);
    return given({ displayName: name ?? renamed, members });
  },
  create: (api, body, options) => api.groups.create(body as BodyOf<"POST /scim2/Groups">, options),
  update: (api, id, body, options) => api.groups.update(id, body, options),
  delete: (api, id, options) => api.groups.delete(id, options),
};

export const roles: Kind = {
  word: "roles",
  one: "role",
  name: "displayName",
  columns: {
    name: ({ displayName }) => word(displayName),
    audience: (item) => [at(item, "audience", "type"), at(item, "audience", "display")].filter(Boolean).join(" "),
    id: ({ id }) => word(id),
  },
  list: (api, query) => api.roles.list(scimQuery(query)),
  get: (api, id) => api.roles.get(id),
  named: (api, name) => api.roles.list({ filter: `displayName eq ${quoted(name)}` }).all(),
  options: (command, isNew) => roleOptions(command, isNew),
  async body(api, values, name) {
    const { scope, application, addScope, removeScope, name: renamed } = values;
    if (name !== undefined) {
      const audience =
        application === undefined
          ? undefined
          : { type: "application", value: await idOf(apps, api, String(application)) };
      const permissions = (scope as readonly string[] | undefined)?.map((value) => ({ value }));
      return given({ displayName: name, audience, permissions });
    }
    const value = (addScope as readonly string[] | undefined)?.map((one) => ({ value: one }));
    const Operations = [
      ...(renamed === undefined ? [] : [{ op: "replace", path: "displayName", value: renamed }]),
      ...(value ? [{ op: "add", path: "permissions", value }] : []),
      ...((removeScope as readonly string[] | undefined) ?? []).map((one) => ({
        op: "remove",
        path: `permissions[value eq ${quoted(one)}]`,
      })),
    ];
    return Operations.length > 0 ? { Operations } : {};
  },
  create: (api, body, options) => api.roles.create(body as BodyOf<"POST /scim2/v2/Roles">, options),
  update: (api, id, body, options) => api.roles.update(id, body, options),
  delete: (api, id, options) => api.roles.delete(id, options),
};

function roleOptions(command: Command, isNew: boolean): Command {
  if (isNew) {
    return command
      .option("--scope <scope>", "a scope of the role; can be repeated", several)
      .option("--application <application>", "the application of the role; otherwise the organization");
  }
  return command
    .option("--name <name>", "the new name")
    .option("--add-scope <scope>", "can be repeated", several)
    .option("--remove-scope <scope>", "can be repeated", several);
}

const page = ({ filter, limit }: Parameters<Kind["list"]>[1]) =>
  given({ filter, limit: limit === undefined ? undefined : Math.min(limit, 100) });
const words = (value: unknown) => value as readonly string[] | undefined;

/**
 * Those with exactly this name. Filters of the management API have no quotes, so a name with `and` in it can mean
 * something else: then all are compared.
 */
async function exactly<T extends object>(list: (filter?: string) => Listing<T>, member: string, name: string) {
  const isPlain = !/\s(and|or)\s|[()"]/i.test(name);
  const found = await list(isPlain ? `${filterNames[member] ?? member} eq ${name}` : undefined).all();
  return found.filter((item) => (item as Item)[member] === name);
}

/** Members that filters call otherwise. */
const filterNames: Readonly<Record<string, string>> = { domain: "domainName" };

export const apps: Kind = {
  word: "apps",
  one: "application",
  name: "name",
  columns: {
    name: ({ name }) => word(name),
    "client id": ({ clientId }) => word(clientId),
    issuer: ({ issuer }) => word(issuer),
    id: ({ id }) => word(id),
  },
  list: (api, query) => api.applications.list({ ...page(query), attributes: "clientId,issuer" }),
  get: (api, id) => api.applications.get(id),
  named: (api, name) => exactly((filter) => api.applications.list(given({ filter })), "name", name),
  options: (command, isNew) => {
    command
      .option("--description <text>")
      .option("--image-url <url>")
      .option("--access-url <url>")
      .option("--enabled", "enable it")
      .option("--disabled", "disable it");
    if (!isNew) return command.option("--name <name>", "the new name");
    return command
      .option("--template <template>", "the id or name of an application template")
      .option("--grant <type>", "an OAuth grant type, such as client_credentials; can be repeated", several)
      .option("--callback <url>", "a URL to return to after login; can be repeated", several);
  },
  async body(_, values, name) {
    const { description, imageUrl, accessUrl, enabled, disabled, grant, callback, name: renamed } = values;
    const oidc = given({
      grantTypes: words(grant) ?? (callback ? ["authorization_code"] : undefined),
      callbackURLs: callback,
    });
    return given({
      name: name ?? renamed,
      description,
      imageUrl,
      accessUrl,
      applicationEnabled: enabled ? true : disabled ? false : undefined,
      inboundProtocolConfiguration: Object.keys(oidc).length > 0 ? { oidc } : undefined,
      template: values.template,
    });
  },
  async create(api, whole, options) {
    const { template, ...body } = whole as Item;
    const made = await api.request("POST /api/server/v1/applications", {
      ...options,
      query: template === undefined ? {} : { template: String(template) },
      body: body as BodyOf<"POST /api/server/v1/applications">,
    });
    return { id: made.id };
  },
  short: async (_, { inboundProtocols, ...item }) => ({
    ...given(Object.fromEntries(SHORT.map((name) => [name, item[name] === "" ? undefined : item[name]]))),
    inboundProtocols: itemsAt({ inboundProtocols }, "inboundProtocols").map(({ type }) => type),
  }),
  created: clientOf,
  update: (api, id, body, options) => api.applications.update(id, body, options),
  delete: (api, id, options) => api.applications.delete(id, options),
};

/** What people look for in an application. */
const SHORT = [
  ...["id", "name", "description", "applicationEnabled", "access"],
  ...["clientId", "issuer", "realm", "accessUrl", "imageUrl", "templateId"],
] as const;

/** The client of a new application, and how to use it. */
async function clientOf(api: Api, applicationId: string, name: string): Promise<Further> {
  const shown = `See it: identity-admin apps show ${inShell(name)}`;
  try {
    const route = "GET /api/server/v1/applications/{applicationId}/inbound-protocols/oidc";
    const { clientId = "", clientSecret, grantTypes } = (await api.request(route, { params: { applicationId } })).body;
    const isMachine = grantTypes.includes("client_credentials");
    return {
      shown: { clientId, ...(clientSecret ? { clientSecret } : {}) },
      next: [
        ...(clientSecret ? ["Save the secret: it is shown here only once."] : []),
        ...(isMachine
          ? [
              `Authorize it for an API: identity-admin apps authorize ${inShell(name)} /scim2/Users --scope internal_user_mgt_list`,
              "Call with it: set IDENTITY_ADMIN_CLIENT_ID, IDENTITY_ADMIN_CLIENT_SECRET and IDENTITY_ADMIN_SCOPE",
            ]
          : [`Configure the application with ${api.url}/oauth2/token/.well-known/openid-configuration`]),
        shown,
      ],
    };
  } catch (error) {
    // There is no client, or the caller may create applications and not see them.
    if (isFault(error, "notFound") || isFault(error, "forbidden")) return { shown: {}, next: [shown] };
    throw error;
  }
}

/** The name of an application as a shell reads it: the service accepts no quotes in it. */
function inShell(name: string): string {
  return name.includes(" ") ? `'${name}'` : name;
}

export const apis: Kind = {
  word: "apis",
  one: "API",
  name: "identifier",
  columns: {
    identifier: ({ identifier }) => word(identifier),
    name: ({ name }) => word(name),
    type: ({ type }) => word(type),
    id: ({ id }) => word(id),
  },
  list: (api, query) => api.apiResources.list(page(query)),
  get: (api, id) => api.apiResources.get(id),
  named: (api, name) => exactly((filter) => api.apiResources.list(given({ filter })), "identifier", name),
  options: (command, isNew) =>
    command
      .option("--name <name>")
      .option("--description <text>")
      .option(isNew ? "--scope <scope>" : "--add-scope <scope>", "a scope of the API; can be repeated", several),
  async body(_, { name: title, description, scope, addScope }, name) {
    const scopes = (names: unknown) => words(names)?.map((one) => ({ name: one, displayName: one }));
    if (name === undefined) return given({ name: title, description, addedScopes: scopes(addScope) });
    return given({ identifier: name, name: title ?? name, description, scopes: scopes(scope) });
  },
  create: (api, body, options) => api.apiResources.create(body as BodyOf<"POST /api/server/v1/api-resources">, options),
  update: (api, id, body, options) => api.apiResources.update(id, body, options),
  delete: (api, id, options) => api.apiResources.delete(id, options),
};

export const tenants: Kind = {
  word: "tenants",
  one: "tenant",
  name: "domain",
  columns: {
    domain: ({ domain }) => word(domain),
    status: ({ lifecycleStatus }) =>
      (lifecycleStatus as Item | undefined)?.activated === false ? "inactive" : "active",
    created: ({ createdDate }) => word(createdDate),
    id: ({ id }) => word(id),
  },
  list: (api, { filter, limit }) => api.tenants.list(page({ filter, limit })),
  get: (api, id) => api.tenants.get(id),
  named: (api, name) => exactly((filter) => api.tenants.list(given({ filter })), "domain", name),
  options: (command, isNew) => {
    if (!isNew) {
      return command
        .option("--active", "allow its users to sign in")
        .option("--inactive", "do not allow its users to sign in");
    }
    return command
      .option("--owner <user>", "the user name of its first administrator")
      .option("--email <address>", "of the owner")
      .option("--first-name <name>", "of the owner")
      .option("--last-name <name>", "of the owner")
      .option("--password-stdin", "read the password of the owner from standard input");
  },
  async body(_, values, name) {
    const { owner, email, firstName, lastName, active, inactive, passwordStdin, file } = values;
    if (name === undefined) return given({ activated: active ? true : inactive ? false : undefined });
    if (file !== undefined) return { domain: name };
    if (!owner || !email) throw wrongInput("A tenant needs an owner.", "Add --owner <user> --email <address>.");
    const password = await secretAsked("The password of the owner", "--password-stdin", passwordStdin === true);
    const person = { username: owner, email, firstname: firstName ?? owner, lastname: lastName ?? owner, password };
    return { domain: name, owners: [{ ...person, provisioningMethod: "inline-password" }] };
  },
  create: (api, body, options) => api.tenants.create(body as BodyOf<"POST /api/server/v1/tenants">, options),
  update: (api: Api, id, body, options) =>
    api.send("PUT", `/api/server/v1/tenants/${encodeURIComponent(id)}/lifecycle-status`, { ...options, body }),
  async delete(api, id, options) {
    await api.send("DELETE", `/api/server/v1/tenants/${encodeURIComponent(id)}/metadata`, options);
  },
  deletes: "hide an inactive tenant until it is activated again; no data is deleted",
};
