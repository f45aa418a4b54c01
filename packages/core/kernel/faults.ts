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
  "auth.unauthenticated": row(401, "401", "Unauthorized", {
    scimType: "Unauthorized",
    oauth: "invalid_client",
    refusal: true,
  }),
  "auth.forbidden": row(403, "403", "Forbidden", { oauth: "access_denied", refusal: true }),
  // RFC 6585 section 4. OAuth has no code for it; this one tells clients to come again, and not that a grant has ended.
  "auth.throttled": row(429, "429", "Too Many Requests", {
    oauth: "temporarily_unavailable",
    retryAfterSeconds: 900,
    refusal: true,
  }),
  "service.unavailable": row(503, "503", "Service Unavailable", {
    oauth: "temporarily_unavailable",
    retryAfterSeconds: 2,
    refusal: true,
  }),

  // Codes of WSO2's API of account recovery, version 2.
  "recovery.unknown_user": row(404, "UMS-60404", "User not found."),
  "recovery.off": row(403, "PWR-10004", "Forbidden"),
  "recovery.code": row(406, "PWR-10003", "Not Acceptable"),
  "recovery.password": row(412, "PWR-10001", "Password policy violation"),
  "recovery.throttled": row(429, "429", "Too Many Requests", {
    oauth: "temporarily_unavailable",
    retryAfterSeconds: 3_600,
  }),

  "route.not_found": row(404, "404", "Not Found"),
  "route.method_not_allowed": row(405, "405", "Method Not Allowed"),
  "request.precondition": row(412, "412", "Precondition Failed"),
  "request.precondition_required": row(428, "428", "Precondition Required"),
  "request.too_large": row(413, "413", "Payload Too Large"),
  "request.headers_too_large": row(431, "431", "Request Header Fields Too Large"),
  "request.misdirected": row(421, "421", "Misdirected Request"),
  "request.media_type": row(415, "415", "Unsupported Media Type"),
  "request.not_acceptable": row(406, "406", "Not Acceptable"),
  "request.malformed": row(400, "UE-10000", "Invalid Request.", { scimType: "invalidSyntax" }),
  "request.invalid": row(400, "UE-10000", "Invalid Request", { scimType: "invalidValue" }),
  "rehearsal.impossible": row(400, "UE-10000", "Unable to rehearse the request."),
  "server.unexpected": row(500, "SE-50000", "Unexpected Processing Error.", { oauth: "server_error", refusal: true }),

  "history.version_unknown": row(404, "404", "Not Found"),
  "resource.contended": row(409, "409", "Conflict", { retryAfterSeconds: 1 }),

  // draft-ietf-httpapi-idempotency-key-header, sections 2.6 and 2.7.
  "idempotency.running": row(409, "409", "Conflict", { retryAfterSeconds: 2 }),
  "idempotency.other_request": row(422, "422", "Unprocessable Content"),

  // RFC 6749 section 5.2. The codes are those of the RFC; no other dialect has them.
  "client.unauthenticated": row(401, "invalid_client", "Unauthorized", { oauth: "invalid_client" }),
  "grant.invalid": row(400, "invalid_grant", "Invalid Request.", { oauth: "invalid_grant" }),
  "grant.unauthorized": row(400, "unauthorized_client", "Invalid Request.", { oauth: "unauthorized_client" }),
  "grant.unsupported": row(400, "unsupported_grant_type", "Invalid Request.", { oauth: "unsupported_grant_type" }),
  // RFC 8707 section 2.
  "target.invalid": row(400, "invalid_target", "Invalid Request.", { oauth: "invalid_target" }),
  // RFC 9449 sections 5 and 8.
  "proof.invalid": row(400, "invalid_dpop_proof", "Invalid Request.", { oauth: "invalid_dpop_proof" }),
  "proof.nonce": row(400, "use_dpop_nonce", "Invalid Request.", { oauth: "use_dpop_nonce" }),
  // RFC 9126 section 2.3 and RFC 9101 section 7, OpenID Connect Core Error Code unmet_authentication_requirements 1.0.
  "authorization.response_type": row(400, "unsupported_response_type", "Invalid Request.", {
    oauth: "unsupported_response_type",
  }),
  "authorization.object": row(400, "invalid_request_object", "Invalid Request.", { oauth: "invalid_request_object" }),
  "authorization.unmet": row(400, "unmet_authentication_requirements", "Invalid Request.", {
    oauth: "unmet_authentication_requirements",
  }),
  "scope.invalid": row(400, "invalid_scope", "Invalid Request.", { oauth: "invalid_scope" }),

  "application.invalid": row(400, "APP-60001", "Invalid Request."),
  "application.not_found": row(404, "APP-60006", "Application not found."),
  "application.name_taken": row(409, "APP-60007", "Error creating application."),
  "application.protected": row(403, "APP-60008", "Operation not permitted."),
  "application.owner_unknown": row(400, "APP-60504", "User not found"),
  "application.attribute_unknown": row(400, "APP-60505", "Invalid Request."),
  "application.property_unsupported": row(400, "APP-60506", "Invalid Request."),
  "application.subject_contradiction": row(400, "APP-60513", "Invalid Request."),
  "application.name_reserved": row(400, "APP-60515", "Creating application with system reserved name is blocked"),
  "application.rename_reserved": row(
    400,
    "APP-60516",
    "Renaming application name to a system reserved name is blocked",
  ),
  "application.sorting": row(501, "APP-65002", "Sorting not supported."),
  "application.template_unknown": row(400, "APP-60001", "Error creating application."),
  "application.key_taken": row(409, "APP-60009", "Error creating application."),
  "application.protocol_unset": row(404, "APP-60502", "Inbound protocol not configured."),
  "client.invalid": row(400, "OAUTH-60001", "Invalid Request."),
  "client.unknown": row(404, "OAUTH-60002", "Unable to retrieve the client secret."),
  "client.secret_unknown": row(404, "OAUTH-60010", "Unable to retrieve the client secret."),
  "client.secret_latest": row(409, "OAUTH-60006", "Unable to delete the client secret."),
  "client.secrets_full": row(409, "OAUTH-60011", "Unable to create the client secret."),
  "client.hybrid_missing": row(400, "APP-60517", "Invalid Request."),
  "client.hybrid_unknown": row(400, "APP-60518", "Invalid Request."),
  "client.taken": row(409, "OAUTH-60008", "Error creating application."),
  "saml.invalid": row(400, "SAML-60001", "Error while creating/updating SAML inbound of application."),
  "saml.issuer_taken": row(409, "SAML-60002", "Error while creating/updating SAML inbound of application."),
  "saml.metadata_unreachable": row(400, "SAML-60003", "Error while creating/updating SAML inbound of application."),
  "cors.duplicate": row(400, "CMS-60010", "Error creating application."),

  "template.name_blank": row(400, "TMM_00007", "Invalid Request."),
  "template.name_taken": row(409, "TMM_00014", "Error while adding the new application template."),
  "template.not_found": row(404, "TMM_00021", "Template not found"),

  "deleted.not_found": row(404, "DR-60001", "Deleted resource not found."),
  "deleted.cursor_invalid": row(400, "DR-60002", "Invalid Request."),
  "deleted.conflict": row(409, "DR-60003", "The resource cannot be restored."),

  "metadata.protocol_unknown": row(404, "APP-60501", "Inbound protocol not found."),

  "authorized_api.unknown": row(400, "APP-60507", "API resource not found."),
  "authorized_api.scope_unknown": row(400, "APP-60508", "API scopes not found."),
  "authorized_api.exists": row(409, "APP-60509", "API resource already authorized."),
  "authorized_api.absent": row(400, "APP-60510", "API resource not authorized for the application."),
  "authorized_api.policy_unknown": row(400, "APP-60511", "Invalid policy id value provided."),
  "authorized_api.policy_refused": row(400, "APP-60512", "Invalid policy type provided for the API resource."),
  "authorized_api.elevation": row(403, "APP-60520", "Operation not permitted."),
  "authorized_api.too_many": row(400, "APP-60001", "Invalid Request."),

  "assignment.not_found": row(404, "APP-60530", "Assignment not found."),
  "assignment.exists": row(409, "APP-60531", "Already assigned to the application."),
  "assignment.principal_unknown": row(400, "APP-60532", "User, group or role not found."),
  "assignment.unseen": row(403, "APP-60520", "Operation not permitted."),
  "assignment.too_many": row(400, "APP-60001", "Invalid Request."),

  "access.subject_unknown": row(404, "ACC-60001", "Subject not found."),
  "access.operation_unknown": row(400, "ACC-60002", "Operation not found."),
  "access.scope_unknown": row(400, "ACC-60003", "Scope not found."),

  "api_resource.not_found": row(404, "API-RESOURCE-60002", "Unable to find the API resource."),
  "api_resource.name_invalid": row(400, "API-RESOURCE-60003", "Invalid API resource name provided."),
  "api_resource.identifier_invalid": row(400, "API-RESOURCE-60004", "Invalid API resource identifier provided."),
  "api_resource.scope_invalid": row(400, "API-RESOURCE-60005", "Invalid scope name provided."),
  "api_resource.scope_not_found": row(404, "API-RESOURCE-60005", "Unable to find the scope."),
  "api_resource.scopes_not_removable_here": row(
    501,
    "API-RESOURCE-60006",
    "Removed scopes patching is not supported yet.",
  ),
  "api_resource.collection_not_found": row(404, "API-RESOURCE-60014", "Unable to find the API resource collection."),
  "api_resource.scope_restricted": row(400, "API-RESOURCE-60008", "Restricted scope name provided."),
  "api_resource.scope_of_oidc": row(400, "API-RESOURCE-60009", "Existing OIDC scope name provided."),
  "api_resource.limit_invalid": row(400, "API-RESOURCE-60010", "Invalid limit provided."),
  "api_resource.two_cursors": row(400, "API-RESOURCE-60011", "Invalid before/after provided."),
  "api_resource.read_only": row(403, "API-RESOURCE-60012", "Cannot modify or delete System APIs."),
  "api_resource.attribute_unknown": row(400, "API-RESOURCE-60013", "Invalid attribute name."),
  // Codes of Identity Server's inner layer, which repeats some of the numbers above.
  "api_resource.filter_invalid": row(400, "API-RESOURCE-60001", "Unable to retrieve API resources."),
  "api_resource.cursor_invalid": row(400, "API-RESOURCE-60002", "Unable to retrieve API resources."),
  "api_resource.exists": row(409, "API-RESOURCE-60003", "Unable to add API resource."),
  "api_resource.scope_exists": row(409, "API-RESOURCE-60004", "Unable to add scope."),

  "oidc_scope.invalid": row(400, "OAUTH-60001", "Invalid Request."),
  "oidc_scope.name_missing": row(400, "41001", "Invalid Request."),
  "oidc_scope.display_name_missing": row(400, "41002", "Invalid Request."),
  "oidc_scope.not_found": row(404, "41003", "Scope not found."),
  "oidc_scope.exists": row(409, "41004", "Scope already exists."),
  "oidc_scope.name_blanks": row(400, "41006", "Invalid Request."),

  "claim.dialect_not_found": row(404, "CMT-50016", "Resource not found."),
  "claim.external_not_found": row(404, "CMT-50018", "Resource not found."),
  "claim.local_not_found": row(404, "CMT-50019", "Resource not found."),
  "claim.paging": row(501, "CMT-50022", "Pagination not supported."),
  "claim.filtering": row(501, "CMT-50023", "Filtering not supported."),
  "claim.sorting": row(501, "CMT-50024", "Sorting not supported."),
  "claim.attributes": row(501, "CMT-50025", "Attribute filtering not supported."),

  "user_store.not_found": row(404, "SUS-60001", "Resource not found."),
  "user_store.invalid": row(400, "SUS-60004", "Invalid Input"),
  "user_store.paging": row(501, "SUS-65005", "Pagination not supported."),
  "user_store.filtering": row(501, "SUS-65006", "Filtering not supported."),
  "user_store.sorting": row(501, "SUS-65007", "Sorting not supported."),

  "stream.not_found": row(404, "SSF-60001", "Stream not found."),
  "stream.invalid": row(400, "SSF-60002", "Invalid Request."),
  "stream.too_many": row(409, "SSF-60003", "Unable to create the stream."),
  "stream.busy": row(429, "SSF-60004", "Too many events wait.", { retryAfterSeconds: 5 }),

  "tenant.domain_empty": row(400, "TM-60004", "Invalid input."),
  "tenant.domain_extension": row(400, "TM-60005", "Invalid input."),
  "tenant.domain_invalid": row(400, "TM-60006", "Invalid input."),
  "tenant.domain_characters": row(400, "TM-60007", "Invalid input."),
  "tenant.exists": row(409, "TM-60009", "Unable to create the tenant."),
  "tenant.names_captured": row(409, "TM-60000", "Unable to create the tenant."),
  "tenant.limit_invalid": row(400, "TM-60010", "Invalid input."),
  "tenant.offset_invalid": row(400, "TM-60011", "Invalid input."),
  "tenant.owner_missing": row(400, "TM-60012", "Invalid input."),
  "tenant.parameter_missing": row(400, "TM-60013", "Invalid input."),
  "tenant.not_found": row(404, "TM-60014", "Resource not found."),
  "tenant.domain_unknown": row(404, "TM-60015", "Resource not found."),
  "tenant.owner_foreign": row(400, "TM-60020", "Invalid input."),
  "tenant.owner_not_found": row(404, "TM-60014", "Resource not found."),
  "tenant.invalid": row(400, "TM-60000", "Invalid input."),

  "session.not_found": row(404, "404", "Not Found"),
  "session.user_unknown": row(404, "404", "Not Found"),
  "session.consent_unknown": row(404, "404", "Not Found"),
  "portal.attribute_unknown": row(400, "UAM-60002", "Invalid Request."),
  "portal.not_found": row(404, "UAM-60001", "Application not found."),

  "webhook.not_found": row(404, "WEBHOOKMGT-60010", "Webhook is not found."),
  "webhook.endpoint_taken": row(400, "WEBHOOKMGT-60003", "Webhook endpoint already exists"),
  "webhook.field_empty": row(400, "WEBHOOKMGT-60011", "Invalid request."),
  "webhook.field_invalid": row(400, "WEBHOOKMGT-60012", "Invalid request."),
  "webhook.active": row(400, "WEBHOOKMGT-60013", "Webhook already active"),
  "webhook.inactive": row(400, "WEBHOOKMGT-60014", "Webhook already inactive"),
  "webhook.too_many": row(400, "WEBHOOKMGT-60016", "Maximum number of webhooks reached."),
  "webhook.nothing_to_retry": row(400, "WEBHOOKMGT-65028", "Unable to perform the operation."),
  "webhook.profile_unknown": row(404, "WEBHOOKMETA-61001", "Profile not found"),

  "filter.malformed": row(400, "APP-60004", "Invalid filter query format.", { scimType: "invalidFilter" }),
  "filter.attribute": row(400, "APP-60004", "Filtering using the attempted attribute is not supported.", {
    scimType: "invalidFilter",
  }),
  "filter.template_attribute": row(400, "APP-65502", "Search request validation failed."),
  "filter.operator": row(400, "APP-60004", "Attempted filtering operation is invalid.", { scimType: "invalidFilter" }),

  "scim.mutability": row(400, "400", "Bad Request", { scimType: "mutability" }),
  "scim.no_target": row(400, "400", "Bad Request", { scimType: "noTarget" }),
  "scim.path_invalid": row(400, "400", "Bad Request", { scimType: "invalidPath" }),
  "scim.filter_invalid": row(400, "400", "Bad Request", { scimType: "invalidFilter" }),
  "scim.too_many": row(400, "400", "Bad Request", { scimType: "tooMany" }),
  "scim.unique": row(409, "409", "Conflict", { scimType: "uniqueness" }),
  "scim.bulk_reference": row(409, "409", "Conflict"),
  "scim.not_found": row(404, "404", "Not Found"),
  "scim.cursor_invalid": row(400, "400", "Bad Request", { scimType: "invalidCursor" }),
  "scim.cursor_expired": row(400, "400", "Bad Request", { scimType: "expiredCursor" }),
  "scim.count_invalid": row(400, "400", "Bad Request", { scimType: "invalidCount" }),
  "scim.not_acceptable": row(406, "406", "Not Acceptable"),
  "scim.not_implemented": row(501, "501", "Not Implemented"),
  "scim.forbidden": row(403, "403", "Forbidden"),
} satisfies Record<string, FaultRow>;

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

  /** The same failure with another sentence after its description, or in its place. */
  with(text: string, place: "after" | "instead" = "after"): Fault {
    const { fault, description, headers, publicMessage: message, cause } = this;
    const first = /[.?!]$/.test(description) ? description : `${description}.`;
    return new Fault(fault, place === "after" ? `${first} ${text}` : text, { headers, message, cause });
  }

  /** The row of this failure. */
  get row(): FaultRow {
    return faults[this.fault];
  }
}

/** The fault of a request that breaks a rule: `request.invalid`. */
export function refuse(description: string): Fault {
  return new Fault("request.invalid", description);
}

/** The fault of a body, or of a part of it, that has another form than it must have: `request.malformed`. */
export function malformed(description: string): Fault {
  return new Fault("request.malformed", description);
}

/** Any thrown value as a `Fault`. Other errors become `server.unexpected`, which gives the caller no detail. */
export function toFault(thrown: unknown): Fault {
  return thrown instanceof Fault
    ? thrown
    : new Fault("server.unexpected", "Server encountered an error while serving the request.", { cause: thrown });
}

function row(
  status: number,
  code: string,
  message: string,
  codes: Omit<FaultRow, "status" | "code" | "message"> = {},
): FaultRow {
  return { status, code, message, ...codes };
}
