/** Requests from other addresses of this machine: all of 127.0.0.0/8 reaches a local service. */
import { request } from "node:http";

interface Sent {
  readonly status: number;
  readonly text: string;
}

/** Sends a request from a local address; a body is a form. Returns status and body. */
export const sendFrom = (
  localAddress: string,
  url: string,
  { body, authorization }: { readonly body?: string; readonly authorization?: string | undefined },
): Promise<Sent> => {
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const headers = {
    ...(body !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
    ...(authorization !== undefined && { authorization }),
  };
  const method = body === undefined ? "GET" : "POST";
  const sent = request(url, { method, localAddress, headers }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text })).on("error", reject);
  });
  sent.on("error", reject).end(body);
  return promise;
};

/** Sends a form from a local address. */
export const postFrom = (localAddress: string, url: string, body: string, authorization?: string): Promise<Sent> =>
  sendFrom(localAddress, url, { body, authorization });
