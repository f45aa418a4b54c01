/** `import --dry-run`: what would become of files, without a change. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { client } from "#client/client.ts";
import { identityAdmin, newHome } from "#tests/support/identity-admin.ts";
import { ADMIN, world } from "#tests/support/world.ts";

const service = world();

test("import --dry-run says what would be created, replaced and refused, and changes nothing", {
  timeout: 120_000,
}, async () => {
  const environment = {
    IDENTITY_ADMIN_URL: service.url,
    IDENTITY_ADMIN_USER: ADMIN.username,
    IDENTITY_ADMIN_PASSWORD: ADMIN.password,
  };
  const run = (...args: readonly string[]) => identityAdmin(args, { environment });
  const api = client({ url: service.url, credentials: ADMIN });
  const { id } = await api.applications.create({ name: "Gone" });
  await api.applications.create({ name: "Kept", description: "new" });
  const out = join(await newHome(), "out");
  await mkdir(out);
  expect((await run("export", "--format", "files", "--out", out)).code).toBe(0);
  await api.applications.delete(id);
  const last = async () => (await api.auditEvents.list({ limit: 1 }).page()).items[0]?.id;
  const before = await last();
  const rehearsed = await run("import", out, "--update", "--dry-run");
  expect(rehearsed.code, rehearsed.errors).toBe(0);
  expect(rehearsed.output).toMatch(/^Dry run: nothing was changed\./);
  expect(rehearsed.output).toMatch(/^created +1 +Gone\./m);
  expect(rehearsed.output).toMatch(/^updated +1 +Kept\./m);
  expect(JSON.parse((await run("import", out, "--dry-run", "--json")).output)).toEqual([
    expect.objectContaining({ outcome: "created" }),
    expect.objectContaining({ outcome: "skipped" }),
  ]);
  expect(await last()).toBe(before);
  expect((await run("import", out, "--update")).output).toMatch(/^created +1 +Gone\./m);
  expect(await last()).not.toBe(before);
});
