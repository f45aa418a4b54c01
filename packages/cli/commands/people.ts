/** Users, groups and roles. */
import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import type { Api, BodyOf, NewUser } from "#client/client.ts";
import { secretAsked } from "../frame/prompts.ts";
import { at, given, idOf, itemsAt, type Kind, quoted, several, type Values } from "./kinds.ts";
import { apps } from "./registrations.ts";

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
      .option("--active", "may sign in")
      .option("--inactive", "may not sign in")
      .option("--password-stdin", "read the password from standard input")
      .option("--no-password", isNew ? "create the user without a password that anybody knows" : "leave the password"),
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

async function passwordOf({ passwordStdin, password, file }: Values, isNew: boolean): Promise<string | undefined> {
  if (passwordStdin) return secretAsked("The password", "--password-stdin", true);
  if (!isNew || file !== undefined) return undefined;
  if (password === false) return randomBytes(24).toString("base64url");
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
      .option("--application <application>", "the application that the role is for; otherwise the organization");
  }
  return command
    .option("--name <name>", "the new name")
    .option("--add-scope <scope>", "can be repeated", several)
    .option("--remove-scope <scope>", "can be repeated", several);
}
