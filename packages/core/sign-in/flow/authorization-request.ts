/**
 * The authorization request (OpenID Connect Core 1.0 section 3.1.2.1, RFC 6749 section 4.1.1, RFC 7636): which client
 * asks for what, and how it gets its answer. What is wrong before the address of the answer is known is told to the
 * person in the browser; all else to the client.
 */
import { isFapi2 } from "../../applications/protocols/sign-in.ts";
import type { Application } from "../../applications/registry/model.ts";
import { neededWays } from "../../applications/registry/sequence-model.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Challenge } from "../../tokens/code-store.ts";
import { encryptionAlgorithms } from "../../tokens/encrypted-jwt.ts";
import { scopeNames } from "../oauth/scopes.ts";
import { askedResources } from "../oauth/targets.ts";
import { FACTORS_CLASS, PASSWORD_CLASS } from "../openid/id-token.ts";
import type { AccountVisit } from "./account.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { CasAsked } from "./cas/asked.ts";
import { type RequestedClaims, readClaimsParameter, requestedClaim } from "./claims-parameter.ts";
import { checkFapi } from "./fapi-rules.ts";
import { one, type Parameters } from "./parameters.ts";
import type { PassiveStsAsked } from "./passive-sts/asked.ts";
import { allowedTypes, checkFront, type ResponseMode, type ResponseType, responseTypesOf } from "./response-types.ts";
import type { SamlAsked } from "./saml/asked.ts";

/** Where and how a client gets its answer. */
export interface ReturnAddress {
  readonly redirectUri: string;
  readonly mode: ResponseMode;
  readonly state?: string | undefined;
}

/** A valid request. */
export interface AuthorizationRequest {
  readonly tenant: string;
  readonly clientId: string;
  readonly applicationId: string;
  readonly to: ReturnAddress;
  readonly isRedirectSent: boolean;
  /** What the answer contains; absent for a code alone. */
  readonly types?: readonly ResponseType[] | undefined;
  /** Names the pages of one sign-in, or one page of consent; absent where no page was shown (decision 0146). */
  readonly pages?: string | undefined;
  /** The digest of the name of the pushed request that it is. */
  readonly pushed?: string | undefined;
  /** The thumbprint of the DPoP key that must redeem the code (RFC 9449 section 10). */
  readonly dpopKey?: string | undefined;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly nonce?: string | undefined;
  readonly challenge?: Challenge | undefined;
  readonly prompts: readonly string[];
  readonly maxAgeSeconds?: number | undefined;
  readonly loginHint?: string | undefined;
  /** The subject that must sign in: that of `id_token_hint`, or of the requested claim `sub`. */
  readonly expected?: string | undefined;
  /** The classes of sign-in that the client prefers, the best first (`acr_values`). */
  readonly acrValues?: readonly string[] | undefined;
  /** The single claims that the client asks for. */
  readonly claims?: RequestedClaims | undefined;
  /** The person signs in to the pages of the own account, and to no application. */
  readonly account?: AccountVisit | undefined;
  /** A service provider of SAML 2.0 asks: its address is `to`, with its RelayState as `state`. */
  readonly saml?: SamlAsked | undefined;
  /** A relying party of WS-Federation asks: its address is `to`, with its `wctx` as `state`. */
  readonly passiveSts?: PassiveStsAsked | undefined;
  /** A client of CAS asks: its service is `to`. */
  readonly cas?: CasAsked | undefined;
}

const PROMPTS: ReadonlySet<string> = new Set(["none", "login", "consent", "select_account"]);
const CHALLENGE = /^[A-Za-z0-9._~-]{43,128}$/;
/** A digest of 32 bytes. */
const DIGEST = /^[A-Za-z0-9_-]{43}$/;
const TEXT_MAX = 2_048;
const SECONDS = /^\d{1,10}$/;
const CLASSES: ReadonlySet<unknown> = new Set([PASSWORD_CLASS, FACTORS_CLASS]);

/** The client of a request and what is known of it. */
export interface Requester {
  readonly tenant: string;
  readonly clientId: string;
  readonly application: Application;
  readonly to: ReturnAddress;
  readonly isRedirectSent: boolean;
  /** The digest of the name of the pushed request. In a request that is pushed just now: an empty text. */
  readonly pushed?: string | undefined;
  /** The parameters were in a signed request object. */
  readonly isSigned: boolean;
  /** The origin of the service. */
  readonly origin: string;
  /** Whether the deployment sends mails, which some ways to sign in need. */
  readonly sendsMail: boolean;
}

/** Reads the request of a client whose address is known. Throws `AuthorizationError`. */
export function readAuthorizationRequest(parameters: Parameters, requester: Requester): AuthorizationRequest {
  const { application, tenant, clientId, to, isRedirectSent, pushed, origin } = requester;
  const problem = problemOf(application, requester.sendsMail);
  if (problem) throw problem;
  const client = oidcOf(application);
  checkForm(parameters, requester);
  const types = responseTypesOf(parameters, client);
  const prompts = promptsOf(parameters);
  const nonce = shortText(parameters, "nonce");
  const scopes = scopesOf(parameters);
  checkFront(types, { scopes, nonce, client });
  const loginHint = shortText(parameters, "login_hint");
  const maxAgeSeconds = secondsOf(parameters, "max_age");
  const challenge = challengeOf(parameters, client, types);
  const isPushed = pushed !== undefined;
  checkFapi(client, { isPushed, types, isRedirectSent, redirectUri: to.redirectUri, method: challenge?.method });
  const dpopKey = dpopKeyOf(parameters);
  const resources = resourcesOf(parameters, origin);
  const acrValues = acrValuesOf(parameters);
  const claims = readClaimsParameter(one(parameters, "claims"));
  checkClass(claims);
  const expected = claims && subjectOf(claims);
  return {
    tenant,
    clientId,
    applicationId: application.id,
    to,
    isRedirectSent,
    ...(types.join() !== "code" && { types }),
    ...(isPushed && { pushed }),
    ...(dpopKey !== undefined && { dpopKey }),
    scopes,
    resources,
    prompts,
    ...(nonce !== undefined && { nonce }),
    ...(loginHint !== undefined && { loginHint }),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
    ...(challenge && { challenge }),
    ...(expected !== undefined && { expected }),
    ...(acrValues.length > 0 && { acrValues }),
    ...(claims && { claims }),
  };
}

/**
 * Why people cannot sign in to an application now; `undefined` where they can. The service does not do less than the
 * settings ask for.
 */
export function problemOf(application: Application, sendsMail: boolean): AuthorizationError | undefined {
  const { applicationEnabled, inbound, advancedConfigurations } = application;
  const refuse = (why: string) => new AuthorizationError("unauthorized_client", why);
  const { oidc } = inbound;
  if (!oidc || !applicationEnabled || oidc.state !== "ACTIVE") return refuse("The application is not enabled.");
  if (allowedTypes(oidc).length === 0) {
    return refuse("The grantTypes of the application do not include authorization_code.");
  }
  const { enabled: isEncrypted, algorithm } = oidc.idToken.encryption;
  if (isEncrypted && !encryptionAlgorithms.has(algorithm)) {
    return refuse(`ID tokens are not encrypted with ${algorithm}, which is not secure. Choose RSA-OAEP-256.`);
  }
  if (isEncrypted && !advancedConfigurations.certificate) {
    return refuse("ID tokens are encrypted with the certificate of the application, which has none.");
  }
  if (oidc.isFAPIApplication && !isFapi2(oidc)) {
    return refuse("Of the FAPI profiles the service offers FAPI2_SECURITY. Choose it in fapiProfile.");
  }
  return unmetBy(application, sendsMail);
}

/** The same for any protocol: an application asks for a proof that this service does not have. */
export function unmetBy(
  { authenticationSequence }: Pick<Application, "authenticationSequence">,
  sendsMail: boolean,
): AuthorizationError | undefined {
  const needed = neededWays(authenticationSequence, sendsMail);
  if (!("missing" in needed)) return undefined;
  return new AuthorizationError(
    "unmet_authentication_requirements",
    `The authenticationSequence of the application needs what this service does not have: ${needed.missing}.`,
  );
}

function oidcOf({ inbound: { oidc } }: Application): NonNullable<Application["inbound"]["oidc"]> {
  if (!oidc) throw new Error("an application without a client was not refused");
  return oidc;
}

/** Whether the request came in the form that the application demands. */
function checkForm(parameters: Parameters, { application, pushed, isSigned }: Requester): void {
  const { validateRequestObjectSignature, pushAuthorizationRequest } = oidcOf(application);
  if (one(parameters, "request_uri") !== undefined) {
    throw new AuthorizationError(
      "request_uri_not_supported",
      "Push the request, or send it by value: request_uri can name a pushed request only.",
    );
  }
  if (one(parameters, "registration") !== undefined) {
    throw new AuthorizationError("registration_not_supported", "Register the application first.");
  }
  if (pushed === undefined && pushAuthorizationRequest?.requirePushAuthorizationRequest) {
    throw new AuthorizationError(
      "invalid_request",
      "The application requires pushed authorization requests: push the request, and send its request_uri.",
    );
  }
  if (!isSigned && validateRequestObjectSignature) {
    throw new AuthorizationError(
      "invalid_request",
      "The application requires signed requests: send the parameters in a request object, as request.",
    );
  }
}

/** The thumbprint of a key (RFC 9449 section 10). */
function dpopKeyOf(parameters: Parameters): string | undefined {
  const value = one(parameters, "dpop_jkt");
  if (value === undefined || DIGEST.test(value)) return value;
  throw new AuthorizationError("invalid_request", "dpop_jkt is no thumbprint of a key by SHA-256.");
}

function promptsOf(parameters: Parameters): readonly string[] {
  const prompts = (one(parameters, "prompt") ?? "").split(" ").filter((word) => word !== "");
  const wrong = prompts.find((word) => !PROMPTS.has(word));
  if (wrong !== undefined) throw new AuthorizationError("invalid_request", "prompt has an unknown value.");
  if (prompts.includes("none") && prompts.length > 1) {
    throw new AuthorizationError("invalid_request", "prompt=none cannot be combined with other values.");
  }
  return prompts;
}

/** The classes of `acr_values`. They are a wish: any other class is no error. */
function acrValuesOf(parameters: Parameters): readonly string[] {
  return (shortText(parameters, "acr_values") ?? "").split(" ").filter((word) => word !== "");
}

/** A class that the client cannot do without is one that this service has (OpenID Connect Core 1.0 section 5.5.1.1). */
function checkClass(claims: RequestedClaims | undefined): void {
  const acr = claims && requestedClaim(claims.idToken, "acr");
  if (!acr?.isEssential || !acr.values || acr.values.some((value) => CLASSES.has(value))) return;
  throw new AuthorizationError(
    "unmet_authentication_requirements",
    `claims: this service signs in with the acr ${PASSWORD_CLASS} or ${FACTORS_CLASS} only.`,
  );
}

/** The only subject that may sign in, where the client asks for one (OpenID Connect Core 1.0 section 5.5.1). */
function subjectOf({ idToken, userInfo }: RequestedClaims): string | undefined {
  const values = [idToken, userInfo].flatMap((claims) => requestedClaim(claims, "sub")?.values ?? []);
  const [subject, ...others] = new Set(values);
  if (subject === undefined) return undefined;
  if (typeof subject === "string" && others.length === 0) return subject;
  throw new AuthorizationError("invalid_request", "claims: sub can have one value, which is a text.");
}

function challengeOf(
  parameters: Parameters,
  { pkce, publicClient }: Pick<NonNullable<Application["inbound"]["oidc"]>, "pkce" | "publicClient">,
  types: readonly ResponseType[],
): Challenge | undefined {
  const value = one(parameters, "code_challenge");
  const method = one(parameters, "code_challenge_method");
  if (value === undefined) {
    if (method !== undefined) {
      throw new AuthorizationError("invalid_request", "code_challenge is required with code_challenge_method.");
    }
    // Without a code there is nothing that a verifier could redeem.
    if ((pkce.mandatory || publicClient) && types.includes("code")) {
      throw new AuthorizationError("invalid_request", "code_challenge is required: send it with the method S256.");
    }
    return undefined;
  }
  // RFC 7636 section 4.3: plain is the default.
  const named = method ?? "plain";
  if (named === "S256" && DIGEST.test(value)) return { method: "S256", value };
  if (named === "plain" && pkce.supportPlainTransformAlgorithm && CHALLENGE.test(value)) {
    return { method: "plain", value };
  }
  const isKnown = named === "S256" || (named === "plain" && pkce.supportPlainTransformAlgorithm);
  throw new AuthorizationError(
    "invalid_request",
    isKnown ? "code_challenge does not have the form of RFC 7636." : "Use code_challenge_method=S256.",
  );
}

function scopesOf(parameters: Parameters): readonly string[] {
  try {
    return scopeNames(one(parameters, "scope"));
  } catch (error) {
    if (error instanceof Fault) throw new AuthorizationError("invalid_scope", error.description);
    throw error;
  }
}

/** The resources that the token is for (RFC 8707 section 2). */
function resourcesOf({ resource }: Parameters, origin: string): readonly string[] {
  const named = typeof resource === "string" ? [resource] : (resource ?? []);
  if (named.some((each) => each.length > TEXT_MAX)) {
    throw new AuthorizationError("invalid_target", `A resource is longer than ${TEXT_MAX} characters.`);
  }
  try {
    return askedResources(named, origin).addresses;
  } catch (error) {
    if (error instanceof Fault) throw new AuthorizationError("invalid_target", error.description);
    throw error;
  }
}

function shortText(parameters: Parameters, name: string): string | undefined {
  const value = one(parameters, name);
  if (value !== undefined && value.length > TEXT_MAX) {
    throw new AuthorizationError("invalid_request", `${name} is longer than ${TEXT_MAX} characters.`);
  }
  return value;
}

function secondsOf(parameters: Parameters, name: string): number | undefined {
  const value = one(parameters, name);
  if (value === undefined) return undefined;
  if (!SECONDS.test(value)) throw new AuthorizationError("invalid_request", `${name} is a number of seconds.`);
  return Number(value);
}
