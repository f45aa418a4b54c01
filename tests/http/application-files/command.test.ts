/** `npm run applications`: export and import of a whole tenant, also interrupted and continued. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command, type SlowProxy, startCommand, startProxy } from "#tests/support/command.ts";
import { fileOf, oauthEntry } from "#tests/support/files.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const MANY = 16;
const api = world();
const { ask, create } = api;
const password = "a long enough password";
const credential = { ADMIN_USERNAME: "mover", ADMIN_PASSWORD: password };
const environment = () => ({ BASE_URL: api.url, ...credential });
const base = Buffer.from(`mover:${password}`).toString("base64");

let directory = "";
let proxy: SlowProxy;
const folder = (name: string) => join(directory, name);
const filesIn = async (name: string) =>
  (await readdir(folder(name)).catch(() => [])).filter((file) => file.endsWith(".xml"));
const total = async () => (await ask("GET", APPLICATIONS)).body.totalResults as number;
const deleteAll = async () => {
  for (;;) {
    const { applications } = (await ask("GET", `${APPLICATIONS}?limit=100`)).body;
    if (applications.length === 0) return;
    await Promise.all(applications.map(({ id }: { id: string }) => ask("DELETE", `${APPLICATIONS}/${id}`)));
  }
};
/** The counts of a table. */
const counts = (output: string): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const [, outcome = "", count] of output.matchAll(
    /^(exported|created|updated|incomplete|skipped|refused)\s+(\d+)/gm,
  )) {
    sums[outcome] = (sums[outcome] ?? 0) + Number(count);
  }
  return sums;
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "identity-admin-api-files-"));
  proxy = await startProxy(api.url, 150);
  const scopes = ["view", "create", "update", "client_secret_view"].map((verb) => `internal_application_mgt_${verb}`);
  await addUser(api.service, { username: "mover", password, scopes });
  for (let at = 0; at < MANY; at += 1) {
    const oidc = {
      clientId: `client-${at}`,
      clientSecret: `secret-${at}-of-a-client-7Qx2vLr9`,
      grantTypes: ["client_credentials"],
    };
    await create({ name: `app ${at}`, inboundProtocolConfiguration: at % 2 ? { oidc } : {} });
  }
});
afterAll(async () => {
  await proxy.close();
  await rm(directory, { recursive: true, force: true });
});

describe("export and import", () => {
  test("move all applications out and back in", async () => {
    const out = await command(["export", "--out", folder("all"), "--secrets"], environment());
    expect([out.code, counts(out.output)]).toEqual([0, { exported: MANY, incomplete: 0, skipped: 0, refused: 0 }]);
    expect(await filesIn("all")).toHaveLength(MANY);
    // Only the owner may read files with secrets.
    const [first = ""] = await filesIn("all");
    expect((await stat(join(folder("all"), first))).mode & 0o077).toBe(0);
    const id = (await ask("GET", `${APPLICATIONS}?filter=name+eq+app+1`)).body.applications[0].id;
    const before = (await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`)).body;
    await deleteAll();
    const back = await command(["import", folder("all")], environment());
    expect([back.code, counts(back.output)]).toEqual([
      0,
      { created: MANY, updated: 0, incomplete: 0, skipped: 0, refused: 0 },
    ]);
    expect(await total()).toBe(MANY);
    const again = (await ask("GET", `${APPLICATIONS}?filter=name+eq+app+1`)).body.applications[0].id;
    expect((await ask("GET", `${APPLICATIONS}/${again}/inbound-protocols/oidc`)).body).toEqual(before);
    for (const { output, errors } of [out, back])
      expect(output + errors).not.toMatch(new RegExp(`${password}|${base}|secret-1`));
  });
  test("continue an interrupted export", async () => {
    const args = ["export", "--out", folder("resumed"), "--url", proxy.url];
    const { child, ended } = startCommand(args, credential);
    while ((await filesIn("resumed")).length < 6) await new Promise((done) => setTimeout(done, 5));
    child.kill("SIGKILL");
    await ended;
    const done = await filesIn("resumed");
    expect(done.length).toBeLessThan(MANY);
    const states = await Promise.all(
      done.map(async (file) => ({ file, ...(await stat(join(folder("resumed"), file))) })),
    );
    // The first file was recorded as done when the run was killed; the last one may not be.
    const [untouched] = states.sort((one, other) => one.mtimeMs - other.mtimeMs);
    const rest = await command(args, credential);
    expect(rest.code).toBe(0);
    const { exported = 0, skipped = 0 } = counts(rest.output);
    expect(exported + skipped).toBe(MANY);
    expect(skipped).toBeGreaterThan(0);
    expect(rest.output).toContain("done by an earlier run");
    expect(await filesIn("resumed")).toHaveLength(MANY);
    expect((await readdir(folder("resumed"))).filter((name) => !name.endsWith(".xml"))).toEqual([]);
    expect((await stat(join(folder("resumed"), untouched?.file ?? ""))).mtimeMs).toBe(untouched?.mtimeMs);
  });
  test("create nothing twice when an interrupted import is repeated", async () => {
    await deleteAll();
    const args = ["import", folder("all"), "--url", proxy.url];
    const { child, ended } = startCommand(args, credential);
    while ((await total()) < 6) await new Promise((done) => setTimeout(done, 5));
    child.kill("SIGKILL");
    await ended;
    expect(await total()).toBeLessThan(MANY);
    const rest = await command(args, credential);
    const { created = 0, skipped = 0 } = counts(rest.output);
    expect([rest.code, created + skipped]).toEqual([0, MANY]);
    expect(skipped).toBeGreaterThanOrEqual(6);
    expect(await total()).toBe(MANY);
  });
  test("replace existing applications with --update only", async () => {
    const out = await command(["export", "--out", folder("before")], environment());
    expect(out.code).toBe(0);
    const id = (await ask("GET", `${APPLICATIONS}?filter=name+eq+app+2`)).body.applications[0].id;
    await ask("PATCH", `${APPLICATIONS}/${id}`, { body: { description: "changed" } });
    const left = await command(["import", folder("before")], environment());
    expect([left.code, counts(left.output)]).toEqual([
      0,
      { created: 0, updated: 0, incomplete: 0, skipped: MANY, refused: 0 },
    ]);
    expect(left.output).toMatch(/--update replaces it/);
    expect((await ask("GET", `${APPLICATIONS}/${id}`)).body.description).toBe("changed");
    const replaced = await command(["import", folder("before"), "--update"], environment());
    expect([replaced.code, counts(replaced.output)]).toEqual([
      0,
      { created: 0, updated: MANY, incomplete: 0, skipped: 0, refused: 0 },
    ]);
    expect((await ask("GET", `${APPLICATIONS}/${id}`)).body).not.toHaveProperty("description");
  });
  test("report refused files with the reason, and import the others", async () => {
    const at = folder("mixed");
    await mkdir(at);
    await writeFile(join(at, "a.xml"), fileOf({ name: "fine", extra: "<Unheard>1</Unheard>" }));
    await writeFile(join(at, "b.xml"), "hello \u001B[31m");
    await writeFile(join(at, "c.xml"), fileOf({ name: "robber", inbound: oauthEntry("client-1") }));
    await writeFile(join(at, "d.xml"), "x".repeat(5_000_000));
    await writeFile(join(at, "notes.txt"), "not a file of this kind");
    const { code, output } = await command(["import", at], environment());
    expect([code, counts(output)]).toEqual([1, { created: 1, updated: 0, incomplete: 0, skipped: 0, refused: 3 }]);
    expect(output).toMatch(/created\s+1\s+a\.xml\s+without effect: Unheard/);
    expect(output).toMatch(/refused\s+1\s+b\.xml\s+400 APP-60001 The file is not an exported application/);
    expect(output).toMatch(/refused\s+1\s+c\.xml\s+409 APP-60009 .*client-1/);
    expect(output).toMatch(/refused\s+1\s+d\.xml\s+413/);
    expect(output).not.toContain("\u001B");
  });
  test("retry while the service is temporarily unavailable", async () => {
    proxy.refuse(3, 503);
    const { code, output } = await command(["import", folder("all"), "--url", proxy.url], credential);
    expect([code, counts(output).skipped]).toEqual([0, MANY]);
  });
});

describe("a clear message and exit code for", () => {
  test.each<[string, readonly string[], Readonly<Record<string, string>>, number, RegExp]>([
    ["no task", [], {}, 2, /npm run applications -- export --out/],
    ["another task", ["destroy"], {}, 2, /npm run applications -- export --out/],
    ["an export without a folder", ["export"], {}, 2, /--out/],
    ["an unknown flag", ["import", "x", "--force"], {}, 2, /--force/],
    ["a folder without files", ["import", "/nowhere"], {}, 2, /no file/],
    ["an invalid URL", ["import", "x", "--url", "nowhere"], {}, 2, /not a URL/],
    ["a credential in the URL", ["import", "x", "--url", "https://a:b@c.example"], {}, 2, /user name/],
    ["a credential without TLS", ["import", "x", "--url", "http://api.example"], {}, 2, /in clear text/],
    [
      "a wrong password",
      ["export", "--out", "wrong"],
      { ADMIN_PASSWORD: "wrong password" },
      1,
      /does not authorise this caller/,
    ],
  ])("%s", async (_, args, more, code, message) => {
    const given = args.map((arg) => (arg === "wrong" ? folder("wrong") : arg));
    const ran = await command(given, { BASE_URL: api.url, ...more });
    expect(ran.code).toBe(code);
    expect(ran.errors).toMatch(message);
    expect(ran.errors).not.toMatch(/\bat .*\.ts:\d+|wrong password|a:b/);
  });
  test("a folder with other files", async () => {
    const { code, errors } = await command(["export", "--out", folder("mixed")], environment());
    expect([code, errors]).toEqual([2, expect.stringContaining("Choose an empty folder")]);
    expect(await readFile(join(folder("mixed"), "notes.txt"), "utf8")).toContain("not a file");
  });
  test("a caller who may read but not create", async () => {
    await addUser(api.service, { username: "reader", password, scopes: ["internal_application_mgt_view"] });
    const as = { BASE_URL: api.url, ADMIN_USERNAME: "reader", ADMIN_PASSWORD: password };
    const { code, errors } = await command(["import", folder("all")], as);
    expect([code, errors]).toEqual([1, expect.stringMatching(/403.*internal_application_mgt_create/)]);
  });
});
