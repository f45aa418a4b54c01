/**
 * The first ten minutes of a newcomer: the files of a clone, the README's commands as they are, in bash and zsh, then
 * the page in a browser, where an application is created by "try it", which curl finds. The packages are those of this
 * clone: `.ci/run` installs them into a fresh one.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "#local/settings.ts";
import {
  chromiumPath,
  openBrowser,
  referenceShown,
  showOperation,
  tryIt,
  useCredential,
} from "#tests/support/chromium.ts";
import { blocksOf, has, pasted, type Shell } from "#tests/support/pasted.ts";
import { project } from "#tests/support/patient.ts";

const [install = "", look = ""] = blocksOf("README.md");
const request = blocksOf("README.md").find((block) => block.startsWith("api=")) ?? "";
const commands = blocksOf("README.md").find((block) => block.includes("npx --no identity-admin")) ?? "";
const shells = (["bash", "zsh"] as const).filter((shell) => has(shell) && has("curl"));

let clone: string;

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "first-minutes-"));
  const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: project,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => name !== "" && existsSync(join(project, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    copyFileSync(join(project, file), join(clone, file));
  }
  symlinkSync(join(project, "node_modules"), join(clone, "node_modules"));
});
afterAll(() => rm(clone, { recursive: true, force: true }));

/** Pastes the first block into a shell, and waits for the line that the README names. */
const started = async (shell: Shell) => {
  const [port, secure] = [await freePort(), await freePort()];
  expect(install).toBe("npm ci && npm start\n");
  const environment = { PORT: String(port), MTLS_PORT: String(secure), DATA_DIR: `.data-${shell}` };
  const child = spawn(shell, ["-c", install.replace("npm ci && ", "exec ")], {
    cwd: clone,
    env: { ...process.env, ...environment },
  });
  let said = "";
  await new Promise<void>((ready, failed) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (/^ready /m.test(said)) ready();
    });
    child.once("exit", () => failed(new Error(`npm start ended: ${said}`)));
  });
  return { child, url: /^ready (\S+)$/m.exec(said)?.[1] ?? "" };
};

const stopped = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
};

test.each(shells)("%s does all that the README says, in its order", { timeout: 240_000 }, async (shell) => {
  const { child, url } = await started(shell);
  try {
    const blocks = [look.replace("curl ", "curl -s "), request, commands].map((each) =>
      each.replaceAll("http://127.0.0.1:3000", url),
    );
    // Its own home: nobody has signed in there.
    const env = { IDENTITY_ADMIN_URL: url, XDG_CONFIG_HOME: join(clone, shell), CI: "1" };
    const [looked = "", requested = "", commanded = ""] = await pasted(shell, blocks, { cwd: clone, env });
    expect(looked).toContain('"userName":"admin"');
    expect(requested.match(/"totalResults":2,/g)).toHaveLength(2);
    // The application of the first request is there already, in other letter case.
    expect(commanded).toMatch(/^users +200 +0$/m);
    expect(commanded).toMatch(/^groups +7 +0$/m);
    expect(commanded).toMatch(/^admin +Local Administrator/m);
    expect(commanded).toMatch(/ files in tenant\.\nNo changes\.$/);
    await rm(join(clone, "tenant"), { recursive: true });
  } finally {
    await stopped(child);
  }
});

test.skipIf(!chromiumPath || !has("curl"))(
  "the page creates an application that curl finds (skipped without Chromium)",
  { timeout: 120_000 },
  async () => {
    const { child, url } = await started("sh");
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(30_000);
      await page.goto(`${url}/`);
      await page.locator("#state.good").waitFor();
      await page.getByRole("link", { name: "Try the API" }).click();
      await referenceShown(page);
      await useCredential(page, "admin", "admin");
      await showOperation(page, "post-/api/server/v1/applications");
      expect(await tryIt(page, '{"name": "First of all"}')).toBe(201);
      const list = `${url}/api/server/v1/applications?filter=name+eq+%22First+of+all%22`;
      const found = execFileSync("curl", ["-s", "-u", "admin:admin", list], { encoding: "utf8" });
      expect(JSON.parse(found).applications).toMatchObject([{ name: "First of all" }]);
    } finally {
      await browser.close();
      await stopped(child);
    }
  },
);
