/** OAuth2 / OpenID Connect clients: validation of a body, settings, and the life cycle of the secret. */
import type * as z from "zod";
import type { Clock } from "../../platform/clock.ts";
import { Fault } from "../../platform/faults.ts";
import { nearest } from "../../platform/nearest.ts";
import { randomText, type Seal } from "../../platform/seal.ts";
import { checkTogetherLater } from "../../platform/together.ts";
import { listed } from "../../platform/words.ts";
import {
  checkClientAuthentication,
  clientAuthenticationOf,
  presentClientAuthentication,
} from "./client-authentication.ts";
import { checkExpiry, newSecret, secretsOf, secretWithText, storedSecrets, withSecrets } from "./client-secrets.ts";
import { type ClientLimits, checkLifetimes, checkSecretStrength, defaultLifetimes } from "./limits.ts";
import type { OidcClient } from "./model.ts";
import { grantTypes, oidcOptions } from "./options.ts";
import { readPattern } from "./pattern.ts";
import { PATTERN_LIMITS } from "./pattern-size.ts";
import type { OidcBody, OidcShown } from "./shapes.ts";
import { checkSignIn, signInSettings } from "./sign-in.ts";
import { isRunnable } from "./urls.ts";

type Body = z.output<typeof OidcBody>;
type Shown = z.input<typeof OidcShown>;

const CLIENT_ID_LENGTH = 28;
/** The subject of a token is the id of a user or of a client: they must differ in form (RFC 9068 section 5). */
const RESOURCE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PRINTABLE = /^[\x21-\x7E]+$/;
/** Expressions are more expensive to check than addresses. */
const EXPRESSIONS_MAX = 10;
/** An expression that matches this address matches any. */
const UNRELATED_ADDRESS = "https://stranger.invalid/anything";

/** What the settings of a client need in addition to their body. */
export interface ClientSupport {
  readonly seal: Seal;
  readonly limits: ClientLimits;
  readonly clock: Clock;
}

/** Checks what does not depend on the client. Throws `client.invalid`, `application.invalid`, `cors.duplicate`. */
export async function checkOidc(body: Body, limits: ClientLimits): Promise<void> {
  const names: readonly string[] = grantTypes.map(({ name }) => name);
  const { accessToken = {}, idToken = {} } = body;
  await checkTogetherLater(
    ...body.grantTypes.map((grant) => () => allowed(grant, names, "grant type", "grantTypes")),
    () => checkCallbacks(body),
    () => checkOrigins(body.allowedOrigins ?? []),
    ...(body.scopeValidators ?? []).map(
      (validator) => () =>
        allowed(validator, oidcOptions.scopeValidators.options, "scope validator", "scopeValidators"),
    ),
    () => allowed(accessToken.type, oidcOptions.accessTokenType.options, "access token type", "accessToken.type"),
    () =>
      allowed(
        accessToken.bindingType,
        oidcOptions.accessTokenBindingType.options,
        "binding type",
        "accessToken.bindingType",
      ),
    () => checkBinding(accessToken),
    () => checkLifetimes(body, limits),
    () => checkClientAuthentication(body),
    () => checkSignIn(body),
    () => checkIdToken(idToken),
  );
}

async function checkCallbacks({ grantTypes: grants, callbackURLs: callbacks = [] }: Body): Promise<void> {
  if (grants.some((grant) => grant === "authorization_code" || grant === "implicit") && callbacks.length === 0) {
    throw refuse("Callback URI is mandatory for Code or Implicit grant types. Send it in callbackURLs.");
  }
  if (callbacks.filter((callback) => callback.startsWith("regexp=")).length > EXPRESSIONS_MAX) {
    throw refuse(`callbackURLs: more than ${EXPRESSIONS_MAX} are expressions. Join them with |.`);
  }
  await checkTogetherLater(...callbacks.map((callback) => () => checkCallback(callback)));
}

function checkIdToken({ audience = [], encryption = {} }: NonNullable<Body["idToken"]>): void {
  if (audience.some((entry) => entry.trim() === "") || new Set(audience).size < audience.length) {
    throw refuse("Audience values cannot contain duplicates or empty values.");
  }
  const { enabled, algorithm = "", method = "" } = encryption;
  if (!enabled) return;
  const { idTokenEncryptionAlgorithm: algorithms, idTokenEncryptionMethod: methods } = oidcOptions;
  allowed(algorithm, algorithms.options, "Encryption Algorithm", "idToken.encryption.algorithm");
  allowed(method, methods.options, "Encryption Method", "idToken.encryption.method");
}

/**
 * Refuses a binding that would be accepted and not enforced: `client-request` names an instance of a client, which
 * proves nothing that could be validated (decision 0078).
 */
function checkBinding({ bindingType, validateTokenBinding }: NonNullable<Body["accessToken"]> = {}): void {
  if (bindingType !== "client-request" || !validateTokenBinding) return;
  throw refuse(
    "accessToken.validateTokenBinding: tokens of the binding type client-request have nothing to validate. " +
      "Choose DPoP or certificate, or leave validateTokenBinding out.",
  );
}

/** The first sentence is Identity Server's. */
function allowed(value: string | undefined, options: readonly string[], what: string, where: string): void {
  if (value === undefined || options.includes(value)) return;
  const meant = nearest(value, options);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  throw refuse(`'${value.slice(0, 200)}' ${what} is not allowed. ${where} takes ${listed(options, "and")}.${hint}`);
}

async function checkCallback(callback: string): Promise<void> {
  if (callback.startsWith("regexp=")) {
    const pattern = await readPattern(callback.slice("regexp=".length));
    if (!pattern)
      throw refuse(`The callback '${callback.slice(0, 100)}' must be an RE2 expression with ${PATTERN_LIMITS}.`);
    if (pattern.matches(UNRELATED_ADDRESS))
      throw refuse(`The callback '${callback.slice(0, 100)}' would match any address.`);
    return;
  }
  const shown = callback.slice(0, 100);
  if (!URL.canParse(callback)) throw refuse(`callbackURLs: '${shown}' is not an absolute URL.`);
  const url = new URL(callback);
  if (isRunnable(callback)) throw refuse(`The callback '${shown}' has a scheme that is not allowed.`);
  if (url.username || url.password) throw refuse(`The callback '${shown}' must not contain a user name.`);
  if (callback.includes("#")) throw refuse("Callback URI must not contain a fragment component");
  if (url.host.includes("*")) throw refuse(`The callback '${shown}' must name one host. Use regexp= for several.`);
}

/** Origins from which browsers may call. Throws `application.invalid` and `cors.duplicate`. */
function checkOrigins(origins: readonly string[]): void {
  for (const origin of origins) {
    const isOrigin =
      URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && new URL(origin).origin === origin;
    if (!isOrigin) {
      throw new Fault(
        "application.invalid",
        `Error creating application. Invalid Allowed Origin found: ${origin.slice(0, 200)}. An origin is a scheme and a host, without a path.`,
      );
    }
  }
  if (new Set(origins).size < origins.length) {
    throw new Fault("cors.duplicate", "Error creating application. Found duplicate allowed origin entries.");
  }
}

/**
 * The client after a checked body, which replaces everything except id, secrets and state. Secrets are sealed for
 * `owner`. Throws `client.invalid` and `application.invalid` for a wrong id or secret.
 */
export function oidcClient(
  body: Body,
  before: OidcClient | undefined,
  support: ClientSupport,
  owner: string,
): OidcClient {
  const { accessToken = {}, refreshToken = {}, idToken = {}, pkce = {} } = body;
  const isEncrypted = idToken.encryption?.enabled === true;
  const binding = accessToken.bindingType;
  const defaults = defaultLifetimes(support.limits);
  const clientAuthentication = clientAuthenticationOf(body);
  return {
    ...credentialOf(body, before, support, owner),
    grantTypes: body.grantTypes,
    callbackURLs: body.callbackURLs ?? [],
    allowedOrigins: body.allowedOrigins ?? [],
    publicClient: body.publicClient ?? false,
    pkce: {
      mandatory: pkce.mandatory ?? false,
      supportPlainTransformAlgorithm: pkce.supportPlainTransformAlgorithm ?? false,
    },
    accessToken: {
      type: accessToken.type ?? oidcOptions.accessTokenType.defaultValue,
      // A lifetime of 0 means the server's default.
      userAccessTokenExpiryInSeconds: accessToken.userAccessTokenExpiryInSeconds || defaults.userAccessTokenSeconds,
      applicationAccessTokenExpiryInSeconds:
        accessToken.applicationAccessTokenExpiryInSeconds || defaults.applicationAccessTokenSeconds,
      ...(binding !== undefined &&
        binding !== oidcOptions.accessTokenBindingType.defaultValue && { bindingType: binding }),
      revokeTokensWhenIDPSessionTerminated: accessToken.revokeTokensWhenIDPSessionTerminated ?? false,
      validateTokenBinding: accessToken.validateTokenBinding ?? false,
      accessTokenAttributes: accessToken.accessTokenAttributes ?? [],
      ...given("enableJwtScopeAsArray", accessToken.enableJwtScopeAsArray),
    },
    refreshToken: {
      expiryInSeconds: refreshToken.expiryInSeconds || defaults.refreshTokenSeconds,
      ...(refreshToken.renewRefreshToken !== undefined && { renewRefreshToken: refreshToken.renewRefreshToken }),
      ...given("extendRenewedRefreshTokenExpiryTime", refreshToken.extendRenewedRefreshTokenExpiryTime),
    },
    idToken: {
      expiryInSeconds: idToken.expiryInSeconds || defaults.idTokenSeconds,
      audience: idToken.audience ?? [],
      ...given("idTokenSignedResponseAlg", idToken.idTokenSignedResponseAlg),
      encryption: {
        enabled: isEncrypted,
        algorithm: isEncrypted ? (idToken.encryption?.algorithm ?? "") : "",
        method: isEncrypted ? (idToken.encryption?.method ?? "") : "",
      },
    },
    ...(body.subjectToken && {
      subjectToken: {
        enable: body.subjectToken.enable ?? false,
        applicationSubjectTokenExpiryInSeconds:
          body.subjectToken.applicationSubjectTokenExpiryInSeconds || defaults.subjectTokenSeconds,
      },
    }),
    logout: body.logout ?? {},
    validateRequestObjectSignature: body.validateRequestObjectSignature ?? false,
    scopeValidators: body.scopeValidators ?? [],
    ...(clientAuthentication && { clientAuthentication }),
    ...signInSettings(body),
  };
}

/** An object with a member, or without it where it was not given. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { readonly [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]?: Value });
}

/** The id and secrets of an existing client stay; those of a new one come from the body or are generated. */
function credentialOf(body: Body, before: OidcClient | undefined, support: ClientSupport, owner: string) {
  const { clientId, clientSecret: text, clientSecretExpiresAt: expiresAtSeconds } = body;
  const { seal, limits, clock } = support;
  if (before) {
    checkCredentialStays(body, before, seal, owner);
    return { clientId: before.clientId, ...storedSecrets(secretsOf(before)), state: before.state };
  }
  if (clientId !== undefined && !PRINTABLE.test(clientId)) throw notPrintable("clientId");
  if (clientId !== undefined && RESOURCE_ID.test(clientId)) {
    throw refuse("The clientId must not have the form of a user id (a UUID of version 7).");
  }
  if (text !== undefined) checkChosenSecret(text, clientId, limits);
  checkExpiry(expiresAtSeconds, clock.now(), "clientSecretExpiresAt");
  return {
    clientId: clientId ?? randomText(CLIENT_ID_LENGTH),
    ...storedSecrets([newSecret({ text, expiresAtSeconds, createdAtSeconds: secondsOf(clock) }, seal, owner)]),
    state: "ACTIVE" as const,
  };
}

/** A body may repeat the id, one of the secrets and the expiry of the latest one. */
function checkCredentialStays(body: Body, before: OidcClient, seal: Seal, owner: string): void {
  const { clientId, clientSecret, clientSecretExpiresAt } = body;
  const invalid = (what: string) => new Fault("application.invalid", `Invalid ${what} provided for update.`);
  const secrets = secretsOf(before);
  if (clientId !== undefined && clientId !== before.clientId) throw invalid("ClientID");
  if (clientSecret !== undefined && !secretWithText(secrets, clientSecret, seal, owner)) throw invalid("ClientSecret");
  if (clientSecretExpiresAt !== undefined && clientSecretExpiresAt !== (secrets[0].expiresAtSeconds ?? 0)) {
    throw invalid("ClientSecretExpiresAt");
  }
}

/** Throws `client.invalid` for a secret that a caller may not choose. */
export function checkChosenSecret(text: string, clientId: string | undefined, limits: ClientLimits): void {
  if (!PRINTABLE.test(text)) throw notPrintable("clientSecret");
  checkSecretStrength(text, clientId, limits);
}

/** The client with one new secret in place of all others, active. */
export function regenerated(client: OidcClient, { seal, clock }: ClientSupport, owner: string): OidcClient {
  const secret = newSecret({ createdAtSeconds: secondsOf(clock) }, seal, owner);
  return { ...withSecrets(client, [secret]), state: "ACTIVE" };
}

function secondsOf(clock: Clock): number {
  return Math.floor(clock.now() / 1_000);
}

/** The client, unusable until its secret is regenerated. */
export function revoked(client: OidcClient): OidcClient {
  return { ...client, state: "REVOKED" };
}

/**
 * The client in a response. `open` opens its latest secret; it is absent where the caller must not see the secret, and
 * then nothing about secrets is shown.
 */
export function presentOidc(client: OidcClient, open?: (sealed: string) => string): Shown {
  const { sealedSecret, latestSecret: _, formerSecrets: __, ...shown } = client;
  const [{ expiresAtSeconds = 0 }, ...former] = secretsOf(client);
  return {
    ...shown,
    refreshToken: { renewRefreshToken: false, ...client.refreshToken },
    ...(open && {
      clientSecret: open(sealedSecret),
      clientSecretExpiresAt: expiresAtSeconds,
      multipleClientSecretsConfigured: former.length > 0,
    }),
    clientAuthentication: presentClientAuthentication(client.clientAuthentication),
  };
}

function notPrintable(name: string): Fault {
  return refuse(`The ${name} must be printable ASCII without blanks.`);
}

function refuse(description: string): Fault {
  return new Fault("client.invalid", description);
}
