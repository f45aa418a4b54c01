/**
 * `npm run examples [-- --check]`: runs every operation in a fresh service and records it in
 * docs/examples/openapi-examples.json, which `npm run openapi` puts into the API document. With `--check`, only
 * compares. Prints the log of the service. Exit codes: 0 written or equal, 1 the file is outdated.
 */
import { readFile, writeFile } from "node:fs/promises";
import { settled } from "./placeholders.ts";
import { recordAll } from "./record.ts";
import { shortened } from "./shorten.ts";

const FILE = new URL("../../../docs/examples/openapi-examples.json", import.meta.url);

// Two runs, because only what differs between them is replaced by placeholders.
const [one, other] = [shortened(await recordAll()), shortened(await recordAll())];
const text = `${JSON.stringify(settled(one, other), null, 2)}\n`;

if (!process.argv.includes("--check")) await writeFile(FILE, text);
else if ((await readFile(FILE, "utf8").catch(() => "")) !== text) {
  console.error("docs/examples/openapi-examples.json is outdated. Run `npm run examples` and commit the file.");
  process.exitCode = 1;
}
