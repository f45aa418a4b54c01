/** TLS in front of the embedded engine: functions reach DynamoDB over TLS, and a cold start pays for the handshake. */
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { issueAuthority, issueLeaf } from "../../local/issue.ts";

/** A listening proxy. */
export interface TlsProxy {
  /** `https://localhost:<port>`. */
  readonly endpoint: string;
  /** The file of the authority, for `NODE_EXTRA_CA_CERTS`. */
  readonly authority: string;
  close(): void;
}

/** Forwards decrypted connections to an endpoint. Writes the certificate of its authority into a directory. */
export async function startTlsProxy(endpoint: string, directory: string): Promise<TlsProxy> {
  const authority = await issueAuthority("cold starts");
  const hosts = [{ type: "dns", value: "localhost" }] as const;
  const { certificate, key } = await issueLeaf(authority, "localhost", { kind: "server", hosts });
  const { hostname, port } = new URL(endpoint);
  const server = createServer({ cert: certificate, key }, (client) => {
    const upstream = connect(Number(port), hostname);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const file = join(directory, "authority.pem");
  await writeFile(file, authority.certificate);
  return {
    endpoint: `https://localhost:${(server.address() as AddressInfo).port}`,
    authority: file,
    close: () => server.close(),
  };
}
