import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readDeployment } from "#core/settings/deployment.ts";
import { userStoreNames } from "#core/settings/user-stores.ts";

const store = (lines: string) => `[[user_store]]\n${lines}\n`;
const storesIn = (source: string) => readDeployment(source).userStores;

describe("what is valid", () => {
  test("stores in the order of the file, their names in upper case, PRIMARY before them", () => {
    const declared = storesIn(
      `${store('domain = "Second"\nkind = "dynamodb"')}${store('domain = "ACME.example"\nkind = "dynamodb"\ndescription = "Guests"')}`,
    );
    expect(declared).toEqual([
      { domain: "SECOND", kind: "dynamodb", description: "" },
      { domain: "ACME.EXAMPLE", kind: "dynamodb", description: "Guests" },
    ]);
    expect(userStoreNames(declared)).toEqual(["PRIMARY", "SECOND", "ACME.EXAMPLE"]);
    expect(userStoreNames([])).toEqual(["PRIMARY"]);
  });

  test("the commented section of the project's own file, with the comment marks taken away", async () => {
    const text = await readFile(new URL("../../../deployment.toml", import.meta.url), "utf8");
    const section = /^# \[\[user_store\]\]\n(?:# [^\n]+\n)+/m.exec(text)?.[0] ?? "";
    expect(storesIn(section.replaceAll(/^# /gm, ""))).toMatchObject([{ domain: "CONSULTANTS", kind: "dynamodb" }]);
    expect(storesIn(text)).toEqual([]);
  });
});

describe("what is refused, with the line and the key to change", () => {
  const good = 'domain = "SECOND"\nkind = "dynamodb"';
  test.each([
    [store('kind = "dynamodb"'), "user_store[number 1].domain: is required (line 1)"],
    [store('domain = "SECOND"'), 'user_store["SECOND"].kind: is required (line 1)'],
    [
      store('domain = "SECOND"\nkind = "dynamo"'),
      'user_store["SECOND"].kind: expected "dynamodb"; did you mean "dynamodb"? (line 3)',
    ],
    [store('domain = "SECOND"\nkind = 7'), 'user_store["SECOND"].kind: expected "dynamodb" (line 3)'],
    [
      store(`${good}\ndescripton = "x"`),
      'user_store["SECOND"]: unknown key "descripton" (did you mean "description"?)',
    ],
    [
      store(`${good}\ndescription = 1`),
      'user_store["SECOND"].description: Invalid input: expected string, received number (line 4)',
    ],
    [store('domain = "primary"\nkind = "dynamodb"'), 'user_store["primary"].domain: PRIMARY is always there'],
    [store('domain = "Internal"\nkind = "dynamodb"'), 'user_store["Internal"].domain: "INTERNAL" marks roles'],
    [
      `${store(good)}${store('domain = "second"\nkind = "dynamodb"')}`,
      'user_store["second"].domain: "SECOND" is used twice (line 5)',
    ],
    [
      '[user_store]\ntype = "database_unique_id"',
      "user_store: expected one or more [[user_store]], each with two brackets",
    ],
    ["[[user_stores]]", 'unknown key "user_stores" (did you mean "user_store"?)'],
  ])("%j", (source, message) => {
    expect(() => readDeployment(source)).toThrow(message);
  });

  test.each(["", "a/b", "a#b", "a@b", "a b", "_a", "a-", "\u00e4", "a".repeat(51)])("the domain %j", (domain) => {
    expect(() => readDeployment(store(`domain = "${domain}"\nkind = "dynamodb"`))).toThrow(
      /\.domain: expected up to 50/,
    );
  });
});
