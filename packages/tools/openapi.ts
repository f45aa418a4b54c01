/**
 * `npm run openapi [-- --check]`: writes docs/openapi.json and packages/core/service/protection.json from the operation
 * catalogue. With `--check`, only compares. Prints nothing, or an error. Exit codes: 0 written or equal, 1 a file is
 * outdated.
 */
import { readFile } from "node:fs/promises";
import { protectionsOf } from "#core/kernel/operation/derive.ts";
import { operations } from "#core/service/catalogue.ts";
import { operationDescriptions } from "#core/service/documents/descriptions/texts.ts";
import { openApiDocument } from "#core/service/documents/openapi.ts";
import type { Recordings } from "#core/service/documents/recordings.ts";
import packageJson from "../../package.json" with { type: "json" };
import { writeOrCheck } from "./generated.ts";

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
  "packages/core/service/protection.json": `{\n${lines.join(",\n")}\n}\n`,
};

for (const [name, text] of Object.entries(generated)) await writeOrCheck(name, text, "openapi");
