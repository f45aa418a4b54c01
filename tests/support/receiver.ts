/** Receivers of webhooks on this machine, which tests exempt from the rules of public addresses. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";

/** A message as it arrived. */
export interface Arrived {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any event
  readonly body: any;
}

/** A server with any number of receivers, one for each path. */
export interface Receiver {
  /** The URL of the receiver with that path. */
  url(path: string): string;
  /** What has arrived at a path, in order. */
  at(path: string): readonly Arrived[];
  /** How a path responds; before: 202. */
  respond(path: string, by: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Waits until so many messages have arrived at a path. */
  waitFor(path: string, count: number): Promise<readonly Arrived[]>;
}

const WAIT_MS = 20_000;

/** Starts before the service of the test file, which reads the exempt hosts at its start. */
export const receiver = (): Receiver => {
  const arrived = new Map<string, Arrived[]>();
  const responses = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      const message = {
        path,
        headers: request.headers,
        text,
        body: /json/.test(request.headers["content-type"] ?? "") && JSON.parse(text),
      };
      arrived.set(path, [...(arrived.get(path) ?? []), message]);
      const respond = responses.get(path) ?? responses.get(path.split("?", 1)[0] ?? "");
      if (respond) respond(request, response);
      else response.writeHead(202).end();
    });
  });
  const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await new Promise((done) => server.once("listening", done));
    process.env.METADATA_HOSTS = host();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const at = (path: string) => arrived.get(path) ?? [];
  return {
    url: (path) => `http://${host()}${path}`,
    at,
    respond: (path, by) => void responses.set(path, by),
    async waitFor(path, count) {
      const untilMs = Date.now() + WAIT_MS;
      while (at(path).length < count) {
        if (Date.now() > untilMs) throw new Error(`${at(path).length} of ${count} messages arrived at ${path}`);
        await new Promise((done) => setTimeout(done, 20));
      }
      return at(path);
    },
  };
};
