/**
 * The commands of README.md and docs run as they are written. Those that stand alone run here, by bash, curl, npm and
 * npx; a document that is in no test fails.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { blocksOf, has, pasted } from "#tests/support/pasted.ts";
import { project } from "#tests/support/patient.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const folder = mkdtempSync(join(tmpdir(), "commands-"));
for (const name of ["package.json", "packages", "node_modules"]) symlinkSync(join(project, name), join(folder, name));
afterAll(() => rmSync(folder, { recursive: true }));

/** Documents whose commands are for a stage on AWS. */
const deployed = ["docs/alarms.md", "docs/event-bus.md", "docs/operations.md", "docs/upgrading.md"];
/** Blocks of other documents that are not run here, by position: why. */
const left: Readonly<Record<string, string>> = {
  "docs/local.md 3": "needs an Identity Server: the commands of docs/guides/move-from-wso2.md",
  "docs/local.md 5": "needs the data of `npm start`",
  "docs/sign-in.md 2": "for a deployed stage: the request of tests/http/sign-in/codes.test.ts",
};

/** A document whose commands run here. */
interface Runnable {
  /** Makes what the document needs. */
  readonly before?: () => Promise<unknown>;
  /** The value of the placeholder `<id>` in each block. */
  readonly id?: () => Promise<string>;
  /** What each block prints. */
  readonly says: readonly RegExp[];
}
const runnable: Readonly<Record<string, Runnable>> = {
  "docs/command-line.md": {
    says: [
      /^Usage: identity-admin \[options\]/,
      /^users +200 +0$.*^aino\.abe .*^clientSecret: iacs_.*^Authorized Reports.*^Would update user aino\.abe\.$.*authorizeApi/ms,
    ],
  },
  "docs/concurrency.md": { says: [/^200\n.*"412".*\}412\n200$/s] },
  "docs/errors.md": { says: [/body\.nme is unknown: did you mean name\?/] },
  "docs/local.md": {
    before: async () => {
      const id = await api.create({ name: "Exported" });
      const { text } = await api.ask("GET", `${APPLICATIONS}/${id}/exportFile`, {
        headers: { accept: "application/xml" },
      });
      writeFileSync(join(folder, "app.xml"), text.replaceAll("Exported", "Imported"));
    },
    id: () => api.create({ name: "With CAS" }),
    says: [/"totalResults":1,.*"userName":"lee"/s, /"displayName":"CAS Configuration"/, /"name":"Imported"/],
  },
  "docs/moving-in.md": {
    before: async () => writeFileSync(join(folder, "people.csv"), "login,mail\nkora,kora@example.com\n"),
    says: [/people\.csv --map login=userName/, /^\d+ users? in people\.jsonl$/m],
  },
  "docs/scim-events.md": { says: [/"userName":"event1".*"sets":\{"/s] },
  "docs/searching.md": { says: [/"totalResults":\d+,.*"itemsPerPage":/] },
  "docs/settings-of-applications.md": { says: [/^HTTP\/1.1 400 .*body\.inboundProtocolConfig is unknown/s] },
  "docs/sign-in.md": { says: [/^Created application Cars .*^clientSecret: iacs_/ms, /"userName":"ada"/] },
  "docs/tenant-folder.md": { says: [/^\d+ files in tenant\.\nNo changes\.\nNo changes\.$/] },
  "docs/webhooks.md": {
    id: async () => (await api.ask("GET", "/api/server/v1/webhooks")).body.webhooks[0]?.id ?? "",
    says: [/"name":"Billing","status":"ACTIVE"/, /^(?!.*"code")/],
  },
  "packages/cli/README.md": { says: [/^name: admin$.*^user name .* files in tenant\.\nNo changes\.$/ms] },
};

test("every document with commands is here, in another test of this folder, or for a stage on AWS", () => {
  const below = (place: string) => readdirSync(join(project, place)).map((name) => `${place}/${name}`);
  const documents = [
    "README.md",
    ...[...below("docs"), ...below("docs/guides")].filter((name) => name.endsWith(".md")),
    ...below("packages").map((name) => `${name}/README.md`),
  ];
  const others = below("tests/http/documents")
    .filter((file) => !file.endsWith("/commands.test.ts"))
    .map((file) => readFileSync(join(project, file), "utf8"));
  const isThere = (document: string) =>
    document in runnable ||
    deployed.includes(document) ||
    // A test of its own names it. That of the guides reads their folder.
    others.some((text) => text.includes(`"${document}"`)) ||
    document.startsWith("docs/guides/");
  const commanding = documents.filter((each) => existsSync(join(project, each)) && blocksOf(each).length > 0);
  expect(commanding.length).toBeGreaterThan(25);
  expect(commanding.filter((document) => !isThere(document))).toEqual([]);
});

describe.skipIf(!has("curl"))("the commands (skipped without curl)", () => {
  test.each(Object.entries(runnable))(
    "of %s do what it says",
    { timeout: 120_000 },
    async (document, { before, id, says }) => {
      await before?.();
      const env = { IDENTITY_ADMIN_URL: api.url, XDG_CONFIG_HOME: folder, CI: "1" };
      const blocks = blocksOf(document).filter((_, at) => left[`${document} ${at + 1}`] === undefined);
      const said: string[] = [];
      for (const block of blocks) {
        const value = block.includes("<id>") ? ((await id?.()) ?? "") : "";
        const here = block.replaceAll("http://127.0.0.1:3000", api.url).replaceAll("<id>", value);
        said.push(...(await pasted("bash", [here], { cwd: folder, env })));
      }
      expect(said).toHaveLength(says.length);
      for (const [at, text] of said.entries()) expect(text).toMatch(says[at] ?? /never/);
      if (document === "docs/moving-in.md") {
        expect((await api.ask("GET", "/scim2/Users?filter=userName+eq+kora")).body.totalResults).toBe(1);
      }
    },
  );
});
