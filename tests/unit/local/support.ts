/** A gateway with functions that return their events, and clients that send requests unchanged. */
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import type { APIGatewayProxyEventV2WithLambdaAuthorizer, Context } from "aws-lambda";
import { type Gateway, type GatewayOptions, startGateway } from "#local/gateway.ts";

/** An event as a function gets it. */
export type EchoedEvent = APIGatewayProxyEventV2WithLambdaAuthorizer<Record<string, unknown>>;

/** The result of an echoing function. */
export interface Echo {
  readonly service: string;
  readonly event: EchoedEvent;
}

/** A function that returns its name and its event. */
export const echo = (event: EchoedEvent, context: Context) => ({
  statusCode: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ service: context.functionName, event } satisfies Echo),
});

/** Authorises every request. */
export const permit = () => ({ isAuthorized: true, context: { decision: "allow" } });

/** The routes of the tests. */
export const routes = [
  { key: "ANY /a", service: "a" },
  { key: "ANY /a/{proxy+}", service: "a" },
  { key: "ANY /a/special/{proxy+}", service: "special" },
  { key: "ANY /t/{tenant}/a", service: "a" },
  { key: "ANY /t/{tenant}/a/{proxy+}", service: "a" },
  { key: "GET /a/only", service: "only" },
  { key: "ANY /scim2/{proxy+}", service: "a" },
  { key: "$default", service: "other" },
];

/** Starts a gateway of echoing functions on a free port; `parts` replace options. */
export const startEcho = (parts: Partial<GatewayOptions> = {}): Promise<Gateway> =>
  startGateway({
    port: 0,
    routes,
    authorizer: permit,
    functions: { a: echo, special: echo, only: echo, other: echo },
    onError: () => undefined,
    ...parts,
  });

/** A response. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request with `node:http`, which does not change the path. */
export const ask = (
  gateway: Gateway,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string | string[]>;
    readonly body?: string | Buffer;
  } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const sent = request({ host: "127.0.0.1", port: gateway.port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });

/** The event of a request. */
export const eventOf = async (...args: Parameters<typeof ask>): Promise<EchoedEvent> => {
  const { body } = await ask(...args);
  return (JSON.parse(body) as Echo).event;
};

/** Sends bytes. Returns all bytes until the connection closes. */
export const raw = (port: number, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });

/** A request line and headers, with `connection: close`. */
export const head = (line: string, ...headers: string[]): string =>
  [line, ...headers, "connection: close", "", ""].join("\r\n");

/** The body of a response from `raw`. */
export const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4);
