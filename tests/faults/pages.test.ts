/** HTML pages with 502 and 503 in place of DynamoDB's JSON: trouble that passes. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Client, newClient } from "./client.ts";
import { newLedger } from "./ledger.ts";
import { type FaultyService, startFaultyService } from "./service.ts";

/** More than the SDK repeats by itself. */
const PAGES = 12;

let service: FaultyService;
let client: Client;
beforeAll(async () => {
  service = await startFaultyService(1);
  client = newClient(service, newLedger());
});
afterEach(() => service.proxy.calm());
afterAll(() => service.close());

/** The next calls get pages. */
const nextPages = (count: number): void => {
  let left = count;
  service.proxy.rule(() => {
    left -= 1;
    return left >= 0 ? "page" : "none";
  });
};

test.each([
  ["a read", "GET", "/scim2/Users", undefined, 200],
  ["a write", "POST", "/scim2/Users", { userName: "pages" }, 201],
])("%s succeeds when the pages end", async (_, method, path, body, status) => {
  nextPages(PAGES);
  const reply = await client.send(method, path, { body });
  expect([reply.status, reply.text.slice(0, 200)]).toEqual([status, expect.anything()]);
});

test.each([
  ["the authorizer", 0],
  ["the function", 1],
])("pages that do not end for %s make a 503 with Retry-After", async (_, isFunction) => {
  const isWrite = /^(TransactWrite|Put|Update|Delete)Item/;
  service.proxy.rule(({ operation }) => (!isFunction || isWrite.test(operation) ? "page" : undefined));
  const reply = await client.send("POST", "/scim2/Users", { body: { userName: "endless" } });
  expect([reply.status, reply.headers.has("retry-after")]).toEqual([503, true]);
});
