/**
 * What the browser carries between the function of single sign-on and that of sign-in: a request of another protocol
 * than OpenID Connect, which was read and verified, and what came of it. Both are sealed, so that nothing is stored
 * before there is an answer. Pure.
 */
import type { Seal } from "../../../kernel/seal.ts";
import type { AuthorizationRequest } from "../authorization-request.ts";
import type { SignOutRequest } from "../sign-out-request.ts";

/** How long each of them counts: browsers follow at once. */
const REQUEST_SECONDS = 5 * 60;
const ANSWER_SECONDS = 60;
/** The gateway takes 10,240 bytes of the request line and all headers. */
const LENGTH_MAX = 6_000;

/** A request that was read and verified. */
export interface RequestTicket {
  readonly request: AuthorizationRequest;
  /** Whether the application takes guests, so that their sessions are read with it. */
  readonly takesGuests: boolean;
}

/** What came of a request: a session, whose digest is `session`, or a refusal. */
export interface AnswerTicket {
  readonly request: AuthorizationRequest;
  /** The digest of the text in the cookie of the browser. */
  readonly browser: string;
  readonly session?: string;
  readonly refusal?: { readonly code: string; readonly message: string };
}

/** Where the tickets lead, below the path of the tenant. */
export const requestAddress = (sealed: string) => `/oauth2/sso?request=${sealed}`;
export const signOutAddress = (sealed: string) => `/oauth2/sso/sign-out?request=${sealed}`;
export const answerAddress = (path: string, sealed: string) => `${path}?answer=${sealed}`;

/** Seals a request; `undefined` where it is too long for an address. */
export function sealRequest(seal: Seal, ticket: RequestTicket, nowMs: number): string | undefined {
  const sealed = sealing(seal, "sso request", ticket, nowMs + REQUEST_SECONDS * 1_000);
  return sealed.length > LENGTH_MAX ? undefined : sealed;
}

/** Opens a request; `undefined` for any other text, and one that is too old. */
export function openRequest(seal: Seal, text: string, nowMs: number): RequestTicket | undefined {
  return opening<RequestTicket>(seal, "sso request", text, nowMs);
}

/** Seals a request to sign out, whose address belongs to an application; `undefined` where it is too long. */
export function sealSignOut(seal: Seal, request: SignOutRequest, nowMs: number): string | undefined {
  const sealed = sealing(seal, "sso sign-out", request, nowMs + REQUEST_SECONDS * 1_000);
  return sealed.length > LENGTH_MAX ? undefined : sealed;
}

/** Opens a request to sign out; `undefined` for any other text, and one that is too old. */
export function openSignOut(seal: Seal, text: string, nowMs: number): SignOutRequest | undefined {
  return opening<SignOutRequest>(seal, "sso sign-out", text, nowMs);
}

/** Seals what came of a request. */
export function sealAnswer(seal: Seal, { nowMs, ...ticket }: AnswerTicket & { readonly nowMs: number }): string {
  return sealing(seal, "sso answer", ticket, nowMs + ANSWER_SECONDS * 1_000);
}

/** Opens what came of a request; `undefined` for any other text, and one that is too old. */
export function openAnswer(seal: Seal, text: string, nowMs: number): AnswerTicket | undefined {
  return opening<AnswerTicket>(seal, "sso answer", text, nowMs);
}

type Kind = "sso request" | "sso answer" | "sso sign-out";

function sealing(seal: Seal, kind: Kind, ticket: object, untilMs: number): string {
  return seal.seal(JSON.stringify({ ...ticket, untilMs }), kind);
}

function opening<T>(seal: Seal, kind: Kind, text: string, nowMs: number): T | undefined {
  try {
    // Only this service can seal a text that opens, so it has the form that it was given here.
    const { untilMs, ...ticket } = JSON.parse(seal.open(text, kind)) as T & { readonly untilMs: number };
    return nowMs < untilMs ? (ticket as T) : undefined;
  } catch {
    // Any other text is not one of this service.
    return undefined;
  }
}
