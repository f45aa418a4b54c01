/** Who the client is (RFC 6749 section 2.3; reference access.md section 1.3): by Basic, by the form, or by its id alone. Pure. */
import { createHash, timingSafeEqual } from "node:crypto";
import { ownerOf } from "../applications/protocols/model.ts";
import type { Client } from "../applications/registry/client-store.ts";
import { basicParts } from "../auth/basic.ts";
import { BASIC_CHALLENGE } from "../http/decision.ts";
import { Fault } from "../platform/faults.ts";
import type { Seal } from "../platform/seal.ts";

/** What a request says of its client. */
export interface PresentedClient {
  readonly clientId: string;
  /** Every reading of the secret that was sent; empty where none was. */
  readonly secrets: readonly string[];
}

/** The parameters that may name a client. */
export interface ClientParameters {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  readonly client_assertion?: string | undefined;
}

const PRINTABLE = /^[\x21-\x7E]+$/;

/** Judges clients for one container. */
export interface ClientJudge {
  /**
   * The client that a request comes from, given what was found under the id. Throws `client.unauthenticated` with one sentence
   * for all who do not know the secret, whether there is such a client or not.
   */
  judge(presented: PresentedClient, found: Client | undefined, pathTenant: string | undefined): Client;
}

/** The fault of a client that nobody knows, or that cannot show that it is the one. */
export function clientRefused(
  description = "The client is unknown, or its credential is wrong, or it was sent in a way that is not accepted.",
): Fault {
  return new Fault("client.unauthenticated", description, { headers: { "www-authenticate": BASIC_CHALLENGE } });
}

/**
 * What a request says of its client. Throws `request.invalid` where it says two things, and `client.unauthenticated` where it
 * says nothing that can be read.
 */
export function presentedClient(authorization: string | undefined, form: ClientParameters): PresentedClient {
  const { client_id: id, client_secret: secret, client_assertion: assertion } = form;
  if (authorization === undefined) {
    if (!id || assertion) throw clientRefused();
    return { clientId: id, secrets: secret ? [secret] : [] };
  }
  if (secret || assertion) throw invalid("The client shows who it is in a header and in the form: leave one out.");
  const parts = basicParts(authorization);
  if (!parts) throw clientRefused();
  const [name, word] = parts;
  if (id && id !== idOf(name)) throw invalid("The header and the form name two clients.");
  // The secret as it was sent or as the encoding would have it: knowing either is knowing it.
  return { clientId: idOf(name), secrets: [...new Set([word, decoded(word)])] };
}

function invalid(description: string): Fault {
  return new Fault("request.invalid", description);
}

/** An id never holds a blank: a reading that does was none. */
function idOf(text: string): string {
  return PRINTABLE.test(decoded(text)) ? decoded(text) : text;
}

/** Undoes the form encoding that RFC 6749 asks for and few clients do; what is no encoding is as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // A percent sign of its own: the text was not encoded.
    return text;
  }
}

/** Opens the judge of one container. */
export function newClientJudge(seal: Seal): ClientJudge {
  // For clients that there are not, so that they cost what others cost.
  const nobody = { text: seal.seal("nobody's secret, which nobody knows", "nobody"), owner: "nobody" };
  return {
    judge({ secrets }, found, pathTenant) {
      const sealed = found
        ? { text: found.settings.sealedSecret, owner: ownerOf(found.tenant, found.applicationId) }
        : nobody;
      const isRight = holds(seal.open(sealed.text, sealed.owner), secrets);
      const isElsewhere = pathTenant !== undefined && found?.tenant !== pathTenant;
      if (!found || isElsewhere || !(isRight || (secrets.length === 0 && found.settings.isPublic)))
        throw clientRefused();
      if (!found.settings.isEnabled) throw clientRefused("The application is disabled.");
      if (found.settings.state !== "ACTIVE") {
        throw clientRefused("The client was revoked: make a new secret to use it again.");
      }
      return found;
    },
  };
}

/** Whether one of the texts is the secret, with the same work whichever it is. */
function holds(secret: string, texts: readonly string[]): boolean {
  return texts.map((text) => timingSafeEqual(digestOf(text), digestOf(secret))).includes(true);
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
