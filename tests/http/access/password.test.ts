/**
 * `npm run password`: sets a password with write access to the table, when the last administrator's password is lost.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const program = fileURLToPath(new URL("../../../packages/tools/password.ts", import.meta.url));
/** The hashes of the service that this process runs. */
const hashes = ["--import", import.meta.resolve("#tests/support/light-hashes.ts")];

const run = async (args: readonly string[], password: string) => {
  const { endpoint, tableName } = api.service;
  const child = spawn(process.execPath, [...hashes, program, ...args], {
    env: { PATH: process.env.PATH, TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  child.stdin.on("error", () => undefined).end(`${password}\n`);
  const [code] = await once(child, "close");
  return { code, said };
};
const enter = async (username: string, password: string) =>
  (await api.ask("GET", APPLICATIONS, { as: basic({ username, password }) })).status;

test("a password set by the command is valid at once, also for a locked user", async () => {
  await addUser(api.service, { username: "lost", password: "forgotten", scopes: ["internal_application_mgt_view"] });
  for (let attempt = 0; attempt < 10; attempt += 1) await enter("lost", "wrong");
  expect(await enter("lost", "forgotten")).toBe(401);
  const { code, said } = await run(["lost@carbon.super"], "found-again");
  expect([code, said]).toEqual([0, expect.stringContaining("The password of lost@carbon.super is set.")]);
  expect(await enter("lost", "found-again")).toBe(200);
  expect(await enter("lost", "forgotten")).toBe(401);
});

test.each([
  [["nobody"], "long-enough", 'There is no user "nobody".'],
  [["admin"], "four", "The password must have 8 to 100 characters"],
  [[], "", "npm run password -- <user>"],
])("%j with %j changes nothing and reports why", async (args, password, sentence) => {
  const { code, said } = await run(args, password);
  expect([code, said]).toEqual([1, expect.stringContaining(sentence)]);
});
