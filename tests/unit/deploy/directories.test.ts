/** The secrets that the directories of a deployment need. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryStore } from "#tests/support/slapd.ts";
import { directoryPasswords, secretNameOf } from "../../../stacks/directories.ts";
import { plan } from "../../../stacks/plan.ts";

test("one for each variable that deployment.toml names; the project's own names none", async () => {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-test-"));
  const file = join(directory, "deployment.toml");
  const url = "ldaps://directory.example.com";
  await writeFile(file, `${directoryStore(url)}${directoryStore(url).replace("CORP", "OTHER")}`);
  expect(directoryPasswords(file)).toEqual(["DIRECTORY_PASSWORD"]);
  await rm(directory, { recursive: true });
  expect(directoryPasswords("deployment.toml")).toEqual([]);
});

test("its name is the variable's in the form of secrets", () => {
  expect(secretNameOf("CORP_DIRECTORY_PASSWORD")).toBe("CorpDirectoryPassword");
});

test("it is for the functions that deal with users, and for no others", () => {
  const asking = Object.entries(plan).flatMap(([name, { needs }]) => (needs.includes("directories") ? [name] : []));
  expect(asking.sort()).toEqual(["applications", "authorizer", "oauth2", "scim1", "scim2"]);
});
