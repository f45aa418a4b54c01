/** A tenant with everything goes into a folder, into an empty tenant, and into a folder that is the same. */
import { beforeAll, describe, expect, test } from "vitest";
import { linesOf } from "#cli/tenant/run.ts";
import type { Api } from "#client/client.ts";
import { deployment } from "#tests/support/any-application.ts";
import { allItems } from "#tests/support/protocols.ts";
import {
  applyTo,
  contentOf,
  exportTo,
  fill,
  newTenant,
  planFor,
  temporaryFolder,
} from "#tests/support/tenant-folder.ts";
import { world } from "#tests/support/world.ts";

const SIZES = { applications: 200, roles: 30, apis: 40, groups: 50, templates: 20 };
const SEED = 2_026;

const service = world({ deployment });
let [first, second] = [{} as Api, {} as Api];
let folder = "";
beforeAll(async () => {
  first = await newTenant(service.url, "first.com");
  second = await newTenant(service.url, "second.com");
  const refused = await fill(first, SIZES, SEED);
  expect(refused).toBeLessThan(SIZES.applications / 4);
  folder = await temporaryFolder();
  await exportTo(first, folder);
}, 600_000);

describe("a tenant with everything", () => {
  test("the folder has one file for each resource, without ids and secrets", async () => {
    const content = await contentOf(folder);
    const count = (kind: string) => Object.keys(content).filter((file) => file.startsWith(`${kind}/`)).length;
    expect(["applications", "roles", "api-resources", "groups", "templates"].map(count)).toEqual([200, 30, 40, 50, 20]);
    const text = Object.entries(content)
      .filter(([file]) => !file.startsWith(".schemas/"))
      .map(([, one]) => one)
      .join("\n");
    const ids = [
      ...(await first.applications.list({ limit: 100 }).all()).map(({ id }) => id),
      ...(await first.groups.list().all()).map(({ id }) => id),
      ...(await first.apiResources.list().all()).map(({ id }) => id),
      ...(await first.roles.list().all()).map(({ id }) => id),
    ];
    expect(ids.filter((id) => text.includes(id))).toEqual([]);
    expect(text).toContain("{env:IDENTITY_ADMIN_SECRET_ANY_");
    expect(text).not.toMatch(/^ *clientSecret/m);
  });
  test("plan of the tenant itself is empty", { timeout: 600_000 }, async () => {
    expect((await planFor(first, folder)).changes.flatMap(linesOf)).toEqual([]);
  });
  test("apply into an empty tenant, and export: the folders are equal byte by byte", { timeout: 600_000 }, async () => {
    const plan = await planFor(second, folder);
    expect(plan.refused).toEqual([]);
    expect(plan.changes).toHaveLength(340);
    const outcomes = await applyTo(second, plan);
    expect(outcomes.flatMap(({ change, failure }) => (failure === undefined ? [] : [[change.file, failure]]))).toEqual(
      [],
    );
    const again = await temporaryFolder();
    await exportTo(second, again);
    expect(await contentOf(again)).toEqual(await contentOf(folder));
  });
  test("plan right after it says nothing, and writes nothing", { timeout: 600_000 }, async () => {
    const before = await allItems(service.service);
    const plan = await planFor(second, folder);
    expect([plan.changes.flatMap(linesOf), plan.refused]).toEqual([[], []]);
    expect(await allItems(service.service)).toEqual(before);
  });
  test("one change by hand is the one line of the plan, and apply takes it back", { timeout: 600_000 }, async () => {
    const [application] = (await second.applications.list().page()).items;
    const { description = "" } = await second.applications.get(application?.id ?? "");
    await second.applications.update(application?.id ?? "", { description: "by hand" });
    const before = await allItems(service.service);
    const plan = await planFor(second, folder);
    const to = description === "" ? "(default)" : JSON.stringify(description);
    expect(plan.changes.flatMap(linesOf)).toEqual([`~ ${plan.changes[0]?.file} description: "by hand" -> ${to}`]);
    expect(await allItems(service.service)).toEqual(before);
    await applyTo(second, plan);
    expect((await planFor(second, folder)).changes).toEqual([]);
  });
  test("with --prune what the folder does not have is deleted", { timeout: 600_000 }, async () => {
    await second.groups.create({ displayName: "by hand" });
    expect((await planFor(second, folder)).changes).toEqual([]);
    const plan = await planFor(second, folder, true);
    expect(plan.changes.map(({ action, key }) => [action, key])).toEqual([["delete", "by hand"]]);
    await applyTo(second, plan);
    expect((await planFor(second, folder, true)).changes).toEqual([]);
  });
});
