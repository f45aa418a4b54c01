/** The secrets of the directories of a deployment. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directoryStore } from "#tests/support/slapd.ts";
import { directoryPasswords, secretNameOf } from "../../../stacks/authorities.ts";
import { plan } from "../../../stacks/plan.ts";

test("there is one secret per variable that deployment.toml names, and none for the project's own file", async () => {
  const directory = await mkdtemp(join(tmpdir(), "identity-admin-api-test-"));
  const file = join(directory, "deployment.toml");
  const url = "ldaps://directory.example.com";
  await writeFile(file, `${directoryStore(url)}${directoryStore(url).replace("CORP", "OTHER")}`);
  expect(directoryPasswords(file)).toEqual(["DIRECTORY_PASSWORD"]);
  await rm(directory, { recursive: true });
  expect(directoryPasswords("deployment.toml")).toEqual([]);
});

test("the name of a secret is the variable in Pascal case", () => {
  expect(secretNameOf("CORP_DIRECTORY_PASSWORD")).toBe("CorpDirectoryPassword");
});

test("only the functions that read users get the passwords", () => {
  const names = Object.entries(plan).flatMap(([name, { needs }]) => (needs.includes("directories") ? [name] : []));
  expect(names.sort()).toEqual([
    "account",
    "account-recovery",
    "administration",
    "applications",
    "authorizer",
    "oauth2",
    "recovery",
    "scim1",
    "scim2",
    "sessions",
    "sign-in",
    "sso",
  ]);
});
