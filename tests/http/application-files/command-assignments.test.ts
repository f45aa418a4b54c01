/** `npm run applications`: who is assigned to an application goes with its file, by name. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { command } from "#tests/support/command.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
let folder = "";
const run = (...args: string[]) => command(args, { BASE_URL: api.url });
const idNamed = async (name: string): Promise<string> =>
  (await ask("GET", `${APPLICATIONS}?filter=name+eq+${name}`)).body.applications[0]?.id;
const assigned = async (name: string) =>
  (await ask("GET", `${APPLICATIONS}/${await idNamed(name)}/assignments`)).body.assignments.map(
    ({ type, principal }: { type: string; principal: { displayName: string } }) => `${type} ${principal.displayName}`,
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "identity-admin-api-assigned-"));
  const made = async (path: string, body: object): Promise<string> => (await ask("POST", path, { body })).body.id;
  const id = await api.create({ name: "Dispatch" });
  for (const [type, principal] of [
    ["user", await made("/scim2/Users", { userName: "kim", password: "a-good-Password-1" })],
    ["group", await made("/scim2/Groups", { displayName: "drivers" })],
    ["role", await made("/scim2/v2/Roles", { displayName: 'the "late" shift' })],
  ]) {
    const answer = await ask("POST", `${APPLICATIONS}/${id}/assignments`, { body: { type, id: principal } });
    expect(answer.status, answer.text).toBe(201);
  }
  await api.create({ name: "Plain" });
});
afterAll(() => rm(folder, { recursive: true }));

test("an export writes a file of assignments, and an import assigns those who exist", async () => {
  expect((await run("export", "--out", folder, "--secrets")).code).toBe(0);
  const [file = "", ...others] = (await readdir(folder)).filter((name) => name.endsWith(".assignments.json"));
  expect([file.startsWith("Dispatch."), others]).toEqual([true, []]);
  const content = JSON.parse(await readFile(join(folder, file), "utf8"));
  expect(content).toEqual({
    application: "Dispatch",
    assignments: [
      { type: "group", name: "drivers" },
      { type: "role", name: 'the "late" shift' },
      { type: "user", name: "kim" },
    ],
  });
  await ask("DELETE", `${APPLICATIONS}/${await idNamed("Dispatch")}`);
  expect((await run("import", folder)).code).toBe(0);
  expect(await assigned("Dispatch")).toEqual(["group drivers", 'role the "late" shift', "user kim"]);

  await ask("DELETE", `${APPLICATIONS}/${await idNamed("Dispatch")}`);
  const unknown = { ...content, assignments: [...content.assignments, { type: "user", name: "nobody" }] };
  await writeFile(join(folder, file), JSON.stringify(unknown));
  const incomplete = await run("import", folder);
  expect(incomplete.code).not.toBe(0);
  expect(incomplete.output).toMatch(/not assigned: the user nobody \(the server has none\)/);
  expect(await assigned("Dispatch")).toHaveLength(3);
  await writeFile(join(folder, file), JSON.stringify({ application: "Dispatch", assignments: [{ type: "x" }] }));
  expect((await run("import", folder, "--update")).output).toMatch(/the file of its assignments is invalid/);
});
