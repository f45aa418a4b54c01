/** `npm run migrate` with the kind of rows of these tests. */
import { run } from "#tools/migrate/command.ts";
import { sampleKind } from "./migration.ts";

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
process.exitCode = await run(process.argv.slice(2), process.env, print, print, [sampleKind]);
