/** A gateway that closes: what it finishes, and what its clients see. The tests wait for events, never for a time. */
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { type ServiceName, services } from "#core/kernel/operation/services.ts";
import { longestMs } from "#local/gateway/serve.ts";
import type { Gateway, LambdaFunction } from "#local/gateway.ts";
import { type FunctionName, plan } from "../../../stacks/plan.ts";
import { permit, startEcho } from "./support.ts";

/** A call that a test lets continue. */
interface Held {
  readonly entered: Promise<void>;
  release(): void;
}
const hold = (): Held & { readonly wait: () => Promise<void> } => {
  let enter = (): void => undefined;
  let release = (): void => undefined;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    entered,
    release: () => release(),
    wait: () => {
      enter();
      return released;
    },
  };
};

/** A connection, and all that it received. */
const dial = async (gateway: Gateway) => {
  const socket: Socket = connect(gateway.port, "127.0.0.1");
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(received)));
  await new Promise((connected) => socket.once("connect", connected));
  const has = async (text: string): Promise<void> => {
    while (!received.includes(text)) await new Promise((more) => socket.once("data", more));
  };
  return { socket, closed, has };
};
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const bodiesIn = (text: string) => [...text.matchAll(/<(\w+)>/g)].map(([, body]) => body);
const answers: (before?: () => Promise<void>) => LambdaFunction = (before) => async (event: { rawPath: string }) => {
  await before?.();
  return { statusCode: 200, body: `<${event.rawPath.split("/").at(-1)}>` };
};
/** The gateway listens no more: closing has begun. */
const isClosing = async (gateway: Gateway): Promise<void> => {
  const refused = new Promise<boolean>((resolve) => {
    const socket = connect(gateway.port, "127.0.0.1");
    socket.once("error", () => resolve(true));
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
  });
  if (!(await refused)) await isClosing(gateway);
};

describe("a gateway that closes finishes", () => {
  it("a request in its authorizer, one in its function, and one of which only the head was read", async () => {
    const [authorizing, working] = [hold(), hold()];
    const gateway = await startEcho({
      authorizer: async ({ rawPath }: { rawPath: string }) => {
        if (rawPath === "/a/authorizing") await authorizing.wait();
        return permit();
      },
      functions: { a: answers(), special: answers(), only: answers(), other: answers(working.wait) },
    });
    const [first, second, third] = await Promise.all([dial(gateway), dial(gateway), dial(gateway)]);
    first.socket.write(get("/a/authorizing"));
    second.socket.write(get("/working"));
    third.socket.write("POST /a/half HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nab");
    await Promise.all([authorizing.entered, working.entered, third.has("100 Continue")]);
    const closing = gateway.close();
    await isClosing(gateway);
    authorizing.release();
    working.release();
    third.socket.write("cd");
    for (const [{ closed }, body] of [
      [first, "authorizing"],
      [second, "working"],
      [third, "half"],
    ] as const) {
      const text = await closed;
      expect(text).toMatch(/HTTP\/1\.1 200 OK\r\n/);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      expect(bodiesIn(text)).toEqual([body]);
    }
    expect(await closing).toBe(0);
  });

  it("every request that a client sent before the first response, in order", async () => {
    const held = hold();
    const gateway = await startEcho({
      functions: { a: answers(), special: answers(), only: answers(), other: answers(held.wait) },
    });
    const { socket, closed } = await dial(gateway);
    socket.write(get("/first") + get("/a/second") + get("/third"));
    await held.entered;
    const closing = gateway.close();
    await isClosing(gateway);
    held.release();
    const text = await closed;
    expect(bodiesIn(text)).toEqual(["first", "second", "third"]);
    expect(text.match(/connection: close/gi)).toHaveLength(1);
    expect(await closing).toBe(0);
  });

  it("a request that was sent but not read yet", async () => {
    const gateway = await startEcho({
      functions: { a: answers(), special: answers(), only: answers(), other: answers() },
    });
    const kept = await dial(gateway);
    kept.socket.write(get("/a/before"));
    await kept.has("<before>");
    await new Promise<void>((sent) => kept.socket.write(get("/a/unread"), () => sent()));
    expect(await gateway.close()).toBe(0);
    expect(bodiesIn(await kept.closed)).toEqual(["before", "unread"]);
  });
});

describe("a gateway that closes does not wait for", () => {
  it("idle connections, new ones, and those with a part of a head", async () => {
    const gateway = await startEcho({
      functions: { a: answers(), special: answers(), only: answers(), other: answers() },
    });
    const [idle, silent, part] = await Promise.all([dial(gateway), dial(gateway), dial(gateway)]);
    idle.socket.write(get("/a/once"));
    await idle.has("<once>");
    part.socket.write("GET /a HTTP/1.1\r\nHo");
    expect(await gateway.close()).toBe(0);
    expect(await Promise.all([silent.closed, part.closed])).toEqual(["", ""]);
    expect(bodiesIn(await idle.closed)).toEqual(["once"]);
  });

  it("a body that never ends longer than a function may take, and counts it", async () => {
    const gateway = await startEcho({ timeouts: { authorizerMs: 10, functionMs: 10 } });
    const { socket, closed, has } = await dial(gateway);
    socket.write("POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nab");
    await has("100 Continue");
    expect(await gateway.close()).toBe(1);
    expect(bodiesIn(await closed)).toEqual([]);
  });
});

it("a gateway gives every function that it calls at least the time of its deployment", () => {
  const secondsOf = (name: FunctionName) => Number.parseInt(plan[name].timeout, 10);
  const called = Object.keys(services) as ServiceName[];
  expect(called.length).toBeGreaterThan(0);
  for (const name of called) {
    expect(longestMs({})).toBeGreaterThanOrEqual((secondsOf(name) + secondsOf("authorizer")) * 1_000);
  }
});

it("a client that disconnects while its function runs does not hold it open", async () => {
  const working = hold();
  const gateway = await startEcho({
    functions: { a: answers(working.wait), special: answers(), only: answers(), other: answers() },
  });
  const client = await dial(gateway);
  client.socket.write(get("/a/gone"));
  await working.entered;
  client.socket.destroy();
  await client.closed;
  const closing = gateway.close();
  await isClosing(gateway);
  working.release();
  expect(await closing).toBe(0);
});
