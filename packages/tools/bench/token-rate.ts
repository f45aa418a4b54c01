/**
 * Compares tokens per second with `oidc-provider` and its in-memory adapter, in alternating rounds in one process. This
 * service is called through the local gateway, authorizer, function and embedded database; the other uses a map in
 * memory. So the ratio shows the view of a client, not the speed of the libraries.
 */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";
import { elapsed } from "#core/platform/clock.ts";
import { startService } from "../../local/service.ts";
import { inMemory } from "./calls.ts";
import { type BenchClient, newBenchClient, sendForm } from "./tokens.ts";

const ROUNDS = 5;
const ROUND_MS = 2_000;
const AT_ONCE = 8;
const API = "https://api.example";

type TokenType = "Default" | "JWT";

/** A source of tokens. */
interface Source {
  readonly name: string;
  get(): Promise<unknown>;
}

/** Measures and prints the rates of opaque tokens and JWTs. */
export async function compareTokenRates(): Promise<void> {
  console.log(
    `\nTokens per second by client_credentials, ${AT_ONCE} concurrent requests, median of ${ROUNDS} alternating rounds`,
  );
  const service = await startService(inMemory);
  const { log } = console;
  try {
    for (const type of ["Default", "JWT"] as const) {
      const client = await newBenchClient(service.url, type);
      const other = await startOther(client, type);
      const form = { grant_type: "client_credentials", scope: "internal_application_mgt_view" };
      const own: Source = { name: "own", get: () => sendForm(service.url, "/oauth2/token", client, form) };
      const rates = { own: [] as number[], other: [] as number[] };
      // Hides the request log. Writing it costs time, as in a deployment.
      console.log = () => undefined;
      await Promise.all([own.get(), other.source.get()]);
      for (let round = 0; round < ROUNDS; round += 1) {
        rates.own.push(await rateOf(own));
        rates.other.push(await rateOf(other.source));
      }
      console.log = log;
      other.server.close();
      other.server.closeAllConnections();
      const [ours, theirs] = [median(rates.own), median(rates.other)];
      console.log(
        `${type === "JWT" ? "JWT" : "opaque"}: ${ours.toFixed(0)} here, ${theirs.toFixed(0)} by oidc-provider with its in-memory adapter: ratio ${(ours / theirs).toFixed(2)}`,
      );
    }
  } finally {
    console.log = log;
    await service.close();
  }
}

async function startOther(client: BenchClient, type: TokenType): Promise<{ source: Source; server: Server }> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on("request", quietly(() => new Provider(url, configuration(client, type))).callback());
  const form = { grant_type: "client_credentials", scope: "read" };
  return { server, source: { name: "oidc-provider", get: () => sendForm(url, "/token", client, form) } };
}

/** Suppresses notices about development settings. */
function quietly<R>(make: () => R): R {
  const { info, warn } = console;
  console.info = () => undefined;
  console.warn = () => undefined;
  try {
    return make();
  } finally {
    console.info = info;
    console.warn = warn;
  }
}

function configuration({ clientId, clientSecret }: BenchClient, type: TokenType): Configuration {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" } as never] },
    scopes: ["read"],
    ttl: { ClientCredentials: 3_600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API,
        getResourceServerInfo: () => ({
          scope: "read",
          accessTokenFormat: type === "JWT" ? "jwt" : "opaque",
          ...(type === "JWT" && { jwt: { sign: { alg: "ES256" } } }),
        }),
      },
    },
  };
}

/** Tokens per second of one round. */
async function rateOf({ get }: Source): Promise<number> {
  const start = elapsed();
  let made = 0;
  const worker = async () => {
    for (; elapsed() - start < ROUND_MS; made += 1) await get();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return (made * 1_000) / (elapsed() - start);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
