/**
 * Client authentication: by a secret in the Basic scheme or the form (RFC 6749 section 2.3), by a signed assertion (RFC
 * 7523), by the certificate of the connection (RFC 8705), or by the client id alone (decision 0077).
 */
import { hash, timingSafeEqual } from "node:crypto";
import { isExpired, type UsableSecret } from "../../applications/protocols/client-secrets.ts";
import { CLIENT_SECRETS_CEILING } from "../../applications/protocols/limits.ts";
import { ownerOf } from "../../applications/protocols/model.ts";
import type { ClientAuthenticationMethod } from "../../applications/protocols/options.ts";
import { newSecretText } from "../../applications/protocols/secret-text.ts";
import type { ClientRecord } from "../../applications/registry/client-model.ts";
import { unusableBy, usableSecrets } from "../../applications/registry/client-model.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import { BASIC_CHALLENGE } from "../../http/decision.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Seal } from "../../kernel/seal.ts";
import { type Assertion, assertedClient, isTooLong, LIFE_SECONDS_MAX } from "../../tokens/client-assertion.ts";
import { basicParts } from "../authentication/basic.ts";
import { newFreshCache, newPrivateDigest } from "../authentication/fresh.ts";
import { sourceOf } from "../authentication/source.ts";
import type { ClientProofs, ServerCheck } from "./client-proofs.ts";

/** How a request names its client. With its id alone: by the certificate of the connection, or by nothing. */
type Presentation = "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "id";

/** The client credentials of a request. */
export interface PresentedClient {
  readonly clientId: string;
  readonly by: Presentation;
  /** Every reading of the secret that was sent; empty where none was. */
  readonly secrets: readonly string[];
  readonly assertion?: string;
  /** PEM: the certificate of the connection, whatever it is for. */
  readonly certificate?: string | undefined;
}

/** The form parameters that identify a client. */
export interface ClientParameters {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly client_assertion?: string | undefined;
  readonly client_assertion_type?: string | undefined;
}

/** The only type of client assertions (RFC 7523 section 2.2). */
const JWT_ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

const PRINTABLE = /^[\x21-\x7E]+$/;

/** By the form of the request alone: no client is looked up. */
const NO_CLIENT =
  "No client is named: send its id and secret in an Authorization header of the scheme Basic, or as client_id and client_secret in the body.";
const NO_BASIC =
  "The Authorization header cannot be read: send Basic, a blank, and the base64 of the client id, a colon and the secret.";

/** What decides about a client besides its credentials. */
export interface ClientCheck extends ServerCheck {
  /** The client with the presented id. */
  readonly found: Client | undefined;
  readonly pathTenant: string | undefined;
  /** Whether guesses have locked the client for the source of the request. */
  readonly isLocked: boolean;
  readonly sourceIp: string;
  /** What `accepted` returned for the request. */
  readonly accepted: string | undefined;
}

/** An authenticated client. */
export interface AuthenticatedClient {
  readonly client: Client;
  /** The secret that it sent; `undefined` for other methods, and for a public client without one. */
  readonly secret: UsableSecret | undefined;
  /** The assertion that it used, if it must not be used again. */
  readonly once?: Assertion;
  /** Why it may not be used although its credential is right: it is disabled or revoked. */
  readonly refusal?: Fault;
}

/** Authenticates clients for one container. */
export type ClientAuthenticator = ReturnType<typeof newClientAuthenticator>;

/** Whether a request has a credential of its client that somebody could guess at. */
export function isGuess({ secrets, assertion }: PresentedClient): boolean {
  return secrets.length > 0 || assertion !== undefined;
}

/** The fault for a client that is unknown or not authenticated. */
export function clientRefused(
  description = "The client is unknown, its credential is wrong, or it used a method that is not accepted.",
): Fault {
  return new Fault("client.unauthenticated", description, { headers: { "www-authenticate": BASIC_CHALLENGE } });
}

/**
 * Reads the client credentials of a request, given the certificate of its connection. Throws `request.invalid` where it
 * has more than one, and `client.unauthenticated` where it has none that can be read.
 */
export function presentedClient(
  authorization: string | undefined,
  form: ClientParameters,
  certificate?: string,
): PresentedClient {
  const { client_id: id, client_secret: secret, client_assertion: assertion, client_assertion_type: type } = form;
  if ((authorization !== undefined && (secret || assertion || type)) || (secret && (assertion || type))) {
    throw invalid("Authenticate the client in one way: the Authorization header, client_secret or client_assertion.");
  }
  if (authorization === undefined) {
    if (assertion || type) return assertedBy(assertion, type, id);
    if (!id) throw clientRefused(NO_CLIENT);
    return secret
      ? { clientId: id, by: "client_secret_post", secrets: [secret] }
      : { clientId: id, by: "id", secrets: [], certificate };
  }
  const parts = basicParts(authorization);
  if (!parts) throw clientRefused(NO_BASIC);
  const [name, word] = parts;
  if (id && id !== idOf(name)) throw invalid("The Authorization header and client_id name different clients.");
  // Both the text that was sent and its form-decoded reading are accepted: who knows one of them knows the secret.
  return { clientId: idOf(name), by: "client_secret_basic", secrets: [...new Set([word, decoded(word)])] };
}

/**
 * Throws `client.unauthenticated`, with the reason, for an assertion that says that it lives too long: libraries let
 * their users choose, and the answer to a wrong signature would not help them.
 */
export function checkAssertionLife({ assertion }: PresentedClient, nowMs: number): void {
  if (assertion === undefined || !isTooLong(assertion, nowMs)) return;
  throw clientRefused(
    `The client_assertion expires more than ${LIFE_SECONDS_MAX / 60} minutes ahead. Sign one with an earlier exp for ` +
      "each request: a stolen one counts until then.",
  );
}

/** An assertion names its client; the parameter `client_id` may repeat that (RFC 7521 section 4.2). */
function assertedBy(assertion: string | undefined, type: string | undefined, id: string | undefined): PresentedClient {
  if (type !== JWT_ASSERTION) throw invalid(`Send client_assertion_type=${JWT_ASSERTION} with the client_assertion.`);
  if (!assertion) throw invalid("The parameter client_assertion is required with client_assertion_type.");
  const clientId = assertedClient(assertion);
  if (!clientId) throw clientRefused();
  if (id && id !== clientId) throw invalid("The client_assertion and client_id name different clients.");
  return { clientId, by: "private_key_jwt", secrets: [], assertion };
}

function invalid(description: string): Fault {
  return new Fault("request.invalid", description);
}

/** Client ids are printable: a decoded text that is not printable was not encoded. */
function idOf(text: string): string {
  return PRINTABLE.test(decoded(text)) ? decoded(text) : text;
}

/** Undoes the form encoding that RFC 6749 section 2.3.1 requires and few clients apply. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // A plain percent sign: the text was not encoded.
    return text;
  }
}

/** Opens client authentication for one container. */
export function newClientAuthenticator(seal: Seal, proofs: ClientProofs, clock: Clock = systemClock) {
  // Stands in for secrets that a client does not have, so that unknown clients cost the same work too.
  const missing = { text: seal.seal(newSecretText(), "unknown"), owner: "unknown" };
  const known = newFreshCache<string>(clock);
  const digest = newPrivateDigest();
  const keyOf = ({ clientId, secrets }: PresentedClient, sourceIp: string) =>
    digest(JSON.stringify([sourceOf(sourceIp), clientId, secrets]));
  /** The secret that was sent. The work is the same for each client, and for none. */
  const opened = ({ secrets }: PresentedClient, found: Client | undefined, nowMs: number): UsableSecret | undefined => {
    const own = found ? usableSecrets(found.settings) : [];
    const owner = found ? ownerOf(found.tenant, found.applicationId) : missing.owner;
    const sent = secrets.map(digestOf);
    const equal = Array.from({ length: Math.max(CLIENT_SECRETS_CEILING, own.length) }, (_, at) => {
      const sealed = own[at] ? { text: own[at].sealedSecret, owner } : missing;
      return isAmong(digestOf(seal.open(sealed.text, sealed.owner)), sent);
    });
    return own.find((each, at) => equal[at] && !isExpired(each, nowMs));
  };
  /** The secret of an equal attempt, which was opened then, while the client has it and is not locked. */
  const remembered = ({ found, isLocked, accepted, nowMs }: ClientCheck): UsableSecret | undefined => {
    if (isLocked || !found || accepted === undefined) return undefined;
    return usableSecrets(found.settings).find((each) => each.sealedSecret === accepted && !isExpired(each, nowMs));
  };
  return {
    /**
     * The client that sent a request. `undefined` for an unknown client, a wrong or expired credential, a method that
     * is not the registered one, and a locked client, after the same work, however many secrets the client has.
     */
    async authenticate(presented: PresentedClient, check: ClientCheck): Promise<AuthenticatedClient | undefined> {
      const { found, pathTenant, isLocked, nowMs, sourceIp } = check;
      const { assertion: text, certificate, clientId } = presented;
      const proven = remembered(check);
      const right = proven ?? opened(presented, found, nowMs);
      const secret = isLocked ? undefined : right;
      // A locked client is verified like an unknown one: its keys are not fetched.
      const unlocked = isLocked ? undefined : found;
      const assertion = text === undefined ? undefined : await proofs.assertion(text, clientId, unlocked, check);
      const isOtherTenant = pathTenant !== undefined && found?.tenant !== pathTenant;
      if (!found || isOtherTenant) return undefined;
      const { settings } = found;
      const method = methodOf(presented, settings);
      const isRight =
        secret !== undefined ||
        assertion !== undefined ||
        (method === "none" && settings.isPublic) ||
        (certificate !== undefined && (await proofs.isCertified(certificate, found, check)));
      if (!isRight || !methodsOf(settings).includes(method)) return undefined;
      const refusal = refusalOf(settings);
      // Not renewed: each minute begins with an opened secret.
      if (secret !== undefined && !proven && !refusal) known.set(keyOf(presented, sourceIp), secret.sealedSecret);
      const once = settings.authentication?.allowsReuse ? undefined : assertion;
      return { client: found, secret, ...(once && { once }), ...(refusal && { refusal }) };
    },
    /**
     * The sealed text of the secret of an equal attempt from the same source that was accepted here within a minute.
     * The secret proves the client again while the client has that text (decision 0141).
     */
    accepted: (presented: PresentedClient, sourceIp: string): string | undefined =>
      presented.secrets.length === 0 ? undefined : known.get(keyOf(presented, sourceIp)),
  };
}

/** Why a client may not be used. */
function refusalOf(client: ClientRecord): Fault | undefined {
  switch (unusableBy(client)) {
    case "disabled":
      return clientRefused("The application is disabled.");
    case "revoked":
      return clientRefused("The client was revoked. Regenerate its secret to use it again.");
    default:
      return undefined;
  }
}

/** The method that a request uses, by its name in `tokenEndpointAuthMethod`. */
function methodOf({ by }: PresentedClient, { authentication }: ClientRecord): ClientAuthenticationMethod {
  if (by !== "id") return by;
  const registered = authentication?.method ?? "none";
  return registered === "tls_client_auth" || registered === "self_signed_tls_client_auth" ? registered : "none";
}

/** The methods that a client may use: the registered one, or those of every client with a secret. */
function methodsOf({ authentication, isPublic }: ClientRecord): readonly ClientAuthenticationMethod[] {
  if (authentication) return [authentication.method];
  return ["client_secret_basic", "client_secret_post", ...(isPublic ? (["none"] as const) : [])];
}

/** Whether one of the digests is that of the secret. Constant time: compares all of them. */
function isAmong(secret: Buffer, digests: readonly Buffer[]): boolean {
  return digests.map((digest) => timingSafeEqual(digest, secret)).includes(true);
}

function digestOf(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
