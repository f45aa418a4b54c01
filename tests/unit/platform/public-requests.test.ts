/** Requests to receivers that answer at the level of bytes what no HTTP server would: each request ends. */
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { FetchRefused, fetchPublic } from "#core/kernel/public-fetch.ts";
import { postPublic } from "#core/kernel/public-post.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** The host of a receiver that answers each request with these bytes. */
const answering = async (bytes: string, isClosing: boolean): Promise<string> => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => (isClosing ? socket.end(bytes) : socket.write(bytes)));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const SWITCH = "HTTP/1.1 101 Switching Protocols\r\n";
/** Sooner than the limits of both kinds of requests. */
const SOON_MS = 2_000;

describe.each([
  ["a switch of protocols", `${SWITCH}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`, false],
  ["a switch of protocols, and closes", `${SWITCH}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`, true],
  ["a switch to nothing", `${SWITCH}\r\n`, false],
  ["a part of a response, and closes", "HTTP/1.1 500 Broken\r\nContent-Length: 9\r\n\r\nhalf", true],
  ["nothing, and closes", "", true],
])("a receiver that answers %s", (_, bytes, isClosing) => {
  test("ends a message as a failed attempt", { timeout: SOON_MS }, async () => {
    const host = await answering(bytes, isClosing);
    const posting = { url: `http://${host}/`, headers: {}, body: "{}" };
    const result = await postPublic(posting, new Set([host])).catch((error: unknown) => error);
    expect(result instanceof FetchRefused || (result as { status: number }).status === 101).toBe(true);
  });

  test("ends a fetch", { timeout: SOON_MS }, async () => {
    const host = await answering(bytes, isClosing);
    await expect(fetchPublic(`http://${host}/`, new Set([host]))).rejects.toBeInstanceOf(FetchRefused);
  });
});

test("a document that ends with its connection is whole", async () => {
  const host = await answering("HTTP/1.1 200 OK\r\n\r\nto the end", true);
  const document = await fetchPublic(`http://${host}/`, new Set([host]));
  expect(Buffer.from(document).toString()).toBe("to the end");
});

test("a name that leads to this machine is refused before a connection is made", async () => {
  const refused = fetchPublic("https://localhost/", new Set());
  await expect(refused).rejects.toThrow("The URL does not lead to a public address.");
});
