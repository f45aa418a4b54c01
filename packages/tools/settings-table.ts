/**
 * `npm run settings-table` writes docs/settings-of-applications.md; with `-- --check` it fails when the committed
 * document differs.
 */
import { readFile, writeFile } from "node:fs/promises";
import { settingsDocument } from "./settings/document.ts";

const FILE = new URL("../../docs/settings-of-applications.md", import.meta.url);

const written = settingsDocument();
if (process.argv.includes("--check")) {
  const committed = await readFile(FILE, "utf8").catch(() => "");
  if (committed !== written) {
    console.error("docs/settings-of-applications.md differs from packages/tools/settings: npm run settings-table");
    process.exitCode = 1;
  }
} else await writeFile(FILE, written);
