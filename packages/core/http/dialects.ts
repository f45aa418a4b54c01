/** How faults are rendered on each family of paths. Handlers do not know the dialect. */

import type { Fault } from "../kernel/faults.ts";
import type { Dialect } from "../kernel/operation/services.ts";
import * as z from "../kernel/zod.ts";
import type { ScimProfile } from "./scim-profile.ts";

/** What differs in HTTP between the families of paths, besides the shape of errors. */
export interface DialectRules {
  /** The content type of responses, errors included. */
  readonly contentType: string;
  /** The media type of JSON bodies, for messages. */
  readonly expects: string;
  /** True where a JSON body needs no content type. */
  readonly typeOptional: boolean;
  /** True where a request that does not accept JSON is refused. */
  readonly checksAccept: boolean;
  /** True where the names of query parameters are case-insensitive. */
  readonly ignoresQueryCase: boolean;
  /** True where a POST may name another method in `X-HTTP-Method-Override`. */
  readonly tunnelsMethods: boolean;
  /** True where caches of HTTP/1.0 are forbidden too (RFC 6749 section 5.1). */
  readonly forbidsOldCaches: boolean;
  /** True where unknown parameters are ignored without a word (RFC 6749 section 3.2). */
  readonly ignoresUnknown: boolean;
  /** True where a body of another media type is a mistake like others, 400 in place of 415. */
  readonly answersTypeAsMistake: boolean;
  /** True where a response has the `X-Request-ID` of its request (Authorization API 1.0 section 12.1.3). */
  readonly echoesRequestId: boolean;
}

const plain: DialectRules = {
  contentType: "application/json",
  expects: "application/json",
  typeOptional: false,
  checksAccept: false,
  ignoresQueryCase: false,
  tunnelsMethods: false,
  forbidsOldCaches: false,
  ignoresUnknown: false,
  answersTypeAsMistake: false,
  echoesRequestId: false,
};
const scim: DialectRules = { ...plain, typeOptional: true, checksAccept: true, ignoresQueryCase: true };

/** The rules of the dialects. */
export const dialects: Readonly<Record<Dialect, DialectRules>> = {
  management: plain,
  oauth2: { ...plain, forbidsOldCaches: true, ignoresUnknown: true },
  authzen: { ...plain, ignoresUnknown: true, answersTypeAsMistake: true, echoesRequestId: true },
  scim1: { ...scim, contentType: "application/json;charset=UTF-8", tunnelsMethods: true },
  scim2: { ...scim, contentType: "application/scim+json;charset=UTF-8", expects: "application/scim+json" },
};

/** A rendered fault. */
interface RenderedFault {
  readonly contentType: string;
  readonly body: Readonly<Record<string, unknown>> | string;
}

const SCIM2_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The shapes of the dialects, for the API document and the contract tests. */
export const errorSchemas: Readonly<Record<Dialect, z.ZodType>> = {
  management: z
    .object({ code: z.string(), message: z.string(), description: z.string(), traceId: z.string() })
    .meta({ id: "Error" }),
  scim1: z
    .object({ Errors: z.array(z.object({ description: z.string(), code: z.string() })) })
    .meta({ id: "Scim1Error" }),
  scim2: z
    .object({
      schemas: z.custom<string | readonly string[]>(isScim2Error).meta({
        description: `\`${SCIM2_ERROR}\`, in a list where the service follows RFC 7644 exactly (profile rfc7644)`,
      }),
      status: z.string(),
      scimType: z.string().optional(),
      detail: z.string(),
    })
    .meta({ id: "Scim2Error" }),
  oauth2: z.object({ error: z.string(), error_description: z.string() }).meta({ id: "OAuth2Error" }),
  authzen: z.string().meta({ id: "AuthZenError" }),
};

function isScim2Error(schemas: unknown): boolean {
  return schemas === SCIM2_ERROR || (Array.isArray(schemas) && schemas.length === 1 && schemas[0] === SCIM2_ERROR);
}

type Renderer = (fault: Fault, traceId: string, profile: ScimProfile) => RenderedFault["body"];

const renderers: Readonly<Record<Dialect, Renderer>> = {
  management: (fault, traceId) => ({
    code: fault.row.code,
    message: fault.publicMessage,
    description: fault.description,
    traceId,
  }),
  /** A list of one error and no other member: the trace id is in the header only. */
  scim1: (fault) => ({ Errors: [{ description: fault.description, code: String(fault.row.status) }] }),
  /**
   * RFC 7644 section 3.12. In the `wso2` profile `schemas` is a string. Strict clients reject unknown members, so the
   * trace id is in the header only.
   */
  scim2: (fault, _, profile) => ({
    schemas: profile === "wso2" ? SCIM2_ERROR : [SCIM2_ERROR],
    status: String(fault.row.status),
    ...(fault.row.scimType && { scimType: fault.row.scimType }),
    detail: fault.description,
  }),
  /** RFC 6749 section 5.2, and no other member: the trace id is in the header only. */
  oauth2: (fault) => ({
    error: tokenError(fault) ?? fault.row.oauth ?? "invalid_request",
    error_description: oauthText(fault.description),
  }),
  /** Authorization API 1.0 section 12.1.2: a message alone. The trace id is in the header only. */
  authzen: (fault) => fault.description,
};

/** Renders a fault in a dialect. */
export function renderFault(
  dialect: Dialect,
  fault: Fault,
  traceId: string,
  profile: ScimProfile = "wso2",
): RenderedFault {
  return {
    contentType: dialects[dialect].contentType,
    body: renderers[dialect](fault, traceId, profile),
  };
}

/** The code of a fault of an access token, which its challenge has (RFC 6750 section 3.1) unless no token was sent. */
function tokenError({ headers }: Fault): string | undefined {
  const challenge = headers["www-authenticate"] ?? "";
  const [, code = challenge.startsWith("Bearer") ? "invalid_token" : undefined] =
    /\berror="(\w+)"/.exec(challenge) ?? [];
  return code;
}

/** RFC 6749 section 5.2 allows printable ASCII without quotes and backslashes. */
function oauthText(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7E]/g, "?");
}
