/** `npm run openapi` writes docs/openapi.json from the catalogue; with `--check` it fails when the committed one differs. */
import { readFile, writeFile } from "node:fs/promises";
import { operations } from "#core/catalogue.ts";
import { openApiDocument } from "#core/documents/openapi.ts";

const file = new URL("../../docs/openapi.json", import.meta.url);
const text = `${JSON.stringify(openApiDocument(operations), null, 2)}\n`;

if (!process.argv.includes("--check")) {
  await writeFile(file, text);
} else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
  console.error("docs/openapi.json is not what the catalogue says: run `npm run openapi` and commit it.");
  process.exitCode = 1;
}
