/** `npm run shift` and `npm run rollback` as processes: output, exit codes, settings, signals. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeAws, fakeAws, served } from "#tests/support/fake-aws.ts";

const program = (name: string) =>
  fileURLToPath(new URL(`../../../packages/tools/traffic/${name}-command.ts`, import.meta.url));

let directory: string;
let aws: FakeAws;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "traffic-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));
beforeEach(async () => {
  aws = await fakeAws();
});
afterEach(() => aws.close());

interface Running {
  readonly child: ChildProcess;
  readonly said: (line: RegExp) => Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>;
}

const start = (name: string, words: readonly string[], settings: Readonly<Record<string, string>> = {}): Running => {
  const environment = { ...aws.environment, ...settings };
  const child = spawn(process.execPath, [program(name), ...words], { cwd: directory, env: environment });
  let [output, errors] = ["", ""];
  const listeners = new Set<() => void>();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (const listener of listeners) listener();
  });
  return {
    child,
    said: (line) =>
      new Promise((done, failed) => {
        const look = () => line.test(output) && done();
        listeners.add(look);
        child.once("close", () => failed(new Error(`it ended with:\n${output}${errors}`)));
        look();
      }),
    ended: new Promise((done) => child.once("close", (code) => done({ code, output, errors }))),
  };
};
const run = (name: string, words: readonly string[], settings?: Readonly<Record<string, string>>) =>
  start(name, words, settings).ended;
const STAGE = ["--stage", "production"];
const all = (state: string) => Object.fromEntries(served.map((service) => [service, state]));

describe("npm run shift", () => {
  test("moves the traffic by the settings of .env.<stage>, and ends with 0; rollback takes it back", async () => {
    aws.deploy("scim2", "oauth2");
    await writeFile(
      join(directory, ".env.production"),
      "SHIFT=20,60\nSHIFT_MINUTES=0\nPROVISIONED_CONCURRENCY=scim2=2\n",
    );
    const { code, output, errors } = await run("shift", STAGE);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(output).toContain("2 functions, 20 %, 60 %, 100 %, 0 minutes each.");
    expect(output).toContain("All traffic has the new versions.");
    expect(aws.changes.filter((change) => change.startsWith("scim2"))).toEqual([
      "scim2 1 {}",
      'scim2 1 {"2":0.2}',
      'scim2 1 {"2":0.6}',
      "scim2 2 {}",
    ]);
    expect(aws.function("scim2").kept).toEqual({ "2": 2 });

    const dry = await run("rollback", [...STAGE, "--dry-run"]);
    expect(dry.code).toBe(0);
    expect(dry.output).toMatch(/^Would take back the shift of \S+Z:\noauth2 +to version 1\nscim2 +to version 1$/m);
    expect(aws.traffic()).toMatchObject({ scim2: "2", oauth2: "2" });

    const back = await run("rollback", STAGE);
    expect({ code: back.code, errors: back.errors }).toEqual({ code: 0, errors: "" });
    expect(back.output).toContain("scim2                   version 1 has all traffic again");
    expect(aws.traffic()).toEqual(all("1"));
    expect(aws.function("scim2").kept).toEqual({ "1": 2 });

    const again = await run("rollback", STAGE);
    expect(again.code).toBe(1);
    expect(again.errors).toContain("no shift is recorded, so there is no version to go back to.");
  });
  test("ends with 2 when an alarm moves the traffic back, and with 1 when it refuses to begin", async () => {
    aws.deploy(...served);
    const shifting = start("shift", STAGE, { SHIFT: "10", SHIFT_MINUTES: "1" });
    await shifting.said(/^10 % of the traffic has the new versions\.$/m);
    aws.raise("FunctionCrashes");
    expect((await shifting.ended).code).toBe(2);
    expect(aws.traffic()).toEqual(all("1"));
    const refused = await run("shift", STAGE);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("Refused, because alarms are raised: FunctionCrashes.");
    const repair = await run("shift", [...STAGE, "--ignore-alarms"], { SHIFT: "at-once", SHIFT_MINUTES: "0" });
    expect(repair.code).toBe(0);
    expect(aws.traffic()).toEqual(all("2"));
  }, 60_000);
  test.each(["SIGINT", "SIGTERM"] as const)("moves the traffic back at %s", async (signal) => {
    aws.deploy(...served);
    const shifting = start("shift", STAGE, { SHIFT: "10", SHIFT_MINUTES: "5" });
    await shifting.said(/^10 % of the traffic/m);
    shifting.child.kill(signal);
    const { code, output } = await shifting.ended;
    expect(output).toContain("Going back: it was interrupted.");
    expect(code).toBe(2);
    expect(aws.traffic()).toEqual(all("1"));
  });
  test("that was killed with -9 is taken back by rollback, or continued by the same command", async () => {
    aws.deploy(...served);
    const killed = start("shift", STAGE, { SHIFT: "10", SHIFT_MINUTES: "5" });
    await killed.said(/^10 % of the traffic/m);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(aws.traffic()).toEqual(all("1+2:0.1"));
    const continued = await run("shift", STAGE, { SHIFT: "10", SHIFT_MINUTES: "0" });
    const announced = `: ${served.length} functions, 10 %, 100 %, 0 minutes each.`;
    expect(continued.output).toMatch(/^Continues the shift of \S+Z: \d+ functions, /m);
    expect(continued.output).toContain(announced);
    expect(continued.code).toBe(0);
    expect((await run("rollback", STAGE)).code).toBe(0);
    expect(aws.traffic()).toEqual(all("1"));
  }, 60_000);
  test("names the wrong setting, and changes nothing", async () => {
    aws.deploy("scim2");
    const { code, errors } = await run("shift", STAGE, { SHIFT: "50,10" });
    expect(code).toBe(1);
    expect(errors).toContain(
      'SHIFT must be at-once, or rising shares in percent below 100 such as 10,50, not "50,10".',
    );
    expect(aws.calls).toEqual([]);
  });
});

describe("a rollback", () => {
  test("does its work although the settings have a mistake, and then names it", async () => {
    aws.deploy("scim2");
    await run("shift", STAGE, { SHIFT: "at-once", SHIFT_MINUTES: "0" });
    const { code, output, errors } = await run("rollback", STAGE, { SHIFT: "soon" });
    expect(aws.traffic()).toEqual(all("1"));
    expect(output).toContain("scim2                   version 1 has all traffic again");
    expect(errors).toContain("SHIFT must be");
    expect(code).toBe(1);
  });
});

test.each(["shift", "rollback"])("%s refuses a wrong command line and a stage without shifts", async (name) => {
  const usage = new RegExp(`^npm run ${name} -- --stage <stage>`);
  for (const words of [[], ["--stage"], ["production"], [...STAGE, "--now"]]) {
    const { code, errors } = await run(name, words);
    expect(code).toBe(1);
    expect(errors).toMatch(words.length === 0 ? usage : /--stage <stage>/);
  }
  const own = await run(name, ["--stage", "dana"]);
  expect(own.errors).toContain("The traffic of dana moves with each deployment.");
  expect((await run(name, ["--stage", "prod"])).errors).toContain('Use the name "production".');
  expect(aws.calls).toEqual([]);
});
