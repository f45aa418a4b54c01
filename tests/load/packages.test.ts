/**
 * The packages as others have them: packed by npm, installed into empty folders, used on the Node of this project and
 * on that of the machine, compiled against, and loaded by a browser and a worker.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, openBrowser } from "#tests/support/chromium.ts";
import { world } from "#tests/support/world.ts";
import { clientModule } from "#tools/pack/packages.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
/** Without the programs of this project first in the path. */
const path = (process.env.PATH ?? "")
  .split(":")
  .filter((folder) => !folder.includes("node_modules"))
  .join(":");
const KIB = 1_024;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "identity-admin-api-packages-"));
  await run(process.execPath, [join(root, "packages/tools/pack/command.ts"), folder]);
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const packed = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await run("npm", ["install", "--no-audit", "--no-fund", ...packed.map((name) => `./${name}`)], {
    cwd: folder,
    env: { ...process.env, PATH: path },
  });
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The versions of Node to try: that of the project, and that of the machine. */
const nodes = [process.execPath, "node"] as const;
const service = world();

describe("the resources for SST", () => {
  test("have types of the client, which refuse a wrong member, and say what they need", async () => {
    const at = join(folder, "node_modules/@identity-admin-api/sst");
    const manifest = JSON.parse(await readFile(join(at, "package.json"), "utf8"));
    expect(manifest.peerDependencies).toEqual({ "@identity-admin-api/client": "*", "@pulumi/pulumi": "^3.0.0" });
    const source = `
      import { ApiResource, Application } from "@identity-admin-api/sst";
      const api = new ApiResource("Orders", { identifier: "https://orders.example.com", name: "Orders" });
      const one = new Application("Dispatch", {
        inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
        authorizedApis: [{ api, scopes: ["orders:read"] }],
      });
      one.clientId.apply((id: string | undefined) => id);
      // @ts-expect-error: no such member
      new Application("Dispatch", { descriptoin: "Cars" });
      // @ts-expect-error: a list of texts
      new Application("Dispatch", { inboundProtocolConfiguration: { oidc: { grantTypes: [1] } } });
      // @ts-expect-error: a text
      new ApiResource("Orders", { identifier: 5, name: "Orders" });
    `;
    await writeFile(join(folder, "resources.ts"), source);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2022"];
    const compile = [compiler, ...options, "--lib", "es2024,dom", "--types", "", "resources.ts"];
    const said = await run(process.execPath, compile, { cwd: folder }).then(
      () => "",
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    expect(said).toBe("");
  }, 120_000);
});

describe("the client", () => {
  test("has no dependencies, and less than 15 KiB for a web page", async () => {
    const manifest = JSON.parse(
      await readFile(join(folder, "node_modules/@identity-admin-api/client/package.json"), "utf8"),
    );
    expect(manifest).toMatchObject({
      name: "@identity-admin-api/client",
      license: "Apache-2.0",
      engines: { node: ">=20" },
    });
    expect([manifest.dependencies, manifest.private]).toEqual([undefined, undefined]);
    expect((await clientModule(true)).length).toBeLessThan(15 * KIB);
  });
  test.each(nodes)("its first example runs on %s", async (node) => {
    const readme = await readFile(join(folder, "node_modules/@identity-admin-api/client/README.md"), "utf8");
    const [, example = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];
    const program = join(folder, "example.js");
    await writeFile(program, example.replaceAll("http://127.0.0.1:3000", service.url));
    const { stdout } = await run(node, [program], { cwd: folder, env: { PATH: path } });
    expect(stdout).toMatch(/^Car pool\nadmin\nAPP-\d+ .*Car pool.*\n$/);
  });
  test("its types compile without this project, and a wrong member does not", async () => {
    const types = await readFile(join(root, "tests/unit/client/types.test-d.ts"), "utf8");
    const source = types.replace("#client/client.ts", "@identity-admin-api/client");
    expect(source.match(/@ts-expect-error/g)?.length).toBeGreaterThan(8);
    await writeFile(join(folder, "types.ts"), source);
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const options = [
      "--strict",
      "--noEmit",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--lib",
      "es2024,dom,dom.iterable",
    ];
    const compile = (...names: readonly string[]) =>
      run(process.execPath, [compiler, ...options, "--types", "", ...names], { cwd: folder }).then(
        () => "",
        ({ stdout }: { readonly stdout: string }) => stdout,
      );
    expect(await compile("types.ts")).toBe("");
    await writeFile(join(folder, "wrong.ts"), source.replace(/^\s*\/\/ @ts-expect-error.*\n/gm, ""));
    const refused = (await compile("wrong.ts")).match(/^wrong\.ts.*error TS/gm) ?? [];
    expect(refused).toHaveLength(source.match(/@ts-expect-error/g)?.length ?? 0);
  });
  test.skipIf(chromiumPath === undefined)("runs in a browser, and in a worker", async () => {
    const browser = await openBrowser();
    try {
      const page = await (await browser.newContext({ bypassCSP: true })).newPage();
      await page.goto(service.url);
      const code = Buffer.from(await clientModule(true)).toString();
      const program = `
        const api = client({ url: ${JSON.stringify(service.url)}, credentials: { username: "admin", password: "admin" } });
        const names = [];
        for await (const user of api.users.list({ attributes: "userName" })) names.push(user.userName);
      `;
      const inPage = await page.evaluate(`(async () => {
        const at = URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: "text/javascript" }));
        const { client } = await import(at);
        ${program}
        return names;
      })()`);
      const inWorker = await page.evaluate(`(async () => {
        const at = URL.createObjectURL(new Blob([${JSON.stringify(`${code};`)}], { type: "text/javascript" }));
        const source = \`import { client } from "\${at}"; ${program} postMessage(names);\`;
        const script = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
        const worker = new Worker(script, { type: "module" });
        return await new Promise((done, failed) => {
          worker.onmessage = ({ data }) => done(data);
          worker.onerror = (event) => failed(new Error(event.message));
        });
      })()`);
      expect([inPage, inWorker]).toEqual([["admin"], ["admin"]]);
    } finally {
      await browser.close();
    }
  });
});

describe("the command line", () => {
  test("has no dependencies, and nothing of the project but its own code", async () => {
    const package_ = join(folder, "node_modules/@identity-admin-api/cli");
    const manifest = JSON.parse(await readFile(join(package_, "package.json"), "utf8"));
    expect([manifest.dependencies, manifest.bin]).toEqual([undefined, { "identity-admin": "./bin/identity-admin.js" }]);
    expect(await readFile(join(package_, "dist/main.js"), "utf8")).not.toContain("devDependencies");
  });
  test.each(nodes)("its tour runs on %s", { timeout: 60_000 }, async (node) => {
    const readme = await readFile(join(folder, "node_modules/@identity-admin-api/cli/README.md"), "utf8");
    const [, tour = ""] = /```sh\n(.*?)```/s.exec(readme) ?? [];
    expect(tour).toContain("npx --no identity-admin plan tenant");
    const first = node === "node" ? path : `${dirname(process.execPath)}:${path}`;
    const script = `set -e\nrm -rf tenant\n${tour.replaceAll("http://127.0.0.1:3000", service.url)}`;
    const { stdout } = await run("bash", ["-c", script], { cwd: folder, env: { PATH: first, HOME: folder } });
    expect(stdout).toMatch(/^name: admin$/m);
    expect(stdout).toMatch(/^admin +Local Administrator/m);
    expect(stdout).toMatch(/\d+ files in tenant\.\nNo changes\.\n$/);
    const users = ["--yes", "identity-admin", "users", "list", "--json"];
    const environment = {
      IDENTITY_ADMIN_URL: service.url,
      IDENTITY_ADMIN_USER: "admin",
      IDENTITY_ADMIN_PASSWORD: "admin",
    };
    const listed = await run("npx", users, { cwd: folder, env: { PATH: first, HOME: folder, ...environment } });
    expect(JSON.parse(listed.stdout)).toEqual([expect.objectContaining({ userName: "admin" })]);
  });
});
