/** The form of the page that asks for a password. */
import { usable } from "../auth/basic.ts";
import { nameIn, type OnRefused, type RefusalReason } from "../auth/sign-in.ts";
import type { PageResult } from "../operation/operation.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { readOwnSession, sessionsOf } from "../sessions/session-store.ts";
import { revocationStore } from "../tokens/revocation-store.ts";
import { answerError } from "./answers.ts";
import { AuthorizationError } from "./authorization-request.ts";
import type { SignInContext } from "./context.ts";
import { askPassword, finish, taken } from "./flow.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { isExpected } from "./hints.ts";
import { marksOf, referenceIn, startSession } from "./session.ts";

/** What the form contains. */
export interface PasswordForm {
  readonly request: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * Verifies the password, starts a session and continues the request. Throws `request.invalid` for a form that does not
 * count.
 */
export async function takePassword(
  body: PasswordForm,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("sign-in", body.request, headers, context);
  const { request } = form.pending;
  const credential = usable(body.username ?? "", body.password ?? "");
  if (!credential?.username || !credential.password) {
    return askPassword(await taken(form, context), context, { userName: body.username, problem: "incomplete" });
  }
  const name = nameIn(request.tenant, credential.username);
  let reason: RefusalReason | undefined;
  const { tools, traceId, sourceIp } = context;
  const log = tools.refusals({ traceId, sourceIp, operation: "signIn" });
  const attempt = { readings: [name], password: credential.password, sourceIp };
  const onRefused: OnRefused = (of, why) => {
    reason = why;
    log(of, why);
  };
  const reference = referenceIn(context, request.tenant);
  const [asked, found, known, former] = await Promise.all([
    taken(form, context),
    tools.signIn(attempt, context, onRefused),
    context.oidcScopes.all(request.tenant),
    reference && readOwnSession(context.table, reference),
  ]);
  const refuse = () => {
    const problem = reason === "locked" ? "locked" : "wrong";
    return askPassword(asked, context, { userName: body.username, problem });
  };
  if (!found) return refuse();
  const { user } = found;
  if (!isExpected(user, request, asked.application)) {
    const other = new AuthorizationError("login_required", "Another user signed in than the client expects.");
    return answerError(other, request.to, asked, context);
  }
  const { tenant, clientId } = request;
  const { table } = context;
  const [fromMs, consent, sessions] = await Promise.all([
    revocationStore(table).validFrom(tenant, marksOf(user.id, clientId)),
    findConsent(table, tenant, user.id, asked.application.id),
    sessionsOf(table, tenant, user.id),
  ]);
  // The account changed during the request: the password may have been verified before that.
  if ((fromMs[0] ?? 0) > context.now && !(await tools.signIn(attempt, context, onRefused))) return refuse();
  const { current, steps, cookie } = startSession(
    request,
    { user, fromMs, sessions, former, userAgent: headers["user-agent"] },
    context,
  );
  const signedIn = { ...asked, cookies: [...asked.cookies, cookie] };
  return finish(signedIn, { current, consent, known }, steps, context);
}
