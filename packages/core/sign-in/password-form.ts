/** The form of the page that asks for a password. */
import { usable } from "../auth/basic.ts";
import { type Meanwhile, nameIn, type OnRefused, type RefusalReason } from "../auth/sign-in.ts";
import { findFactors } from "../identities/credentials/factor-store.ts";
import type { User } from "../identities/users/model.ts";
import type { PageResult } from "../operation/operation.ts";
import { findConsent } from "../sessions/consent-store.ts";
import { readOwnSession, removingSession, type SessionReference, sessionsOf } from "../sessions/session-store.ts";
import { revocationStore } from "../tokens/revocation-store.ts";
import { answerError } from "./answers.ts";
import { AuthorizationError, type AuthorizationRequest } from "./authorization-request.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import type { Standing } from "./factors.ts";
import { type Asked, askPassword, taken } from "./flow.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { isExpected } from "./hints.ts";
import { proceed } from "./proceed.ts";
import { marksOf, referenceIn } from "./session.ts";

/** What the form contains. */
export interface PasswordForm {
  readonly request: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * Verifies the password and goes on: to a second factor, a new password, or the session. Throws `request.invalid` for a
 * form that does not count.
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
  const asking = taken(form, context);
  const reference = referenceIn(context, request.tenant);
  const former = reference ? readOwnSession(context.table, reference) : Promise.resolve(undefined);
  const facts = tenantFacts(request.tenant, request.scopes, context);
  let ofUser: ReturnType<typeof readOfUser> | undefined;
  let outcome: Outcome | undefined;
  const refuse = (asked: Asked) => {
    const problem = reason === "locked" ? "locked" : "wrong";
    return askPassword(asked, context, { userName: body.username, problem });
  };
  const goOn = async (user: User): Promise<Proceeded> => {
    const [asked, known, before, [fromMs, consent, sessions, factors]] = await Promise.all([
      asking,
      facts,
      former,
      ofUser ?? readOfUser(user.id, request, context),
    ]);
    if (!(await isExpected(user, request, asked.application, context))) {
      const other = new AuthorizationError("login_required", "Another user signed in than the client expects.");
      return { page: answerError(other, request.to, asked, context) };
    }
    // The account changed during the request: the password may have been verified before that.
    if ((fromMs[0] ?? 0) > context.now && !(await tools.signIn(attempt, context, onRefused))) {
      return { page: refuse(asked) };
    }
    const standing: Standing = {
      user,
      fromMs,
      authSeconds: Math.floor(context.now / 1_000),
      startedMs: Math.max(context.now, fromMs[0] ?? 0),
      methods: ["pwd"],
    };
    let session: SessionReference | undefined;
    const opening = {
      ...{ sessions, former: before, userAgent: headers["user-agent"] },
      onStart(reference: SessionReference) {
        session = reference;
      },
    };
    const page = await proceed(asked, standing, { factors, consent, facts: known, opening }, [], context);
    return { page, session };
  };
  const meanwhile: Meanwhile = {
    onUser(id) {
      ofUser = readOfUser(id, request, context);
      // It is waited for where the password is right.
      ofUser.catch(() => undefined);
    },
    // An error waits until the sign-in is admitted: it would show that the password is right.
    async onVerified(user) {
      outcome = await goOn(user).catch((error: unknown) => ({ error }));
    },
  };
  const [asked, found] = await Promise.all([
    asking,
    tools.signIn({ ...attempt, meanwhile }, context, onRefused),
    facts,
    former,
  ]);
  if (found && outcome) {
    if ("error" in outcome) throw outcome.error;
    return outcome.page;
  }
  // The secret of this session has not left the service.
  if (outcome && "session" in outcome && outcome.session) await context.table.write(removingSession(outcome.session));
  return refuse(asked);
}

/** What follows a right password: the answer, and the session that has begun with it. */
interface Proceeded {
  readonly page: PageResult;
  readonly session?: SessionReference | undefined;
}

type Outcome = Proceeded | { readonly error: unknown };

/**
 * The revocations of a user, its consent for the application of a request, its sessions, and its second factors,
 * whether or not one is needed: that depends on the account. One round trip.
 */
function readOfUser(
  userId: string,
  { tenant, clientId, applicationId }: AuthorizationRequest,
  { table }: SignInContext,
) {
  return Promise.all([
    revocationStore(table).validFrom(tenant, marksOf(userId, clientId)),
    findConsent(table, tenant, userId, applicationId),
    sessionsOf(table, tenant, userId),
    findFactors(table, tenant, userId),
  ]);
}
