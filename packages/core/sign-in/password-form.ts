/** The form of the page that asks for a password. */
import { usable } from "../auth/basic.ts";
import { type Meanwhile, nameIn, namesAmongGuests, type OnRefused, type RefusalReason } from "../auth/sign-in.ts";
import type { TenantStore } from "../domain/tenant-store.ts";
import { findFactors } from "../identities/credentials/factor-store.ts";
import type { User } from "../identities/users/model.ts";
import type { PageResult } from "../operation/operation.ts";
import { findConsent } from "../sessions/consent-store.ts";
import {
  readOwnSession,
  removingSession,
  type SessionReference,
  type SessionWithClients,
  sessionsOf,
} from "../sessions/session-store.ts";
import { revocationStore } from "../tokens/revocation-store.ts";
import { answerError } from "./answers.ts";
import { AuthorizationError, type AuthorizationRequest } from "./authorization-request.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import type { Standing } from "./factors.ts";
import { type Asked, askPassword, taken } from "./flow.ts";
import { opened, type PageHeaders } from "./forms.ts";
import { isExpected } from "./hints.ts";
import type { WaitingRequest } from "./pending.ts";
import { proceed } from "./proceed.ts";
import { marksOf, type Opening, referenceIn } from "./session.ts";

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
  const readings = readingsOf(request, credential.username);
  let reason: RefusalReason | undefined;
  const { tools, traceId, sourceIp } = context;
  const log = tools.refusals({ traceId, sourceIp, operation: "signIn" });
  const attempt = { readings, password: credential.password, sourceIp, tellsLocks: true };
  const onRefused: OnRefused = (of, why) => {
    reason = why;
    log(of, why);
  };
  // The form and the password need the same tenants.
  const shared = { ...context, tenants: readOnce(context.tenants) };
  const asking = taken(form, shared);
  const formers = formerSessions([request.tenant, ...readings.map(({ tenant }) => tenant)], context);
  const facts = tenantFacts(request.tenant, request.scopes, context);
  const ofUsers = new Map<string, ReturnType<typeof readOfUser>>();
  let outcome: Outcome | undefined;
  const refuse = (asked: Asked) => {
    const problem = reason === "locked" ? "locked" : "wrong";
    return askPassword(asked, context, { userName: body.username, problem });
  };
  const goOn = async (user: User, home: string): Promise<Proceeded> => {
    const [asked, known, former, replaced, [fromMs, consent, sessions, factors]] = await Promise.all([
      asking,
      facts,
      formers.get(home),
      home === request.tenant ? undefined : formers.get(request.tenant),
      ofUsers.get(home) ?? readOfUser(user.id, home, request, context),
    ]);
    // The application took guests when the page was shown.
    if (home !== request.tenant && !asked.client.settings.takesGuests) return { page: refuse(asked) };
    if (!(await isExpected({ user, home }, request, asked.application, context))) {
      const other = new AuthorizationError("login_required", "Another user signed in than the client expects.");
      return { page: answerError(other, request.to, asked, context) };
    }
    // The account changed during the request: the password may have been verified before that.
    if ((fromMs[0] ?? 0) > context.now && !(await tools.signIn(attempt, context, onRefused))) {
      return { page: refuse(asked) };
    }
    const standing = standingNow({ user, home, fromMs }, context.now);
    let session: SessionReference | undefined;
    const opening: Opening = {
      ...{ sessions, former, replaced, userAgent: headers["user-agent"] },
      onStart(reference) {
        session = reference;
      },
    };
    const page = await proceed(asked, standing, { factors, consent, facts: known, opening }, [], context);
    return { page, session };
  };
  const meanwhile: Meanwhile = {
    onUser(id, { tenant }) {
      const reading = readOfUser(id, tenant, request, context);
      // It is waited for where the password is right.
      reading.catch(() => undefined);
      ofUsers.set(tenant, reading);
    },
    // An error waits until the sign-in is admitted: it would show that the password is right.
    async onVerified(user, { tenant }) {
      outcome = await goOn(user, tenant).catch((error: unknown) => ({ error }));
    },
  };
  const [asked, found] = await Promise.all([
    asking,
    tools.signIn({ ...attempt, meanwhile }, shared, onRefused),
    facts,
    ...formers.values(),
  ]);
  if (found && outcome) {
    if ("error" in outcome) throw outcome.error;
    return outcome.page;
  }
  // The secret of this session has not left the service.
  if (outcome && "session" in outcome && outcome.session) await context.table.write(removingSession(outcome.session));
  return refuse(asked);
}

/** Tenants of which each is read once. */
function readOnce(tenants: TenantStore): TenantStore {
  const found = new Map<string, ReturnType<TenantStore["find"]>>();
  return {
    ...tenants,
    find(domain) {
      const known = found.get(domain) ?? tenants.find(domain);
      found.set(domain, known);
      return known;
    },
  };
}

/** What the entered name means: a name in the tenant, or that of a guest where the application takes guests. */
function readingsOf({ tenant, takesGuests }: WaitingRequest, username: string) {
  return takesGuests ? namesAmongGuests(tenant, username) : [nameIn(tenant, username)];
}

/** The sessions that the browser has in some tenants. One round trip. */
function formerSessions(
  tenants: readonly string[],
  context: SignInContext,
): ReadonlyMap<string, Promise<SessionWithClients | undefined>> {
  const read = async (tenant: string) => {
    const reference = referenceIn(context, tenant);
    return reference && readOwnSession(context.table, reference);
  };
  return new Map([...new Set(tenants)].map((tenant) => [tenant, read(tenant)]));
}

/** Somebody who has just entered the password. */
function standingNow({ user, home, fromMs }: Pick<Standing, "user" | "home" | "fromMs">, nowMs: number): Standing {
  return {
    ...{ user, home, fromMs },
    authSeconds: Math.floor(nowMs / 1_000),
    startedMs: Math.max(nowMs, fromMs[0] ?? 0),
    methods: ["pwd"],
  };
}

/** What follows a right password: the answer, and the session that has begun with it. */
interface Proceeded {
  readonly page: PageResult;
  readonly session?: SessionReference | undefined;
}

type Outcome = Proceeded | { readonly error: unknown };

/**
 * The revocations of a user of a tenant, its consent for the application of a request, its sessions, and its second
 * factors, whether or not one is needed: that depends on the account. One round trip.
 */
function readOfUser(
  userId: string,
  home: string,
  { clientId, applicationId }: AuthorizationRequest,
  { table }: SignInContext,
) {
  return Promise.all([
    revocationStore(table).validFrom(home, marksOf(userId, clientId)),
    findConsent(table, home, userId, applicationId),
    sessionsOf(table, home, userId),
    findFactors(table, home, userId),
  ]);
}
