/** Paths below `/.well-known/` that do not exist are 404 for everybody, and what exists there stays as it is. */
import { beforeAll, describe, expect, test } from "vitest";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { PUBLIC } from "#core/kernel/operation/operation.ts";
import { services } from "#core/kernel/operation/services.ts";
import { operations } from "#core/service/catalogue.ts";
import { tableOf } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
beforeAll(() => bootstrapTenant(tableOf(api.service), "acme.com", { username: "boss", password: "a good password" }));

const mounts = Object.values(services).flatMap(({ mounts: all }) =>
  all.filter((one) => one.startsWith("/.well-known/")),
);
const published = Object.entries(operations).filter(([, { path }]) => path.startsWith("/.well-known/"));
const callers = [
  ["nobody", null],
  ["an administrator", basic(ADMIN)],
  ["a wrong password", basic({ username: "admin", password: "wrong" })],
  ["a token that is none", `Bearer at_${"x".repeat(43)}`],
] as const;

describe.each([...mounts, "/.well-known", "/.well-known/nothing"])("%s/nothing/such", (mount) => {
  test.each(callers)("is 404 for %s, also below a tenant", async (_, as) => {
    for (const prefix of ["", "/t/acme.com", "/t/unknown.example"]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const { status } = await api.ask(method, `${prefix}${mount}/nothing/such`, {
          as,
          ...(method === "POST" && { body: {} }),
        });
        expect([method, prefix, status]).toEqual([method, prefix, 404]);
      }
    }
  });
});

test("all operations there are public, which the rule rests on", () => {
  expect(published.length).toBeGreaterThan(4);
  expect(published.filter(([, { scope }]) => scope !== PUBLIC)).toEqual([]);
});

test.each([
  APPLICATIONS,
  `${APPLICATIONS}/nothing/such`,
  "/scim2/nothing",
  "/oauth2/nothing",
  "/oauth2/token/.well-known/nothing",
  "/scim2/.well-known/nothing",
  "/t/acme.com/scim2/Users",
  "/t/acme.com/api/server/v1/.well-known/nothing",
  "/ssf/nothing",
])("nothing else becomes open: %s is 401 without a credential", async (path) => {
  expect((await api.ask("GET", path, { as: null })).status).toBe(401);
});

describe("a rule of the operator", () => {
  const closed = world({
    deployment: '[[resource.access_control]]\ncontext = "/.well-known/(.*)"\nsecure = true\nhttp_method = "all"\n',
  });
  test("closes what is below, unknown paths too", async () => {
    const path = "/.well-known/oauth-protected-resource/nothing/such";
    expect((await closed.ask("GET", path, { as: null })).status).toBe(401);
    expect((await closed.ask("GET", path)).status).toBe(404);
  });
});
