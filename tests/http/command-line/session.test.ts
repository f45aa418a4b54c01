/** Signing in, what the environment says, completion in real shells, and how the command starts. */
import { execFile, spawnSync } from "node:child_process";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { client } from "#client/client.ts";
import { identityAdmin, newHome, PROGRAM } from "#tests/support/identity-admin.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const service = world();
const where = () => ({ IDENTITY_ADMIN_URL: service.url });
let machine = { clientId: "", clientSecret: "" };
beforeAll(async () => {
  const api = client({ url: service.url, credentials: ADMIN });
  const { id: applicationId } = await api.applications.create({
    name: "Machine",
    inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
  });
  const [users] = await api.apiResources.list({ filter: "identifier eq /scim2/Users" }).all();
  await api.request("POST /api/server/v1/applications/{applicationId}/authorized-apis", {
    params: { applicationId },
    body: { id: users?.id ?? "", policyIdentifier: "RBAC", scopes: ["internal_user_mgt_list"] },
  });
  const route = "GET /api/server/v1/applications/{applicationId}/inbound-protocols/oidc";
  const { body } = await api.request(route, { params: { applicationId } });
  machine = { clientId: body.clientId, clientSecret: body.clientSecret ?? "" };
});

describe("login", () => {
  test("stores what its owner alone can read, and logout removes it", async () => {
    const home = await newHome();
    const args = ["login", "--url", service.url, "--user", "admin", "--secret-stdin", "--store"];
    const signedIn = await identityAdmin(args, { home, input: "admin\n" });
    expect([signedIn.code, signedIn.output]).toEqual([0, expect.stringMatching(/^Signed in as admin\. Stored in /)]);
    const { mode } = await stat(join(home, "identity-admin/credentials.json"));
    expect((mode & 0o777).toString(8)).toBe("600");
    expect((await identityAdmin(["whoami"], { home })).output).toContain("source: identity-admin login");
    expect((await identityAdmin(["users", "list", "--json"], { home })).code).toBe(0);
    const elsewhere = await identityAdmin(["users", "list", "--url", "https://other.example.com"], { home });
    expect([elsewhere.code, elsewhere.errors]).toEqual([3, expect.stringContaining("would be sent to https://other")]);
    expect((await identityAdmin(["logout"], { home })).code).toBe(0);
    const after = await identityAdmin(["whoami"], { home });
    expect([after.code, after.errors]).toEqual([3, expect.stringContaining("identity-admin login")]);
  });
  test("stores nothing for a wrong password, and no password without a yes", async () => {
    const home = await newHome();
    const args = ["login", "--url", service.url, "--user", "admin", "--secret-stdin"];
    const wrong = await identityAdmin([...args, "--store"], { home, input: "geheim" });
    expect([wrong.code, wrong.errors]).toEqual([4, expect.stringContaining("The user name or the password is wrong")]);
    expect(wrong.errors).not.toContain("geheim");
    const asked = await identityAdmin(args, { home, input: "admin" });
    expect([asked.code, asked.output]).toEqual([0, expect.stringContaining("Nothing was stored")]);
    await expect(stat(join(home, "identity-admin/credentials.json"))).rejects.toThrow("ENOENT");
  });
  test("a client gets tokens", async () => {
    const home = await newHome();
    const args = ["login", "--url", service.url, "--client-id", machine.clientId, "--scope", "internal_user_mgt_list"];
    expect((await identityAdmin([...args, "--secret-stdin"], { home, input: machine.clientSecret })).code).toBe(0);
    expect((await identityAdmin(["users", "list"], { home })).output).toContain("admin");
    expect((await identityAdmin(["token"], { home })).output).toMatch(/^\S+\n$/);
    expect(JSON.parse((await identityAdmin(["whoami", "--json"], { home })).output)).toMatchObject({
      kind: "client",
      scopes: ["internal_user_mgt_list"],
      expires: expect.stringMatching(/^\d{4}-/),
    });
    const denied = await identityAdmin(["groups", "list"], { home });
    expect([denied.code, denied.errors]).toEqual([5, expect.stringContaining("internal_group_mgt_view")]);
  });
  test("a damaged file is told", async () => {
    const home = await newHome();
    await identityAdmin(["login", "--url", service.url, "--user", "admin", "--secret-stdin", "--store"], {
      home,
      input: "admin",
    });
    await writeFile(join(home, "identity-admin/credentials.json"), "{");
    const { code, errors } = await identityAdmin(["whoami"], { home });
    expect([code, errors]).toEqual([3, expect.stringContaining("is damaged")]);
  });
});

describe("the environment", () => {
  test.each([
    ["half of a user", { IDENTITY_ADMIN_USER: "admin" }, /IDENTITY_ADMIN_PASSWORD is not set/],
    ["half of a client", { IDENTITY_ADMIN_CLIENT_SECRET: "x" }, /IDENTITY_ADMIN_CLIENT_ID is not set/],
    [
      "two credentials",
      { IDENTITY_ADMIN_TOKEN: "x", IDENTITY_ADMIN_USER: "a", IDENTITY_ADMIN_PASSWORD: "b" },
      /several credentials/,
    ],
    ["no credential", {}, /There is no credential/],
  ])("%s", async (_, environment, message) => {
    const { code, errors } = await identityAdmin(["whoami"], { environment: { ...where(), ...environment } });
    expect([code, errors]).toEqual([3, expect.stringMatching(message)]);
  });
  test("a client, a tenant, and clear text to another machine", async () => {
    const environment = {
      ...where(),
      IDENTITY_ADMIN_CLIENT_ID: machine.clientId,
      IDENTITY_ADMIN_CLIENT_SECRET: machine.clientSecret,
      IDENTITY_ADMIN_SCOPE: "internal_user_mgt_list",
    };
    expect((await identityAdmin(["users", "list"], { environment })).code).toBe(0);
    const user = { IDENTITY_ADMIN_USER: "admin", IDENTITY_ADMIN_PASSWORD: "admin" };
    const tenant = await identityAdmin(["whoami"], {
      environment: { ...where(), ...user, IDENTITY_ADMIN_TENANT: "nowhere.com" },
    });
    expect(tenant.code).not.toBe(0);
    const clear = await identityAdmin(["whoami", "--url", "http://identity.example.com"], { environment: user });
    expect([clear.code, clear.errors]).toEqual([3, expect.stringContaining("--allow-http")]);
  });
});

const words = async (shell: string, script: string): Promise<string> =>
  (await run(shell, ["-c", script])).stdout.trim();
const hasZsh = spawnSync("zsh", ["-c", "true"]).status === 0;

describe("completion", () => {
  test("bash completes commands, verbs and options", async () => {
    const { output } = await identityAdmin(["completion", "bash"]);
    const complete = (...given: readonly string[]) =>
      words(
        "bash",
        `${output}\nCOMP_WORDS=(identity-admin ${given.map((one) => `'${one}'`).join(" ")})
        COMP_CWORD=${given.length}; _identity_admin; echo "\${COMPREPLY[@]}"`,
      );
    expect(await complete("us")).toBe("users");
    expect(await complete("apps", "secret", "")).toContain("rotate");
    expect(await complete("--json", "users", "set")).toBe("set-password");
    expect(await complete("users", "create", "--giv")).toBe("--given-name");
    expect(await complete("users", "list", "--ten")).toBe("--tenant");
  });
  test.skipIf(!hasZsh)("zsh completes them too", async () => {
    const { output } = await identityAdmin(["completion", "zsh"]);
    const complete = (...given: readonly string[]) =>
      words(
        "zsh",
        `compdef() { :; }\n${output}\ncompadd() { shift; print -r -- "$@"; }
        words=(identity-admin ${given.map((one) => `'${one}'`).join(" ")}); CURRENT=${given.length + 1}; _identity_admin`,
      );
    expect((await complete("")).split(" ")).toEqual(expect.arrayContaining(["users", "apply", "doctor"]));
    expect((await complete("users", "")).split(" ")).toContain("set-password");
    expect(await complete("users", "create", "")).toContain("--given-name");
  });
});

test("names that a filter would read as something else are found", async () => {
  const environment = { ...where(), IDENTITY_ADMIN_USER: "admin", IDENTITY_ADMIN_PASSWORD: "admin" };
  for (const name of ["Cars and name sw M", "name or clientId", "Dispatch console"]) {
    expect((await identityAdmin(["apps", "create", name], { environment })).code).toBe(0);
    expect((await identityAdmin(["apps", "show", name], { environment })).output).toContain("applicationEnabled: true");
  }
});

describe("how it starts", () => {
  test("on the Node of the machine, which may be older than that of the project", async () => {
    const { code, output } = await identityAdmin(["--version"], { program: ["node", PROGRAM] });
    expect([code, output]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  });
  test("as npx finds it in a clone", { timeout: 60_000 }, async () => {
    const { stdout } = await run("npx", ["--no", "identity-admin", "--version"], {
      cwd: root,
      env: {
        ...process.env,
        PATH: (process.env.PATH ?? "")
          .split(":")
          .filter((one) => !one.includes("node_modules"))
          .join(":"),
      },
    });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
  test("a reader that stops early, such as head, is no error", async () => {
    const env = { ...process.env, ...where(), IDENTITY_ADMIN_USER: "admin", IDENTITY_ADMIN_PASSWORD: "admin" };
    const { stdout, stderr } = await run("bash", ["-c", `"${process.execPath}" "${PROGRAM}" apis list | head -1`], {
      env,
    });
    expect([stdout.split("\n")[0], stderr]).toEqual([expect.stringMatching(/^identifier/), ""]);
  });
});
