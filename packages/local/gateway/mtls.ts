/** The mTLS listener: a local custom domain with mutual TLS. */
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { TLSSocket } from "node:tls";
import type { ClientCertificate } from "./event.ts";

/** The options of the listener. Certificates and keys are PEM texts. */
export interface MtlsOptions {
  /** A port, or 0 for any free port. */
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  /** The authorities of accepted client certificates. */
  readonly ca: string;
  /** Listens on `port` already: from `reserveTlsPort`. */
  readonly server?: HttpServer;
  /** `requestContext.domainName` of its requests; by default the host and port of this listener. */
  readonly domainName?: string;
}

/** Creates the server. As on AWS, the handshake fails without a certificate of the authorities. */
export function newTlsServer({ certificate, key, ca }: Omit<MtlsOptions, "port">, options: ServerOptions): Server {
  return createServer({
    ...options,
    cert: certificate,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: "TLSv1.2",
  });
}

/**
 * The verified client certificate, in the fields of an event. AWS does not document the form of the two names: code
 * should read the PEM.
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

/** OpenSSL lists a name from its root, one part per line. RFC 4514 section 2.1 reverses the order. */
function distinguishedName(lines: string): string {
  return lines.split("\n").reverse().join(",");
}
