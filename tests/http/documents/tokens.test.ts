/** The examples of docs/tokens.md after the first request of README.md, run by the shells, curl and Node. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { blocksOf, has, pasted, type Shell } from "#tests/support/pasted.ts";
import { project } from "#tests/support/patient.ts";
import { world } from "#tests/support/world.ts";

const folder = mkdtempSync(join(tmpdir(), "tokens-"));
symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));

afterAll(() => rmSync(folder, { recursive: true }));

describe.each<Exclude<Shell, "bash">>(["sh", "zsh"])("in %s", (shell) => {
  const api = world();
  const isMissing = !(has("curl") && has(shell));
  test.skipIf(isMissing)(
    `the examples work in the order of the document (skipped without curl and ${shell})`,
    async () => {
      const here = (text: string) => text.replaceAll("http://127.0.0.1:3000", api.url);
      const [first = ""] = blocksOf("README.md").filter((block) => block.startsWith("api="));
      const examples = blocksOf("docs/tokens.md");
      const [key = "", rotation = "", exchange = ""] = examples;
      expect(examples).toHaveLength(3);
      const program = blocksOf("docs/tokens.md", "js").join("");
      writeFileSync(join(folder, "token.mjs"), here(program));
      const command = /^\/\/ (CLIENT_ID=.*)$/m.exec(program)?.[1] ?? "";

      const said = await pasted(shell, [first, key, command, rotation, exchange].map(here), { cwd: folder });
      const [, , token, secrets, exchanged] = said;
      // By a signed assertion, then with a proof at the token endpoint and at the API.
      expect(token).toMatch(/token_type: 'bearer'/);
      expect(token).toMatch(/^200 /m);
      expect(token).toMatch(/totalResults: 2/);
      expect(secrets).toMatch(/"count":2,.*"latest":false,"lastUsedAt":/);
      expect(secrets).not.toMatch(/OAUTH-/);
      expect(JSON.parse(exchanged?.split("\n").at(-1) ?? "")).toMatchObject({
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        scope: "internal_user_mgt_list",
      });
    },
  );
});
