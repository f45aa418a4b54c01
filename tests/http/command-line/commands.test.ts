/**
 * Every command as a process: what it prints, with and without `--json`, its exit codes, and what it says when the
 * service is away, the token is wrong, the scope is missing, the input is broken.
 */
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { everyCommand, programOf } from "#cli/main.ts";
import { type Api, client } from "#client/client.ts";
import { identityAdmin, newHome, type RunOptions } from "#tests/support/identity-admin.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const service = world();
let api: Api;
let folder = "";
const name = (word: string) => `${word}-${randomUUID().slice(0, 8)}`;
const PASSWORD = "maple-tree-42";
const lowly = { username: name("lowly"), password: PASSWORD };
beforeAll(async () => {
  api = client({ url: service.url, credentials: ADMIN });
  await api.users.create({ userName: lowly.username, password: PASSWORD });
  folder = await newHome();
  await identityAdmin(["export", "--out", join(folder, "tenant")], { environment: admin() });
});
const admin = () => ({
  IDENTITY_ADMIN_URL: service.url,
  IDENTITY_ADMIN_USER: ADMIN.username,
  IDENTITY_ADMIN_PASSWORD: ADMIN.password,
});

/** A command line that works, and how it can fail. */
interface Row {
  /** Makes a command line, and what it needs. */
  readonly args: () => readonly string[] | Promise<readonly string[]>;
  readonly input?: string;
  /** What it prints. */
  readonly prints: RegExp;
  /** A command line with a mistake in the input: exit code 3. */
  readonly broken: readonly string[];
  /** What the message about the mistake says. */
  readonly says: RegExp;
  /** It has `--dry-run`, which changes nothing. */
  readonly writes?: true;
  /** Exit codes that differ: for a service that is away, a wrong token, a missing scope. */
  readonly codes?: { readonly away?: number; readonly token?: number; readonly scope?: number };
  /** Prints JSON lines. */
  readonly lines?: true;
}

const user = async () => {
  const userName = name("kim");
  await api.users.create({ userName, password: PASSWORD });
  return userName;
};
const group = async () => {
  const displayName = name("drivers");
  await api.groups.create({ displayName });
  return displayName;
};
const role = async () => {
  const displayName = name("viewer");
  await api.roles.create({ displayName });
  return displayName;
};
const application = async () => {
  const one = name("Dispatch");
  await api.applications.create({
    name: one,
    inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
  });
  return one;
};
const resource = async () => {
  const identifier = `https://${name("api")}.example.com`;
  await api.apiResources.create({ identifier, name: "API", scopes: [{ name: name("scope") }] });
  return identifier;
};
const tenant = async () => {
  const domain = `${name("t")}.com`;
  const owner = { username: "kim", password: PASSWORD, email: "k@x.com", firstname: "K", lastname: "B" };
  await api.tenants.create({ domain, owners: [{ ...owner, provisioningMethod: "inline-password" }] });
  return domain;
};
const fileWith = async (file: string, text: string) => {
  const home = await newHome();
  await writeFile(join(home, file), text);
  return join(home, file);
};
const LOCAL = { away: 0, token: 0, scope: 0 } as const;
const NO_ARGUMENT = /missing required argument/;

const verbs = (
  word: string,
  one: () => Promise<string>,
  create: { readonly args: readonly string[]; readonly input?: string },
  update: readonly string[],
): Readonly<Record<string, Row>> => ({
  [`${word} list`]: {
    args: () => [word, "list", "--limit", "2"],
    prints: /id\n/,
    broken: [word, "list", "--limit", "none"],
    says: /--limit.*invalid.*above 0/s,
  },
  [`${word} show`]: {
    args: async () => [word, "show", await one()],
    prints: /^id: /m,
    broken: [word, "show"],
    says: NO_ARGUMENT,
  },
  [`${word} create`]: {
    args: async () => [word, "create", word === "tenants" ? `${name("new")}.com` : name("new"), ...create.args],
    ...(create.input !== undefined && { input: create.input }),
    prints: /^Created /,
    broken: [word, "create", "x.com", ...create.args, "--file", "/nowhere.json"],
    says: /nowhere\.json does not exist/,
    writes: true,
  },
  [`${word} update`]: {
    args: async () => [word, "update", await one(), ...update],
    prints: /^Updated /,
    broken: [word, "update", "x"],
    says: /There is nothing to change/,
    writes: true,
  },
  [`${word} delete`]: {
    args: async () => [word, "delete", await one(), "--yes"],
    prints: /^Deleted /,
    broken: [word, "delete"],
    says: NO_ARGUMENT,
    writes: true,
  },
});

const member = async () => {
  const [userName, displayName] = [await user(), await group()];
  const [{ id: value } = { id: "" }] = await api.users.list({ filter: `userName eq "${userName}"` }).all();
  const [{ id } = { id: "" }] = await api.groups.list({ filter: `displayName eq "${displayName}"` }).all();
  await api.groups.update(id, { Operations: [{ op: "add", path: "members", value: [{ value }] }] });
  return [displayName, userName];
};

const rows: Readonly<Record<string, Row>> = {
  login: {
    args: () => ["login", "--user", ADMIN.username, "--secret-stdin", "--store"],
    input: ADMIN.password,
    prints: /Signed in as admin\. Stored in .*credentials\.json/,
    broken: ["login"],
    says: /There is no user, client or token to sign in with/,
    codes: { token: 0, scope: 0 },
  },
  logout: {
    args: () => ["logout"],
    prints: /Signed out/,
    broken: ["logout", "x"],
    says: /too many arguments/,
    codes: LOCAL,
  },
  whoami: {
    args: () => ["whoami"],
    prints: /name: admin/,
    broken: ["whoami", "x"],
    says: /too many/,
    codes: { scope: 0 },
  },
  token: {
    args: () => ["token"],
    prints: /^$/,
    broken: ["token", "x"],
    says: /too many/,
    codes: { away: 3, token: 0, scope: 3 },
  },
  ...verbs("users", user, { args: ["--password-stdin"], input: "maple-tree-42" }, ["--title", "Driver", "--active"]),
  ...verbs("groups", group, { args: [] }, ["--set", "externalId=ext-7"]),
  ...verbs("roles", role, { args: ["--scope", "internal_user_mgt_list"] }, ["--add-scope", "internal_user_mgt_view"]),
  ...verbs("apps", application, { args: ["--grant", "client_credentials"] }, ["--description", "Cars"]),
  ...verbs("apis", resource, { args: ["--name", "Cars"] }, ["--description", "Cars"]),
  ...verbs("tenants", tenant, { args: ["--owner", "kim", "--email", "k@x.com", "--password-stdin"], input: PASSWORD }, [
    "--inactive",
  ]),
  "tenants delete": {
    args: async () => {
      const domain = await tenant();
      const [{ id } = { id: "" }] = await api.tenants.list({ filter: `domainName eq ${domain}` }).all();
      await api.send("PUT", `/api/server/v1/tenants/${id}/lifecycle-status`, { body: { activated: false } });
      return ["tenants", "delete", domain, "--yes"];
    },
    prints: /^Deleted /,
    broken: ["tenants", "delete"],
    says: NO_ARGUMENT,
    writes: true,
  },
  "users set-password": {
    args: async () => ["users", "set-password", await user(), "--password-stdin"],
    input: "another-password-1",
    prints: /^Set the password of/,
    broken: ["users", "set-password", "admin"],
    says: /The new password of admin is missing/,
    writes: true,
  },
  "users import": {
    args: async () => ["users", "import", await fileWith("one.csv", `userName,name.givenName\n${name("csv")},Kim\n`)],
    prints: /1/,
    broken: ["users", "import", "/nowhere.csv"],
    says: /nowhere\.csv/,
    writes: true,
  },
  "users export": {
    args: async () => ["users", "export", "--out", join(await newHome(), "users.csv")],
    prints: /users in /,
    broken: ["users", "export"],
    says: /required option '--out/,
  },
  "groups add-member": {
    args: async () => ["groups", "add-member", await group(), await user()],
    prints: /^Changed the members/,
    broken: ["groups", "add-member", "x"],
    says: NO_ARGUMENT,
    writes: true,
  },
  "groups remove-member": {
    args: async () => ["groups", "remove-member", ...(await member())],
    prints: /^Changed the members/,
    broken: ["groups", "remove-member", "x"],
    says: NO_ARGUMENT,
    writes: true,
  },
  "roles assign": {
    args: async () => ["roles", "assign", await role(), "--user", await user(), "--group", await group()],
    prints: /^Changed the assignments of/,
    broken: ["roles", "assign", "x"],
    says: /No user or group is given/,
    writes: true,
  },
  "roles unassign": {
    args: async () => ["roles", "unassign", await role(), "--user", await user()],
    prints: /^Changed the assignments of/,
    broken: ["roles", "unassign", "x"],
    says: /No user or group is given/,
    writes: true,
  },
  "apps authorize": {
    args: async () => ["apps", "authorize", await application(), "/scim2/Users", "--scope", "internal_user_mgt_list"],
    prints: /^Authorized /,
    broken: ["apps", "authorize", "x"],
    says: NO_ARGUMENT,
    writes: true,
  },
  "apps secret rotate": {
    args: async () => ["apps", "secret", "rotate", await application(), "--yes"],
    prints: /^\S{20,}\n$/,
    broken: ["apps", "secret", "rotate"],
    says: NO_ARGUMENT,
    writes: true,
  },
  "changes tail": {
    args: () => ["changes", "tail", "--last", "2"],
    prints: /^\d{4}-.*\n\d{4}-.*\n$/,
    broken: ["changes", "tail", "--last", "0"],
    says: /above 0/,
    lines: true,
  },
  import: {
    args: async () => {
      const home = await newHome();
      await mkdir(join(home, "out"));
      await identityAdmin(["export", "--format", "files", "--out", join(home, "out")], { environment: admin() });
      return ["import", join(home, "out")];
    },
    prints: /skipped/,
    broken: ["import", "/nowhere"],
    says: /contains no file/,
    writes: true,
  },
  export: {
    args: async () => ["export", "--out", join(await newHome(), "tenant")],
    prints: /files? in /,
    broken: ["export", "--out", "x", "--format", "xml"],
    says: /Allowed choices are folder, files/,
  },
  plan: {
    args: () => ["plan", join(folder, "same")],
    prints: /^No changes\.\n$/,
    broken: ["plan", "/nowhere"],
    says: /is not a tenant folder/,
  },
  apply: {
    args: () => ["apply", join(folder, "same"), "--yes"],
    prints: /^No changes\.\n$/,
    broken: ["apply", "/nowhere"],
    says: /is not a tenant folder/,
  },
  seed: {
    args: () => ["seed", "--yes", "--dry-run"],
    prints: /users +200/,
    broken: ["seed"],
    says: /There is no terminal to ask/,
  },
  doctor: {
    args: () => ["doctor"],
    prints: /ok +credential/,
    broken: ["doctor", "x"],
    says: /too many/,
    codes: { away: 1, token: 1, scope: 0 },
  },
  completion: {
    args: () => ["completion", "bash"],
    prints: /complete .*identity-admin/,
    broken: ["completion", "fish"],
    says: /Allowed choices are bash, zsh/,
    codes: LOCAL,
  },
};

test("every command has a row", () => {
  const pathOf = (command: { readonly parent: unknown; name(): string }): string[] =>
    command.parent === null ? [] : [...pathOf(command.parent as typeof command), command.name()];
  const leaves = everyCommand(programOf()).filter(({ commands }) => commands.length === 0);
  expect(leaves.map((command) => pathOf(command).join(" ")).sort()).toEqual(Object.keys(rows).sort());
});

const table = Object.entries(rows);
const run = async ({ args, input }: Row, more: readonly string[], options: RunOptions) =>
  identityAdmin([...(await args()), ...more], { ...(input !== undefined && { input }), ...options });

describe("each command", { timeout: 60_000 }, () => {
  // The folder of plan and apply is the tenant as it is now: nothing else changes meanwhile what it has.
  const fresh = async (command: string) => {
    if (command !== "plan" && command !== "apply") return;
    await identityAdmin(["export", "--out", join(folder, "same")], { environment: admin() });
  };
  test.each(table)("%s does it", async (command, row) => {
    await fresh(command);
    const { code, output, errors } = await run(row, [], { environment: admin() });
    if (command === "token") {
      expect([code, errors]).toEqual([3, expect.stringContaining("has no token")]);
      return;
    }
    expect([code, output], errors).toEqual([0, expect.stringMatching(row.prints)]);
  });
  test.each(table)("%s --json", async (command, row) => {
    await fresh(command);
    const { code, output } = await run(row, ["--json"], { environment: admin() });
    if (command === "token") {
      expect(code).toBe(3);
      return;
    }
    expect(code).toBe(0);
    const texts = row.lines ? output.trimEnd().split("\n") : [output];
    for (const text of texts) expect(() => JSON.parse(text)).not.toThrow();
  });
  test.each(table.filter(([, { writes }]) => writes))("%s --dry-run changes nothing", async (_, row) => {
    const args = await row.args();
    const before = (await api.auditEvents.list({ limit: 1 }).page()).items[0]?.id;
    const input = row.input === undefined ? {} : { input: row.input };
    const { code, output, errors } = await identityAdmin([...args, "--dry-run"], { ...input, environment: admin() });
    expect([code, output], errors).toEqual([0, expect.stringMatching(/would|dry run/i)]);
    expect((await api.auditEvents.list({ limit: 1 }).page()).items[0]?.id).toBe(before);
  });
});

describe.concurrent("each command that cannot", { timeout: 60_000 }, () => {
  test.each(table)("%s when the service is away", async (_, row) => {
    const { code, output, errors } = await run(row, [], {
      environment: { ...admin(), IDENTITY_ADMIN_URL: "http://127.0.0.1:65500" },
    });
    expect(code, errors).toBe(row.codes?.away ?? 8);
    if (row.codes?.away !== 0 && row.codes?.away !== 3) {
      expect(`${output}${errors}`).toContain("cannot be reached");
      expect(`${output}${errors}`).toMatch(/npm start|Start it|again/);
    }
  });
  test.each(table)("%s with a wrong token", async (_, row) => {
    const environment = { IDENTITY_ADMIN_URL: service.url, IDENTITY_ADMIN_TOKEN: "wrong-token" };
    const { code, output, errors } = await run(row, [], { environment });
    expect(code, errors).toBe(row.codes?.token ?? 4);
    if (row.codes?.token === undefined) expect(errors).toContain("identity-admin login");
    expect(`${output}${errors}`.replace(/^wrong-token\n$/, "")).not.toContain("wrong-token");
  });
  test.each(table)("%s without the scope", async (_, row) => {
    const environment = {
      ...admin(),
      IDENTITY_ADMIN_USER: lowly.username,
      IDENTITY_ADMIN_PASSWORD: lowly.password,
    };
    const { code, output, errors } = await run(row, [], { environment });
    expect(code, errors).toBe(row.codes?.scope ?? 5);
    if (row.codes?.scope === undefined) expect(`${output}${errors}`).toMatch(/scope \w+/);
  });
  test.each(table)("%s with broken input", async (_, row) => {
    const { code, output, errors } = await identityAdmin(row.broken, { environment: admin(), input: PASSWORD });
    expect([code, output], errors).toEqual([3, ""]);
    expect(errors).toMatch(row.says);
  });
});
