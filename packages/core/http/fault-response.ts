/** A fault as the gateway sends it, in the dialect of the path. */
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Fault } from "../kernel/faults.ts";
import type { Dialect } from "../kernel/operation/services.ts";
import { renderFault } from "./dialects.ts";
import type { HttpRequest } from "./request.ts";
import type { ScimProfile } from "./scim-profile.ts";

/** The request that failed. */
interface Failed {
  readonly request: Pick<HttpRequest, "traceId">;
  readonly dialect: Dialect;
  readonly profile: ScimProfile;
  /** What explains a fault of the caller. */
  readonly hint?: string;
}

/** Renders a fault. */
export function faultResponse(
  { dialect, request, profile, hint }: Failed,
  fault: Fault,
): APIGatewayProxyStructuredResultV2 {
  const told = hint !== undefined && fault.row.status === 400 ? fault.with(hint) : fault;
  const { contentType, body } = renderFault(dialect, told, request.traceId, profile);
  const { retryAfterSeconds, status } = fault.row;
  return {
    statusCode: status,
    headers: {
      "content-type": contentType,
      ...(retryAfterSeconds && { "retry-after": String(retryAfterSeconds) }),
      ...fault.headers,
    },
    body: JSON.stringify(body),
  };
}
