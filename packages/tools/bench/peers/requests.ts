/** The requests that all servers get, and how they are sent. */
import { Agent, request as httpRequest } from "node:http";

/** What is measured, in the order of the report. */
export const cases = {
  readUser: "read one user, by JWT",
  readUserByBasic: "read one user, by Basic",
  createUser: "create a user, by JWT",
  changeUser: "change a user, by JWT",
  pageOfUsers: "a page of 100 of 2,000 users, by JWT",
  tokenJwt: "token by client credentials, JWT",
  tokenOpaque: "token by client credentials, opaque",
  createApplication: "create an application, by JWT",
  listApplications: "list 30 of 1,187 applications, by JWT",
} as const;

export type CaseId = keyof typeof cases;

export const USERS = 2_000;
export const APPLICATIONS = 1_187;
export const PAGE = 100;
export const APPLICATIONS_SHOWN = 30;

/** One request. */
export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the text of a form. */
  readonly body?: unknown;
}

/** A server of the comparison. */
export interface Peer {
  readonly name: string;
  readonly url: string;
  readonly cpuMs: () => number;
  readonly memoryMb: () => ReadonlyMap<string, number>;
  /** The cases that the server has, each with its n-th request. Numbers are never used twice. */
  readonly requests: Readonly<Partial<Record<CaseId, (n: number) => PeerRequest>>>;
  readonly stop: () => Promise<void>;
}

/** A response. */
export interface PeerAnswer {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

/** Sends a request. Throws an `Error` for a status other than 2xx. */
export type Send = (sent: PeerRequest) => Promise<PeerAnswer>;

/**
 * Sends requests to one server while `during` runs, over connections that stay open so long: servers close those that
 * have nothing to do for a while.
 */
export async function sending<R>(url: string, during: (send: Send) => Promise<R>): Promise<R> {
  const agent = new Agent({ keepAlive: true });
  try {
    return await during(sender(url, agent));
  } finally {
    agent.destroy();
  }
}

function sender(url: string, agent: Agent): Send {
  const { hostname, port } = new URL(url);
  const send: Send = (sent) =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = sent;
      const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
      const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
      const options = { agent, hostname, port, method, path, headers: { ...headers, ...length } };
      const sending = httpRequest(options, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part)).once("error", reject);
        response.once("end", () => {
          const answer = {
            status: response.statusCode ?? 0,
            location: response.headers.location,
            text: Buffer.concat(parts).toString(),
          };
          if (answer.status >= 200 && answer.status < 300) resolve(answer);
          else reject(new Error(`${method} ${url}${path} returned ${answer.status}: ${answer.text.slice(0, 500)}`));
        });
      });
      sending.once("error", (error) => {
        // A server may close a connection that has waited just when it is used again.
        const isClosed = sending.reusedSocket && "code" in error && error.code === "ECONNRESET";
        if (isClosed) send(sent).then(resolve, reject);
        else reject(error);
      });
      sending.end(text);
    });
  return send;
}

/** Sends requests `first` to `first + count - 1`, `width` at a time. */
export async function sendMany(count: number, width: number, send: (n: number) => Promise<unknown>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n).values();
  const lane = async (): Promise<void> => {
    for (const n of numbers) await send(n);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

/** Headers of a request with a bearer token and a JSON body. */
export function bearer(token: string, type = "application/json"): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, accept: type, "content-type": type };
}

/** Headers of a form that a client sends. */
export function formOf(clientId: string, clientSecret: string): Readonly<Record<string, string>> {
  return {
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
    "content-type": "application/x-www-form-urlencoded",
  };
}

/** The users of all servers, by a number: with the attributes that identity hubs send. */
export function scimUser(n: number | string) {
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: `driver.${n}`,
    externalId: `hr-${n}`,
    displayName: `Driver ${n}`,
    name: { givenName: "Kim", familyName: `Nakamura ${n}` },
    emails: [{ value: `driver.${n}@taxis.example.com`, type: "work", primary: true }],
    active: true,
  };
}
