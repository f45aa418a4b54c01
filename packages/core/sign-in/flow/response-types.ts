/**
 * What an authorization request asks to be answered with (OpenID Connect Core 1.0 section 3, OAuth 2.0 Multiple
 * Response Type Encoding Practices), and how. Pure.
 */
import { implicitResponseTypes, responseTypes } from "../../applications/protocols/options.ts";
import type { Application } from "../../applications/registry/model.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { one, type Parameters } from "./parameters.ts";

/** The ways of an answer to the client: in the query or the fragment of its address, or in a form. */
export const responseModes = ["query", "fragment", "form_post"] as const;
export type ResponseMode = (typeof responseModes)[number];

/** What an answer contains. */
export const types = ["code", "id_token", "token"] as const;
export type ResponseType = (typeof types)[number];

type Client = NonNullable<Application["inbound"]["oidc"]>;

/** The response types that an application may use. */
export function allowedTypes({ grantTypes, hybridFlow }: Client): readonly string[] {
  const code = grantTypes.includes("authorization_code");
  const hybrid =
    code && hybridFlow?.enable ? (hybridFlow.responseType ?? "").split(",").map((type) => type.trim()) : [];
  const implicit = grantTypes.includes("implicit") ? implicitResponseTypes : [];
  return [...(code ? ["code"] : []), ...hybrid, ...implicit].map(sorted);
}

/** What a request asks to be answered with. Throws `AuthorizationError` for what the application may not use. */
export function responseTypesOf(parameters: Parameters, client: Client): readonly ResponseType[] {
  const asked = one(parameters, "response_type");
  if (asked === undefined) throw new AuthorizationError("invalid_request", "The parameter response_type is required.");
  const words = asked.split(" ");
  const isKnown = new Set(words).size === words.length && words.every(isType);
  if (!isKnown && asked !== "none") {
    throw new AuthorizationError("invalid_request", `response_type must be one of ${responseTypes.join(", ")}.`);
  }
  if (isKnown && allowedTypes(client).includes(sorted(asked))) return types.filter((type) => words.includes(type));
  throw new AuthorizationError(
    "unsupported_response_type",
    "The application does not list this response_type: its grantTypes and its hybridFlow decide. Use code with PKCE.",
  );
}

/** Whether an application may be answered now with what a request asked for when it came; absent for a code. */
export function isStillAllowed(asked: readonly ResponseType[] = ["code"], { inbound: { oidc } }: Application): boolean {
  return oidc !== undefined && allowedTypes(oidc).includes(sorted(asked.join(" ")));
}

/** The way of the answer that a request asks for. Throws `AuthorizationError`. */
export function modeOf(parameters: Parameters): ResponseMode {
  const asked = one(parameters, "response_mode");
  if (asked === undefined) return defaultMode(parameters);
  const mode = responseModes.find((each) => each === asked);
  if (mode === undefined) {
    throw new AuthorizationError("invalid_request", `Use one of the response modes ${responseModes.join(", ")}.`);
  }
  if (mode === "query" && defaultMode(parameters) === "fragment") {
    throw new AuthorizationError("invalid_request", "Tokens are not sent in a query: use fragment or form_post.");
  }
  return mode;
}

/** The way of an answer to a request that names none: tokens are in fragments, which no server logs. */
export function defaultMode(parameters: Parameters): ResponseMode {
  const words = (one(parameters, "response_type") ?? "").split(" ");
  return words.some((word) => word === "token" || word === "id_token") ? "fragment" : "query";
}

/** What a request for tokens through the browser must have. Throws `AuthorizationError`. */
export function checkFront(
  answered: readonly ResponseType[],
  {
    scopes,
    nonce,
    client,
  }: { readonly scopes: readonly string[]; readonly nonce: string | undefined; readonly client: Client },
): void {
  if (answered.includes("id_token")) {
    if (!scopes.includes("openid")) {
      throw new AuthorizationError("invalid_scope", "An ID token needs the scope openid.");
    }
    // OpenID Connect Core 1.0 sections 3.2.2.1 and 3.3.2.11.
    if (nonce === undefined) {
      throw new AuthorizationError("invalid_request", "nonce is required where an ID token goes through the browser.");
    }
  }
  if (answered.includes("token") && isBound(client)) {
    throw new AuthorizationError(
      "unauthorized_client",
      "The access tokens of the application are bound to a key, and a browser proves none. Use response_type=code.",
    );
  }
}

function isBound({ accessToken: { bindingType } }: Client): boolean {
  return bindingType === "DPoP" || bindingType === "certificate";
}

function isType(word: string): word is ResponseType {
  return (types as readonly string[]).includes(word);
}

/** The words in one order: clients may write them in any. */
function sorted(type: string): string {
  return type.split(" ").sort().join(" ");
}
