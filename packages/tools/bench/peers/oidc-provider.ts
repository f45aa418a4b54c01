/** `oidc-provider` with its adapter in memory. */
import { fileURLToPath } from "node:url";
import { startProcess } from "./processes.ts";
import { formOf, type Peer, type PeerRequest } from "./requests.ts";

/** Starts it. */
export async function startOidcProvider(): Promise<Peer> {
  const server = await startProcess({
    command: process.execPath,
    args: [fileURLToPath(new URL("oidc-provider-server.ts", import.meta.url))],
    ready: /^ready (\S+)$/m,
  });
  const token = (client: string): PeerRequest => ({
    method: "POST",
    path: "/token",
    headers: formOf(client, `secret-of-${client}`),
    body: "grant_type=client_credentials&scope=read",
  });
  return {
    name: "oidc-provider",
    url: server.ready,
    cpuMs: server.cpuMs,
    memoryMb: server.memoryMb,
    stop: server.stop,
    requests: { tokenJwt: () => token("jwt"), tokenOpaque: () => token("opaque") },
  };
}
