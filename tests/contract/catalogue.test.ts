/** What holds for every operation of the catalogue, also for those that are declared tomorrow. */
import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { systemApis } from "#core/api-resources/system.ts";
import { routes, scopeTable } from "#core/catalogue/derive.ts";
import { operations, operationsOf } from "#core/catalogue/index.ts";
import { type Operation, PUBLIC } from "#core/catalogue/operation.ts";
import { type ServiceName, services } from "#core/catalogue/services.ts";
import { errorSchemas } from "#core/http/dialects.ts";
import { chooserOf } from "#local/gateway/routing.ts";
import { addUser } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const http = new URL("../http/", import.meta.url);
const testFiles = readdirSync(http, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(new URL(path, http), "utf8") }));
const api = world();
const choose = chooserOf(routes());
const every = Object.entries(operations);
const secured = every.filter(([, { scope }]) => scope !== PUBLIC);
const scopes = [...scopeTable(operations).keys()];
const password = "a long enough password";
const withAllBut = (scope: string) => ({ username: `all-but-${scope}`, password });
const withOnly = (scope: string) => ({ username: `only-${scope}`, password });
const ID = "00000000-0000-0000-0000-000000000000";
const pathOf = ({ path }: Operation) => path.replace(/\{\w+\}/g, ID);
const errorOf = ({ service }: Operation) => errorSchemas[services[service].dialect].strict();

beforeAll(async () => {
  for (const scope of scopes) {
    await addUser(api.service, { ...withAllBut(scope), scopes: scopes.filter((other) => other !== scope) });
    await addUser(api.service, { ...withOnly(scope), scopes: [scope] });
  }
  await addUser(api.service, { username: "roleless", password });
});

describe.each(every)("%s", (id, declared) => {
  test("has a test of its own over HTTP", () => {
    const wanted = `tests/http/<domain>/${id}.test.ts, or describe("${id}", ...) in a file there`;
    const isTested = testFiles.some(
      ({ path, text }) => path.endsWith(`/${id}.test.ts`) || text.includes(`describe("${id}"`),
    );
    expect(isTested ? wanted : "").toBe(wanted);
  });
  test("says where its requirement stands", () => expect(declared.source).toMatch(/operation|API|choice/));
  test.each(["", "/t/carbon.super"])("the gateway leads %j + its path to its function", (prefix) => {
    expect(choose(declared.method, `${prefix}${pathOf(declared)}`)?.route.service).toBe(declared.service);
  });
});

describe.each(secured)("%s", (_, declared) => {
  const ask = (as: Parameters<typeof api.ask>[2]) =>
    api.ask(declared.method, pathOf(declared), { ...as, ...(declared.body && { body: {} }) });

  test("401 without a credential, in the dialect of its path", async () => {
    const answer = await ask({ as: null });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm="[^"]+", charset="UTF-8"$/);
    expect(() => errorOf(declared).parse(answer.body)).not.toThrow();
  });
  test("403 with every scope but its own, and without any role", async () => {
    for (const as of [withAllBut(declared.scope), { username: "roleless", password }]) {
      const answer = await ask({ as });
      expect(answer.status).toBe(403);
      expect(() => errorOf(declared).parse(answer.body)).not.toThrow();
    }
  });
  test("not refused with exactly its own scope, and no status that it does not declare", async () => {
    const { status } = await ask({ as: withOnly(declared.scope) });
    expect([401, 403]).not.toContain(status);
    expect([declared.success.status, ...declared.failures]).toContain(status);
  });
});

describe("the functions", () => {
  test.each(Object.keys(services))("%s has exactly the operations that the catalogue gives it", async (service) => {
    const module = await import(new URL(`../../functions/${service}.ts`, import.meta.url).href);
    expect(module.operations).toEqual(operationsOf(service as ServiceName));
  });
  test("what anybody may call is this, and no more", () => {
    expect(every.filter(([, { scope }]) => scope === PUBLIC).map(([id]) => id)).toEqual(["getOpenApiDocument"]);
  });
});

describe("the routes", () => {
  test("what is literal wins over the inbound protocols of an application, in whichever order they stand", () => {
    const protocols = "/api/server/v1/applications/{applicationId}/inbound-protocols";
    const rivals = [protocols, `${protocols}/{proxy+}`].map((path) => ({ key: `ANY ${path}`, service: "rival" }));
    const own = routes().filter(({ key }) => !rivals.some((rival) => rival.key === key));
    for (const contest of [chooserOf([...own, ...rivals]), chooserOf([...rivals, ...own])]) {
      for (const end of ["", "/saml", "/a/b"]) {
        const serviceOf = (id: string) =>
          contest("GET", `/api/server/v1/applications/${id}/inbound-protocols${end}`)?.route.service;
        expect([serviceOf("meta"), serviceOf(ID)]).toEqual(["application-metadata", "rival"]);
      }
    }
  });
});

describe("the scopes", () => {
  test("are those of the spec and of the API resources", () => {
    expect(scopes).toEqual([
      "internal_api_resource_create",
      "internal_api_resource_delete",
      "internal_api_resource_update",
      "internal_api_resource_view",
      "internal_application_mgt_create",
      "internal_application_mgt_delete",
      "internal_application_mgt_update",
      "internal_application_mgt_view",
      "internal_organization_admin",
    ]);
  });
  test("of the system APIs have names and ids of their own, as the APIs have", () => {
    const all = systemApis.flatMap((api) => api.scopes);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(new Set([...systemApis, ...all].map(({ id }) => id)).size).toBe(systemApis.length + all.length);
  });
  test.each(scopes)("%s is in exactly one of the system APIs", (scope) => {
    const holders = systemApis.filter((api) => api.scopes.some(({ name }) => name === scope));
    expect(holders.map(({ identifier }) => identifier)).toHaveLength(1);
  });
});
