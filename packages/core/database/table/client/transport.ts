/** HTTP to DynamoDB, over connections that stay open. An attempt that stays without an answer ends in its time. */
import type { Agent, ClientRequest, IncomingMessage, request as Requesting } from "node:http";
import { CallTimeout } from "./errors.ts";

/** One POST. */
export interface HttpCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A whole response. Names of headers are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends calls. Throws `CallTimeout`, and the errors of the network with their `code`. */
export interface Transport {
  send(call: HttpCall): Promise<HttpAnswer>;
  /** Loads what calls of that address need. */
  prepare?(url: URL): void;
}

/** How long one attempt waits, in milliseconds. */
export interface Patience {
  /** For the connection. */
  readonly connectMs: number;
  /** For the response to begin, and then for each part of it. */
  readonly answerMs: number;
}

type Requests = { readonly agent: Agent; readonly request: typeof Requesting };

const CONNECTIONS_MOST = 50;

/** The transport of one container. Without patience, it waits for ever. */
export class HttpTransport implements Transport {
  readonly #patience: Patience | undefined;
  readonly #opened = new Map<string, Requests>();

  constructor(patience?: Patience) {
    this.#patience = patience;
  }

  prepare({ protocol }: URL): void {
    this.#open(protocol);
  }

  send({ url, headers, body }: HttpCall): Promise<HttpAnswer> {
    const { agent, request } = this.#open(url.protocol);
    return new Promise((resolve, reject) => {
      const { hostname, port, pathname: path } = url;
      const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
      const sent = request({ method: "POST", agent, host, port, path, headers });
      const clock = this.#patience && newClock(sent, this.#patience);
      const settled = <V>(settle: (value: V) => void) => {
        return (value: V) => {
          clock?.end();
          settle(value);
        };
      };
      const fail = settled(reject);
      sent.on("error", fail);
      sent.once("response", (response) => {
        clock?.again();
        receive(response, () => clock?.again(), settled(resolve), fail);
      });
      // With the length of the body known, head and body leave in one packet.
      sent.end(body);
    });
  }

  /** Loads what a protocol needs: the module of TLS takes milliseconds that a local database does not need. */
  #open(protocol: string): Requests {
    const known = this.#opened.get(protocol);
    if (known) return known;
    const isSecure = protocol === "https:";
    // As an ES module, `node:http` would load the fetch client of Node.js too, which takes much longer (decision 0074).
    const { Agent, request } = process.getBuiltinModule(isSecure ? "node:https" : "node:http");
    const opened = { agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MOST }), request };
    this.#opened.set(protocol, opened);
    return opened;
  }
}

/** Ends an attempt that does not get on. */
function newClock(sent: ClientRequest, { connectMs, answerMs }: Patience) {
  const expire = (what: string, ms: number) => () => sent.destroy(new CallTimeout(`no ${what} within ${ms} ms`));
  const answer = setTimeout(expire("answer", answerMs), answerMs);
  let connection: NodeJS.Timeout | undefined;
  sent.once("socket", (socket) => {
    if (!socket.connecting) return;
    connection = setTimeout(expire("connection", connectMs), connectMs);
    socket.once("connect", () => clearTimeout(connection));
  });
  return {
    again: () => void answer.refresh(),
    end() {
      clearTimeout(answer);
      clearTimeout(connection);
    },
  };
}

function receive(
  response: IncomingMessage,
  progress: () => void,
  resolve: (answer: HttpAnswer) => void,
  reject: (error: Error) => void,
): void {
  const parts: Buffer[] = [];
  response.on("data", (part: Buffer) => {
    progress();
    parts.push(part);
  });
  response.on("error", reject);
  response.once("end", () => {
    const [only] = parts;
    const body = only && parts.length === 1 ? only : Buffer.concat(parts);
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
  });
}
