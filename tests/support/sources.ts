/** Requests from other addresses of this machine: all of 127.0.0.0/8 reaches a local service. */
import { request } from "node:http";

/** Sends a form from a local address. Returns status and body. */
export const postFrom = (
  localAddress: string,
  url: string,
  body: string,
  authorization?: string,
): Promise<{ readonly status: number; readonly text: string }> => {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(authorization !== undefined && { authorization }),
  };
  const sent = request(url, { method: "POST", localAddress, headers }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text })).on("error", reject);
  });
  sent.on("error", reject).end(body);
  return promise;
};
