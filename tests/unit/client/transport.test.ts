/** What the client sends and does about answers, against a server that plays the answers of a script. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type ClientOptions, client, type Fault, isFault } from "#client/client.ts";

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Ends the connection in place of an answer. */
  readonly breaks?: true;
}

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Plays the answers in order; the last one for every further request. */
const playing = async (...script: readonly (Answer | ((seen: Seen) => Answer))[]) => {
  const seen: Seen[] = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
    seen.push(one);
    const step = script[Math.min(seen.length, script.length) - 1] ?? {};
    const answer = typeof step === "function" ? step(one) : step;
    if (answer.breaks) {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(answer.body === undefined ? "" : JSON.stringify(answer.body));
  });
  await new Promise<void>((listening) => server?.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, url };
};

const password = { username: "kim", password: "geheim-ü" };
const opened = (url: string, more: Partial<ClientOptions> = {}) => client({ url, credentials: password, ...more });
const failure = async (act: Promise<unknown>): Promise<Fault> => {
  const error = await act.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isFault(error)) throw new Error(`no fault: ${error}`);
  return error;
};
/** A temporary failure that the client may repeat at once. */
const busy = (status: number): Answer => ({ status, headers: { "retry-after": "0.001" }, body: {} });

describe("what a request looks like", () => {
  test("method, path, parameters, body and credential", async () => {
    const { seen, url } = await playing({ status: 201, headers: { location: "/t/acme.com/x/a%20b?c", etag: '"7"' } });
    const api = opened(`${url}/`, { tenant: "acme.com", headers: { "user-agent": "tests" } });
    const reply = await api.request("PATCH /api/server/v1/applications/{applicationId}", {
      params: { applicationId: "a/b c" },
      body: { description: "x" },
      dryRun: true,
      ifMatch: '"6"',
      idempotencyKey: "one",
    });
    expect(reply).toMatchObject({ status: 201, id: "a b", etag: '"7"', body: undefined, dryRun: false });
    const [one] = seen;
    expect([one?.method, one?.url]).toEqual(["PATCH", "/t/acme.com/api/server/v1/applications/a%2Fb%20c?dryRun=true"]);
    expect(one?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from("kim:geheim-ü").toString("base64")}`,
      "content-type": "application/json",
      "if-match": '"6"',
      "idempotency-key": '"one"',
      "user-agent": "tests",
    });
    expect(JSON.parse(one?.body ?? "")).toEqual({ description: "x" });
  });
  test("parameters that are undefined are left out, and false is sent", async () => {
    const { seen, url } = await playing({ body: { Resources: [] } });
    await opened(url).send("GET", "/scim2/Users", { query: { filter: undefined, count: 0, x: false } });
    expect(seen[0]?.url).toBe("/scim2/Users?count=0&x=false");
  });
  test.each(["", ".", "..", undefined])("the segment %j of a path is refused before anything is sent", async (id) => {
    const { seen, url } = await playing({});
    await expect(opened(url).users.get(id as string)).rejects.toThrow(TypeError);
    expect(() => opened(url).request("DELETE /scim2/Users/{id}", { params: { id: id as string } })).toThrow(TypeError);
    expect(seen).toEqual([]);
  });
  test("a partial user is a PATCH of SCIM, and a PATCH stays as it is", async () => {
    const { seen, url } = await playing({ body: {} });
    await opened(url).users.update("1", { active: false });
    await opened(url).users.update("1", { Operations: [{ op: "remove", path: "title" }] });
    const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
      { schemas, Operations: [{ op: "replace", value: { active: false } }] },
      { schemas, Operations: [{ op: "remove", path: "title" }] },
    ]);
    expect(seen[0]?.headers["content-type"]).toBe("application/json");
  });
});

describe("options that cannot be used", () => {
  const cases: readonly (readonly [string, ClientOptions, RegExp])[] = [
    ["no URL", { url: "localhost", credentials: password }, /not a URL/],
    ["another protocol", { url: "ftp://localhost", credentials: password }, /http\(s\) origin/],
    ["a user in the URL", { url: "https://kim@localhost", credentials: password }, /without a user name/],
    ["clear text", { url: "http://identity.example.com", credentials: password }, /clear text/],
    ["a tenant twice", { url: "https://x.com/t/a.com", tenant: "b.com", credentials: password }, /one of them/],
    ["a colon", { url: "https://x.com", credentials: { username: "a:b", password: "c" } }, /colon/],
  ];
  test.each(cases)("%s", (_, options, message) => {
    expect(() => client(options)).toThrow(message);
  });
  test("clear text is sent where it is allowed", () => {
    expect(client({ url: "http://x.example.com", credentials: password, allowHttp: true }).url).toBe(
      "http://x.example.com",
    );
  });
});

describe("temporary failures", () => {
  test.each([429, 502, 503, 504, 409])("%i with Retry-After is repeated with the same key", async (status) => {
    const { seen, url } = await playing(busy(status), busy(status), { body: { id: "7" } });
    expect(await opened(url).users.create({ userName: "kim" })).toMatchObject({ id: "7" });
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
  });
  test("each call has a key of its own; a GET has none", async () => {
    const { seen, url } = await playing({ body: {} });
    const api = opened(url);
    await api.users.create({ userName: "a" });
    await api.users.create({ userName: "a" });
    await api.users.get("1");
    const [first, second, third] = seen.map(({ headers }) => headers["idempotency-key"]);
    expect(first).not.toBe(second);
    expect(third).toBeUndefined();
  });
  test("a broken connection is repeated", async () => {
    const { seen, url } = await playing({ breaks: true }, { body: { id: "7" } });
    expect(await opened(url).users.get("7")).toEqual({ id: "7" });
    expect(seen).toHaveLength(2);
  });
  test("after all attempts the last answer is the fault", async () => {
    const { seen, url } = await playing({ ...busy(503), body: { code: "X-1", description: "Busy." } });
    const fault = await failure(opened(url, { attempts: 3 }).users.get("7"));
    expect(fault).toMatchObject({ kind: "failed", status: 503, code: "X-1", detail: "Busy." });
    expect(seen).toHaveLength(3);
  });
  test("an address without a service is unreachable", async () => {
    const { url } = await playing({});
    server?.close();
    server?.closeAllConnections();
    const fault = await failure(opened(url, { attempts: 2 }).users.get("7"));
    expect(fault).toMatchObject({ kind: "unreachable", status: 0, route: "GET /scim2/Users/7" });
    expect(fault.message).toContain(`${url} cannot be reached`);
  });
  test("an answer that does not come is given up", async () => {
    const { seen, url } = await playing({ status: 200 });
    server?.removeAllListeners("request");
    server?.on("request", () => seen.push({ method: "", url: "", headers: {}, body: "" }));
    const fault = await failure(opened(url, { attempts: 2, timeoutMs: 50 }).users.get("7"));
    expect(fault.kind).toBe("unreachable");
    expect(seen).toHaveLength(2);
  });
  test("a signal ends the request, also between attempts", async () => {
    const { seen, url } = await playing({ status: 503, headers: { "retry-after": "10" } });
    const controller = new AbortController();
    const asked = opened(url).send("GET", "/scim2/Users", { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 100);
    await expect(asked).rejects.toThrow("enough");
    expect(seen).toHaveLength(1);
  });
});

describe("faults", () => {
  const dialects: readonly (readonly [string, number, unknown, Partial<Fault>])[] = [
    [
      "the management API",
      409,
      { code: "APP-60007", message: "Conflict", description: "The name is taken.", traceId: "t-1" },
      { kind: "conflict", code: "APP-60007", detail: "The name is taken.", traceId: "t-1" },
    ],
    [
      "SCIM 2.0",
      400,
      { schemas: [], status: "400", scimType: "invalidFilter", detail: "The filter ends early." },
      { kind: "invalid", code: "invalidFilter", scimType: "invalidFilter", detail: "The filter ends early." },
    ],
    ["SCIM 1.1", 404, { Errors: [{ description: "No such user.", code: "404" }] }, { kind: "notFound", code: "404" }],
    [
      "OAuth",
      401,
      { error: "invalid_client", error_description: "No." },
      { kind: "unauthenticated", code: "invalid_client", detail: "No." },
    ],
    ["AuthZEN", 400, "No operation has this path.", { kind: "invalid", detail: "No operation has this path." }],
    ["a gateway", 403, { message: "Forbidden" }, { kind: "forbidden", detail: "Forbidden" }],
    ["an entity tag", 412, { detail: "Changed." }, { kind: "changed" }],
    ["an operation that is missing", 501, { detail: "Not here." }, { kind: "invalid" }],
  ];
  test.each(dialects)("%s", async (_, status, body, expected) => {
    const { url } = await playing({ status, body });
    expect(await failure(opened(url).users.get("7"))).toMatchObject({
      status,
      route: "GET /scim2/Users/7",
      ...expected,
    });
  });
  test("a body that is no JSON has the words of the status", async () => {
    const { url } = await playing({ status: 404, headers: { "x-correlation-id": "c-1" } });
    expect(await failure(opened(url).users.get("7"))).toMatchObject({ detail: "Not Found", traceId: "c-1" });
  });
  test("they tell no credential, and no parameter", async () => {
    const { url } = await playing({ status: 400, body: { detail: "No." } });
    const fault = await failure(opened(url).send("GET", "/scim2/Users", { query: { filter: "secret" } }));
    expect(JSON.stringify({ ...fault, message: fault.message, stack: fault.stack })).not.toMatch(/geheim|secret|Basic/);
    expect(isFault(fault, "invalid")).toBe(true);
    expect(isFault(fault, "conflict")).toBe(false);
    expect(isFault(new Error("x"))).toBe(false);
  });
});

describe("tokens of a client", () => {
  const credentials = { clientId: "a b:ü", clientSecret: "s%+", scope: ["one", "two"] };
  const issuing = (lifetime: number) => {
    let issued = 0;
    return (seen: Seen): Answer => {
      if (seen.url !== "/oauth2/token") return { body: {} };
      issued += 1;
      return { body: { access_token: `t${issued}`, expires_in: lifetime } };
    };
  };
  test("one token serves requests at the same time, and later ones", async () => {
    const { seen, url } = await playing(issuing(3_600));
    const api = client({ url, credentials });
    await Promise.all([api.users.get("1"), api.users.get("2"), api.token()]);
    await api.users.get("3");
    const [first, ...others] = seen;
    expect(first).toMatchObject({ method: "POST", url: "/oauth2/token" });
    expect(Object.fromEntries(new URLSearchParams(first?.body))).toEqual({
      grant_type: "client_credentials",
      scope: "one two",
    });
    const [name = "", secret = ""] = Buffer.from(first?.headers.authorization?.slice(6) ?? "", "base64")
      .toString()
      .split(":");
    expect([name, secret].map((text) => decodeURIComponent(text.replaceAll("+", " ")))).toEqual(["a b:ü", "s%+"]);
    expect(others.map(({ headers }) => headers.authorization)).toEqual(["Bearer t1", "Bearer t1", "Bearer t1"]);
  });
  test("an expired one is renewed before it is sent", async () => {
    const { seen, url } = await playing(issuing(0));
    const api = client({ url, credentials });
    await api.users.get("1");
    await api.users.get("2");
    expect(seen.map(({ headers }) => headers.authorization?.split(" ")[1]?.slice(0, 2))).toEqual([
      expect.any(String),
      "t1",
      expect.any(String),
      "t2",
    ]);
  });
  test("one that the service refuses is renewed once", async () => {
    const issue = issuing(3_600);
    const { seen, url } = await playing((one) =>
      one.headers.authorization === "Bearer t1" ? { status: 401, body: {} } : issue(one),
    );
    const api = client({ url, credentials });
    await Promise.all([api.users.get("1"), api.users.get("2")]);
    expect(seen.filter(({ url: path }) => path === "/oauth2/token")).toHaveLength(2);
    const { seen: never, url: closed } = await playing((one) =>
      one.url === "/oauth2/token" ? { body: { access_token: "x" } } : { status: 401, body: { detail: "No." } },
    );
    expect((await failure(client({ url: closed, credentials }).users.get("1"))).kind).toBe("unauthenticated");
    expect(never).toHaveLength(4);
  });
  test("a refusal is a fault, and is asked again by the next request", async () => {
    const { seen, url } = await playing(
      { status: 401, body: { error: "invalid_client", error_description: "Wrong." } },
      { body: { access_token: "t2" } },
      { body: {} },
    );
    const api = client({ url, credentials });
    expect(await failure(api.users.get("1"))).toMatchObject({ kind: "unauthenticated", route: "POST /oauth2/token" });
    await api.users.get("1");
    expect(seen).toHaveLength(3);
  });
  test("an answer without a token is a fault", async () => {
    const { url } = await playing({ body: { token_type: "Bearer" } });
    expect((await failure(client({ url, credentials }).token())).detail).toBe("The answer has no access token.");
  });
});

describe("tokens of the program", () => {
  test("a text is sent, and a refusal is final", async () => {
    const { seen, url } = await playing({ status: 401, body: { detail: "The access token expired" } });
    const api = client({ url, credentials: { token: "abc" } });
    expect((await failure(api.users.get("1"))).detail).toBe("The access token expired");
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer abc"]);
    expect(await api.token()).toBe("abc");
  });
  test("a function is asked once, and again after a refusal", async () => {
    const refusedTokens: (string | undefined)[] = [];
    const { seen, url } = await playing((one) =>
      one.headers.authorization === "Bearer n1" ? { status: 401, body: {} } : { body: {} },
    );
    const api = client({
      url,
      credentials: {
        token: async (refused) => {
          refusedTokens.push(refused);
          return `n${refusedTokens.length}`;
        },
      },
    });
    await api.users.get("1");
    await api.users.get("2");
    expect(refusedTokens).toEqual([undefined, "n1"]);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer n1", "Bearer n2", "Bearer n2"]);
  });
  test("a password has no token", async () => {
    expect(await opened("http://127.0.0.1:1").token()).toBeUndefined();
  });
});
