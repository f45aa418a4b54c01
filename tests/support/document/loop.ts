/** Sends arbitrary requests of the document to a running service, and holds the responses against the document. */
import { request as open } from "node:http";
import fc from "fast-check";
import type { World } from "#tests/support/world.ts";
import { misfit, type Placed, placed, responseTo } from "./document.ts";
import { type Request, requestsOf } from "./requests.ts";
import { type Subjects, subjectsOf } from "./subjects.ts";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** What was found for one operation. */
export interface Findings {
  /** One line for each kind of problem, with the first request that showed it. */
  readonly problems: readonly string[];
  /** How many responses had each status. */
  readonly statuses: Readonly<Record<number, number>>;
}

const BOUNDARY = "boundary";
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

/** The bytes of a value in a media type. */
const encoded = (body: unknown, type: string): string => {
  if (/^application\/(?:[\w.+-]+\+)?json/.test(type)) return JSON.stringify(body) ?? "";
  const members: readonly (readonly [string, unknown])[] =
    typeof body === "object" && body !== null ? Object.entries(body) : [["a", body]];
  const text = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  if (type.startsWith("multipart/")) {
    const parts = members.map(
      ([name, value]) =>
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${encode(name)}"; filename="a.xml"\r\n\r\n${text(value)}\r\n`,
    );
    return `${parts.join("")}--${BOUNDARY}--\r\n`;
  }
  return members.map(([name, value]) => `${encode(name)}=${encode(text(value))}`).join("&");
};

/** Sends a request without changing its path: `fetch` would normalise dot segments. */
const send = (url: string, { method, path, headers, body }: Sent): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(body.length) };
    const { hostname, port } = new URL(url);
    const sending = open({ hostname, port, method, path, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sending.on("error", reject);
    sending.end(body);
  });

const prepare = async (request: Request, { path: template }: Placed, subjects: Subjects): Promise<Sent> => {
  const { method, params, query, type, body, raw, caller } = request;
  const filled = new Map<string, string>();
  for (const [name, value] of Object.entries(params)) filled.set(name, encode(await subjects.filled(value)));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => filled.get(name) ?? "");
  const search = query.length > 0 ? `?${query.join("&")}` : "";
  const credential = await subjects.credential(caller, template);
  const text = body === undefined ? undefined : encoded(body, type ?? "application/json");
  const bytes = raw ?? (text === undefined ? undefined : new TextEncoder().encode(await subjects.filled(text)));
  return {
    method,
    path: `${path}${search}`,
    headers: {
      ...request.headers,
      ...(credential !== undefined && { Authorization: credential }),
      ...(type !== undefined && {
        "Content-Type": type === "multipart/form-data" ? `${type}; boundary=${BOUNDARY}` : type,
      }),
    },
    ...(bytes && { body: bytes }),
  };
};

/** The templates that a path fits, the most literal first, as OpenAPI orders them. */
const templatesOf = (path: string): readonly string[] => {
  const segments = path.replace(/\/$/, "").split("/");
  const templates = [...new Set(placed.map(({ path: template }) => template))].filter((template) => {
    const parts = template.split("/");
    return parts.length === segments.length && parts.every((part, at) => part.startsWith("{") || part === segments[at]);
  });
  const rank = (template: string) => template.replace(/\{\w+\}/g, "\uffff");
  return templates.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
};

/** The operation that a sent request is for: a parameter may be the name of another path. */
const operationOf = ({ method, path }: Sent): Placed | undefined => {
  const [template] = templatesOf(decodeURIComponent(path.split("?", 1)[0] ?? ""));
  return placed.find((each) => each.path === template && each.method === method);
};

/** What is wrong with a response. */
const problemOf = (operation: Placed, request: Request, sent: Sent, reply: Reply): string | undefined => {
  const { status, headers, text } = reply;
  const actual = request.method === operation.method ? (operationOf(sent) ?? operation) : operation;
  const isForeign = request.method !== operation.method;
  if (status >= 500 && status !== 501) return `returns ${status}`;
  if (isForeign) return status >= 400 ? undefined : `returns ${status} to a method that it does not declare`;
  const declared = responseTo(actual, status);
  if (!declared) return `returns ${status}, which ${actual.id} does not declare`;
  if (status === 401 && headers["www-authenticate"] === undefined) return "returns 401 without WWW-Authenticate";
  if (status === 405 && headers.allow === undefined) return "returns 405 without Allow";
  for (const name of ["location", "etag"]) {
    const isDeclared = Object.keys(declared.headers ?? {}).some((header) => header.toLowerCase() === name);
    if (status < 300 && isDeclared !== (headers[name] !== undefined)) {
      return `returns ${status} ${isDeclared ? "without" : "with"} the header ${name}`;
    }
  }
  if (!declared.content) return text === "" ? undefined : `returns ${status} with a body, which is not declared`;
  const media = String(headers["content-type"] ?? "").split(";")[0] ?? "";
  const content = declared.content[media];
  if (!content) return `returns ${status} as "${media}", which is not declared`;
  if (!media.endsWith("json")) return undefined;
  const reason = misfit(content.schema, JSON.parse(text));
  return reason === undefined ? undefined : `returns ${status} with another body: ${reason}`;
};

/** Opens the loop on a service: it sends `runs` requests of an operation, the same for the same seed. */
export const newLoop = (api: World) => {
  const subjects = subjectsOf(api);
  return async (operation: Placed, { runs, seed }: { runs: number; seed: number }): Promise<Findings> => {
    const problems = new Map<string, string>();
    const statuses: Record<number, number> = {};
    for (const request of fc.sample(requestsOf(operation), { numRuns: runs, seed })) {
      const sent = await prepare(request, operation, subjects);
      const reply = await send(api.url, sent);
      statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
      if (reply.status < 300) subjects.forget(request, operation.path);
      const problem = problemOf(operation, request, sent, reply);
      if (problem === undefined || problems.has(problem)) continue;
      const { method, path, body = "" } = sent;
      const shown = `${method} ${path.slice(0, 300)} (${request.mutation}) ${Buffer.from(body).toString().slice(0, 600)}`;
      problems.set(problem, `seed ${seed}: ${problem}\n  ${shown}\n  ${reply.text.slice(0, 300)}`);
    }
    return { problems: [...problems.values()], statuses };
  };
};
