/** The text of docs/settings-of-applications.md. */
import { models } from "./models.ts";
import type { Row } from "./row.ts";

const INTRODUCTION = `# Settings of applications

Written by \`npm run settings-table\` from \`packages/tools/settings\`. Do not edit it:
\`npm run settings-table -- --check\` fails on a difference, and a test fails for a setting of the API without a row.

Every setting that the API accepts is one of these, and nothing else (decision 0075):

- **enforced**: it has the effect here, and the test shows it.
- **kept**: it is checked where the row says so, stored, and returned as written, also by exports. This service has no
  authorization endpoint, no portal and no provisioning to others: what reads the setting is another product, or a later
  release. A row in bold says what you must not believe that this service enforces.
- **refused**: a value is 400 with the path of the setting.

What is unknown to the API is ignored and listed to the caller, or refused (decision 0076). A member that is null means
the same as an absent one. \`[]\` marks the elements of a list.
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
