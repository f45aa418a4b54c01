/**
 * Paths that differ from a known one by letter case, slashes, a few letters or a missing beginning: 404 that names the
 * known path, for authenticated callers.
 */
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { matcherOf } from "#core/kernel/operation/match.ts";
import { nearestPathOf } from "#core/kernel/operation/nearest.ts";
import { familyOf } from "#core/kernel/operation/services.ts";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { ADMIN, basic, world } from "#tests/support/world.ts";

const api = world();
const match = matcherOf(operations);
const nearest = nearestPathOf(operations);
const paths = [...new Set((Object.keys(operations) as OperationId[]).map((id) => operations[id]?.path ?? ""))].sort();
/** A path with ids in place of parameters. */
const filled = (path: string): string => path.replace(/\{\w+\}/g, "an-id");

/** The ways in which callers misspell a path. */
const misspelt = (path: string): string[] => {
  const given = filled(path);
  const slashes = [...given.matchAll(/\//g)].map(({ index }) => `${given.slice(0, index)}/${given.slice(index)}`);
  const parts = given.split("/");
  const cases = parts.flatMap((part, at) =>
    part === "an-id"
      ? []
      : [part.toUpperCase(), part.toLowerCase(), part.replace(/[a-z]/, (letter) => letter.toUpperCase())].map((other) =>
          parts.with(at, other).join("/"),
        ),
  );
  const all = [...slashes, ...cases, given.toUpperCase().replaceAll("AN-ID", "an-id"), `${given}//`, `/${given}//`];
  return [...new Set(all)].filter((one) => one !== given && match("GET", one).kind === "none");
};

const raw = (path: string, authorization?: string): Promise<{ status: number; text: string; type: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    request({ hostname, port, path, headers: authorization === undefined ? {} : { authorization } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, text, type: answer.headers["content-type"] ?? "" }),
      );
    })
      .on("error", reject)
      .end();
  });
const HINT = "Did you mean ";

test.each(paths)("every misspelling of %s leads to a path that accepts the same segments", (path) => {
  const found = misspelt(path).map((wrong) => nearest(wrong));
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) expect(paths).toContain(one);
  // Another template can fit too, where this one has a parameter.
  if (!path.includes("{")) expect(new Set(found)).toEqual(new Set([path]));
});

describe.each(paths)("%s", (path) => {
  test("is named to the administrator who misspells it, and to no caller without a valid credential", async () => {
    const [first = "", ...others] = misspelt(path);
    for (const wrong of [first, others.at(-1) ?? first]) {
      const expected = nearest(wrong) ?? "";
      const known = await raw(wrong, basic(ADMIN));
      expect([known.status, known.text], wrong).toEqual([404, expect.stringContaining(`${HINT}${expected}?`)]);
      expect(known.type).toMatch(/json/);
      const stranger = await raw(wrong);
      expect([stranger.status, stranger.text.includes(HINT)]).toEqual([familyOf(wrong) ? 401 : 404, false]);
    }
  });
});

test("an invalid credential gets no hint", async () => {
  for (const authorization of [basic({ username: "admin", password: "wrong-one" }), "Bearer at_x", "Basic x"]) {
    for (const [path, status] of [
      ["/SCIM2/Users", 404],
      ["/scim2/users", 401],
    ] as const) {
      const answer = await raw(path, authorization);
      expect([answer.status, answer.text.includes(HINT)]).toEqual([status, false]);
    }
  }
});

test("the sentence is in the dialect of the path", async () => {
  const scim2 = await api.ask("GET", "/scim2/users");
  expect(scim2.body.detail).toContain(`${HINT}/scim2/Users?`);
  const scim1 = await api.ask("GET", "/svc/scim/users");
  expect(scim1.body.Errors[0].description).toContain(`${HINT}/svc/scim/Users?`);
  const management = await api.ask("GET", "/api/server/v1/Applications");
  expect(management.body.description).toContain(`${HINT}/api/server/v1/applications?`);
  expect((await api.ask("GET", "/oauth2/Token")).body.error_description).toContain(`${HINT}/oauth2/token?`);
});

test.each([
  ["/api/server/v1/aplications", "/api/server/v1/applications"],
  ["/api/server/v1/applicationz/x/inbound-protocol", "/api/server/v1/applications/{applicationId}/inbound-protocols"],
  ["/api/server/v2/applications", "/api/server/v1/applications"],
  ["/applications", "/api/server/v1/applications"],
  ["/scim2/User", "/scim2/Users"],
  ["/scim/Users/x", "/scim2/Users/{id}"],
  ["/Users", "/scim2/Users"],
  ["/v2/Roles", "/scim2/v2/Roles"],
  ["/oauth/token", "/oauth2/token"],
  ["/t/acme/scim2/Userz/x", "/t/{tenant}/scim2/Users/{id}"],
  ["/scim2/Users/a/b", undefined],
  [`/scim2/${"Users".repeat(20)}`, undefined],
])("%s was meant to be %s", (path, meant) => expect(nearest(path)).toBe(meant));

test("paths of a tenant lead to paths of a tenant", async () => {
  for (const path of ["/t/carbon.super/scim2/users", "/T/carbon.super/scim2/Users", "/t/carbon.super//scim2/Users"]) {
    expect((await raw(path, basic(ADMIN))).text).toContain(`${HINT}/t/{tenant}/scim2/Users?`);
  }
});

test.each([
  "/scim2//Users/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
  "/scim2//Users/%22%7D%2C%7B%22x",
  "/scim2/users/%E2%80%AEgnp",
  "/svc/scim//Users/Did%20you%20mean%20http:%2F%2Fevil.example",
])("%s: the hint repeats nothing that the caller sent", async (path) => {
  const { status, text } = await raw(path, basic(ADMIN));
  expect(status).toBe(404);
  expect(text).not.toMatch(/<script|alert|evil|gnp|"x/);
});

test.each([
  "/scim2/nothing",
  "/api/server/v1/apparitions-of",
  "/scim2/../scim2/users",
  "/scim2/users;x",
  "/favicon.ico",
])("%s is like no path: no hint", async (path) => {
  const { status, text } = await raw(path, basic(ADMIN));
  expect([status, text.includes(HINT)]).toEqual([404, false]);
});
