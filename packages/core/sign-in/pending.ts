/**
 * A request that waits for a person: it is in the form of the page, sealed, so that the service stores nothing until
 * somebody has signed in. It counts for some minutes, in the browser that got the page.
 */
import type { Seal } from "../platform/seal.ts";
import { digestOf } from "../tokens/opaque.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** What the form is for. A form of one kind does not count as one of the other. */
export type Stage = "sign-in" | "consent";

/** How long a page may be open. */
const SECONDS = 30 * 60;

interface Sealed {
  readonly browser: string;
  readonly until: number;
  /** The session that is asked for consent. */
  readonly session?: string;
  readonly request: AuthorizationRequest;
}

/** What a form says that counts. */
export interface Pending {
  readonly request: AuthorizationRequest;
  readonly session: string | undefined;
}

const ownerOf = (stage: Stage) => `form of ${stage}`;

/** Seals a request for the form of a page. `browser`: the text in the browser's cookie. */
export function sealPending(
  seal: Seal,
  stage: Stage,
  {
    request,
    browser,
    session,
    nowMs,
  }: {
    readonly request: AuthorizationRequest;
    readonly browser: string;
    readonly session?: string;
    readonly nowMs: number;
  },
): string {
  const until = Math.floor(nowMs / 1_000) + SECONDS;
  const sealed: Sealed = { browser: digestOf(browser), until, ...(session !== undefined && { session }), request };
  return seal.seal(JSON.stringify(sealed), ownerOf(stage));
}

/** Opens the request of a form; `undefined` where it was changed, is too old, or belongs to another browser. */
export function openPending(
  seal: Seal,
  stage: Stage,
  { text, browser, nowMs }: { readonly text: string; readonly browser: string; readonly nowMs: number },
): Pending | undefined {
  const sealed = opened(seal, stage, text);
  if (!sealed || sealed.browser !== digestOf(browser) || sealed.until * 1_000 <= nowMs) return undefined;
  return { request: sealed.request, session: sealed.session };
}

function opened(seal: Seal, stage: Stage, text: string): Sealed | undefined {
  try {
    // Only this service can seal a text that opens, so it has the form that it was given here.
    return JSON.parse(seal.open(text, ownerOf(stage))) as Sealed;
  } catch {
    // Any other text is not one of this service.
    return undefined;
  }
}
