/** Which clients belong to a sector of pairwise subjects. */
import { describe, expect, test } from "vitest";
import type { Application } from "#core/applications/registry/model.ts";
import type { SignInContext } from "#core/sign-in/flow/context.ts";
import { checkSector, readSector } from "#core/sign-in/flow/sectors.ts";

const DOCUMENT = "https://sector.example/list.json";

const check = (listed: readonly string[] | undefined, redirectUri: string, subject: object = {}) => {
  const application = {
    inbound: { oidc: { subject: { subjectType: "pairwise", sectorIdentifierUri: DOCUMENT, ...subject } } },
  } as unknown as Application;
  const asked: string[] = [];
  const at = async (address: string) => {
    asked.push(address);
    return listed;
  };
  const context = { tools: { sectors: { at } } } as unknown as SignInContext;
  const done = checkSector({ application, to: { redirectUri, mode: "query" } }, context);
  return done.then(
    () => ({ asked, error: undefined }),
    (error: Error) => ({ asked, error: error.message }),
  );
};

describe("checkSector", () => {
  test("takes an address that the document lists", async () => {
    const listed = ["https://a.example/back", "https://b.example/back", "http://127.0.0.1/back"];
    for (const address of ["https://b.example/back", "http://127.0.0.1:5000/back"]) {
      expect(await check(listed, address)).toEqual({ asked: [DOCUMENT], error: undefined });
    }
  });
  test("refuses any other, and takes no expression of a document", async () => {
    for (const listed of [[], ["https://a.example/back/"], ["regexp=.*"], ["https://a.example"]]) {
      expect((await check(listed, "https://a.example/back")).error).toContain("does not list the redirect_uri");
    }
    expect((await check(undefined, "https://a.example/back")).error).toContain("cannot be read");
  });
  test("asks nobody for public subjects, and where there is no document", async () => {
    expect(await check([], "https://a.example/back", { subjectType: "public" })).toEqual({ asked: [] });
    expect(await check([], "https://a.example/back", { sectorIdentifierUri: "" })).toEqual({ asked: [] });
  });
});

test.each([
  "",
  "{}",
  "[1]",
  "null",
  '{"0": "https://a.example"}',
  JSON.stringify(Array(201).fill("https://a.example")),
])("readSector reads lists of texts, not %j", (text) => {
  expect(readSector(text)).toBeUndefined();
  expect(readSector('["https://a.example/back"]')).toEqual(["https://a.example/back"]);
});
