/**
 * Rules with `secured = false`: contexts of every form, made from the paths of the catalogue. Each is refused at the
 * start, or opens only what is declared openable: no anonymous request reads anything of a tenant.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matcherOf } from "#core/kernel/operation/match.ts";
import { type Operation, PUBLIC } from "#core/kernel/operation/operation.ts";
import { operations } from "#core/service/catalogue.ts";
import type { LambdaFunction } from "#local/gateway.ts";
import { type RunningService, startService } from "#local/service.ts";
import { deployedFunctions } from "#tests/support/deployed.ts";
import { ADMIN, APPLICATIONS, basic } from "#tests/support/world.ts";

const RUNS = 120;

/** What the authorizer was asked, and what it decided: all that the function behind it learns from it. */
interface Asked {
  readonly event: Parameters<LambdaFunction>[0];
  readonly decision: string;
}

const catalogue: readonly Operation[] = Object.values(operations);
const find = matcherOf(operations);
const ANY_ID = "01a1fcb5-eb5d-70e7-9787-60a3d6f9978b";

let service: RunningService;
let directory = "";
/** The authorizer of the rule that is tested. */
let authorizer: LambdaFunction;
/** The event and the decision of the last request that the service sent to the authorizer. */
let asked: Asked | undefined;
/** Requests that were refused over HTTP, with the event and the decision of each. */
const refused = new Map<string, Asked>();
/** An application that exists: its data would show. */
let applicationId = "";
const deployed = deployedFunctions();
let environment: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "rules-"));
  service = await startService(
    {
      port: 0,
      mtlsPort: undefined,
      dataDirectory: undefined,
      administrator: ADMIN,
      endpoint: undefined,
      deploymentFile: undefined,
    },
    {},
    async (name, given) => {
      const handler = await deployed.load(name, given);
      if (name !== "authorizer") return handler;
      environment = given;
      authorizer = handler;
      return async (event, context) => {
        const decision = await authorizer(event, context);
        asked = { event, decision: JSON.stringify(decision) };
        return decision;
      };
    },
  );
  const created = await fetch(service.url + APPLICATIONS, {
    method: "POST",
    headers: { authorization: basic(ADMIN), "content-type": "application/json" },
    body: JSON.stringify({ name: "Seen", inboundProtocolConfiguration: { oidc: { grantTypes: ["password"] } } }),
  });
  applicationId = created.headers.get("location")?.split("/").at(-1) ?? "";
});
afterAll(async () => {
  await service.close();
  await deployed.close();
  await rm(directory, { recursive: true });
});

let files = 0;
/** Starts an authorizer with one open rule, as a deployment does. Returns why it was refused, if it was. */
const startWith = async (context: string, methods = "all"): Promise<string | undefined> => {
  files += 1;
  const file = join(directory, `${files}.toml`);
  const rule = `context = ${JSON.stringify(context)}\nhttp_method = "${methods}"\nsecured = false\n`;
  await writeFile(file, `[[resource.access_control]]\n${rule}`);
  const before = { ...process.env };
  Object.assign(process.env, environment, { DEPLOYMENT_TOML: file });
  try {
    const url = new URL(`../../../functions/authorizer.ts?rule=${files}`, import.meta.url).href;
    authorizer = ((await import(/* @vite-ignore */ url)) as { handler: LambdaFunction }).handler;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    Object.assign(process.env, before);
  }
};

const anonymous = async (method: string, path: string): Promise<{ status: number; text: string }> => {
  const body = ["GET", "HEAD", "DELETE"].includes(method) ? {} : { body: "{}" };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(service.url + path, { method, headers, redirect: "manual", ...body });
  return { status: answer.status, text: await answer.text() };
};

/** Whether an anonymous caller may get more than 401 under an open rule: judged by the router alone. */
const mayOpen = (method: string, path: string): boolean => {
  const found = find(method, decodeURIComponent(path).replace(/^\/t\/[^/]+/, ""));
  const declared =
    found.kind === "operation" ? catalogue.find((each) => each === operations[found.id as never]) : undefined;
  return declared?.scope === PUBLIC || declared?.openable === true;
};

const withIds = (path: string, id: string): string => path.replace(/\{\w+\}/g, id);

/** Requests for every operation: ids that exist, that do not, and that spell a literal segment. */
const requests = (): readonly (readonly [string, string])[] =>
  catalogue.flatMap(({ method, path }) => {
    const paths = [applicationId, "meta"].map((id) => withIds(path, id));
    return [...new Set(paths)].map((each) => [method, each] as const);
  });

/** Other spellings of the same requests. */
const respelled = (): readonly (readonly [string, string])[] =>
  catalogue.flatMap(({ method, path }) => {
    const own = withIds(path, applicationId);
    const spellings = [withIds(path, "Meta"), withIds(path, "resident"), `/t/carbon.super${own}`, `${own}/`];
    return spellings.map((each) => [method, each] as const);
  });

/**
 * Sends every request; returns those that were answered although a credential is needed. A request that was refused
 * before is sent again only where the authorizer decides otherwise now: the function behind it obeys the decision.
 */
const leaks = async (sent = requests()): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const [method, path] of sent) {
    if (mayOpen(method, path)) continue;
    const key = `${method} ${path}`;
    const before = refused.get(key);
    if (before && JSON.stringify(await authorizer(before.event, {} as never)) === before.decision) continue;
    asked = undefined;
    const { status } = await anonymous(method, path);
    if (status !== 401) found.push(`${key}: ${status}`);
    else if (asked) refused.set(key, asked);
  }
  return found;
};

describe("a literal path wins over an id, in rules as in the router:", () => {
  test.each([
    `${APPLICATIONS}/meta/inbound-protocols`,
    `${APPLICATIONS}/meta/(.*)`,
    `${APPLICATIONS}/meta/*`,
    `${APPLICATIONS}/META/(inbound-protocols|adaptive-auth-templates)`,
  ])("%s with secured = false opens metadata", async (context) => {
    expect(await startWith(context, "GET")).toBeUndefined();
    expect((await anonymous("GET", `${APPLICATIONS}/meta/inbound-protocols`)).status).toBe(200);
    expect((await anonymous("GET", `/t/carbon.super${APPLICATIONS}/meta/inbound-protocols`)).status).toBe(200);
    expect(await leaks([...requests(), ...respelled()])).toEqual([]);
  });
  test("the aliases of certificates are those of the path, whether there is such a tenant or not", async () => {
    expect(await startWith(`${APPLICATIONS}/meta/*`)).toBeUndefined();
    const at = (prefix: string) => anonymous("GET", `${prefix}${APPLICATIONS}/meta/inbound-protocols/ws-trust`);
    const alias = async (prefix: string) => JSON.parse((await at(prefix)).text).certificateAlias.options;
    expect(await alias("")).toEqual(await alias("/t/carbon.super"));
    expect(await alias("/t/Unknown.example")).toEqual(["unknown.example"]);
  });
  test.each([
    `${APPLICATIONS}/(.*)/inbound-protocols`,
    `${APPLICATIONS}/(meta|[0-9a-f-]+)/inbound-protocols`,
    `${APPLICATIONS}/${ANY_ID}/inbound-protocols`,
    `${APPLICATIONS}/*`,
  ])("%s with secured = false is refused", async (context) => {
    expect(await startWith(context)).toMatch(/would make \w+ \S+ public/);
  });
});

/** What a segment of a context may be instead of itself. */
const segment = (given: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(given.startsWith("{") ? ANY_ID : given) },
    fc.constantFrom("[^/]+", "(.*)", ".*", "meta", "resident", "me.a", given.toUpperCase()),
    fc.constantFrom(
      `(${given.replaceAll(/[{}]/g, "")}|meta)`,
      given.replace(/[a-z]/, (one) => `%${one.charCodeAt(0).toString(16)}`),
    ),
  );

/** A context made from a path: cut, with other segments, a prefix, another case, a tenant, or a slash at its end. */
const contexts = fc.constantFrom(...new Set(catalogue.map(({ path }) => path))).chain((path) => {
  const segments = path.slice(1).split("/");
  return fc
    .record({
      parts: fc.tuple(...segments.map(segment)),
      length: fc.oneof(
        { weight: 3, arbitrary: fc.constant(segments.length) },
        fc.integer({ min: 1, max: segments.length }),
      ),
      start: fc.constantFrom("/", "/", "/", "", "/t/carbon.super/", "/t/[^/]+/", ".*/", "(.*)/"),
      end: fc.constantFrom("", "", "/", "*", "/*", "(.*)", "/(.*)", "/?", "(/.*)?", "$"),
    })
    .map(({ parts, length, start, end }) => `${start}${parts.slice(0, length).join("/")}${end}`);
});

test("no open rule shows anything of a tenant", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(contexts, async (context) => {
      const refusal = await startWith(context);
      if (refusal === undefined) expect(await leaks(), context).toEqual([]);
      else expect(refusal, context).toMatch(/resource\.access_control number 1/);
    }),
    { numRuns: RUNS },
  );
});

/** Each path of the catalogue as it is, and with a pattern after each of its segments. */
const exhaustive = new Set(
  catalogue.flatMap(({ path }) => {
    const segments = withIds(path, ANY_ID).split("/");
    return [...segments.slice(1).map((_, at) => `${segments.slice(0, at + 2).join("/")}/(.*)`), segments.join("/")];
  }),
);

test("every path of the catalogue, cut after each segment, opens what is openable or is refused", {
  timeout: 300_000,
}, async () => {
  const opened: string[] = [];
  for (const context of exhaustive) if ((await startWith(context)) === undefined) opened.push(context);
  const literal = (path: string) => withIds(path, ANY_ID);
  for (const { method, path, openable } of catalogue) {
    const isAlone = catalogue.every((each) => each.path !== path || each.openable);
    if (openable && isAlone) expect(opened, `${method} ${path}`).toContain(literal(path));
  }
  for (const context of opened) {
    await startWith(context);
    expect(await leaks(), context).toEqual([]);
  }
});
