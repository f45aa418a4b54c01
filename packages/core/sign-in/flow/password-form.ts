/** The form of the page that a sign-in begins with. */

import { METHOD } from "../../applications/registry/sequence-model.ts";
import type { TenantStore } from "../../directory/tenant-store.ts";
import { identifierIn, type Lookup } from "../../directory/users/identifiers.ts";
import type { QualifiedName } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { homeOf } from "../../tokens/model.ts";
import type { Meanwhile, SignInStores } from "../authentication/attempt.ts";
import { usable } from "../authentication/basic.ts";
import { nameOrAddressIn, namesAmongGuests, type RefusalReason, type SignedIn } from "../authentication/sign-in.ts";
import { removingSession, type SessionReference, type SessionWithClients } from "../sessions/session-store.ts";
import { askPassword } from "./ask-password.ts";
import type { Asked } from "./asked.ts";
import { OTHER_USER, readOfUser } from "./begin.ts";
import { tenantFacts } from "./code.ts";
import type { SignInContext } from "./context.ts";
import { fromNow, type Standing, stillCounts } from "./factors.ts";
import { type OpenedForm, opened, type PageHeaders } from "./forms.ts";
import { isExpected, type Person } from "./hints.ts";
import { tell } from "./issue.ts";
import type { WaitingRequest } from "./pending.ts";
import { formerSession, type Opening } from "./session.ts";
import { isFresh, proceed } from "./steps.ts";
import { taken } from "./taken.ts";

// The rules for passwords bring the list of the most common ones.
const { weaknessOf } = later(() => import("./weak-password.ts"), "weaknessOf");

// Most requests have a password.
const { takeFirstPasskey } = later(() => import("./first-passkey.ts"), "takeFirstPasskey");
const { askByName } = later(() => import("./ask-mail.ts"), "askByName");

/** What the form contains. */
export interface PasswordForm {
  readonly request: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** What a passkey has signed, as JSON. */
  readonly credential?: string | undefined;
  readonly choice?: "mail-code" | "mail-link" | "cancel" | undefined;
}

/**
 * Takes a password, a passkey, or the wish for a mail, and goes on: to a further proof, a new password, or the session.
 * Throws `request.invalid` for a form that does not count, and `recovery.throttled` where a source asks for too many
 * mails.
 */
export async function takeSignIn(
  body: PasswordForm,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("sign-in", body.request, headers, context);
  if (body.credential) return takeFirstPasskey(form, body.credential, headers, context);
  if (body.choice === "mail-code" || body.choice === "mail-link") {
    return askByName(form, body.choice, body.username ?? "", context);
  }
  return takePassword(form, body, headers, context);
}

async function takePassword(
  form: OpenedForm<"sign-in">,
  body: PasswordForm,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const credential = usable(body.username ?? "", body.password ?? "");
  if (!credential?.username || !credential.password) {
    return askPassword(await taken(form, context), context, {
      userName: body.username,
      problem: "incomplete",
      proven: form.pending.request.proven,
    });
  }
  // The form and the password need the same tenants.
  const shared = { ...context, tenants: readOnce(context.tenants) };
  const entered = enteredIn(form, body.username, credential, shared);
  let outcome: Outcome | undefined;
  let waiting: Person | undefined;
  const meanwhile: Meanwhile = {
    onUser: entered.onUser,
    // An error waits until the sign-in is admitted: it would show that the password is right.
    async onVerified(user, { tenant }) {
      const { steps } = await entered.asking;
      // A mail must not go out for a sign-in that is not admitted, nor show that the password is right.
      if (steps.asked.some((ways) => ways.some((way) => METHOD[way] === "mail"))) {
        waiting = { user, home: tenant };
        return;
      }
      outcome = await goOn({ user, home: tenant }, entered, headers, context).catch((error: unknown) => ({ error }));
    },
  };
  const [asked, found] = await Promise.all([
    entered.asking,
    entered.verify(shared, meanwhile),
    entered.facts,
    ...entered.formers.values(),
  ]);
  if (found && waiting) return (await goOn(waiting, entered, headers, context)).page;
  if (found && outcome) {
    if ("error" in outcome) throw outcome.error;
    return outcome.page;
  }
  // The secret of this session has not left the service.
  if (outcome && "session" in outcome && outcome.session) await context.table.write(removingSession(outcome.session));
  return entered.refuse(asked);
}

/** A name and a password that somebody has entered, and what is read while the password is verified. */
type Entered = ReturnType<typeof enteredIn>;

function enteredIn(
  form: OpenedForm<"sign-in">,
  userName: string | undefined,
  { username, password }: NonNullable<ReturnType<typeof usable>>,
  context: SignInContext,
) {
  const { request } = form.pending;
  const { tools, traceId, sourceIp } = context;
  const identifier = identifierIn(username, tools.settings.identifiers);
  const readings = readingsOf(request, username, identifier);
  const log = tools.refusals({ traceId, sourceIp, operation: "signIn" });
  const ofUsers = new Map<string, ReturnType<typeof readOfUser>>();
  let reason: RefusalReason | "throttled" | undefined;
  return {
    request,
    password,
    asking: taken(form, context),
    facts: tenantFacts(request.tenant, request.scopes, context),
    formers: formerSessions([request.tenant, ...readings.map(({ tenant }) => tenant)], context),
    /** Begins to read what belongs to a user. It is waited for where the password is right. */
    onUser(id: string, { tenant }: QualifiedName): void {
      const reading = readOfUser(id, tenant, request, context);
      reading.catch(() => undefined);
      ofUsers.set(tenant, reading);
    },
    ofUser: ({ user, home }: Person) => ofUsers.get(home) ?? readOfUser(user.id, home, request, context),
    verify(stores: SignInStores, meanwhile?: Meanwhile): Promise<SignedIn | undefined> {
      const attempt = { readings, identifier, password, sourceIp, tellsLocks: true, ...(meanwhile && { meanwhile }) };
      return tools
        .signIn(attempt, stores, (name, why) => {
          reason = why;
          log(name, why);
        })
        .catch((error: unknown) => {
          if (!(error instanceof Fault) || error.fault !== "auth.throttled") throw error;
          reason = "throttled";
          return undefined;
        });
    },
    /** Asks again. Says no more than that something is wrong, or that the name is locked or the source held up. */
    refuse(asked: Asked): PageResult {
      const problem = reason === "locked" || reason === "throttled" ? reason : "wrong";
      return askPassword(asked, context, { userName, problem, proven: request.proven });
    },
  };
}

/** Goes on after a right password. */
async function goOn(
  { user, home }: Person,
  entered: Entered,
  headers: PageHeaders,
  context: SignInContext,
): Promise<Proceeded> {
  const { request, formers } = entered;
  const [asked, facts, former, replaced, [fromMs, consent, sessions, factors]] = await Promise.all([
    entered.asking,
    entered.facts,
    formers.get(home),
    home === request.tenant ? undefined : formers.get(request.tenant),
    entered.ofUser({ user, home }),
  ]);
  // The application took guests when the page was shown.
  if (home !== request.tenant && !asked.client.settings.takesGuests) return { page: entered.refuse(asked) };
  if (!(await isExpected({ user, home }, request, asked.application, context))) {
    return { page: await tell(OTHER_USER, asked, context) };
  }
  // The account changed during the request: the password may have been verified before that.
  if ((fromMs[0] ?? 0) > context.now && !(await entered.verify(context))) return { page: entered.refuse(asked) };
  let session: SessionReference | undefined;
  const opening: Opening = {
    ...{ sessions, former, replaced, userAgent: headers["user-agent"] },
    onStart(reference) {
      session = reference;
    },
  };
  const weakness = await weaknessOf(entered.password, { user, home }, context);
  const { proven } = request;
  const isSame = proven?.user.id === user.id && homeOf(proven.user, request.tenant) === home;
  // What was proven longer ago is asked for again: a password does not make it fresh.
  const counts = proven && isSame && isFresh(proven, context) && stillCounts(proven, fromMs, context.now);
  const standing: Standing = {
    ...{ user, home, weakness },
    ...fromNow(fromMs, context.now),
    ...(counts && { authSeconds: proven.authSeconds, startedMs: proven.startedMs }),
    methods: ["pwd", ...(counts ? proven.methods : [])],
  };
  const page = await proceed(asked, standing, { factors, consent, facts, opening }, [], context);
  return { page, session };
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
function readingsOf({ tenant, takesGuests }: WaitingRequest, username: string, identifier: Lookup | undefined) {
  return takesGuests ? namesAmongGuests(tenant, username) : [nameOrAddressIn(tenant, username, identifier)];
}

/** The sessions that the browser has in some tenants. One round trip. */
function formerSessions(
  tenants: readonly string[],
  context: SignInContext,
): ReadonlyMap<string, Promise<SessionWithClients | undefined>> {
  return new Map([...new Set(tenants)].map((tenant) => [tenant, formerSession(tenant, context)]));
}

/** What follows a right password: the answer, and the session that has begun with it. */
interface Proceeded {
  readonly page: PageResult;
  readonly session?: SessionReference | undefined;
}

type Outcome = Proceeded | { readonly error: unknown };
