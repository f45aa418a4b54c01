/** The examples of docs that go on from the first request of README.md, run by the shell, curl and Node. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { APPLICATIONS, type World, world } from "#tests/support/world.ts";

const [changing, undoing] = [world(), world()];
const root = fileURLToPath(new URL("../../..", import.meta.url));
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
/** Between the output of two examples. */
const MARK = "@end-of-example";

const firstRequest = () => blocksOf("README.md").filter((block) => block.startsWith("api="))[0] ?? "";

test.skipIf(!hasCurl)(
  "the examples answer the questions of an auditor (skipped without curl)",
  async () => {
    const said = await run(changing, [firstRequest(), ...blocksOf("docs/changes.md")]);
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

test.skipIf(!hasCurl)(
  "the examples take back a change and a deletion; rehearsals and repeats do what they say (skipped without curl)",
  async () => {
    const documents = ["docs/undo.md", "docs/dry-run.md", "docs/retries.md"];
    const said = await run(undoing, [firstRequest(), ...documents.flatMap(blocksOf)]);
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

/** What each example prints. They end with code 0, without a word on standard error except empty lines. */
async function run({ url }: World, parts: readonly string[]): Promise<string[]> {
  const script = parts.map((part) => `${part}\necho "${MARK}"\n`).join("");
  const child = spawn("sh", ["-eu", "-c", script.replaceAll("http://127.0.0.1:3000", url)]);
  let [said, wrong] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    wrong += text;
  });
  const [code] = await once(child, "close");
  expect([code, wrong.trim()]).toEqual([0, ""]);
  return said.split(MARK).map((text) => text.trim());
}

function blocksOf(file: string): string[] {
  const text = readFileSync(`${root}/${file}`, "utf8");
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? "");
}
