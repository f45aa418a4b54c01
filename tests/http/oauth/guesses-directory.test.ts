/**
 * Guesses at the secret of a client whose id looks like a user of a directory. Introspection tries the header as a user
 * too, and where the directory is away that fails with 503: the wrong secret counts all the same.
 */
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { oauthOf } from "#tests/support/oauth.ts";
import { directoryStore } from "#tests/support/slapd.ts";
import { basic, world } from "#tests/support/world.ts";

/** A port on which nothing listens. */
const port = await new Promise<number>((found) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => found(typeof address === "object" && address !== null ? address.port : 0));
  });
});
const api = world({ deployment: directoryStore(`ldap://127.0.0.1:${port}`) });
const { newClient, post } = oauthOf(api);
const LIMIT = 10;

test("ten of them lock the client for their source", async () => {
  const clientId = "CORP/reporting";
  const client = await newClient([], { clientId });
  const introspect = (clientSecret: string) =>
    post("/oauth2/introspect", { token: "x" }, basic({ username: clientId, password: clientSecret }));
  expect((await introspect(client.clientSecret)).status).toBe(200);
  for (let at = 0; at < LIMIT; at += 1) expect((await introspect(`wrong-${at}`)).status).toBe(503);
  expect((await introspect(client.clientSecret)).status).toBe(503);
  const token = await post("/oauth2/token", { grant_type: "client_credentials" }, client);
  expect(token.status).toBe(401);
});
