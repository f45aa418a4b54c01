/** What the log of the local service says of a request that was answered. */
import type { IncomingMessage } from "node:http";
import type { Answered } from "../log.ts";
import type { GatewayResponse } from "./response.ts";

/** The path without parameters, and the name in a Basic credential. */
export function answeredOf(
  { method = "", url = "", headers }: IncomingMessage,
  answer: GatewayResponse,
  durationMs: number,
): Answered {
  const traceId = answer.headers["x-correlation-id"];
  const [, basic] = /^basic\s+([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? "") ?? [];
  const user = basic === undefined ? undefined : Buffer.from(basic, "base64").toString("utf8").split(":")[0];
  return {
    traceId: typeof traceId === "string" ? traceId : undefined,
    method,
    path: url.split("?")[0] ?? "",
    status: answer.status,
    durationMs,
    user,
  };
}
