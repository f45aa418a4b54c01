/** The examples of docs that go on from the first request of README.md, run by the shells, curl and Node. */
import { describe, expect, test } from "vitest";
import { blocksOf, has, pasted, type Shell } from "#tests/support/pasted.ts";
import { APPLICATIONS, type World, world } from "#tests/support/world.ts";

const firstRequest = () => blocksOf("README.md").filter((block) => block.startsWith("api="))[0] ?? "";

describe.each<Exclude<Shell, "bash">>(["sh", "zsh"])("in %s", (shell) => {
  const [changing, undoing] = [world(), world()];
  const isMissing = !(has("curl") && has(shell));

  test.skipIf(isMissing)(
    `the examples answer the questions of an auditor (skipped without curl and ${shell})`,
    async () => {
      const said = await run(shell, changing, [firstRequest(), ...blocksOf("docs/changes.md")]);
      const [, changed = "", who, person, when = "", where, before, restored, back, feed] = said;
      expect(JSON.parse(changed)).toMatchObject({ name: { familyName: "Cherry" } });
      expect(who).toBe("admin by password: patchUser");
      expect(person?.split("\n")).toHaveLength(3);
      expect(person).toMatch(/^\S+Z patchUser kim$/m);
      expect(Date.parse(when)).toBeGreaterThan(0);
      expect(where).toMatch(/^[\d.:a-f]+ [0-9a-f-]{36}$/);
      expect(before).toBe('[{"op":"replace","path":"/name/familyName","value":"Cherry","from":"Berry"}]\nBerry');
      expect([restored, back]).toEqual(["Berry", "kim\nuser"]);
      expect(feed?.split("\n").at(-1)).toBe("patchUser");
    },
    60_000,
  );

  test.skipIf(isMissing)(
    `the examples take back a change and a deletion; rehearsals and repeats do what they say (skipped without curl and ${shell})`,
    async () => {
      const documents = ["docs/undo.md", "docs/dry-run.md", "docs/retries.md"];
      const said = await run(shell, undoing, [firstRequest(), ...documents.flatMap((file) => blocksOf(file))]);
      const [, change, deletion, back, rehearsed, refused, repeated] = said;
      expect(change).toBe("false\ntrue");
      expect(deletion).toMatch(/^Dispatch [0-9a-f-]{36}$/m);
      expect(back).toBe("Dispatch\ninternal_user_mgt_list");
      expect(rehearsed).toMatch(/^HTTP\/1.1 201 .*^dry-run: true/ims);
      expect(refused).toMatch(/^HTTP\/1.1 404 .*^dry-run: true/ims);
      expect(repeated?.match(/^HTTP\/1.1 201/gim)).toHaveLength(2);
      expect(repeated?.match(/^idempotency-replayed: true/gim)).toHaveLength(1);
      // What was only rehearsed did not happen.
      const names = (await undoing.ask("GET", `${APPLICATIONS}?limit=100`)).text;
      expect([names.includes("Taxi stand"), names.includes("Rehearsed")]).toEqual([true, false]);
    },
    60_000,
  );
});

/** What each example prints. */
function run(shell: Shell, { url }: World, parts: readonly string[]): Promise<string[]> {
  return pasted(
    shell,
    parts.map((part) => part.replaceAll("http://127.0.0.1:3000", url)),
  );
}
