/**
 * A request that waits for a person: it is in the form of the page, sealed, so that the service stores nothing until
 * somebody has signed in. It counts for some minutes, in the browser that got the page.
 */
import type { Seal } from "../../kernel/seal.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { MAIL_LINK_PATH } from "../pages/paths.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { PasskeyChallenge, Proven, ProvenRequest } from "./factors.ts";
import type { SignOutRequest } from "./sign-out-request.ts";

/** A request that waits for a password. */
export interface WaitingRequest extends AuthorizationRequest {
  /** The application took guests when the page was shown: so a name can be one of another tenant. */
  readonly takesGuests?: boolean;
  /** What a passkey signs that says who the person is. */
  readonly passkey?: PasskeyChallenge | undefined;
  /** What the person has proven before, where the password is asked for besides. */
  readonly proven?: Proven | undefined;
}

/** A request that waits for a code or a link by mail. */
export interface MailedRequest {
  readonly tenant: string;
  readonly asked: AuthorizationRequest;
  /** A random text: a code or a link counts with the form that asked for it. */
  readonly flow: string;
  /** The name that was entered; of somebody who is known, the user name. */
  readonly about: string;
  /** Absent where the mail says who the person is. */
  readonly proven?: Proven | undefined;
}

/** A request that waits for consent. */
export interface ConsentRequest extends AuthorizationRequest {
  /** What the page asked a guest to give besides what the scopes stand for. */
  readonly given?: readonly string[] | undefined;
  /** The page said that the person has no access: its form can only go back to the client. */
  readonly lacksAccess?: boolean;
}

/** What each kind of form carries. A form of one kind does not count as one of another. */
interface Requests {
  readonly "sign-in": WaitingRequest;
  readonly code: ProvenRequest;
  readonly setup: ProvenRequest;
  readonly saved: ProvenRequest;
  readonly passkey: ProvenRequest;
  readonly "passkey-setup": ProvenRequest;
  readonly "mail-code": MailedRequest;
  readonly "mail-link": MailedRequest;
  readonly "new-password": ProvenRequest;
  readonly consent: ConsentRequest;
  readonly "sign-out": SignOutRequest;
}

/** What the form is for. */
export type Stage = keyof Requests;

/** The pages that wait for a mail. */
export type MailedStage = "mail-code" | "mail-link";

/** The other pages of somebody who has proven something. */
export type ProvenStage = Exclude<Stage, "sign-in" | "consent" | "sign-out" | MailedStage>;

/** How long a page may be open; shorter for one that somebody with the right password got. */
const SECONDS = 30 * 60;
const PROVEN_SECONDS = 10 * 60;

/** Where the form of each page is sent, below the path of the tenant, and for how long it counts. */
export const formsOfPages = {
  "sign-in": { path: "/oauth2/sign-in", seconds: SECONDS },
  code: { path: "/oauth2/code", seconds: PROVEN_SECONDS },
  setup: { path: "/oauth2/code-setup", seconds: PROVEN_SECONDS },
  saved: { path: "/oauth2/codes-saved", seconds: PROVEN_SECONDS },
  passkey: { path: "/oauth2/passkey", seconds: PROVEN_SECONDS },
  "passkey-setup": { path: "/oauth2/passkey-setup", seconds: PROVEN_SECONDS },
  "mail-code": { path: "/oauth2/sign-in/code", seconds: PROVEN_SECONDS },
  "mail-link": { path: MAIL_LINK_PATH, seconds: PROVEN_SECONDS },
  "new-password": { path: "/oauth2/new-password", seconds: PROVEN_SECONDS },
  consent: { path: "/oauth2/consent", seconds: SECONDS },
  "sign-out": { path: "/oauth2/sign-out", seconds: SECONDS },
} as const satisfies Readonly<Record<Stage, { readonly path: string; readonly seconds: number }>>;

interface Sealed<S extends Stage> {
  readonly browser: string;
  readonly until: number;
  /** The session that is asked. */
  readonly session?: string;
  readonly request: Requests[S];
}

/** What a form says that counts. */
export interface Pending<S extends Stage> {
  readonly request: Requests[S];
  readonly session: string | undefined;
}

const ownerOf = (stage: Stage) => `form of ${stage}`;

/** Seals a request for the form of a page. `browser`: the text in the browser's cookie. */
export function sealPending<S extends Stage>(
  seal: Seal,
  stage: S,
  {
    request,
    browser,
    session,
    nowMs,
  }: {
    readonly request: Requests[S];
    readonly browser: string;
    readonly session?: string | undefined;
    readonly nowMs: number;
  },
): string {
  const until = Math.floor(nowMs / 1_000) + formsOfPages[stage].seconds;
  const sealed: Sealed<S> = { browser: digestOf(browser), until, ...(session !== undefined && { session }), request };
  return seal.seal(JSON.stringify(sealed), ownerOf(stage));
}

/** Opens the request of a form; `undefined` where it was changed, is too old, or belongs to another browser. */
export function openPending<S extends Stage>(
  seal: Seal,
  stage: S,
  { text, browser, nowMs }: { readonly text: string; readonly browser: string; readonly nowMs: number },
): Pending<S> | undefined {
  const sealed = opened(seal, stage, text);
  if (!sealed || sealed.browser !== digestOf(browser) || sealed.until * 1_000 <= nowMs) return undefined;
  return { request: sealed.request, session: sealed.session };
}

function opened<S extends Stage>(seal: Seal, stage: S, text: string): Sealed<S> | undefined {
  try {
    // Only this service can seal a text that opens, so it has the form that it was given here.
    return JSON.parse(seal.open(text, ownerOf(stage))) as Sealed<S>;
  } catch {
    // Any other text is not one of this service.
    return undefined;
  }
}
