/** Client authentication (RFC 6749 section 2.3): by the Basic scheme, by the form, or by the client id alone. Pure. */
import { createHash, timingSafeEqual } from "node:crypto";
import { isExpired, type UsableSecret } from "../applications/protocols/client-secrets.ts";
import { CLIENT_SECRETS_CEILING } from "../applications/protocols/limits.ts";
import { ownerOf } from "../applications/protocols/model.ts";
import { newSecretText } from "../applications/protocols/secret-text.ts";
import { usableSecrets } from "../applications/registry/client-model.ts";
import type { Client } from "../applications/registry/client-store.ts";
import { basicParts } from "../auth/basic.ts";
import { newFreshCache, newPrivateDigest } from "../auth/fresh.ts";
import { BASIC_CHALLENGE } from "../http/decision.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { Fault } from "../platform/faults.ts";
import type { Seal } from "../platform/seal.ts";

/** The client credentials of a request. */
export interface PresentedClient {
  readonly clientId: string;
  /** Every reading of the secret that was sent; empty where none was. */
  readonly secrets: readonly string[];
}

/** The form parameters that identify a client. */
export interface ClientParameters {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly client_assertion?: string | undefined;
}

const PRINTABLE = /^[\x21-\x7E]+$/;

/** What decides about a client besides its credentials. */
export interface ClientCheck {
  /** The client with the presented id. */
  readonly found: Client | undefined;
  readonly pathTenant: string | undefined;
  /** Whether guesses have locked the client for the source of the request. */
  readonly isLocked: boolean;
  /** The time of the request: secrets expire. */
  readonly nowMs: number;
}

/** A client that is authenticated. */
export interface Authenticated {
  readonly client: Client;
  /** The secret that it sent; `undefined` for a public client without one. */
  readonly secret: UsableSecret | undefined;
}

/** Authenticates clients for one container. */
export interface ClientAuthenticator {
  /**
   * The client that sent a request. `undefined` for an unknown client, a wrong or expired secret and a locked client,
   * after the same work, however many secrets the client has. Throws `client.unauthenticated` for a client with a right
   * secret that may not be used.
   */
  authenticate(presented: PresentedClient, check: ClientCheck): Authenticated | undefined;
  /** Whether the same credentials were accepted here within a minute. */
  wasAccepted(presented: PresentedClient): boolean;
}

/** The fault for a client that is unknown or not authenticated. */
export function clientRefused(
  description = "The client is unknown, its credential is wrong, or it used a method that is not accepted.",
): Fault {
  return new Fault("client.unauthenticated", description, { headers: { "www-authenticate": BASIC_CHALLENGE } });
}

/**
 * Reads the client credentials of a request. Throws `request.invalid` where it has more than one, and
 * `client.unauthenticated` where it has none that can be read.
 */
export function presentedClient(authorization: string | undefined, form: ClientParameters): PresentedClient {
  const { client_id: id, client_secret: secret, client_assertion: assertion } = form;
  if (authorization === undefined) {
    if (!id || assertion) throw clientRefused();
    return { clientId: id, secrets: secret ? [secret] : [] };
  }
  if (secret || assertion) {
    throw invalid("Authenticate the client with the Authorization header or with the form, not with both.");
  }
  const parts = basicParts(authorization);
  if (!parts) throw clientRefused();
  const [name, word] = parts;
  if (id && id !== idOf(name)) throw invalid("The Authorization header and client_id name different clients.");
  // Both the text that was sent and its form-decoded reading are accepted: who knows one of them knows the secret.
  return { clientId: idOf(name), secrets: [...new Set([word, decoded(word)])] };
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
export function newClientAuthenticator(seal: Seal, clock: Clock = systemClock): ClientAuthenticator {
  // Stands in for secrets that a client does not have, so that unknown clients cost the same work too.
  const missing = { text: seal.seal(newSecretText(), "unknown"), owner: "unknown" };
  const accepted = newFreshCache<true>(clock);
  const digest = newPrivateDigest();
  const keyOf = ({ clientId, secrets }: PresentedClient) => digest([clientId, ...secrets].join("\n"));
  return {
    authenticate(presented, { found, pathTenant, isLocked, nowMs }) {
      const { secrets } = presented;
      const own = found ? usableSecrets(found.settings) : [];
      const owner = found ? ownerOf(found.tenant, found.applicationId) : missing.owner;
      const equal = Array.from({ length: Math.max(CLIENT_SECRETS_CEILING, own.length) }, (_, at) => {
        const sealed = own[at] ? { text: own[at].sealedSecret, owner } : missing;
        return equalsAny(seal.open(sealed.text, sealed.owner), secrets);
      });
      const secret = own.find((each, at) => equal[at] && !isExpired(each, nowMs));
      const isRight = secret !== undefined && !isLocked;
      const isOtherTenant = pathTenant !== undefined && found?.tenant !== pathTenant;
      if (!found || isOtherTenant || !(isRight || (secrets.length === 0 && found.settings.isPublic))) return undefined;
      if (!found.settings.isEnabled) throw clientRefused("The application is disabled.");
      if (found.settings.state !== "ACTIVE") {
        throw clientRefused("The client was revoked. Regenerate its secret to use it again.");
      }
      if (isRight) accepted.set(keyOf(presented), true);
      return { client: found, secret };
    },
    wasAccepted: (presented) => accepted.get(keyOf(presented)) === true,
  };
}

/** Whether one of the texts is the secret. Constant time: compares all of them. */
function equalsAny(secret: string, texts: readonly string[]): boolean {
  return texts.map((text) => timingSafeEqual(digestOf(text), digestOf(secret))).includes(true);
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
