/** OAuth2 / OpenID Connect clients: validation of a body, settings, and the life cycle of the secret. */
import type * as z from "zod";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { nearest } from "../../kernel/nearest.ts";
import { randomText, type Seal } from "../../kernel/seal.ts";
import { checkEach, checkTogether, checkTogetherLater } from "../../kernel/together.ts";
import { listed } from "../../kernel/words.ts";
import {
  checkClientAuthentication,
  clientAuthenticationOf,
  presentClientAuthentication,
} from "./client-authentication.ts";
import { checkExpiry, newSecret, secretsOf, secretWithText, storedSecrets, withSecrets } from "./client-secrets.ts";
import {
  type ClientLimits,
  checkGraceful,
  checkLifetimes,
  checkSecretStrength,
  defaultLifetimes,
  gracefulOf,
} from "./limits.ts";
import type { OidcClient } from "./model.ts";
import { checkCallbacks, checkLogout, checkOrigins, type Source, storedAddresses } from "./oidc-addresses.ts";
import { grantTypes, oidcOptions } from "./options.ts";
import type { OidcBody, OidcShown } from "./shapes.ts";
import { checkSignIn, signInSettings } from "./sign-in.ts";

type Body = z.output<typeof OidcBody>;
type Shown = z.input<typeof OidcShown>;

const CLIENT_ID_LENGTH = 28;
/** The subject of a token is the id of a user or of a client: they must differ in form (RFC 9068 section 5). */
const RESOURCE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PRINTABLE = /^[\x21-\x7E]+$/;

/** What the settings of a client need in addition to their body. */
export interface ClientSupport {
  readonly seal: Seal;
  readonly limits: ClientLimits;
  readonly clock: Clock;
}

/** Checks what does not depend on the client. Throws `client.invalid`, `application.invalid`, `cors.duplicate`. */
export async function checkOidc(body: Body, limits: ClientLimits, source: Source = "request"): Promise<void> {
  const names: readonly string[] = grantTypes.map(({ name }) => name);
  const { accessToken = {}, idToken = {} } = body;
  await checkTogetherLater(
    ...body.grantTypes.map((grant) => () => allowed(grant, names, "grant type", "grantTypes")),
    () => checkCallbacks(body, source),
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
    () => checkGraceful(body.refreshToken ?? {}),
    () => checkLogout(body.logout ?? {}),
    () => checkClientAuthentication(body),
    () => checkSignIn(body),
    () => checkIdToken(idToken),
  );
}

function checkIdToken({ audience = [], encryption = {} }: NonNullable<Body["idToken"]>): void {
  const { enabled, algorithm = "", method = "" } = encryption;
  const { idTokenEncryptionAlgorithm: algorithms, idTokenEncryptionMethod: methods } = oidcOptions;
  checkTogether(
    () => {
      if (audience.every((entry) => entry.trim() !== "") && new Set(audience).size === audience.length) return;
      throw refuse("idToken.audience: Audience values cannot contain duplicates or empty values.");
    },
    () => enabled && allowed(algorithm, algorithms.options, "Encryption Algorithm", "idToken.encryption.algorithm"),
    () => enabled && allowed(method, methods.options, "Encryption Method", "idToken.encryption.method"),
  );
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
    ...storedAddresses(body),
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
      ...gracefulOf(refreshToken),
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
  checkTogether(
    () => {
      if (clientId !== undefined && !PRINTABLE.test(clientId)) throw notPrintable("clientId");
      if (clientId !== undefined && RESOURCE_ID.test(clientId)) {
        throw refuse("The clientId must not have the form of a user id (a UUID of version 7).");
      }
    },
    () => text !== undefined && checkChosenSecret(text, clientId, limits),
    () => checkExpiry(expiresAtSeconds, clock.now(), "clientSecretExpiresAt"),
  );
  return {
    clientId: clientId ?? randomText(CLIENT_ID_LENGTH),
    ...storedSecrets([newSecret({ text, expiresAtSeconds, createdAtSeconds: secondsOf(clock) }, seal, owner)]),
    state: "ACTIVE" as const,
  };
}

/** A body may repeat the id, one of the secrets and the expiry of the latest one. */
function checkCredentialStays(body: Body, before: OidcClient, seal: Seal, owner: string): void {
  const { clientId, clientSecret, clientSecretExpiresAt } = body;
  const secrets = secretsOf(before);
  const { expiresAtSeconds: expiresAt = 0 } = secrets[0];
  // The end of the sentence is Identity Server's.
  const kept = [
    ["clientId", "ClientID", clientId ?? before.clientId, before.clientId],
    [
      "clientSecret",
      "ClientSecret",
      clientSecret === undefined || secretWithText(secrets, clientSecret, seal, owner) !== undefined,
      true,
    ],
    ["clientSecretExpiresAt", "ClientSecretExpiresAt", clientSecretExpiresAt ?? expiresAt, expiresAt],
  ] as const;
  checkEach(kept, ([member, name, given, expected]) => {
    if (given === expected) return;
    throw new Fault("application.invalid", `${member}: Invalid ${name} provided for update.`);
  });
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
