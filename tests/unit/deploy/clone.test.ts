/** What a clone has for containers, editors and GitHub: it agrees with package.json and with what the service needs. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { project } from "#tests/support/patient.ts";

type Packages = Readonly<Record<string, string>>;
const textOf = (path: string): string => readFileSync(join(project, path), "utf8");
const { scripts, license, dependencies, optionalDependencies } = JSON.parse(textOf("package.json")) as {
  readonly scripts: Packages;
  readonly license: string;
  readonly dependencies: Packages;
  readonly optionalDependencies: Packages;
};
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, one]) => one ?? "");

test("the license is the one that package.json and its lock name", () => {
  expect(license).toBe("Apache-2.0");
  expect(textOf("LICENSE")).toMatch(/^\s*Apache License\n\s*Version 2\.0, January 2004\n/);
  expect(textOf("LICENSE")).toContain("END OF TERMS AND CONDITIONS");
  expect(JSON.parse(textOf("package-lock.json"))).toMatchObject({ packages: { "": { license } } });
});

test("Node is the same everywhere", () => {
  const major = textOf(".nvmrc").trim();
  expect(optionalDependencies.node).toMatch(new RegExp(`^${major}\\.`));
  expect(found(textOf("Dockerfile"), /^FROM (\S+)/gm)).toEqual(Array.from({ length: 3 }, () => `node:${major}-slim`));
  const { image } = JSON.parse(textOf(".devcontainer/devcontainer.json").replace(/^ *\/\/.*$/gm, ""));
  expect(image).toBe(`node:${major}-bookworm`);
});

describe("the image", () => {
  const dockerfile = textOf("Dockerfile");
  const through = found(textOf(".dockerignore"), /^!(.+)$/gm);

  test("gets what the service reads, and nothing of the clone's own", () => {
    expect(textOf(".dockerignore")).toMatch(/^\*\n/);
    expect(through.filter((path) => !existsSync(join(project, path)))).toEqual([]);
    expect(through).toEqual(
      expect.arrayContaining(["package.json", "deployment.toml", "functions", "packages", "docs"]),
    );
    expect(through.filter((path) => /^(?:\.git|\.data|\.env|node_modules|tests)/.test(path))).toEqual([]);
  });
  test("has every package that the service imports", () => {
    const files = ["packages/local", "packages/core", "functions"].flatMap((folder) =>
      readdirSync(join(project, folder), { recursive: true })
        .map((name) => join(folder, String(name)))
        .filter((path) => path.endsWith(".ts")),
    );
    const imported = files.flatMap((path) =>
      found(textOf(path), /^import (?!type )[^;"]*"((?:@[\w-]+\/)?[\w-]+)[^"]*"/gm),
    );
    expect(imported).toEqual(expect.arrayContaining(["zod", "@peculiar/x509", "reflect-metadata"]));
    const installed = [...Object.keys(dependencies), "node"];
    expect([...new Set(imported)].filter((name) => !installed.includes(name) && name !== "node")).toEqual([]);
  });
  test("runs what `npm start` runs, as a user without rights, and says whether it is well", () => {
    expect(dockerfile).toContain("RUN node packages/front/command.ts\n");
    const command = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
    expect(scripts.start).toMatch(new RegExp(`exec ${command.join(" ")}$`));
    expect(dockerfile.indexOf("\nUSER node\n")).toBeGreaterThan(dockerfile.lastIndexOf("\nFROM "));
    const [, check = "[]"] = /^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    expect(JSON.parse(check)).toEqual(["node", "-e", expect.stringContaining("/oauth2/jwks")]);
  });
  test("is reached in the composition from this machine alone, with its table and its keys kept", () => {
    const { services, volumes } = load(textOf("compose.yaml")) as {
      readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      readonly volumes: object;
    };
    expect(services.api).toMatchObject({
      environment: { DYNAMODB_ENDPOINT: "http://table:8000" },
      ports: ["127.0.0.1:3000:3000", "127.0.0.1:3443:3443"],
      volumes: ["keys:/data"],
    });
    expect(services.table).toMatchObject({ image: "amazon/dynamodb-local", volumes: ["table:/data"] });
    expect(services.table).not.toHaveProperty("ports");
    expect(Object.keys(volumes)).toEqual(["table", "keys"]);
  });
});

describe("the checks on GitHub", () => {
  const text = textOf(".github/workflows/check.yml");
  const { jobs, permissions } = load(text) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { run?: string; uses?: string }[] }>>;
    readonly permissions: object;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("are all of `npm run check`", () => {
    const kinds = found(text, /"(test:\w+)"/g).map((kind) => `npm run ${kind}`);
    const ran = [...steps.map(({ run }) => run ?? ""), ...kinds];
    const checks = (scripts.check ?? "").split(" && ");
    expect(checks.length).toBeGreaterThan(10);
    expect(checks.filter((check) => !ran.includes(check))).toEqual([]);
  });
  test("have no secret and no right but to read, and actions with a version", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(text).not.toContain("secrets.");
    expect(text).not.toContain("pull_request_target");
    expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(3);
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@v\d+$/.test(action))).toEqual([]);
  });
});
