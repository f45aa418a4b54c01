/** What resources have besides the five verbs: passwords, members, assignments, secrets, authorised APIs. */
import type { Command } from "commander";
import type { Api } from "#client/client.ts";
import { wrongInput } from "../frame/errors.ts";
import { action } from "../frame/frame.ts";
import { confirmed, secretAsked } from "../frame/output.ts";
import { changed, DRY_RUN } from "./collections.ts";
import { idOf, quoted, several } from "./kinds.ts";
import { apis, apps, groups, roles, userIds, users } from "./resources.ts";

interface Rehearsed {
  readonly dryRun?: boolean;
}
interface Assigned extends Rehearsed {
  readonly user?: readonly string[];
  readonly group?: readonly string[];
}

/** Declares them below the commands of their kinds. */
export function declareMembers(parents: Readonly<Record<string, Command>>): void {
  const below: Below = (word, name, description) => {
    const parent = parents[word];
    if (!parent) throw new Error(`There is no command ${word}.`);
    return parent
      .command(name)
      .description(description)
      .option(...DRY_RUN);
  };
  declarePassword(below);
  declareGroupMembers(below);
  declareAssignments(below);
  declareAuthorization(below);
  declareSecret(parents.apps);
}

/** Declares a command, with its name and description, below that of a kind. */
type Below = (word: string, name: string, description: string) => Command;

function declarePassword(below: Below): void {
  const password = below("users", "set-password <user>", "set the password of a user; prompts for it").option(
    "--password-stdin",
    "read the password from standard input",
  );
  action<Rehearsed & { readonly passwordStdin?: boolean }, [string]>(password, async ({ api, options, out }, name) => {
    const client = await api();
    const id = await idOf(users, client, name);
    const secret = await secretAsked(`The new password of ${name}`, "--password-stdin", options.passwordStdin);
    await client.users.update(id, { password: secret } as object, { dryRun: options.dryRun, ifMatch: "*" });
    out.done(`${options.dryRun ? "Would set" : "Set"} the password of ${name}.`, changed(id, options.dryRun));
  });
}

function declareGroupMembers(below: Below): void {
  for (const [verb, op] of [
    ["add-member", "add"],
    ["remove-member", "remove"],
  ] as const) {
    const command = below("groups", `${verb} <group> <user...>`, `${op} users`);
    action<Rehearsed, [string, readonly string[]]>(command, async ({ api, options, out }, name, members) => {
      const client = await api();
      const id = await idOf(groups, client, name);
      const Operations = operationsOn(op, "members", await userIds(client, members));
      await client.groups.update(id, { Operations }, { dryRun: options.dryRun, ifMatch: "*" });
      const would = options.dryRun ? "Would change" : "Changed";
      out.done(`${would} the members of ${name}.`, changed(id, options.dryRun));
    });
  }
}

function declareAssignments(below: Below): void {
  for (const [verb, op] of [
    ["assign", "add"],
    ["unassign", "remove"],
  ] as const) {
    const command = below(
      "roles",
      `${verb} <role>`,
      op === "add" ? "assign a role to users or groups" : "remove a role from users or groups",
    )
      .option("--user <user>", "can be repeated", several)
      .option("--group <group>", "can be repeated", several);
    action<Assigned, [string]>(command, async ({ api, options, out }, name) => {
      const client = await api();
      const { user = [], group = [], dryRun } = options;
      if (user.length + group.length === 0)
        throw wrongInput("No user or group is given.", "Add --user <user> or --group <group>.");
      const id = await idOf(roles, client, name);
      const Operations = [
        ...operationsOn(op, "users", await userIds(client, user)),
        ...operationsOn(op, "groups", await groupIds(client, group)),
      ];
      await client.roles.update(id, { Operations }, { dryRun, ifMatch: "*" });
      out.done(`${dryRun ? "Would change" : "Changed"} the assignments of ${name}.`, changed(id, dryRun));
    });
  }
}

function declareAuthorization(below: Below): void {
  const authorize = below("apps", "authorize <application> <identifier>", "authorize an application for an API").option(
    "--scope <scope>",
    "a scope of the API; can be repeated",
    several,
  );
  action<Rehearsed & { readonly scope?: readonly string[] }, [string, string]>(
    authorize,
    async ({ api, options, out }, name, identifier) => {
      const client = await api();
      const applicationId = await idOf(apps, client, name);
      const apiId = await idOf(apis, client, identifier);
      const { scope: scopes = [], dryRun } = options;
      const authorized = await client
        .list("GET /api/server/v1/applications/{applicationId}/authorized-apis", { params: { applicationId } })
        .all();
      if (authorized.some(({ id }) => id === apiId)) {
        await client.request("PATCH /api/server/v1/applications/{applicationId}/authorized-apis/{apiId}", {
          params: { applicationId, apiId },
          body: { addedScopes: [...scopes] },
          dryRun,
          ifMatch: "*",
        });
      } else {
        await client.request("POST /api/server/v1/applications/{applicationId}/authorized-apis", {
          params: { applicationId },
          body: { id: apiId, policyIdentifier: "RBAC", scopes: [...scopes] },
          dryRun,
        });
      }
      out.done(
        `${dryRun ? "Would authorize" : "Authorized"} ${name} for ${identifier}.`,
        changed(applicationId, dryRun),
      );
    },
  );
}

function declareSecret(parent: Command | undefined): void {
  const secret = parent?.command("secret").description("the secret of an OAuth client");
  const rotate = secret
    ?.command("rotate <application>")
    .description("replace the client secret; the old one becomes invalid at once")
    .option(...DRY_RUN)
    .option("--yes", "do not ask");
  if (!rotate) return;
  action<Rehearsed & { readonly yes?: boolean }, [string]>(rotate, async ({ api, options, out }, name) => {
    const client = await api();
    const applicationId = await idOf(apps, client, name);
    const { dryRun } = options;
    await confirmed(
      `Replace the client secret of ${name}? Programs that use the old one will fail.`,
      options.yes || dryRun,
    );
    const route = "POST /api/server/v1/applications/{applicationId}/inbound-protocols/oidc/regenerate-secret";
    const { body } = await client.request(route, { params: { applicationId }, dryRun });
    if (dryRun) return out.done(`Would replace the client secret of ${name}.`, changed(applicationId, dryRun));
    const { clientId, clientSecret } = body;
    out.note(`The new client secret of ${name} is shown once:`);
    if (out.isJson) out.value({ id: applicationId, clientId, clientSecret });
    else process.stdout.write(`${clientSecret}\n`);
  });
}

/** One operation that adds all, or one for each that it removes. */
function operationsOn(op: "add" | "remove", path: string, ids: readonly { readonly value: string }[]) {
  if (ids.length === 0) return [];
  if (op === "add") return [{ op, path, value: ids }];
  return ids.map(({ value }) => ({ op, path: `${path}[value eq ${quoted(value)}]` }));
}

async function groupIds(api: Api, names: readonly string[]): Promise<readonly { readonly value: string }[]> {
  const ids = [];
  for (const name of names) ids.push({ value: await idOf(groups, api, name) });
  return ids;
}
