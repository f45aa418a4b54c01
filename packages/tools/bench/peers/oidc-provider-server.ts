/** `oidc-provider` with its adapter in memory, and two clients. Prints `ready <URL>`. */
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

const API = "https://api.example";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

const configuration: Configuration = {
  clients: ["jwt", "opaque"].map((client_id) => ({
    client_id,
    client_secret: `secret-of-${client_id}`,
    grant_types: ["client_credentials"],
    redirect_uris: [],
    response_types: [],
    id_token_signed_response_alg: "ES256",
  })),
  jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), alg: "ES256", use: "sig" } as never] },
  scopes: ["read"],
  ttl: { ClientCredentials: 3_600 },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API,
      getResourceServerInfo: (_, __, { clientId }) => ({
        scope: "read",
        accessTokenFormat: clientId === "jwt" ? "jwt" : "opaque",
        ...(clientId === "jwt" && { jwt: { sign: { alg: "ES256" } } }),
      }),
    },
  },
};

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on("request", new Provider(url, configuration).callback());
  console.log(`ready ${url}`);
});
