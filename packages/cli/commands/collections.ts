/** `list`, `show`, `create`, `update` and `delete` of every kind. */
import type { Command } from "commander";
import { wrongInput } from "../frame/errors.ts";
import { action } from "../frame/frame.ts";
import { merged, objectIn, objectOf } from "../frame/input.ts";
import { confirmed } from "../frame/output.ts";
import { type Item, idOf, type Kind, several, type Values, wholeNumber } from "./kinds.ts";
import { apis, apps, groups, roles, tenants, users } from "./resources.ts";

/** All kinds, in the order of the help. */
export const kinds: readonly Kind[] = [users, groups, roles, apps, apis, tenants];

const titles: Readonly<Record<string, string>> = {
  users: "users",
  groups: "groups of users",
  roles: "roles: scopes for users and groups",
  apps: "applications",
  apis: "API resources and their scopes",
  tenants: "tenants (only for callers in the super tenant)",
};

export const DRY_RUN = ["--dry-run", "check everything and change nothing"] as const;

/** Members that the service does not know are mistakes of who typed them: it refuses them (RFC 7240 section 4.4). */
const STRICT = { prefer: "handling=strict" } as const;

interface ListValues {
  readonly filter?: string;
  readonly sort?: string;
  readonly limit?: number;
}
interface WriteValues extends Values {
  readonly file?: string;
  readonly set?: readonly string[];
  readonly dryRun?: boolean;
}

/** Declares the commands of every kind. Returns them by the word of the kind, so that others can be added. */
export function declareCollections(program: Command): Readonly<Record<string, Command>> {
  return Object.fromEntries(kinds.map((kind) => [kind.word, declare(program, kind)]));
}

function declare(program: Command, kind: Kind): Command {
  const parent = program.command(kind.word).description(titles[kind.word] ?? kind.word);
  const { one, word } = kind;
  const list = parent
    .command("list")
    .description(`list ${word}`)
    .option("--filter <filter>", "a filter in the syntax of the API")
    .option("--limit <count>", "the maximum number of results", wholeNumber);
  if (word === "users" || word === "groups" || word === "roles") list.option("--sort <attribute>");
  action<ListValues, []>(list, async ({ api, options, out }) => {
    const { filter, sort, limit } = options;
    const items: Item[] = [];
    for await (const item of kind.list(await api(), { filter, sort, limit })) {
      if (limit !== undefined && items.length >= limit) break;
      items.push(item as Item);
    }
    const rows = items.map((item) => Object.values(kind.columns).map((cell) => String(cell(item) ?? "")));
    out.table(Object.keys(kind.columns), rows, items);
  });

  const show = parent.command(`show <${one}>`).description(`show one, by ${kind.name} or id`);
  action<object, [string]>(show, async ({ api, out }, name) => {
    const client = await api();
    const item = await kind.get(client, await idOf(kind, client, name));
    if (out.isJson || kind.short === undefined) return out.value(item);
    out.value(await kind.short(client, item as Item));
    out.note("--json shows all settings.");
  });

  const create = writing(kind, parent.command(`create <${kind.name}>`).description(`create a ${one}`), true);
  action<WriteValues, [string]>(create, async ({ api, options, out }, name) => {
    const client = await api();
    const body = await bodyOf(kind, client, options, name);
    const { dryRun } = options;
    const made = await kind.create(client, body, { dryRun, headers: STRICT });
    if (dryRun) return out.done(`Would create ${one} ${name}.`, { dryRun: true, [kind.name]: name });
    const further = await kind.created?.(client, made.id ?? "", name);
    const what = `${one} ${name}${made.id === undefined ? "" : ` (${made.id})`}`;
    out.done(`Created ${what}.`, { [kind.name]: name, ...made, ...further?.shown });
    if (further === undefined || out.isJson) return;
    for (const [label, text] of Object.entries(further.shown)) out.line(`${label}: ${text}`, undefined);
    for (const line of further.next) out.note(line);
  });

  const update = writing(kind, parent.command(`update <${one}>`).description("change the given members"), false);
  action<WriteValues, [string]>(update, async ({ api, options, out }, name) => {
    const client = await api();
    const body = await bodyOf(kind, client, options);
    if (Object.keys(body).length === 0) {
      throw wrongInput("There is nothing to change.", `See the options: identity-admin ${word} update --help`);
    }
    const id = await idOf(kind, client, name);
    await kind.update(client, id, body, { dryRun: options.dryRun, ifMatch: "*", headers: STRICT });
    out.done(`${options.dryRun ? "Would update" : "Updated"} ${one} ${name}.`, changed(id, options.dryRun));
  });

  const remove = parent
    .command(`delete <${one}>`)
    .description(kind.deletes ?? `delete a ${one}`)
    .option(...DRY_RUN)
    .option("--yes", "do not ask");
  action<{ readonly dryRun?: boolean; readonly yes?: boolean }, [string]>(
    remove,
    async ({ api, options, out }, name) => {
      const client = await api();
      const id = await idOf(kind, client, name);
      await confirmed(`Delete ${one} ${name}?`, options.yes || options.dryRun);
      await kind.delete(client, id, { dryRun: options.dryRun });
      out.done(`${options.dryRun ? "Would delete" : "Deleted"} ${one} ${name}.`, changed(id, options.dryRun));
    },
  );
  return parent;
}

function writing(kind: Kind, command: Command, isNew: boolean): Command {
  return kind
    .options(command, isNew)
    .option("--file <file>", "further members from a JSON or YAML file; - is standard input")
    .option(
      "--set <member=value>",
      "a further member, such as title=Driver or name.givenName=Kim; can be repeated",
      several,
    )
    .option(...DRY_RUN);
}

/** The body of a write: a file, then `--set`, then the options. */
async function bodyOf(
  kind: Kind,
  ...[api, values, name]: readonly [Parameters<Kind["body"]>[0], WriteValues, string?]
) {
  if (values.passwordStdin && values.file === "-") {
    throw wrongInput("--password-stdin and --file - both read standard input.", "Put the password in the file.");
  }
  const file = values.file === undefined ? {} : await objectIn(values.file);
  if (values.password === false && "password" in file) {
    throw wrongInput("--no-password contradicts the password in the file.", "Keep one of them.");
  }
  return merged(merged(file, objectOf(values.set)), await kind.body(api, values, name));
}

/** What `--json` prints of a change. */
export function changed(id: string, dryRun: boolean | undefined): object {
  return { id, ...(dryRun && { dryRun: true }) };
}
