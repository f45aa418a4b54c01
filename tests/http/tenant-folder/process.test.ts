/** `export`, `plan` and `apply` as processes: exit codes, lines, mistakes, secrets, and an apply that is killed. */
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { deployment } from "#tests/support/any-application.ts";
import { identityAdmin, PROGRAM } from "#tests/support/identity-admin.ts";
import { contentOf, newTenant, OWNER, temporaryFolder } from "#tests/support/tenant-folder.ts";
import { world } from "#tests/support/world.ts";

const service = world({ deployment });
const environmentOf = (domain: string) => ({
  IDENTITY_ADMIN_URL: service.url,
  IDENTITY_ADMIN_TENANT: domain,
  IDENTITY_ADMIN_USER: `${OWNER.username}@${domain}`,
  IDENTITY_ADMIN_PASSWORD: OWNER.password,
});
/** Runs a command in a tenant. */
const run = (domain: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  identityAdmin(args, { environment: { ...environmentOf(domain), ...more } });

const NAMED = ["one.com", "killed.com", "secrets.com"];
beforeAll(async () => {
  for (const domain of NAMED) await newTenant(service.url, domain);
});

const write = async (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
};
/** A folder of an empty tenant, with some files. */
const folderWith = async (files: Readonly<Record<string, string>>, domain = "one.com") => {
  const folder = await temporaryFolder();
  await run(domain, ["export", "--out", folder]);
  await write(folder, files);
  return folder;
};

describe("plan and apply", { timeout: 300_000 }, () => {
  test("a plan has exit code 2, apply does it, and then both have nothing to do", async () => {
    const folder = await folderWith({
      "groups/drivers.yaml": "displayName: Drivers\n",
      "roles/viewer.yaml": "name: Viewer\npermissions: [internal_user_mgt_list]\ngroups: [Drivers]\n",
      "applications/dispatch.yaml":
        "name: Dispatch\nprotocols:\n  oidc:\n    grantTypes: [client_credentials]\n" +
        "authorizedApis:\n  - identifier: /scim2/Users\n    scopes: [internal_user_mgt_list]\n",
    });
    const plan = await run("one.com", ["plan", folder]);
    expect([plan.code, plan.output]).toEqual([
      2,
      '+ groups/drivers.yaml "Drivers"\n+ roles/viewer.yaml "Viewer"\n+ applications/dispatch.yaml "Dispatch"\n',
    ]);
    expect(await run("one.com", ["apply", folder])).toMatchObject({
      code: 3,
      errors: expect.stringMatching(/Add --yes/),
    });
    const json = JSON.parse((await run("one.com", ["plan", folder, "--json"])).output);
    expect(json.changes.map(({ action, file }: Record<string, string>) => [action, file])).toHaveLength(3);
    expect(json.unrehearsed).toEqual(["roles/viewer.yaml"]);
    const applied = await run("one.com", ["apply", folder, "--yes"]);
    expect([applied.code, applied.output.split("\n").at(-2)]).toEqual([0, "3 created, 0 updated, 0 deleted."]);
    expect(await run("one.com", ["plan", folder])).toEqual({ code: 0, output: "No changes.\n", errors: "" });
    expect((await run("one.com", ["apply", folder, "--yes"])).output).toBe("No changes.\n");
    await write(folder, { "groups/more.yaml": "displayName: More\n" });
    await write(folder, {
      "roles/viewer.yaml": "name: Viewer\npermissions: [internal_user_mgt_view]\ngroups: [Drivers]\n",
    });
    expect((await run("one.com", ["plan", folder])).output).toBe(
      '+ groups/more.yaml "More"\n' +
        '~ roles/viewer.yaml permissions: ["internal_user_mgt_list"] -> ["internal_user_mgt_view"]\n',
    );
  });
  test("what the service would refuse is in the plan, and nothing is changed", async () => {
    const folder = await folderWith({
      "groups/new.yaml": "displayName: New\n",
      "roles/wrong.yaml": "name: Wrong\npermissions: [no_such_scope]\n",
      "roles/lost.yaml": "name: Lost\ngroups: [Nowhere]\n",
    });
    for (const command of [["plan"], ["apply", "--yes"]]) {
      const [verb = "", ...options] = command;
      const { code, errors } = await run("one.com", [verb, folder, ...options]);
      expect(code).toBe(1);
      expect(errors).toMatch(/roles\/wrong\.yaml: 400: .*no_such_scope/);
      expect(errors).toContain('roles/lost.yaml: There is no group "Nowhere".');
      expect(errors).toContain("Nothing was changed.");
    }
    expect((await run("one.com", ["groups", "show", "New"])).code).toBe(6);
  });
  test("mistakes in files are told at once, with their places", async () => {
    const folder = await folderWith({
      "applications/a.yaml": "name: A\nprotocols:\n  oidc:\n    grantType: [client_credentials]\n",
      "applications/b.yaml": "nam: B\n",
      "groups/c.yaml": "displayName: [C\n",
      "groups/d.yaml": "displayName: D\n",
      "groups/e.yaml": "displayName: D\n",
      "roles/f.yaml": "name: F\npermissions: internal_login\n",
    });
    const { code, errors } = await run("one.com", ["plan", folder]);
    expect(code).toBe(3);
    for (const line of [
      "applications/a.yaml: protocols.oidc.grantType is unknown",
      "applications/a.yaml: protocols.oidc.grantTypes is missing",
      "applications/b.yaml: nam is unknown",
      "applications/b.yaml: name is missing",
      "groups/c.yaml: ",
      'groups/e.yaml: the name of a group "D" is in groups/d.yaml too',
      "roles/f.yaml: permissions must be array",
    ]) {
      expect(errors).toContain(line);
    }
  });
  test("a folder with other files is not written over", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "mine.txt"), "x");
    const { code, errors } = await run("one.com", ["export", "--out", folder]);
    expect([code, errors]).toEqual([3, expect.stringContaining("has other files")]);
    expect(await readdir(folder)).toEqual(["mine.txt"]);
  });
});

describe("secrets", { timeout: 300_000 }, () => {
  const files = (value: string) => ({
    "applications/cas.yaml": `name: Cas\nprotocols:\n  any protocol:\n    configName: c\n    properties:\n      password: ${value}\n`,
  });
  test("are read when they are needed, sent once, and shown never", async () => {
    const folder = await folderWith(files(["$", "{env:CAS_PASSWORD}"].join("")));
    const domain = "secrets.com";
    expect(await run(domain, ["plan", folder])).toMatchObject({
      code: 2,
      errors: expect.stringContaining("not checked"),
    });
    const missing = await run(domain, ["apply", folder, "--yes"]);
    expect([missing.code, missing.errors]).toEqual([1, expect.stringContaining("CAS_PASSWORD is not set")]);
    const applied = await run(domain, ["apply", folder, "--yes"], { CAS_PASSWORD: "geheim-1" });
    expect(applied.code, applied.errors).toBe(0);
    expect(`${applied.output}${applied.errors}`).not.toContain("geheim-1");
    expect(await run(domain, ["plan", folder])).toEqual({ code: 0, output: "No changes.\n", errors: "" });
    const again = await temporaryFolder();
    await run(domain, ["export", "--out", again]);
    const text = JSON.stringify(await contentOf(again));
    expect(text).not.toContain("geheim-1");
    expect(text).toContain("{env:IDENTITY_ADMIN_SECRET_CAS_ANY_PROTOCOL_PASSWORD}");
  });
  test("have no place in a file", async () => {
    const folder = await folderWith(files("geheim-2"));
    const { code, errors } = await run("secrets.com", ["plan", folder]);
    expect([code, errors]).toEqual([1, expect.stringContaining("any protocol.properties.password is a secret")]);
    expect(errors).not.toContain("geheim-2");
  });
});

test("kill -9 in the middle of apply, and apply again finishes it", { timeout: 300_000 }, async () => {
  const domain = "killed.com";
  const numbers = Array.from({ length: 60 }, (_, number) => number);
  const folder = await folderWith(
    Object.fromEntries(
      numbers.map((number) => [
        `applications/app-${number}.yaml`,
        `name: App ${number}\nprotocols:\n  oidc:\n    grantTypes: [client_credentials]\n` +
          "authorizedApis:\n  - identifier: /scim2/Users\n    scopes: [internal_user_mgt_list]\n",
      ]),
    ),
    domain,
  );
  for (const stopAt of [6, 30]) {
    const child = spawn(process.execPath, [PROGRAM, "apply", folder, "--yes"], {
      env: { PATH: process.env.PATH, CI: "1", ...environmentOf(domain) },
    });
    await new Promise<void>((ended) => {
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        const [, done = 0] = /apply (\d+)\//.exec(text) ?? [];
        if (Number(done) >= stopAt) child.kill("SIGKILL");
      });
      child.once("close", () => ended());
    });
    expect(child.signalCode).toBe("SIGKILL");
    expect((await run(domain, ["plan", folder])).code).toBe(2);
  }
  const finished = await run(domain, ["apply", folder, "--yes"]);
  expect(finished.code, finished.errors).toBe(0);
  expect(await run(domain, ["plan", folder])).toEqual({ code: 0, output: "No changes.\n", errors: "" });
  const again = await temporaryFolder();
  await run(domain, ["export", "--out", again]);
  const names = await readdir(join(again, "applications"));
  expect(names).toHaveLength(60);
  expect(await readFile(join(again, "applications", names[0] ?? ""), "utf8")).toContain("authorizedApis");
});
