/**
 * The client of DynamoDB's JSON protocol for the calls that serve requests. It makes one attempt for a call: dynamo.ts
 * retries. What is rare, such as profiles or other partitions, is left to the AWS SDK (decision 0091).
 */
import { systemClock } from "../../../kernel/clock.ts";
import { type Access, type AccessOptions, type Environment, findAccess, knownAccess } from "./access.ts";
import type { CallName, Calls } from "./calls.ts";
import { type CancellationReason, DatabaseError, TransactionCancelled, UnreadableResponse } from "./errors.ts";
import { newSigner } from "./signing.ts";
import { traceHeaders } from "./trace.ts";
import { type HttpAnswer, HttpTransport, type Patience, type Transport } from "./transport.ts";
import { type Notation, storedNotation } from "./values.ts";

/** How the client reaches the database. */
export interface ClientOptions extends AccessOptions {
  /** The variables of the process: of a function, for its keys and its traces. */
  readonly environment?: Environment;
  /** What sends the calls. HTTP by default. */
  readonly transport?: Transport;
}

/** Calls DynamoDB. One object for each container. */
export interface DatabaseClient {
  /** How the values in the calls are written. */
  readonly notation: Notation;
  /**
   * One attempt. Throws `DatabaseError` for what DynamoDB refuses (`TransactionCancelled` with its reasons),
   * `CallTimeout`, and the errors of the network with their `code`.
   */
  call<Name extends CallName>(name: Name, input: Calls[Name]["input"]): Promise<Calls[Name]["output"]>;
}

/** What DynamoDB does not accept any more is a signature of that age. The SDK corrects its clock from here on. */
export const SKEW_MS = 240_000;

const VERSION = "DynamoDB_20120810";
const USER_AGENT = "identity-admin-api";

/** Opens the client of a container. */
export type OpenClient = (options: ClientOptions, patience?: Patience) => DatabaseClient;

/** Opens the lean client: it makes and signs each call itself. */
export function openClient(options: ClientOptions, patience?: Patience): DatabaseClient {
  const { environment = {}, transport = new HttpTransport(patience) } = options;
  const reach = (access: Access) => ({ access, sign: newSigner(access.region) });
  const known = knownAccess(options, environment);
  let reached = known && reach(known);
  // A container that starts has more processor time than its first request (decision 0074).
  if (known) transport.prepare?.(known.url);
  /** What DynamoDB's clock shows more than ours, where that matters. */
  let skewMs = 0;

  /** Whether a refusal was for our clock. It is corrected then. */
  const correctClock = (sentMs: number, { status, headers }: HttpAnswer): boolean => {
    const serverMs = Date.parse(String(headers.date));
    if (status < 400 || status >= 500 || Number.isNaN(serverMs) || headers.age !== undefined) return false;
    if (Math.abs(serverMs - sentMs) < SKEW_MS) return false;
    skewMs = serverMs - systemClock.now();
    return true;
  };

  return {
    notation: storedNotation,

    async call(name, input) {
      reached ??= reach(await findAccess(options, environment));
      const { access, sign } = reached;
      const found = access.credentials();
      const credentials = "then" in found ? await found : found;
      const atMs = systemClock.now() + skewMs;
      const body = JSON.stringify(input);
      const { url } = access;
      const headers = {
        ...sign({ url, target: `${VERSION}.${name}`, body, credentials, atMs }),
        ...traceHeaders(environment),
        "user-agent": USER_AGENT,
      };
      const answer = await transport.send({ url, headers, body });
      const parsed = parse(answer);
      if (answer.status === 200) return parsed as Calls[typeof name]["output"];
      throw failureOf(answer, parsed, correctClock(atMs, answer));
    },
  };
}

/** Throws `UnreadableResponse` for a response that changed on its way, and for one without a body. */
export function checkWhole({ status, headers, body }: HttpAnswer): void {
  const checksum = headers["x-amz-crc32"];
  if (checksum !== undefined && process.getBuiltinModule("node:zlib").crc32(body) !== Number(checksum)) {
    throw new UnreadableResponse("the checksum of the response is wrong", status);
  }
  if (body.length === 0) throw new UnreadableResponse("the response is empty", status);
}

/** The JSON of a response. Throws `UnreadableResponse` for anything else. */
function parse(answer: HttpAnswer): Readonly<Record<string, unknown>> {
  const { status, body } = answer;
  checkWhole(answer);
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new UnreadableResponse("the response is not JSON", status);
  }
}

interface Refusal {
  readonly __type?: string;
  readonly code?: string;
  readonly message?: string;
  readonly Message?: string;
  readonly CancellationReasons?: readonly CancellationReason[];
}

function failureOf({ status, headers }: HttpAnswer, refusal: Refusal | null, isClockCorrected: boolean): DatabaseError {
  const { __type, code, message, Message, CancellationReasons } = refusal ?? {};
  const name = nameIn(String(headers["x-amzn-errortype"] ?? code ?? __type ?? "UnknownError"));
  const said = message ?? Message ?? "";
  if (name === "TransactionCanceledException") return new TransactionCancelled(said, CancellationReasons ?? [], status);
  return new DatabaseError(name, said, status, isClockCorrected);
}

/** The name in a type such as `com.amazonaws.dynamodb.v20120810#ThrottlingException:http://...`. */
function nameIn(type: string): string {
  const [first = ""] = type.split(",");
  const [name = ""] = first.split(":");
  return name.slice(name.indexOf("#") + 1);
}
