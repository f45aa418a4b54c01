/** A request's way through the gateway: limits, route, authorizer, function. */
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import { type Answer, functionAnswer, gatewayAnswer, tooLarge } from "./response.ts";
import { ClientGone, readBody } from "./body.ts";
import { authorizerEvent, type Door, type EventHead, eventHead, functionEvent, timesSent } from "./event.ts";
import { type Deployed, FunctionTimeout, invoke, type LambdaFunction, REQUEST_PAYLOAD_BYTES_MAX } from "./invoke.ts";
import { clientCertificate } from "./mtls.ts";
import { chooserOf, type GatewayRoute } from "./routing.ts";
import { HEAD_BYTES_MAX, headBytes, readTarget } from "./target.ts";

const FUNCTION_TIMEOUT_MS = 30_000;
const AUTHORIZER_TIMEOUT_MS = 10_000;

/** A failure that the gateway answers by itself. */
class GatewayFailure extends Error {
  readonly answer: Answer;
  constructor(answer: Answer, sentence: string, cause: unknown) {
    super(sentence, { cause });
    this.answer = answer;
  }
}

const AuthorizerAnswer = z.object({ isAuthorized: z.boolean(), context: z.record(z.string(), z.unknown()).nullish() });

/** An answer, with the request's id where it came as far as a route. */
export interface Reply {
  readonly answer: Answer;
  readonly requestId?: string;
}

/**
 * Everything between a request whose head node has read and an answer to send. Throws `ClientGone`; whatever else goes
 * wrong is an answer.
 */
export type Serve = (request: IncomingMessage, response: ServerResponse, door: Door) => Promise<Reply>;

/** What serving needs to know. */
export interface ServeOptions {
  readonly routes: readonly GatewayRoute[];
  /** Called first, for every request that a route takes. */
  readonly authorizer: LambdaFunction;
  /** The functions by the names that the routes have for them. */
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  /** Milliseconds; AWS's 30 and 10 seconds by default. */
  readonly timeouts?: { readonly functionMs?: number; readonly authorizerMs?: number };
  /** Told what made the gateway answer 500 or 503; writes to the console by default. */
  readonly onError?: (sentence: string, cause: unknown) => void;
}

/** Prepares the serving. Throws an `Error` for a route that is none, or that has no function. */
export function newServe(options: ServeOptions): Serve {
  const { routes, timeouts, onError = toConsole } = options;
  const choose = chooserOf(routes);
  const deployed = deploy(options);
  const authorizer: Deployed = {
    name: "authorizer",
    handler: options.authorizer,
    timeoutMs: timeouts?.authorizerMs ?? AUTHORIZER_TIMEOUT_MS,
  };

  const forward = async (head: EventHead, to: Deployed, body: Buffer): Promise<Answer> => {
    try {
      const context = await authorize(authorizer, head);
      if (context === false) return gatewayAnswer(403, "Forbidden");
      const event = JSON.stringify(functionEvent(head, body, context));
      if (Buffer.byteLength(event) > REQUEST_PAYLOAD_BYTES_MAX) return tooLarge("request.too_large", head.rawPath);
      return await call(to, event);
    } catch (failure) {
      if (!(failure instanceof GatewayFailure)) throw failure;
      onError(failure.message, failure.cause);
      return failure.answer;
    }
  };

  const serve: Serve = async (request, response, door) => {
    const target = readTarget(request.url ?? "");
    if (headBytes(request) > HEAD_BYTES_MAX) {
      return { answer: tooLarge("request.headers_too_large", target?.path ?? "/") };
    }
    if (!target || timesSent(request, "host") > 1) return { answer: gatewayAnswer(400, "Bad Request") };
    const clientCert = door.scheme === "https" ? clientCertificate(request) : undefined;
    if (door.scheme === "https" && !clientCert) return { answer: gatewayAnswer(403, "Forbidden") };
    const body = await readBody(request, response);
    if (!body) return { answer: tooLarge("request.too_large", target.path) };
    const chosen = choose(request.method ?? "", target.path);
    const to = chosen && deployed.get(chosen.route.key);
    if (!to) return { answer: gatewayAnswer(404, "Not Found") };
    const head = eventHead({ request, target, chosen, door, clientCert, body, nowMs: Date.now() });
    return { answer: await forward(head, to, body), requestId: head.requestContext.requestId };
  };

  return async (request, response, door) => {
    try {
      return await serve(request, response, door);
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      onError("a request could not be served", error);
      return { answer: gatewayAnswer(500, "Internal Server Error") };
    }
  };
}

function toConsole(sentence: string, cause: unknown): void {
  console.error(`gateway: ${sentence}:`, cause);
}

/** Each route with its function. Throws an `Error` for a route that has none. */
function deploy({ routes, functions, timeouts }: ServeOptions): ReadonlyMap<string, Deployed> {
  return new Map(
    routes.map(({ key, service }) => {
      const handler = Object.hasOwn(functions, service) ? functions[service] : undefined;
      if (!handler) throw new Error(`the route "${key}" leads to "${service}", and there is no such function`);
      return [key, { name: service, handler, timeoutMs: timeouts?.functionMs ?? FUNCTION_TIMEOUT_MS }];
    }),
  );
}

/** Asks the authorizer. Answers its context, or `false` for a refusal. */
async function authorize(authorizer: Deployed, head: EventHead): Promise<unknown> {
  try {
    const answer = AuthorizerAnswer.parse(await invoke(authorizer, JSON.stringify(authorizerEvent(head))));
    return answer.isAuthorized ? (answer.context ?? null) : false;
  } catch (cause) {
    throw new GatewayFailure(gatewayAnswer(500, "Internal Server Error"), "the authorizer failed", cause);
  }
}

async function call(deployed: Deployed, event: string): Promise<Answer> {
  try {
    return functionAnswer(await invoke(deployed, event));
  } catch (cause) {
    const answer =
      cause instanceof FunctionTimeout
        ? gatewayAnswer(503, "Service Unavailable")
        : gatewayAnswer(500, "Internal Server Error");
    throw new GatewayFailure(answer, `the function ${deployed.name} failed`, cause);
  }
}
