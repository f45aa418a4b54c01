/** The examples of docs/tokens.md after the first request of README.md, run by the shell, curl and Node. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { world } from "#tests/support/world.ts";

const api = world();
const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tokens-"));
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

afterAll(() => rmSync(folder, { recursive: true }));

test.skipIf(!hasCurl)("the examples work in the order of the document (skipped without curl)", async () => {
  const [first = ""] = blocksOf("README.md", "sh").filter((block) => block.startsWith("api="));
  const examples = blocksOf("docs/tokens.md", "sh").filter((block) => !block.includes("npm run"));
  const [key = "", rotation = "", exchange = ""] = examples;
  expect(examples).toHaveLength(3);
  const program = blocksOf("docs/tokens.md", "js").join("");
  writeFileSync(join(folder, "token.mjs"), here(program));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const command = /^\/\/ (CLIENT_ID=.*)$/m.exec(program)?.[1] ?? "";

  const said = await run([first, key, "echo @token", command, "echo @rotation", rotation, "echo @exchange", exchange]);
  const [, token, secrets, exchanged] = said.split(/@token|@rotation|@exchange/);
  // By a signed assertion, then with a proof at the token endpoint and at the API.
  expect(token).toMatch(/token_type: 'bearer'/);
  expect(token).toMatch(/^200 /m);
  expect(token).toMatch(/totalResults: 2/);
  expect(secrets).toMatch(/"count":2,.*"latest":false,"lastUsedAt":/);
  expect(secrets).not.toMatch(/OAUTH-/);
  expect(JSON.parse(exchanged?.trim().split("\n").at(-1) ?? "")).toMatchObject({
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    scope: "internal_user_mgt_list",
  });
});

/** What the commands print. They end with code 0, without a word on standard error except empty lines. */
async function run(parts: readonly string[]): Promise<string> {
  const child = spawn("sh", ["-eu", "-c", here(parts.join("\n"))], { cwd: folder });
  let [said, wrong] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    wrong += text;
  });
  const [code] = await once(child, "close");
  expect([code, wrong.trim()]).toEqual([0, ""]);
  return said;
}

/** A text with the address of the service of this test. */
function here(text: string): string {
  return text.replaceAll("http://127.0.0.1:3000", api.url);
}

function blocksOf(file: string, language: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"));
  return [...blocks].map(([, block]) => block ?? "");
}
