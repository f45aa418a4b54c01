/** What a browser gets that opens an address of its own: a page, where programs get JSON. */
import { describe, expect, test } from "vitest";
import { signInOperations } from "#core/sign-in/flow/contract.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const open = async (path: string, headers: Record<string, string> = { accept: BROWSER }) => {
  const answer = await fetch(`${api.url}${path}`, { headers, redirect: "manual" });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const declared = Object.values(signInOperations) as readonly { method: string; path: string; media?: string }[];
const gets = new Set(declared.filter(({ method }) => method === "GET").map(({ path }) => path));
const forms = declared.filter(({ method, media, path }) => method === "POST" && media === "form" && !gets.has(path));

describe.each(forms)("the address of a form: $path", ({ path }) => {
  test.each(["", "/t/carbon.super"])("is a page for a browser: %s", async (prefix) => {
    const { status, headers, text } = await open(prefix + path);
    expect([status, headers.get("allow"), headers.get("vary")]).toEqual([405, "POST", "accept"]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(text).toContain("Go back to the application and sign in again.");
    expect(text).not.toContain("supports POST");
  });
  test("is JSON for a program", async () => {
    const { status, text } = await open(path, {});
    expect([status, JSON.parse(text).error]).toEqual([405, "invalid_request"]);
  });
});

test("there are forms", () => expect(forms.length).toBeGreaterThan(8));

describe("an unknown address", () => {
  test.each([
    ["en", "There is no such page"],
    ["de", "Diese Seite gibt es nicht"],
  ])("is a page for a browser: %s", async (language, title) => {
    const { status, headers, text } = await open("/no/such/<script>", { accept: BROWSER, "accept-language": language });
    expect([status, headers.get("vary")]).toEqual([404, "accept"]);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).not.toContain("script>");
  });
  test.each(["*/*", "application/json", ""])("is JSON for %s", async (accept) => {
    const { status, text } = await open("/no/such", accept === "" ? {} : { accept });
    expect([status, JSON.parse(text).code]).toEqual([404, "404"]);
  });
  test("of an API stays JSON, and asks for a credential", async () => {
    const { status, text } = await open("/scim2/nothing");
    expect([status, JSON.parse(text).status]).toEqual([401, "401"]);
  });
});
