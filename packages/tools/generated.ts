/** Files that a command of this project writes, and compares with `--check`. */
import { readFile, writeFile } from "node:fs/promises";

/**
 * Writes the text of a file, or only compares it where the command line has `--check`: a difference is printed and
 * makes the exit code 1. `path` begins at the folder of the project; `script` is the npm script that writes it.
 */
export async function writeOrCheck(path: string, text: string, script: string): Promise<void> {
  const file = new URL(`../../${path}`, import.meta.url);
  if (!process.argv.includes("--check")) await writeFile(file, text);
  else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`${path} is outdated. Run \`npm run ${script}\` and commit the file.`);
    process.exitCode = 1;
  }
}
