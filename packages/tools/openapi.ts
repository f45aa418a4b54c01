/**
 * `npm run openapi [-- --check]`: writes docs/openapi.json and packages/core/protection.json from the operation
 * catalogue. With `--check`, only compares. Prints nothing, or an error. Exit codes: 0 written or equal, 1 a file is
 * outdated.
 */
import { readFile, writeFile } from "node:fs/promises";
import { operations } from "#core/catalogue.ts";
import { operationDescriptions } from "#core/documents/descriptions/operations.ts";
import { openApiDocument } from "#core/documents/openapi.ts";
import type { Recordings } from "#core/documents/recordings.ts";
import { protectionsOf } from "#core/operation/derive.ts";
import packageJson from "../../package.json" with { type: "json" };

const recorded = new URL("../../docs/examples/openapi-examples.json", import.meta.url);
const examples = JSON.parse(await readFile(recorded, "utf8")) as Recordings;
const document = openApiDocument(operations, {
  version: packageJson.version,
  descriptions: operationDescriptions,
  examples,
});

const lines = Object.entries(protectionsOf(operations)).map(([id, each]) => `  "${id}": ${JSON.stringify(each)}`);

const generated: Readonly<Record<string, string>> = {
  "docs/openapi.json": `${JSON.stringify(document, null, 2)}\n`,
  // One line for each operation, so that changes of several operations merge.
  "packages/core/protection.json": `{\n${lines.join(",\n")}\n}\n`,
};

for (const [name, text] of Object.entries(generated)) {
  const file = new URL(`../../${name}`, import.meta.url);
  if (!process.argv.includes("--check")) await writeFile(file, text);
  else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`${name} is outdated. Run \`npm run openapi\` and commit the file.`);
    process.exitCode = 1;
  }
}
