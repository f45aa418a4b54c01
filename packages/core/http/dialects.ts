/** How a fault looks on each family of paths. The domains never know which. */
import * as z from "zod";
import type { Dialect } from "../catalogue/services.ts";
import type { Fault } from "../faults/faults.ts";

/** A rendered failure. */
export interface RenderedFault {
  readonly contentType: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const SCIM2_ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";

/** The shapes of the four dialects, for the API document and the contract tests. */
export const errorSchemas: Readonly<Record<Dialect, z.ZodObject>> = {
  management: z
    .object({ code: z.string(), message: z.string(), description: z.string(), traceId: z.string() })
    .meta({ id: "Error" }),
  scim1: z
    .object({ Errors: z.array(z.object({ description: z.string(), code: z.string() })), traceId: z.string() })
    .meta({ id: "Scim1Error" }),
  scim2: z
    .object({
      schemas: z.union([z.literal(SCIM2_ERROR), z.array(z.literal(SCIM2_ERROR))]),
      status: z.string(),
      scimType: z.string().optional(),
      detail: z.string(),
      traceId: z.string(),
    })
    .meta({ id: "Scim2Error" }),
  oauth2: z
    .object({ error: z.string(), error_description: z.string(), traceId: z.string() })
    .meta({ id: "OAuth2Error" }),
};

/** RFC 6749 section 5.2 allows printable ASCII without quote and backslash. */
const oauthText = (text: string): string => text.replace(/["\\]/g, "'").replace(/[^\x20-\x7E]/g, "?");

const renderers: Readonly<Record<Dialect, (fault: Fault, traceId: string) => RenderedFault>> = {
  /** spec application-management-api.md, "Error". */
  management: (fault, traceId) => ({
    contentType: "application/json",
    body: { code: fault.row.code, message: fault.publicMessage, description: fault.description, traceId },
  }),
  /** reference of SCIM 1.1, section 3.9 of its protocol: a list of errors. */
  scim1: (fault, traceId) => ({
    contentType: "application/json",
    body: { Errors: [{ description: fault.description, code: String(fault.row.status) }], traceId },
  }),
  /** RFC 7644 section 3.12, with `schemas` as the spec of this API shows it: one string. */
  scim2: (fault, traceId) => ({
    contentType: "application/scim+json",
    body: {
      schemas: SCIM2_ERROR,
      status: String(fault.row.status),
      ...(fault.row.scimType && { scimType: fault.row.scimType }),
      detail: fault.description,
      traceId,
    },
  }),
  /** RFC 6749 section 5.2. */
  oauth2: (fault, traceId) => ({
    contentType: "application/json",
    body: { error: fault.row.oauth ?? "invalid_request", error_description: oauthText(fault.description), traceId },
  }),
};

/** Renders a fault in a dialect. */
export const renderFault = (dialect: Dialect, fault: Fault, traceId: string): RenderedFault =>
  renderers[dialect](fault, traceId);
