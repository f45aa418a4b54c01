/** The commands that docs/alarms.md defines, run in the shells of operators with a stand-in for `aws`. */
import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { services } from "#core/kernel/operation/services.ts";

const run = promisify(execFile);

/** Those of the guide's two shells that this machine has; bash is needed by npm scripts too. */
const shells = ["bash", "zsh"].filter((shell) => {
  try {
    execFileSync(shell, ["-c", "true"]);
    return true;
  } catch {
    return false;
  }
});

/** Writes its arguments, one line each, and answers as the AWS CLI does with `--output text`. */
const AWS = `#!/bin/sh
{ echo "call"; for word in "$@"; do printf '%s\\n' "$word"; done; } >> "$CALLS"
case "$2" in
  start-query) echo "query-id" ;;
  describe-log-groups) printf '/aws/vendedlogs/apis/one\\t/aws/vendedlogs/apis/two\\n' ;;
  get-query-results) echo "results" ;;
esac
`;

let directory = "";
let definitions = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "alarm-guide-"));
  for (const [name, text] of [
    ["aws", AWS],
    ["sleep", "#!/bin/sh\n"],
  ] as const) {
    await writeFile(join(directory, name), text);
    await chmod(join(directory, name), 0o755);
  }
  const guide = await readFile(new URL("../../../docs/alarms.md", import.meta.url), "utf8");
  const [, block = ""] = /## Before the first alarm[\s\S]*?```sh\n([\s\S]*?)```/.exec(guide) ?? [];
  definitions = block.replace("<region>", "eu-west-1");
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs a command after the definitions. Returns its output, and the arguments of each call of `aws`. */
const inShell = async (shell: string, command: string) => {
  const calls = join(directory, `calls-${shell}-${Math.random()}`);
  await writeFile(calls, "");
  // A file that bash reads first could put another `aws` before the stand-in: the one that BASH_ENV names, and .bashrc,
  // which bash reads where its input is a socket and no shell has started it (SHLVL).
  const env = { ...process.env, BASH_ENV: "", SHLVL: "2", PATH: `${directory}:${process.env.PATH}`, CALLS: calls };
  const { stdout } = await run(shell, ["-c", `${definitions}\n${command}`], { env });
  const made = (await readFile(calls, "utf8")).split("call\n").filter((call) => call !== "");
  return { stdout, calls: made.map((call) => call.trimEnd().split("\n")) };
};

/** The values of an option. */
const option = (call: readonly string[] | undefined, name: string): readonly string[] => {
  const rest = call?.slice(call.indexOf(name) + 1) ?? [];
  const end = rest.findIndex((word) => word.startsWith("--"));
  return end < 0 ? rest : rest.slice(0, end);
};

describe.each(shells)("in %s", (shell) => {
  const query = "filter status >= 500 | stats count(*) as requests by service, operation";

  test("`ask` sends a query for the named groups and prints its result", async () => {
    const { stdout, calls } = await inShell(shell, `ask '${query}' /aws/lambda/one /aws/lambda/two`);
    const [start, get] = calls;
    expect(start?.slice(0, 2)).toEqual(["logs", "start-query"]);
    expect(option(start, "--query-string")).toEqual([query]);
    expect(option(start, "--log-group-names")).toEqual(["/aws/lambda/one", "/aws/lambda/two"]);
    const [from, to] = [Number(option(start, "--start-time")[0]), Number(option(start, "--end-time")[0])];
    expect(to - from).toBeGreaterThanOrEqual(3_600);
    expect(option(get, "--query-id")).toEqual(["query-id"]);
    expect(stdout).toBe("results\n");
  });
  test("`app` asks each function", async () => {
    const { calls } = await inShell(shell, `app '${query}'`);
    expect(option(calls[0], "--query-string")).toEqual([query]);
    expect([...option(calls[0], "--log-group-names")].sort()).toEqual(
      [...Object.keys(services), "authorizer"]
        .map((name) => `/aws/lambda/identity-admin-api-production-${name}`)
        .sort(),
    );
  });
  test("`edge` asks the groups of the gateway", async () => {
    const { calls } = await inShell(shell, `edge '${query}'`);
    const [describing, start] = calls;
    expect(option(describing, "--log-group-name-prefix")).toEqual([
      "/aws/vendedlogs/apis/identity-admin-api-production",
    ]);
    expect(option(start, "--log-group-names")).toEqual(["/aws/vendedlogs/apis/one", "/aws/vendedlogs/apis/two"]);
  });
});

test("bash is one of the shells", () => expect(shells).toContain("bash"));

test("every command of the guide that asks the logs is one of these three, and its query is in quotes", async () => {
  const guide = await readFile(new URL("../../../docs/alarms.md", import.meta.url), "utf8");
  const asking = guide.split("\n").filter((line) => /^(?:ask|app|edge) /.test(line));
  expect(asking.length).toBeGreaterThan(20);
  for (const line of asking) expect(line).toMatch(/^(?:(?:app|edge) '[^']+'|ask '[^']+' \/aws\/lambda\/\S+)$/);
});
