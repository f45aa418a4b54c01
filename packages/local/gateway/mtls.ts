/** The door with client certificates: the stand-in for a custom domain with mutual TLS. */
import type { IncomingMessage } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { TLSSocket } from "node:tls";
import type { ClientCertificate } from "./event.ts";

/** What the door needs. Certificates and keys are PEM texts. */
export interface TlsDoor {
  /** A port, or 0 for any. */
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  /** The authorities whose client certificates are accepted. */
  readonly ca: string;
  /** `requestContext.domainName` of what comes in here; that of the other door by default. */
  readonly domainName?: string;
}

/** Makes the server. As on AWS, a connection without a certificate of the authorities ends in the handshake. */
export function newTlsServer(door: TlsDoor, options: ServerOptions): Server {
  return createServer({
    ...options,
    cert: door.certificate,
    key: door.key,
    ca: door.ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
  });
}

/**
 * The certificate that the client proved to hold, in the fields of an event. The form of the two names is not documented
 * by AWS; the PEM is what code should read.
 */
export function clientCertificate({ socket }: IncomingMessage): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const leaf = socket.getPeerX509Certificate();
  return (
    leaf && {
      clientCertPem: leaf.toString(),
      subjectDN: distinguishedName(leaf.subject),
      issuerDN: distinguishedName(leaf.issuer),
      serialNumber: (leaf.serialNumber.match(/../g) ?? []).join(":").toLowerCase(),
      validity: { notBefore: leaf.validFrom, notAfter: leaf.validTo },
    }
  );
}

/** OpenSSL prints a name from its root, one part a line; names are written the other way round (RFC 4514 section 2.1). */
function distinguishedName(lines: string): string {
  return lines.split("\n").reverse().join(",");
}
