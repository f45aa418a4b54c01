import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keysOf } from "#core/applications/protocols/kinds.ts";
import { claimsOn, isClaimed, readServicePattern, readServiceUrl } from "#core/applications/protocols/service-urls.ts";

const read = (text: string) => {
  const found = readServiceUrl(text);
  if ("problem" in found) throw new Error(found.problem);
  return found;
};

describe("serviceURL", () => {
  test.each([
    ["https://app.example.com", "https://app.example.com/"],
    ["https://APP.example.com:443/Login", "https://app.example.com/Login"],
    ["https://app.example.com/*", "https://app.example.com/*"],
    ["https://app.example.com:8443/a/b/*", "https://app.example.com:8443/a/b/*"],
    ["http://localhost:3000/cas", "http://localhost:3000/cas"],
  ])("%s claims %s", (text, claim) => expect(readServicePattern(text)).toEqual({ claim }));
  test.each([
    ["http://app.example.com/", "https"],
    ["https://app.example.com*", "* after a slash"],
    ["https://*", "must be an https address"],
    ["https://*.example.com/", "has a host"],
    ["https://app.example.com:*/", "must be an https address"],
    ["https://app.example.com/ap*", "* after a slash"],
    ["https://app.example.com/*/x", "at its end only"],
    ["https://app.example.com/**", "at its end only"],
    ["https://app.example.com/?a=*", "query"],
    ["https://app.example.com/x?a=b", "query"],
    ["https://app.example.com/../*", "dots"],
    ["https://app.example.com/%2e%2e/*", "dots"],
    ["https://user@app.example.com/*", "user name"],
    ["https://app.example.com/#/*", "fragment"],
    [`https://app.example.com/${"a/".repeat(30)}*`, "30 directories"],
    ["*", "must be an https address"],
    ["", "must be an https address"],
  ])("%j is refused", (text, problem) => {
    const found = readServicePattern(text);
    expect("problem" in found && found.problem).toContain(problem);
  });
});

describe("a service", () => {
  test("has the claims of its address and of its directories, the longest first", () => {
    expect(claimsOn(read("https://a.example/b/c?d=/e/"))).toEqual([
      "https://a.example/b/c",
      "https://a.example/b/*",
      "https://a.example/*",
    ]);
    expect(claimsOn(read("https://a.example/b/"))).toEqual([
      "https://a.example/b/",
      "https://a.example/b/*",
      "https://a.example/*",
    ]);
    expect(claimsOn(read(`https://a.example${"/b".repeat(200)}`))).toHaveLength(31);
  });
  test("is one of its claims, and of no other", () => {
    const part = fc.constantFrom("a", "b", "..", ".", "%2e", "%2F", "", "*", "a.b", "\\", "@evil.example", ";", "ü");
    const path = fc.array(part, { maxLength: 5 }).map((parts) => `https://app.example/${parts.join("/")}`);
    fc.assert(
      fc.property(path, path, (text, base) => {
        const service = readServiceUrl(text);
        if ("problem" in service) return;
        // What a browser opens is what was compared, and below the host.
        expect(new URL(text).href).toBe(service.href);
        expect(service.place).not.toMatch(/\/\.{1,2}(?:\/|$)|%2e|%2f|\\/i);
        expect(new URL(service.place).host).toBe("app.example");
        for (const claim of claimsOn(service)) expect(isClaimed(service, claim)).toBe(true);
        const other = readServicePattern(`${base}/*`);
        if ("problem" in other) return;
        expect(claimsOn(service).includes(other.claim)).toBe(isClaimed(service, other.claim));
      }),
    );
  });
});

test("the address of two kinds of one application is claimed once", () => {
  const kind = (name: string, serviceURL: string) => ({
    ...{ name, configName: name, engine: "cas" as const },
    properties: [{ key: "serviceURL", value: serviceURL }],
  });
  const custom = { cas: kind("cas", "https://app.example/*"), cas3: kind("cas3", "https://app.example/*") };
  expect(keysOf({ custom }).map(({ kind: of, value }) => [of, value])).toEqual([["CAS", "https://app.example/*"]]);
  const others = { ...custom, cas3: kind("cas3", "https://app.example/b/*") };
  expect(keysOf({ custom: others })).toHaveLength(2);
});
