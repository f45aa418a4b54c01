/** A name that changes in a folder renames the resource: it keeps its id, its client id and what refers to it. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Api } from "#client/client.ts";
import { deployment } from "#tests/support/any-application.ts";
import { identityAdmin } from "#tests/support/identity-admin.ts";
import { contentOf, newTenant, OWNER, temporaryFolder } from "#tests/support/tenant-folder.ts";
import { world } from "#tests/support/world.ts";

const service = world({ deployment });
const run = (domain: string, args: readonly string[]) =>
  identityAdmin(args, {
    environment: {
      IDENTITY_ADMIN_URL: service.url,
      IDENTITY_ADMIN_TENANT: domain,
      IDENTITY_ADMIN_USER: `${OWNER.username}@${domain}`,
      IDENTITY_ADMIN_PASSWORD: OWNER.password,
    },
  });

/** A tenant with a group, roles and an application that refer to each other. */
const furnished = async (domain: string): Promise<Api> => {
  const api = await newTenant(service.url, domain);
  const { id: drivers } = await api.groups.create({ displayName: "Drivers" });
  const { id: app } = await api.applications.create({
    name: "Dispatch",
    accessUrl: "https://cars.example.com",
    inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
    advancedConfigurations: {
      discoverableByEndUsers: true,
      discoverableGroups: [{ userStore: "PRIMARY", groups: [{ id: drivers }] }],
    },
  });
  await api.roles.create({
    displayName: "Viewer",
    permissions: [{ value: "internal_user_mgt_list" }],
    groups: [{ value: drivers }],
  });
  await api.roles.create({ displayName: "Planner", audience: { type: "application", value: app } });
  return api;
};

/** Replaces a text in every file of a folder. */
const replaced = async (folder: string, from: RegExp, to: string) => {
  for (const [file, text] of Object.entries(await contentOf(folder))) {
    if (!file.startsWith(".")) await writeFile(join(folder, file), text.replace(from, to));
  }
};
const namesOf = async (api: Api) => ({
  applications: (await api.applications.list({ attributes: "clientId" }).all()).map(({ id, name, clientId }) => [
    id,
    name,
    clientId,
  ]),
  groups: (await api.groups.list().all()).map(({ id, displayName }) => [id, displayName]),
  roles: (await api.roles.list().all()).map(({ id, displayName }) => [id, displayName]).sort(),
});

describe("a new name in a file", { timeout: 300_000 }, () => {
  test("renames application, group and roles, and each keeps its id", async () => {
    const api = await furnished("first.com");
    const before = await namesOf(api);
    const folder = await temporaryFolder();
    await run("first.com", ["export", "--out", folder]);
    await replaced(folder, /Dispatch/g, "Trips");
    await replaced(folder, /Drivers/g, "Pilots");
    await replaced(folder, /Viewer/g, "Reader");
    const plan = await run("first.com", ["plan", folder, "--prune"]);
    expect([plan.code, plan.output.split("\n").sort()]).toEqual([
      2,
      [
        "",
        expect.stringMatching(/^~ applications\/dispatch-\w+\.yaml name: "Dispatch" -> "Trips"$/),
        expect.stringMatching(/^~ groups\/drivers-\w+\.yaml displayName: "Drivers" -> "Pilots"$/),
        expect.stringMatching(/^~ roles\/viewer-\w+\.yaml name: "Viewer" -> "Reader"$/),
      ],
    ]);
    const applied = await run("first.com", ["apply", folder, "--prune", "--yes"]);
    expect(applied.output, applied.errors).toContain("0 created, 3 updated, 0 deleted.");
    const renamed = (value: string | undefined) =>
      value?.replace("Dispatch", "Trips").replace("Drivers", "Pilots").replace("Viewer", "Reader");
    expect(await namesOf(api)).toEqual({
      applications: before.applications.map(([id, name, clientId]) => [id, renamed(name), clientId]),
      groups: before.groups.map(([id, name]) => [id, renamed(name)]),
      roles: before.roles.map(([id, name]) => [id, renamed(name)]).sort(),
    });
    expect((await run("first.com", ["plan", folder, "--prune"])).output).toBe("No changes.\n");
  });
  test("with client ids the file may have another name, too", async () => {
    const api = await furnished("second.com");
    const before = await namesOf(api);
    const folder = await temporaryFolder();
    await run("second.com", ["export", "--out", folder, "--client-ids"]);
    await replaced(folder, /Dispatch/g, "Trips");
    const [file = ""] = Object.keys(await contentOf(folder)).filter((one) => one.startsWith("applications/"));
    await rename(join(folder, file), join(folder, "applications/trips.yaml"));
    expect((await run("second.com", ["apply", folder, "--yes"])).output).toContain("0 created, 1 updated, 0 deleted.");
    expect((await namesOf(api)).applications).toEqual(
      before.applications.map(([id, , clientId]) => [id, "Trips", clientId]),
    );
  });
  test("a file of another client id is another application", async () => {
    const api = await furnished("third.com");
    const folder = await temporaryFolder();
    await run("third.com", ["export", "--out", folder, "--client-ids"]);
    const [file = ""] = Object.keys(await contentOf(folder)).filter((one) => one.startsWith("applications/"));
    const text = await readFile(join(folder, file), "utf8");
    await writeFile(
      join(folder, file),
      text.replace("Dispatch", "Trips").replace(/clientId: \S+/, "clientId: another_client_1"),
    );
    expect((await run("third.com", ["apply", folder, "--yes"])).output).toContain("1 created");
    expect((await namesOf(api)).applications.map(([, name]) => name).sort()).toEqual(["Dispatch", "Trips"]);
  });
  test("files that swap two names rename nothing: both names are there", async () => {
    const api = await newTenant(service.url, "fourth.com");
    for (const displayName of ["one", "two"]) await api.groups.create({ displayName });
    const folder = await temporaryFolder();
    await run("fourth.com", ["export", "--out", folder]);
    await writeFile(join(folder, "groups/one.yaml"), "displayName: two\n");
    await writeFile(join(folder, "groups/two.yaml"), "displayName: one\n");
    expect((await run("fourth.com", ["plan", folder, "--prune"])).output).toBe("No changes.\n");
  });
});
