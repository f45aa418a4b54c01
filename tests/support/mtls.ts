/** Requests over the mTLS listener of a service, with client certificates of its development authority. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { issueLeaf } from "#local/issue.ts";
import type { World } from "./world.ts";

/** A certificate and its key, as PEM texts. */
export interface Holder {
  readonly certificate: string;
  readonly key: string;
}

/** What a request sends. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The mTLS listener of a service that was started with `hasMtls`. */
export const mtlsOf = (api: World) => {
  const pem = (name: string) => readFileSync(join(api.service.certificates ?? "", name), "utf8");
  const ca = () => ({ certificate: pem("ca.pem"), key: pem("ca.key") });

  /** Sends a request with a certificate. Rejects where the handshake fails. */
  const ask = (holder: Holder, to: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Response> => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const { certificate: cert, key } = holder;
    const url = new URL(to, api.service.mtlsUrl);
    const sent = request(url, { method, ca: ca().certificate, cert, key, headers: { ...headers } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const { statusCode: status = 0 } = answer;
        const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
        resolve(new Response(Buffer.concat(parts), { status, headers: pairs }));
      });
    });
    sent.on("error", reject).end(body);
    return promise;
  };

  return {
    /** A certificate of the development authority. */
    holderOf: (commonName: string): Promise<Holder> => issueLeaf(ca(), commonName, { kind: "client" }),
    ask,
    /** The function `fetch` for libraries: with the certificate on the mTLS listener, plain elsewhere. */
    fetchAs:
      (holder: Holder) =>
      (url: string, options: { readonly method?: string; readonly headers?: unknown; readonly body?: unknown } = {}) =>
        url.startsWith(api.service.mtlsUrl ?? "none")
          ? ask(holder, url, {
              method: options.method ?? "GET",
              headers: Object.fromEntries(new Headers(options.headers as Record<string, string>)),
              ...(options.body !== undefined && options.body !== null && { body: String(options.body) }),
            })
          : fetch(url, options as RequestInit),
  };
};
