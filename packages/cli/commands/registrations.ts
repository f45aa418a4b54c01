/** Applications, API resources and tenants. */
import type { Api, BodyOf, Listing } from "#client/client.ts";
import { wrongInput } from "../frame/errors.ts";
import { secretAsked } from "../frame/prompts.ts";
import { given, type Item, type Kind, several } from "./kinds.ts";

const word = (value: unknown): string => (value === undefined ? "" : String(value));
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
      .option("--enabled", "switch it on")
      .option("--disabled", "switch it off");
    if (!isNew) return command.option("--name <name>", "the new name");
    return command
      .option("--template <template>", "the id or name of an application template")
      .option("--grant <type>", "a grant type of OAuth, such as client_credentials; can be repeated", several)
      .option("--callback <url>", "where a login returns to; can be repeated", several);
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
  update: (api, id, body, options) => api.applications.update(id, body, options),
  delete: (api, id, options) => api.applications.delete(id, options),
};

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
      return command.option("--active", "its users may sign in").option("--inactive", "its users may not sign in");
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
  deletes: "An inactive tenant leaves the list until it is activated again. No data is deleted.",
};
