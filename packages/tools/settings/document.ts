/** The text of docs/settings-of-applications.md. */
import { models } from "./models.ts";
import type { Row } from "./row.ts";

const INTRODUCTION = `# Settings of applications

Written by \`npm run settings-table\` from \`packages/tools/settings\`. Do not edit it:
\`npm run settings-table -- --check\` fails on a difference, and a test fails for a setting of the API without a row.

Every setting that the API accepts is one of these, and nothing else (decision 0075):

- **enforced**: it has the effect here, and the test shows it.
- **kept**: it is checked where the row says so, stored, and returned as written, also by exports. This service signs
  users in by OpenID Connect ([sign-in.md](sign-in.md)), and has no portal and no provisioning to others: what reads the
  setting is another product, or a later release. "The sign-in side" is a product that signs users in by what is not
  here. A sentence in bold warns of a protection that this service does not enforce.
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

const textOf = (row: Row): string => {
  if (row.kind === "enforced") return `${row.effect} (\`${row.test[0]}\`)`;
  if (row.kind === "refused") return row.reason;
  return row.warning === undefined ? row.use : `${row.use}. **${row.warning}**`;
};

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
