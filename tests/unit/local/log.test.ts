/** The log of the local service: one line for each request, with what was asked, by whom, and why it was refused. */
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { readableLog } from "#local/log.ts";
import { addUser } from "#tests/support/people.ts";
import { world } from "#tests/support/world.ts";

const lines: string[] = [];
const collector = () =>
  new Writable({
    write(chunk, _, done) {
      lines.push(String(chunk).trimEnd());
      done();
    },
  });
const requestLine = { traceId: "t", method: "GET", path: "/scim2/Users", status: 200, durationMs: 4.71, user: "kim" };

test("a request is one line, with what its function recorded", () => {
  lines.length = 0;
  const { stream, answered } = readableLog(collector(), false);
  const record = { _aws: {}, traceId: "t", service: "scim2", operation: "listUsers", status: "200", RoundTrips: 3 };
  stream.write(`${JSON.stringify({ ...record, service: "authorizer" })}\n`);
  stream.write(`${JSON.stringify(record)}\n`);
  expect(lines).toEqual([]);
  answered(requestLine);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} {2}200 {2}GET {5}\/scim2\/Users {2}listUsers {2}4\.7 ms {2}3 round trips {2}kim$/,
  );
});

test("a refused sign-in is one line with its reason, and a missing scope is named", () => {
  lines.length = 0;
  const { stream, answered } = readableLog(collector(), false);
  const event = { level: "WARN", event: "sign-in-failed", traceId: "t", reason: "password" };
  stream.write(`${JSON.stringify(event, null, 4)}\n`);
  for (const service of ["authorizer", "scim2"]) {
    stream.write(`${JSON.stringify({ _aws: {}, service, traceId: "t", fault: "auth.unauthenticated" })}\n`);
  }
  answered({ ...requestLine, status: 401 });
  stream.write(
    `${JSON.stringify({ _aws: {}, service: "authorizer", traceId: "u", neededScope: "internal_user_mgt_list" })}\n`,
  );
  answered({ ...requestLine, traceId: "u", status: 403 });
  expect(lines.map((line) => line.split("  ").at(-1))).toEqual([
    "wrong password",
    "needs the scope internal_user_mgt_list",
  ]);
});

test("other lines stay as they are, and records stay records where they are asked for", () => {
  lines.length = 0;
  const { stream, answered } = readableLog(collector(), false);
  stream.write("plain\n");
  stream.write('{"level":"ERROR","message":"delivery defect"}\n');
  answered({ ...requestLine, traceId: undefined, user: undefined, path: `/\u001b[31m${"x".repeat(200)}` });
  expect(lines[0]).toBe("plain");
  expect(lines[1]).toBe('{"level":"ERROR","message":"delivery defect"}');
  expect(lines[2]).toContain("no credential");
  expect(lines[2]).not.toContain("\u001b");
  const whole = readableLog(collector(), true);
  whole.stream.write('{"_aws":{},"traceId":"t"}\n');
  whole.answered(requestLine);
  expect(lines.slice(3)).toEqual(['{"_aws":{},"traceId":"t"}']);
});

test("a run of deliveries is one line where it has delivered something", () => {
  lines.length = 0;
  const { stream } = readableLog(collector(), false);
  for (const EventsDelivered of [0, 2])
    stream.write(`${JSON.stringify({ _aws: {}, service: "mail", EventsDelivered, DeliveryFailures: 0 })}\n`);
  expect(lines).toEqual(["mail  2 delivered"]);
});

test("records of requests that are never answered do not pile up", () => {
  lines.length = 0;
  const { stream, answered } = readableLog(collector(), false);
  for (let at = 0; at < 3_000; at += 1)
    stream.write(`${JSON.stringify({ _aws: {}, traceId: `t${at}`, fault: "gone" })}\n`);
  answered({ ...requestLine, traceId: "t0", status: 500 });
  answered({ ...requestLine, traceId: "t2999", status: 500 });
  expect(lines.map((line) => line.endsWith("gone"))).toEqual([false, true]);
});

const api = world();
test("the line of a real request has its path without parameters", async () => {
  await addUser(api.service, { username: "narrow", password: "a-long-password", scopes: [] });
  const answer = await api.ask("GET", "/scim2/Users?filter=secret", {
    as: { username: "narrow", password: "a-long-password" },
  });
  expect([answer.status, answer.headers.get("x-correlation-id")]).toEqual([403, expect.any(String)]);
});
