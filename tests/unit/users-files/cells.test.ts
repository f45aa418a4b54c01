/** CSV files of users: every value comes back as it was, and passwords are never changed. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { marked, recordsOf, unmarked } from "#cli/users/sources.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "cells-"));
});
afterAll(() => rm(directory, { recursive: true }));

const firstOf = async (...lines: readonly string[]) => {
  const file = join(directory, "users.csv");
  await writeFile(file, lines.join("\n"));
  for await (const { fields } of recordsOf("csv", file)) return Object.fromEntries(fields);
  return undefined;
};

describe("the mark of formulas", () => {
  test("comes off as it went on, for any text", () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^['=+@\-\t\r]{1,3}[a-z]{0,3}$/));
    fc.assert(fc.property(texts, (text) => unmarked("title", marked("title", text)) === text));
  });

  test.each(["=1+1", "+1", "-1", "@a", "\tx", "\rx", "'x"])("is before %j", (cell) => {
    expect(marked("title", cell)).toBe(`'${cell}`);
  });

  test.each(["password", "Password", "passwordHash", "user.secret"])("is never in the column %s", (column) => {
    expect([marked(column, "=1"), unmarked(column, "'=1")]).toEqual(["=1", "'=1"]);
  });
});

describe("the cells of a file", () => {
  test("keep blanks in quotes, and lose those outside", async () => {
    expect(await firstOf("userName , password,title", ' kim ," a secret ","\'=1"')).toEqual({
      userName: ["kim"],
      password: [" a secret "],
      title: ["=1"],
    });
  });

  test("may be empty between tabs", async () => {
    expect(await firstOf("userName\ttitle\tdisplayName", "kim\t\t Kim ")).toEqual({
      userName: ["kim"],
      displayName: ["Kim"],
    });
    expect(await firstOf("userName\ttitle\tdisplayName", "kim\tBoss\t")).toEqual({
      userName: ["kim"],
      title: ["Boss"],
    });
  });

  test("keep a password that begins like a marked formula", async () => {
    expect(await firstOf("userName,password", "kim,'=secret")).toEqual({ userName: ["kim"], password: ["'=secret"] });
  });
});
