/**
 * All failures that a caller can see, in one table.
 *
 * `code` and `message` are what clients of WSO2 Identity Server compare (management dialect); `scimType` and `oauth`
 * are the codes of the other dialects. The description of a single failure is given where it is thrown.
 */

/** One failure as callers see it. */
export interface FaultRow {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** RFC 7644 section 3.12. */
  readonly scimType?: string;
  /** RFC 6749 section 5.2; `invalid_request` where absent. */
  readonly oauth?: string;
  /** Seconds to wait before a retry; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** True for a failure that the authorizer can return. */
  readonly refusal?: true;
}

const table = {
  "auth.unauthenticated": {
    status: 401,
    code: "401",
    message: "Unauthorized",
    scimType: "Unauthorized",
    oauth: "invalid_client",
    refusal: true,
  },
  "auth.forbidden": { status: 403, code: "403", message: "Forbidden", oauth: "access_denied", refusal: true },
  "service.unavailable": {
    status: 503,
    code: "503",
    message: "Service Unavailable",
    oauth: "temporarily_unavailable",
    retryAfterSeconds: 2,
    refusal: true,
  },

  "route.not_found": { status: 404, code: "404", message: "Not Found" },
  "route.method_not_allowed": { status: 405, code: "405", message: "Method Not Allowed" },
  "request.too_large": { status: 413, code: "413", message: "Payload Too Large" },
  "request.headers_too_large": { status: 431, code: "431", message: "Request Header Fields Too Large" },
  "request.media_type": { status: 415, code: "415", message: "Unsupported Media Type" },
  "request.not_acceptable": { status: 406, code: "406", message: "Not Acceptable" },
  "request.malformed": { status: 400, code: "UE-10000", message: "Invalid Request.", scimType: "invalidSyntax" },
  "request.invalid": { status: 400, code: "UE-10000", message: "Invalid Request", scimType: "invalidValue" },
  "server.unexpected": {
    status: 500,
    code: "SE-50000",
    message: "Unexpected Processing Error.",
    oauth: "server_error",
    refusal: true,
  },

  "resource.contended": { status: 409, code: "409", message: "Conflict", retryAfterSeconds: 1 },

  // RFC 6749 section 5.2. The codes are those of the RFC; no other dialect has them.
  "client.unauthenticated": { status: 401, code: "invalid_client", message: "Unauthorized", oauth: "invalid_client" },
  "grant.invalid": { status: 400, code: "invalid_grant", message: "Invalid Request.", oauth: "invalid_grant" },
  "grant.unauthorized": {
    status: 400,
    code: "unauthorized_client",
    message: "Invalid Request.",
    oauth: "unauthorized_client",
  },
  "grant.unsupported": {
    status: 400,
    code: "unsupported_grant_type",
    message: "Invalid Request.",
    oauth: "unsupported_grant_type",
  },
  "scope.invalid": { status: 400, code: "invalid_scope", message: "Invalid Request.", oauth: "invalid_scope" },

  "application.invalid": { status: 400, code: "APP-60001", message: "Invalid Request." },
  "application.not_found": { status: 404, code: "APP-60006", message: "Application not found." },
  "application.name_taken": { status: 409, code: "APP-60007", message: "Error creating application." },
  "application.protected": { status: 403, code: "APP-60008", message: "Operation not permitted." },
  "application.owner_unknown": { status: 400, code: "APP-60504", message: "User not found" },
  "application.attribute_unknown": { status: 400, code: "APP-60505", message: "Invalid Request." },
  "application.property_unsupported": { status: 400, code: "APP-60506", message: "Invalid Request." },
  "application.subject_contradiction": { status: 400, code: "APP-60513", message: "Invalid Request." },
  "application.name_reserved": {
    status: 400,
    code: "APP-60515",
    message: "Creating application with system reserved name is blocked",
  },
  "application.rename_reserved": {
    status: 400,
    code: "APP-60516",
    message: "Renaming application name to a system reserved name is blocked",
  },
  "application.sorting": { status: 501, code: "APP-65002", message: "Sorting not supported." },
  "application.template_unknown": { status: 400, code: "APP-60001", message: "Error creating application." },
  "application.key_taken": { status: 409, code: "APP-60009", message: "Error creating application." },
  "application.protocol_unset": { status: 404, code: "APP-60502", message: "Inbound protocol not configured." },
  "client.invalid": { status: 400, code: "OAUTH-60001", message: "Invalid Request." },
  "client.taken": { status: 409, code: "OAUTH-60008", message: "Error creating application." },
  "saml.invalid": {
    status: 400,
    code: "SAML-60001",
    message: "Error while creating/updating SAML inbound of application.",
  },
  "saml.issuer_taken": {
    status: 409,
    code: "SAML-60002",
    message: "Error while creating/updating SAML inbound of application.",
  },
  "saml.metadata_unreachable": {
    status: 400,
    code: "SAML-60003",
    message: "Error while creating/updating SAML inbound of application.",
  },
  "cors.duplicate": { status: 400, code: "CMS-60010", message: "Error creating application." },

  "template.name_blank": { status: 400, code: "TMM_00007", message: "Invalid Request." },
  "template.name_taken": {
    status: 409,
    code: "TMM_00014",
    message: "Error while adding the new application template.",
  },
  "template.not_found": { status: 404, code: "TMM_00021", message: "Template not found" },

  "metadata.protocol_unknown": { status: 404, code: "APP-60501", message: "Inbound protocol not found." },

  "authorized_api.unknown": { status: 400, code: "APP-60507", message: "API resource not found." },
  "authorized_api.scope_unknown": { status: 400, code: "APP-60508", message: "API scopes not found." },
  "authorized_api.exists": { status: 409, code: "APP-60509", message: "API resource already authorized." },
  "authorized_api.absent": {
    status: 400,
    code: "APP-60510",
    message: "API resource not authorized for the application.",
  },
  "authorized_api.policy_unknown": { status: 400, code: "APP-60511", message: "Invalid policy id value provided." },
  "authorized_api.policy_refused": {
    status: 400,
    code: "APP-60512",
    message: "Invalid policy type provided for the API resource.",
  },
  "authorized_api.elevation": { status: 403, code: "APP-60520", message: "Operation not permitted." },
  "authorized_api.too_many": { status: 400, code: "APP-60001", message: "Invalid Request." },

  "api_resource.not_found": { status: 404, code: "API-RESOURCE-60002", message: "Unable to find the API resource." },
  "api_resource.name_invalid": {
    status: 400,
    code: "API-RESOURCE-60003",
    message: "Invalid API resource name provided.",
  },
  "api_resource.identifier_invalid": {
    status: 400,
    code: "API-RESOURCE-60004",
    message: "Invalid API resource identifier provided.",
  },
  "api_resource.scope_invalid": { status: 400, code: "API-RESOURCE-60005", message: "Invalid scope name provided." },
  "api_resource.scope_not_found": { status: 404, code: "API-RESOURCE-60005", message: "Unable to find the scope." },
  "api_resource.scopes_not_removable_here": {
    status: 501,
    code: "API-RESOURCE-60006",
    message: "Removed scopes patching is not supported yet.",
  },
  "api_resource.scope_restricted": {
    status: 400,
    code: "API-RESOURCE-60008",
    message: "Restricted scope name provided.",
  },
  "api_resource.scope_of_oidc": {
    status: 400,
    code: "API-RESOURCE-60009",
    message: "Existing OIDC scope name provided.",
  },
  "api_resource.limit_invalid": { status: 400, code: "API-RESOURCE-60010", message: "Invalid limit provided." },
  "api_resource.two_cursors": { status: 400, code: "API-RESOURCE-60011", message: "Invalid before/after provided." },
  "api_resource.read_only": {
    status: 403,
    code: "API-RESOURCE-60012",
    message: "Cannot modify or delete System APIs.",
  },
  "api_resource.attribute_unknown": { status: 400, code: "API-RESOURCE-60013", message: "Invalid attribute name." },
  // Codes of Identity Server's inner layer, which repeats some of the numbers above.
  "api_resource.filter_invalid": {
    status: 400,
    code: "API-RESOURCE-60001",
    message: "Unable to retrieve API resources.",
  },
  "api_resource.cursor_invalid": {
    status: 400,
    code: "API-RESOURCE-60002",
    message: "Unable to retrieve API resources.",
  },
  "api_resource.exists": { status: 409, code: "API-RESOURCE-60003", message: "Unable to add API resource." },
  "api_resource.scope_exists": { status: 409, code: "API-RESOURCE-60004", message: "Unable to add scope." },

  "tenant.domain_empty": { status: 400, code: "TM-60004", message: "Invalid input." },
  "tenant.domain_extension": { status: 400, code: "TM-60005", message: "Invalid input." },
  "tenant.domain_invalid": { status: 400, code: "TM-60006", message: "Invalid input." },
  "tenant.domain_characters": { status: 400, code: "TM-60007", message: "Invalid input." },
  "tenant.exists": { status: 409, code: "TM-60009", message: "Unable to create the tenant." },
  "tenant.limit_invalid": { status: 400, code: "TM-60010", message: "Invalid input." },
  "tenant.offset_invalid": { status: 400, code: "TM-60011", message: "Invalid input." },
  "tenant.owner_missing": { status: 400, code: "TM-60012", message: "Invalid input." },
  "tenant.parameter_missing": { status: 400, code: "TM-60013", message: "Invalid input." },
  "tenant.not_found": { status: 404, code: "TM-60014", message: "Resource not found." },
  "tenant.domain_unknown": { status: 404, code: "TM-60015", message: "Resource not found." },
  "tenant.invalid": { status: 400, code: "TM-60000", message: "Invalid input." },

  "filter.malformed": {
    status: 400,
    code: "APP-60004",
    message: "Invalid filter query format.",
    scimType: "invalidFilter",
  },
  "filter.attribute": {
    status: 400,
    code: "APP-60004",
    message: "Filtering using the attempted attribute is not supported.",
    scimType: "invalidFilter",
  },
  "filter.template_attribute": { status: 400, code: "APP-65502", message: "Search request validation failed." },
  "filter.operator": {
    status: 400,
    code: "APP-60004",
    message: "Attempted filtering operation is invalid.",
    scimType: "invalidFilter",
  },

  "scim.mutability": { status: 400, code: "400", message: "Bad Request", scimType: "mutability" },
  "scim.no_target": { status: 400, code: "400", message: "Bad Request", scimType: "noTarget" },
  "scim.path_invalid": { status: 400, code: "400", message: "Bad Request", scimType: "invalidPath" },
  "scim.filter_invalid": { status: 400, code: "400", message: "Bad Request", scimType: "invalidFilter" },
  "scim.too_many": { status: 400, code: "400", message: "Bad Request", scimType: "tooMany" },
  "scim.unique": { status: 409, code: "409", message: "Conflict", scimType: "uniqueness" },
  "scim.bulk_reference": { status: 409, code: "409", message: "Conflict" },
  "scim.not_found": { status: 404, code: "404", message: "Not Found" },
  "scim.precondition": { status: 412, code: "412", message: "Precondition Failed" },
  "scim.cursor_invalid": { status: 400, code: "400", message: "Bad Request", scimType: "invalidCursor" },
  "scim.cursor_expired": { status: 400, code: "400", message: "Bad Request", scimType: "expiredCursor" },
  "scim.count_invalid": { status: 400, code: "400", message: "Bad Request", scimType: "invalidCount" },
  "scim.not_acceptable": { status: 406, code: "406", message: "Not Acceptable" },
  "scim.not_implemented": { status: 501, code: "501", message: "Not Implemented" },
  "scim.forbidden": { status: 403, code: "403", message: "Forbidden" },
} as const satisfies Record<string, FaultRow>;

/** The name of a failure; it appears in the log as `fault`. */
export type FaultName = keyof typeof table;

/** The failure table, by name. */
export const faults: Readonly<Record<FaultName, FaultRow>> = table;

/** What one failure adds to its row. */
export interface FaultOptions {
  /** Replaces the row's message where Identity Server's message names the operation or an id. */
  readonly message?: string;
  /** Response headers that belong to the failure, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The private reason, for the log only. */
  readonly cause?: unknown;
}

/** A failure with a public name and description and a private cause. Callers see no other kind of error. */
export class Fault extends Error {
  readonly fault: FaultName;
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The message for the caller; `Error.message` has the fault name for the log. */
  readonly publicMessage: string;

  constructor(fault: FaultName, description: string, options: FaultOptions = {}) {
    super(`${fault}: ${description}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Fault";
    this.fault = fault;
    this.description = description;
    this.headers = options.headers ?? {};
    this.publicMessage = options.message ?? faults[fault].message;
  }

  /** The row of this failure. */
  get row(): FaultRow {
    return faults[this.fault];
  }
}

/** Any thrown value as a `Fault`. Other errors become `server.unexpected`, which gives the caller no detail. */
export function toFault(thrown: unknown): Fault {
  return thrown instanceof Fault
    ? thrown
    : new Fault("server.unexpected", "Server encountered an error while serving the request.", { cause: thrown });
}
