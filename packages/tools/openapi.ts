/**
 * `npm run openapi [-- --check]`: writes docs/openapi.json from the operation catalogue. With `--check`, only compares.
 * Prints nothing, or an error. Exit codes: 0 written or equal, 1 the file is outdated.
 */
import { readFile, writeFile } from "node:fs/promises";
import { operations } from "#core/catalogue.ts";
import { openApiDocument } from "#core/documents/openapi.ts";

const file = new URL("../../docs/openapi.json", import.meta.url);
const text = `${JSON.stringify(openApiDocument(operations), null, 2)}\n`;

if (!process.argv.includes("--check")) {
  await writeFile(file, text);
} else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
  console.error("docs/openapi.json is outdated. Run `npm run openapi` and commit the file.");
  process.exitCode = 1;
}
