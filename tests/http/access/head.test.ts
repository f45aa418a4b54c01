/** HEAD on every GET of the catalogue: the status and headers of GET, with the length that its body has. */
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { ADMIN, basic, world } from "#tests/support/world.ts";

const api = world();

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

const raw = (method: string, path: string, authorization: string | undefined): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(api.url);
    const headers = authorization === undefined ? {} : { authorization };
    request({ hostname, port, method, path, headers }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    })
      .on("error", reject)
      .end();
  });

/** Headers that differ from request to request, as the secret of a new browser does, and a request that is sealed. */
const VARYING = ["date", "x-correlation-id", "apigw-requestid"];
const SECRET = /(?<=^__Host-sign-in=)[^;]+/;
const SEALED = /(?<=\?request=)[\w.-]+$/;
const stable = ({ "set-cookie": cookies, location, ...headers }: Raw["headers"]) => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING.includes(name))),
  location: typeof location === "string" ? location.replace(SEALED, "...") : location,
  cookies: [cookies ?? []].flat().map((cookie) => cookie.replace(SECRET, "...")),
});

const gets = (Object.keys(operations) as OperationId[]).filter((id) => operations[id]?.method === "GET");

describe.each(gets)("%s", (id) => {
  const path = (operations[id]?.path ?? "").replace(/\{\w+\}/g, "unknown");
  test.each([
    ["the administrator", basic(ADMIN)],
    ["no credential", undefined],
  ])("by HEAD has status, headers and length of GET, and no body: %s", async (_, authorization) => {
    const get = await raw("GET", path, authorization);
    const head = await raw("HEAD", path, authorization);
    expect(head.body).toBe("");
    expect([head.status, stable(head.headers)]).toEqual([get.status, stable(get.headers)]);
    expect(Number(head.headers["content-length"] ?? 0)).toBe(Buffer.byteLength(get.body));
  });
});

test("HEAD is refused where GET is", async () => {
  const head = await raw("HEAD", "/scim2/Bulk", basic(ADMIN));
  const get = await raw("GET", "/scim2/Bulk", basic(ADMIN));
  expect([head.status, head.headers.allow, head.headers["content-length"]]).toEqual([
    405,
    get.headers.allow,
    get.headers["content-length"],
  ]);
});
