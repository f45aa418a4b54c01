/** A function obeys the decision of the authorizer; without a valid decision it refuses every request. */
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { applicationOperations } from "#core/applications/management/contract.ts";
import { applicationHandlers } from "#core/applications/management/handlers.ts";
import { type Decision, readDecision, toContext } from "#core/http/decision.ts";
import { lambda } from "#core/http/lambda.ts";
import { Fault, type FaultName, faults } from "#core/kernel/faults.ts";

const principal = {
  kind: "user",
  tenant: "carbon.super",
  subject: "1",
  username: "admin",
  userStore: "PRIMARY",
} as const;
const handler = lambda({
  service: "applications",
  operations: applicationOperations,
  handlers: applicationHandlers,
  stores: () => {
    throw new Error("a store was opened");
  },
});
const call = async (authorizer: unknown, method = "GET", rawPath = "/api/server/v1/applications") => {
  const event = {
    rawPath,
    rawQueryString: "",
    headers: {},
    requestContext: {
      http: { method, sourceIp: "127.0.0.1" },
      domainName: "api.example",
      ...(authorizer !== undefined && { authorizer }),
    },
  } as unknown as APIGatewayProxyEventV2;
  const answer = await handler(event, {} as Context);
  return { status: answer.statusCode, headers: answer.headers ?? {}, body: JSON.parse(answer.body || "{}") };
};
const allow = (operation: string) => ({ lambda: { decision: "allow", operation, ...principal } });

describe("returns 401 without a valid decision:", () => {
  test.each<[string, unknown]>([
    ["no authorizer", undefined],
    ["an authorizer without context", {}],
    ["null", { lambda: null }],
    ["a text", { lambda: "allow" }],
    ["an empty context", { lambda: {} }],
    ["an unknown decision", { lambda: { ...allow("listApplications").lambda, decision: "permit" } }],
    ["a boolean", { lambda: { ...allow("listApplications").lambda, decision: true } }],
    ["no tenant", { lambda: { ...allow("listApplications").lambda, tenant: "" } }],
    ["no subject", { lambda: { ...allow("listApplications").lambda, subject: undefined } }],
    ["another kind of caller", { lambda: { ...allow("listApplications").lambda, kind: "machine" } }],
    ["an application without its id", { lambda: { ...allow("listApplications").lambda, kind: "client" } }],
    ["a JWT authorizer's context", { jwt: { claims: { sub: "admin" } } }],
    [
      "a refusal for a reason that is none",
      {
        lambda: { decision: "refuse", operation: "", fault: "application.not_found", description: "x", challenge: "" },
      },
    ],
    [
      "a refusal named after Object's members",
      { lambda: { decision: "refuse", operation: "", fault: "constructor", description: "x", challenge: "" } },
    ],
  ])("%s", async (_, authorizer) => {
    const { status, headers, body } = await call(authorizer);
    expect([status, body.code]).toEqual([401, "401"]);
    expect(headers["www-authenticate"]).toMatch(/^Basic/);
  });
});

describe("returns 403 for a decision about another operation:", () => {
  test.each([
    ["deleteApplication", "GET", "/api/server/v1/applications"],
    ["listApplications", "DELETE", "/api/server/v1/applications/1"],
    ["", "GET", "/api/server/v1/applications"],
    ["constructor", "GET", "/api/server/v1/applications"],
  ])("%s for %s %s", async (operation, method, path) => {
    expect((await call(allow(operation), method, path)).status).toBe(403);
  });
  test("a public decision does not open an operation that needs a scope", async () => {
    const open = { lambda: { decision: "public", operation: "listApplications" } };
    expect((await call(open)).status).toBe(403);
    expect((await call({ lambda: { decision: "public", operation: "" } }, "GET", "/api/server/v1/x")).status).toBe(403);
  });
});

test("executes the operation that the decision allows", async () => {
  expect((await call(allow("listApplications"))).body).toMatchObject({ code: "SE-50000" });
});

describe("a decision is the same after the gateway:", () => {
  test.each<[string, Decision]>([
    ["allow", { decision: "allow", operation: "x", principal }],
    ["with scopes", { decision: "allow", operation: "x", principal, scopes: ["a", "b"] }],
    [
      "an application",
      {
        decision: "allow",
        operation: "x",
        principal: { kind: "client", tenant: "carbon.super", subject: "client", applicationId: "1" },
      },
    ],
    ["public", { decision: "public", operation: "x" }],
  ])("%s", (_, decision) => {
    expect(readDecision(JSON.parse(JSON.stringify(toContext(decision))))).toEqual(decision);
  });
  test.each(Object.entries(faults).filter(([, row]) => row.refusal))("refuse: %s", (name) => {
    const fault = new Fault(name as FaultName, "because");
    const read = readDecision(toContext({ decision: "refuse", operation: "", fault }));
    expect(read.decision === "refuse" && [read.fault.fault, read.fault.description]).toEqual([name, "because"]);
  });
});

test("a code and its message determine the status", () => {
  const statuses = new Map<string, number>();
  for (const { code, message, status } of Object.values(faults)) {
    const seen = `${code} ${message}`;
    expect(statuses.get(seen) ?? status, seen).toBe(status);
    statuses.set(seen, status);
  }
});
