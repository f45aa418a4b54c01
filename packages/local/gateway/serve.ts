/** Handles a request: limits, route, authorizer, function. */
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import { ClientGone, readBody } from "./body.ts";
import { authorizerEvent, type EventHead, eventHead, functionEvent, type Listener, timesSent } from "./event.ts";
import { type Deployed, FunctionTimeout, invoke, type LambdaFunction, REQUEST_PAYLOAD_BYTES_MAX } from "./invoke.ts";
import { clientCertificate } from "./mtls.ts";
import { functionResponse, type GatewayResponse, gatewayResponse, tooLarge } from "./response.ts";
import { type GatewayRoute, routeMatcher } from "./routing.ts";
import { HEAD_BYTES_MAX, headBytes, readTarget } from "./target.ts";

const FUNCTION_TIMEOUT_MS = 30_000;
const AUTHORIZER_TIMEOUT_MS = 10_000;

/** The longest that a request takes after its body: the time limits of the authorizer and the function. */
export function longestMs({ timeouts }: Pick<ServeOptions, "timeouts">): number {
  return (timeouts?.authorizerMs ?? AUTHORIZER_TIMEOUT_MS) + (timeouts?.functionMs ?? FUNCTION_TIMEOUT_MS);
}

/** A failure that gets a response of the gateway itself. */
class GatewayFailure extends Error {
  readonly answer: GatewayResponse;
  constructor(answer: GatewayResponse, message: string, cause: unknown) {
    super(message, { cause });
    this.answer = answer;
  }
}

const AuthorizerResult = z.object({ isAuthorized: z.boolean(), context: z.record(z.string(), z.unknown()).nullish() });

/** A response, with the request id if a route matched. */
export interface Served {
  readonly answer: GatewayResponse;
  readonly requestId?: string;
}

/** Serves a request whose head node has parsed. Throws `ClientGone`; every other failure is a response. */
export type Serve = (request: IncomingMessage, response: ServerResponse, listener: Listener) => Promise<Served>;

/** The options of serving. */
export interface ServeOptions {
  readonly routes: readonly GatewayRoute[];
  /** Invoked before the function, for every request with a route. */
  readonly authorizer: LambdaFunction;
  /** The functions by their names in the routes. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  /** Milliseconds; AWS's 30 and 10 seconds by default. */
  readonly timeouts?: { readonly functionMs?: number; readonly authorizerMs?: number };
  /** Called with the cause of a 500 or 503 of the gateway. Writes to the console by default. */
  readonly onError?: (message: string, cause: unknown) => void;
}

/** Prepares serving. Throws an `Error` for an invalid route, or one without a function. */
export function newServe(options: ServeOptions): Serve {
  const { routes, timeouts, onError = toConsole } = options;
  const match = routeMatcher(routes);
  const deployed = deploy(options);
  const authorizer: Deployed = {
    name: "authorizer",
    handler: options.authorizer,
    timeoutMs: timeouts?.authorizerMs ?? AUTHORIZER_TIMEOUT_MS,
  };

  const forward = async (head: EventHead, to: Deployed, body: Buffer, isOpen: boolean): Promise<GatewayResponse> => {
    try {
      const context = isOpen ? null : await authorize(authorizer, head);
      if (context === false) return gatewayResponse(403, "Forbidden");
      const event = JSON.stringify(functionEvent(head, body, context));
      if (Buffer.byteLength(event) > REQUEST_PAYLOAD_BYTES_MAX) return tooLarge("request.too_large", head.rawPath);
      return await call(to, event);
    } catch (failure) {
      if (!(failure instanceof GatewayFailure)) throw failure;
      onError(failure.message, failure.cause);
      return failure.answer;
    }
  };

  const serve: Serve = async (request, response, listener) => {
    const target = readTarget(request.url ?? "");
    if (headBytes(request) > HEAD_BYTES_MAX) {
      return { answer: tooLarge("request.headers_too_large", target?.path ?? "/") };
    }
    if (!target || timesSent(request, "host") > 1) return { answer: gatewayResponse(400, "Bad Request") };
    const clientCert = listener.scheme === "https" ? clientCertificate(request) : undefined;
    if (listener.scheme === "https" && !clientCert) return { answer: gatewayResponse(403, "Forbidden") };
    const body = await readBody(request, response);
    if (!body) return { answer: tooLarge("request.too_large", target.path) };
    const matched = match(request.method ?? "", target.path);
    const to = matched && deployed.get(matched.route.key);
    if (!to) return { answer: gatewayResponse(404, "Not Found") };
    const head = eventHead({ request, target, matched, listener, clientCert, body, nowMs: Date.now() });
    return {
      answer: await forward(head, to, body, matched.route.isOpen === true),
      requestId: head.requestContext.requestId,
    };
  };

  return async (request, response, listener) => {
    try {
      return await serve(request, response, listener);
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      onError("a request could not be served", error);
      return { answer: gatewayResponse(500, "Internal Server Error") };
    }
  };
}

function toConsole(message: string, cause: unknown): void {
  console.error(`gateway: ${message}:`, cause);
}

/** The function of each route key. Throws an `Error` for a route without a function. */
function deploy({ routes, functions, timeouts }: ServeOptions): ReadonlyMap<string, Deployed> {
  return new Map(
    routes.map(({ key, service }) => {
      const handler = Object.hasOwn(functions, service) ? functions[service] : undefined;
      if (!handler) throw new Error(`the route "${key}" names the function "${service}", which does not exist`);
      return [key, { name: service, handler, timeoutMs: timeouts?.functionMs ?? FUNCTION_TIMEOUT_MS }];
    }),
  );
}

/** Invokes the authorizer. Returns its context, or `false` for a refusal. */
async function authorize(authorizer: Deployed, head: EventHead): Promise<unknown> {
  try {
    const result = AuthorizerResult.parse(await invoke(authorizer, JSON.stringify(authorizerEvent(head))));
    return result.isAuthorized ? (result.context ?? null) : false;
  } catch (cause) {
    throw new GatewayFailure(gatewayResponse(500, "Internal Server Error"), "the authorizer failed", cause);
  }
}

async function call(deployed: Deployed, event: string): Promise<GatewayResponse> {
  try {
    return functionResponse(await invoke(deployed, event));
  } catch (cause) {
    const answer =
      cause instanceof FunctionTimeout
        ? gatewayResponse(503, "Service Unavailable")
        : gatewayResponse(500, "Internal Server Error");
    throw new GatewayFailure(answer, `the function ${deployed.name} failed`, cause);
  }
}
