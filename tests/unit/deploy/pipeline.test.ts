/** The example of a pipeline: valid, without permanent keys, and in the right order. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { project } from "#tests/support/patient.ts";
import { parseYaml, type Yaml } from "#tests/support/yaml.ts";

const text = readFileSync(join(project, "docs/examples/github-actions.yml"), "utf8");
const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

const member = (value: Yaml | undefined, ...keys: readonly string[]): Yaml | undefined =>
  keys.reduce<Yaml | undefined>(
    (found, key) =>
      typeof found === "object" && !Array.isArray(found) ? (found as Readonly<Record<string, Yaml>>)[key] : undefined,
    value,
  );
const keysOf = (value: Yaml | undefined): readonly string[] => (typeof value === "object" ? Object.keys(value) : []);
const listOf = (value: Yaml | undefined): readonly Yaml[] => (Array.isArray(value) ? value : []);

const workflow = parseYaml(text);
const jobs = keysOf(member(workflow, "jobs"));
const stepsOf = (job: string) => listOf(member(workflow, "jobs", job, "steps"));
/** What a job runs, in its order. */
const runsOf = (job: string): readonly string[] =>
  stepsOf(job).flatMap((step) => {
    const run = member(step, "run");
    return typeof run === "string" ? [run] : [];
  });
const positionOf = (job: string, start: string): number => runsOf(job).findIndex((run) => run.includes(start));

test("it checks, compares on pull requests, and deploys to staging, then to production", () => {
  expect(jobs).toEqual(["check", "diff", "staging", "production"]);
  expect(member(workflow, "jobs", "staging", "needs")).toEqual(["check"]);
  expect(member(workflow, "jobs", "production", "needs")).toEqual(["staging"]);
  expect(runsOf("check")).toEqual(["npm ci", "npm run lint", "npm run check"]);
  expect(runsOf("diff").at(-1)).toContain('gh pr comment "$NUMBER"');
  expect(positionOf("diff", "npx sst diff --stage staging")).toBeGreaterThan(0);
});

describe.each(["staging", "production"])("the job %s", (stage) => {
  test("runs the doctor before the deployment, and after it the shift of traffic and the smoke test", () => {
    const order = [
      `npm run doctor -- --stage ${stage} --aws`,
      `npx sst deploy --stage ${stage}`,
      `npm run shift -- --stage ${stage}`,
      'npm run smoke -- "$API_URL"',
    ];
    const positions = order.map((start) => positionOf(stage, start));
    expect(positions.every((position) => position > 0)).toBe(true);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });
  test("deploys on main only, in its environment, one at a time and to the end", () => {
    expect(member(workflow, "jobs", stage, "if")).toBe("github.event_name == 'push'");
    expect(member(workflow, "on", "push", "branches")).toEqual(["main"]);
    expect(member(workflow, "jobs", stage, "environment")).toBe(stage);
    expect(member(workflow, "jobs", stage, "concurrency")).toEqual({
      group: `stage-${stage}`,
      "cancel-in-progress": "false",
    });
  });
});

test("only jobs that need AWS may ask for its role, and none has a permanent key", () => {
  expect(member(workflow, "permissions")).toEqual({ contents: "read" });
  const withRole = jobs.filter((job) => member(workflow, "jobs", job, "permissions", "id-token") === "write");
  expect(withRole).toEqual(["diff", "staging", "production"]);
  for (const job of withRole) {
    const aws = stepsOf(job).find((step) => String(member(step, "uses")).startsWith("aws-actions/"));
    expect(keysOf(member(aws, "with"))).toEqual(["role-to-assume", "aws-region"]);
  }
  const secrets = [...text.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name);
  expect(new Set(secrets)).toEqual(new Set(["IDENTITY_ADMIN_CLIENT_ID", "IDENTITY_ADMIN_CLIENT_SECRET"]));
  expect(text).not.toMatch(/AWS_SECRET_ACCESS_KEY|AWS_ACCESS_KEY_ID|pull_request_target/);
});

test("no expression is inside of a script, where its value would be executed", () => {
  for (const job of jobs) expect(runsOf(job).filter((run) => run.includes("${{"))).toEqual([]);
  expect(text.split("${{").length).toBe(text.split("}}").length);
});

test("every action has a version, and every `npm run` exists", () => {
  const actions = jobs.flatMap(stepsOf).flatMap((step) => member(step, "uses") ?? []);
  expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@v\d+$/.test(String(action)))).toEqual([]);
  const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? "");
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test.each([
  ["a: 1\na: 2", "line 2: is there twice"],
  ["a:\n  b: 1\n c: 2", "line 3: is not indented"],
  ["a", "line 1: is no key"],
  ["a: b: c", "line 1: needs quotes"],
  ["a: 'b'", "line 1: needs quotes"],
  ["a:\nb: 1", "line 1: has no value"],
  ["a:\n\tb: 1", "tabs"],
])("%j is refused by the reader of these tests", (wrong, message) => {
  expect(() => parseYaml(wrong)).toThrow(message);
});
