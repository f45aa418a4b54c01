/** What commands read from arguments and files, and what they print on a terminal. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { callerOf } from "#cli/frame/frame.ts";
import { objectIn, objectOf } from "#cli/frame/input.ts";
import { outputOf, progressOf } from "#cli/frame/output.ts";
import { forEach } from "#cli/report.ts";
import { temporaryFolder } from "#tests/support/tenant-folder.ts";

afterEach(() => vi.restoreAllMocks());
const printed = (stream: NodeJS.WriteStream): string[] => {
  const texts: string[] = [];
  vi.spyOn(stream, "write").mockImplementation((text) => texts.push(String(text)) > 0);
  return texts;
};

describe("input", () => {
  test.each(["password=abc", "clientSecret=abc", "inboundProtocolConfiguration.oidc.clientSecret=abc", "PASSWORD=abc"])(
    "%s is no argument: it is a secret",
    (setting) => {
      expect(() => objectOf([setting])).toThrow(/is a secret, and arguments appear in the shell history/);
      expect(() => objectOf([setting])).not.toThrow(/abc/);
    },
  );
  test("has a place for everything else", () => {
    expect(objectOf(["title=Driver", "name.givenName=Kim"])).toEqual({ title: "Driver", name: { givenName: "Kim" } });
  });
  test("a file is a text of YAML or JSON", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "body.json");
    await writeFile(file, '\uFEFF{"title": "Driver"}\r\n');
    expect(await objectIn(file)).toEqual({ title: "Driver" });
    await expect(objectIn(folder)).rejects.toThrow(`${folder} is a folder`);
    await writeFile(file, Buffer.from("title: caf\u00e9", "latin1"));
    await expect(objectIn(file)).rejects.toThrow(/body\.json is neither JSON nor YAML: the text is not UTF-8/);
    await writeFile(file, "title: &a\n  b: *a\n");
    await expect(objectIn(file)).rejects.toThrow(/nested more than 100 levels deep/);
  });
  test("an empty tenant is a mistake, not the tenant of the caller", async () => {
    const environment = { IDENTITY_ADMIN_TOKEN: "x", XDG_CONFIG_HOME: await temporaryFolder() };
    await expect(callerOf({ tenant: "" }, environment)).rejects.toThrow("--tenant is empty");
    expect((await callerOf({}, { ...environment, IDENTITY_ADMIN_TENANT: "" })).tenant).toBeUndefined();
  });
});

test("JSON does not control a terminal, and means the same", () => {
  const texts = printed(process.stdout);
  const value = { "a\u009b31m": "\u001b[31m\u202e\u{e0041}\n caf\u00e9 \u{1f600}" };
  outputOf({ json: true }).value(value);
  outputOf({ json: true }).line("", value);
  for (const text of texts) {
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(text)).toEqual(value);
  }
  expect(texts[0]).toContain("caf\u00e9 \u{1f600}");
});

describe("progress without a terminal", () => {
  test("is a line for each tenth of the work, also of one that goes on", () => {
    const lines = printed(process.stderr);
    const progress = progressOf("apply", 40, { done: 20 });
    for (let count = 0; count < 20; count += 1) progress.add();
    expect(lines).toEqual([24, 28, 32, 36, 40].map((done) => `apply ${done}/40\n`));
  });
  test("is a line for every 500 where the end is not known", () => {
    const lines = printed(process.stderr);
    const progress = progressOf("read", undefined);
    for (let count = 0; count < 26; count += 1) progress.add(40);
    expect(lines).toEqual(["read 520\n", "read 1000\n"]);
  });
  test("is shown for files, and not where nobody wants it", async () => {
    const lines = printed(process.stderr);
    const items = Array.from({ length: 10 }, (_, at) => at);
    await forEach("import", items, async (item) => item, { isQuiet: true });
    expect(lines).toEqual([]);
    expect(await forEach("import", items, async (item) => item)).toEqual(items);
    expect(lines).toHaveLength(10);
  });
});
