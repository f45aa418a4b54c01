/**
 * The visitor of the account pages: the user of the browser's session. The session opens the pages. Changes that need
 * a fresh proof need a sign-in of the last minutes, with a second factor where the user has one.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { isProven, provesFactor } from "../../directory/provisioning/own-account.ts";
import { hasCodes, hasPasskeys, mustChangePassword, type User } from "../../directory/users/model.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import type { Proof, UserPrincipal } from "../../kernel/operation/context.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { ACCOUNT_ID, type AccountVisit } from "../flow/account.ts";
import { cookieIn, sessionCookieName } from "../flow/cookies.ts";
import type { PageHeaders } from "../flow/forms.ts";
import { currentSession, referenceIn } from "../flow/session.ts";
import { type Language, languageOf } from "../pages/language.ts";
import { type Brand, leadTo } from "../pages/layout.ts";
import { pathOf } from "../pages/paths.ts";
import type { Session } from "../sessions/model.ts";
import type { AccountContext } from "./context.ts";

/** A person at the pages of the own account. */
export interface Visitor {
  readonly tenant: string;
  readonly user: User;
  readonly session: Session;
  readonly language: Language;
  readonly brand: Brand;
  /** The path of a page, with the tenant. */
  readonly path: (path: string) => string;
  /** The handle of a form: it counts for one thing, in this session, for half an hour. */
  readonly handleOf: (purpose: string) => string;
  readonly proof: Proof;
  /** The principal in whose name the person's changes are recorded. */
  readonly principal: UserPrincipal;
}

/** How long a form counts. */
const FORM_SECONDS = 30 * 60;
const HANDLE = /^(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/**
 * The person of the session of the browser in the tenant of the path; `undefined` where a sign-in comes first: there is
 * no session that counts, the tenant is switched off, another password must be chosen, or the session does not show the
 * second factor that the user has. One round trip.
 */
export async function visitorOf(headers: PageHeaders, context: AccountContext): Promise<Visitor | undefined> {
  const tenant = tenantOf(context);
  const [owner, current] = await Promise.all([
    context.tenants.find(tenant),
    currentSession(referenceIn(context, tenant), ACCOUNT_ID, context),
  ]);
  const secret = cookieIn(context.cookies, sessionCookieName(tenant));
  if (!owner?.active || !current || secret === undefined) return undefined;
  const { user, session } = current;
  if (mustChangePassword(user) || ((hasCodes(user) || hasPasskeys(user)) && !provesFactor(session.methods)))
    return undefined;
  const { id: subject, userName: username, userStore } = user;
  return {
    tenant,
    user,
    session,
    language: languageOf(undefined, headers["accept-language"]),
    brand: context.tools.settings.brandOf(tenant),
    path: (path) => pathOf(path, tenant),
    handleOf: (purpose) => handle(secret, purpose, Math.floor(context.now / 1_000) + FORM_SECONDS),
    proof: { kind: "sign-in", atSeconds: session.authSeconds, methods: session.methods ?? ["pwd"] },
    principal: { kind: "user", tenant, subject, username, userStore },
  };
}

/** Whether the person has a fresh proof. */
export function isFresh({ proof, user }: Visitor, { now }: Pick<AccountContext, "now">): boolean {
  return isProven({ proof, now }, user);
}

/**
 * Whether a form is one of a page of this session for that purpose, and no other page sent it. The handle is made with
 * the secret of the session, so it ends with it.
 */
export function isOwnForm(
  sent: string,
  purpose: string,
  headers: PageHeaders,
  visitor: Visitor,
  context: AccountContext,
): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const [, until = ""] = HANDLE.exec(sent) ?? [];
  const secret = cookieIn(context.cookies, sessionCookieName(visitor.tenant));
  if (until === "" || secret === undefined || Number(until) * 1_000 <= context.now) return false;
  const [given, right] = [sent, handle(secret, purpose, Number(until))].map((text) => Buffer.from(text, "utf8"));
  return given !== undefined && right !== undefined && given.length === right.length && timingSafeEqual(given, right);
}

function handle(secret: string, purpose: string, untilSeconds: number): string {
  const signed = JSON.stringify(["form of the account", purpose, untilSeconds]);
  return `${untilSeconds}.${createHmac("sha256", secret).update(signed, "utf8").digest("base64url")}`;
}

/** Leads to a sign-in, and from there to a page of the account. */
export function leadToSignIn(
  { page, again }: Pick<AccountVisit, "page"> & { readonly again?: boolean },
  isAfterForm: boolean,
  context: AccountContext,
): PageResult {
  const query = new URLSearchParams({ ...(page && { page }), ...(again && { again: "yes" }) }).toString();
  return leadTo(pathOf(`/account/sign-in${query && `?${query}`}`, tenantOf(context)), { isAfterForm });
}

function tenantOf({ pathTenant }: Pick<AccountContext, "pathTenant">): string {
  return pathTenant ?? SUPER_TENANT;
}
