/**
 * Asks for a code or a link by mail, which proves that the person reads the mailbox (decision 0184): it says who the
 * person is, or is asked for besides. Who asks learns nothing of an account: the mail is written after the answer
 * (decision 0181).
 */
import type { Factors } from "../../directory/credentials/factor-store.ts";
import { qualifiedName } from "../../directory/users/model.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { askForSignIn } from "../mails/ask.ts";
import { type MailedForm, mailedPage } from "../pages/mailed-pages.ts";
import { askPassword, waysInto } from "./ask-password.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import { nextProof, provenBy, type Standing } from "./factors.ts";
import { actionOf, type OpenedForm } from "./forms.ts";
import { randomText } from "./passkey-site.ts";
import { type MailedRequest, type MailedStage, sealPending } from "./pending.ts";
import { optionsOf, pagesOf } from "./proven-page.ts";
import { taken } from "./taken.ts";

const NAME_MAX = 255;

/** Asks somebody who is known for the code of a mail. */
export function askCodeByMail(asked: Asked, standing: Standing, factors: Factors, context: SignInContext) {
  return sendTo("mail-code", asked, { standing, factors }, context);
}

/** Asks somebody who is known to open the link of a mail. */
export function askLinkByMail(asked: Asked, standing: Standing, factors: Factors, context: SignInContext) {
  return sendTo("mail-link", asked, { standing, factors }, context);
}

/** Asks for a mail to whom a name belongs. Throws `recovery.throttled`. Four round trips. */
export async function askByName(
  form: OpenedForm<"sign-in">,
  way: MailedStage,
  userName: string,
  context: SignInContext,
): Promise<PageResult> {
  const asked = await taken(form, context);
  const about = userName.trim();
  if (!waysInto(asked).includes(way)) return askPassword(asked, context, { userName: about });
  if (about === "" || about.length > NAME_MAX) return askPassword(asked, context, { problem: "nameMissing" });
  return send(way, asked, { home: asked.request.tenant, about }, context);
}

/** Somebody who is known, with what the page needs. */
interface Known {
  readonly standing: Standing;
  readonly factors: Factors;
}

export function sendTo(way: MailedStage, asked: Asked, known: Known, context: SignInContext): Promise<PageResult> {
  const { user, home } = known.standing;
  return send(way, asked, { home, about: qualifiedName(user), known }, context);
}

/**
 * Queues the mail, and shows the page that waits for it. A person whom a session shows presses a button first: another
 * site can lead a browser here, and would use up the mails of the person. Three round trips.
 */
export async function send(
  way: MailedStage,
  asked: Asked,
  { home, about, known }: { readonly home: string; readonly about: string; readonly known?: Known },
  context: SignInContext,
): Promise<PageResult> {
  const { tools, now: nowMs } = context;
  const { tenant } = asked.request;
  const proven = known && provenBy(known.standing, tenant);
  const request: MailedRequest = { tenant, asked: pagesOf(asked.request), flow: randomText(), about, proven };
  const session = known?.standing.session?.reference.digest;
  const text = sealPending(tools.seal, way, { request, browser: asked.browser, session, nowMs });
  const kind = way === "mail-code" ? "sign-in-code" : "sign-in-link";
  const { language } = asked;
  const page = way === "mail-link" ? { page: text, pageTenant: tenant } : {};
  const isSent = !known || asked.isAfterForm;
  const asking = { kind, tenant: home, about, flow: request.flow, language, ...page } as const;
  const mails = { ...context, tools: { limits: tools.mailLimits } };
  if (isSent) await askForSignIn({ ...asking, ...(known && { isKnown: true }) }, mails);
  return shown(way, asked, { about, text, known, isSent });
}

/** What a page that waits for a mail shows. */
interface Shown {
  readonly about: string;
  readonly text: string;
  readonly known?: Known | undefined;
  readonly isSent?: boolean;
}

export function shown(
  way: MailedStage,
  asked: Asked,
  { about, text, known, isSent = true }: Shown,
  problem?: MailedForm["problem"],
): PageResult {
  const { language, brand, application, request } = asked;
  const others = known ? (nextProof(asked, known.standing, known.factors, way)?.others ?? []) : [];
  return mailedPage(
    {
      ...{ way, isSent, language, brand, others, problem, request: text },
      application: application.name,
      userName: about,
      action: actionOf(way, request.tenant),
    },
    optionsOf(asked),
  );
}
