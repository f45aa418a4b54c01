/** The table of settings (decision 0075): what each leaf of an application's settings does, and the document of it. */
import { readFileSync } from "node:fs";
import { load } from "js-yaml";
import { casProperties } from "#core/applications/protocols/cas-kind.ts";
import { CustomBody, OidcBody, PassiveStsBody, SamlBody, WsTrustBody } from "#core/applications/protocols/shapes.ts";
import { NewApplicationBody } from "#core/applications/registry/shapes.ts";
import { insidesOf, type Known } from "#core/http/known-members.ts";

const INTRODUCTION = `# Settings of applications

Written by \`npm run settings-table\` from \`packages/tools/settings\`. Do not edit it:
\`npm run settings-table -- --check\` fails on a difference, and a test fails for a setting of the API without a row.

Every setting that the API accepts is one of these, and nothing else (decision 0075):

- **enforced**: it has the effect here, and the test shows it.
- **kept**: it is checked where the row says so, stored, and returned as written, also by exports. This service signs
  users in by OpenID Connect ([sign-in.md](sign-in.md)), SAML and CAS, and has no portal and no provisioning to others:
  what reads the setting is another product, or a later release. "The sign-in side" is a product that signs users in by
  what is not here. A sentence in bold warns of a protection that this service does not enforce.
- **refused**: a value is 400 with the path of the setting.

What is in no row is unknown to the API (decision 0076). A misspelt member is ignored, and the response header
\`Ignored-Members\` lists it. With the request header \`Prefer: handling=strict\` it is 400, and so it is without the
header where \`[api] strict = true\` is set in \`deployment.toml\`:

\`\`\`sh
curl -i -u admin:admin -H 'Prefer: handling=strict' -H 'Content-Type: application/json' \\
  -d '{"name": "Typo", "inboundProtocolConfig": {}}' http://127.0.0.1:3000/api/server/v1/applications
\`\`\`

Members that only a read shows, such as \`state\` of a client, count as unknown where they are sent back. A member that
is null means the same as an absent one. \`[]\` marks the elements of a list.
`;

function textOf(row: Row): string {
  if (row.kind === "enforced") return `${row.effect} (\`${row.test[0]}\`)`;
  if (row.kind === "refused") return row.reason;
  return row.warning === undefined ? row.use : `${row.use}. **${row.warning}**`;
}

/** The document. */
export function settingsDocument(): string {
  const parts = models.map(({ title, rows }) =>
    [
      `## ${title}\n`,
      "| Setting | | What it does |",
      "| --- | --- | --- |",
      ...Object.entries(rows).map(([leaf, row]) => `| \`${leaf}\` | ${row.kind} | ${textOf(row)} |`),
    ].join("\n"),
  );
  return `${[INTRODUCTION, ...parts].join("\n")}\n`.replaceAll("\n## ", "\n\n## ").replaceAll("\n\n\n", "\n\n");
}

/** One model: its rows, and its settings in the body of a new application. */
export interface Model {
  readonly title: string;
  /** By the path of the leaf; `[]` marks the elements of a list. */
  readonly rows: Readonly<Record<string, Row>>;
  /** The paths of all leaves that the API takes, in the order of the contract. */
  readonly leaves: readonly string[];
}

/** A leaf with an effect here, and the test that shows it. */
interface Enforced {
  readonly kind: "enforced";
  /** What the setting does. */
  readonly effect: string;
  /** A test file, and the title of a test in it. */
  readonly test: readonly [file: string, title: string];
}

/** A leaf that is checked, stored and returned as written. */
interface Kept {
  readonly kind: "kept";
  /** What it is for. */
  readonly use: string;
  /** What somebody who sets it could wrongly believe that this service enforces. */
  readonly warning?: string;
}

/** A leaf that is 400 with its path. */
interface Refused {
  readonly kind: "refused";
  readonly reason: string;
  /** A value that is refused. */
  readonly sample: unknown;
}

type Row = Enforced | Kept | Refused;
/** A row as it is written. */
type Written =
  | string
  | { readonly enforced: string; readonly by: string; readonly test: string }
  | { readonly kept: string; readonly warning: string }
  | { readonly refused: string; readonly sample: unknown };

/** The file with the rows, in which the titles of the models name their parts. */
export const ROWS_FILE = "packages/tools/settings/settings.yaml";

const written = load(readFileSync(new URL("settings.yaml", import.meta.url), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, Written>>>
>;
/** Its settings are properties: deployment.toml can declare these alone. */
const CAS = 'Custom protocols with engine = "cas"';
const PROTOCOLS = "inboundProtocolConfiguration";

/** All models. */
export const models: readonly Model[] = [
  model("Application", NewApplicationBody),
  model("OAuth2 and OpenID Connect", OidcBody),
  model("SAML2", SamlBody),
  model("Passive STS", PassiveStsBody),
  model("WS-Trust", WsTrustBody),
  model("Custom protocols", CustomBody),
  { title: CAS, rows: rowsOf(CAS), leaves: casProperties },
];

function model(title: string, shape: Known): Model {
  return {
    title,
    rows: rowsOf(title),
    leaves: leavesOf(shape).filter((leaf) => !leaf.startsWith(`${PROTOCOLS}.`)),
  };
}

function rowsOf(title: string): Model["rows"] {
  return Object.fromEntries(Object.entries(written[title] ?? {}).map(([leaf, row]) => [leaf, rowOf(row)]));
}

function rowOf(row: Written): Row {
  if (typeof row === "string") return { kind: "kept", use: row };
  if ("kept" in row) return { kind: "kept", use: row.kept, warning: row.warning };
  if ("refused" in row) return { kind: "refused", reason: row.refused, sample: row.sample };
  return { kind: "enforced", effect: row.enforced, test: [`tests/${row.by}`, row.test] };
}

/** The paths of the values in a shape that have no members; `[]` marks the elements of a list of objects. */
function leavesOf(shape: Known, at = ""): readonly string[] {
  return insidesOf(shape).flatMap(({ members, elements }) => {
    const parts = elements ? [[`${at}[]`, elements] as const] : Object.entries(members ?? {}).map(under(at));
    return parts.flatMap(([path, part]) => {
      const inside = leavesOf(part, path);
      return inside.length > 0 ? inside : [path.replace(/\[\]$/, "")];
    });
  });
}

function under(at: string) {
  return ([name, member]: readonly [string, Known]) => [at === "" ? name : `${at}.${name}`, member] as const;
}
