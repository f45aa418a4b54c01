/** Commands on a table print their usage when they are asked for it, and touch no table. */
import { describe, expect, test } from "vitest";
import { run as index } from "#tools/index/command.ts";
import { run as restored } from "#tools/restored/command.ts";

const commands = { index, restored };

describe.each(Object.entries(commands))("npm run %s", (name, run) => {
  test.each(["--help", "-h"])("-- %s prints the usage and exits with 0", async (word) => {
    const [lines, complaints]: [string[], string[]] = [[], []];
    // A table that no command could reach.
    const environment = { DATA_DIR: "/dev/null/none", TABLE_NAME: "none", DYNAMODB_ENDPOINT: "http://127.0.0.1:1" };
    const code = await run(
      [word],
      environment,
      (line) => lines.push(line),
      (line) => complaints.push(line),
    );
    expect({ code, complaints }).toEqual({ code: 0, complaints: [] });
    expect(lines.join("\n")).toMatch(new RegExp(`^npm run ${name} -- `));
  });
});
