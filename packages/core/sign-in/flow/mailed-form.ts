/** The forms of the pages that wait for a code or a link by mail, and that a link leads to (decision 0184). */
import { maySignIn, type User } from "../../directory/users/model.ts";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { codeHandle, type FoundLink, findLink, LinkEnded, usingLink } from "../../tokens/mail-link-store.ts";
import { countAttempt } from "../../tokens/mail-store.ts";
import { homeOf } from "../../tokens/model.ts";
import { digestOf } from "../../tokens/opaque.ts";
import { belongsTo } from "../mails/belongs.ts";
import { type Language, languageOf } from "../pages/language.ts";
import { type MailedForm, openedLinkPage, unusableLinkPage } from "../pages/mailed-pages.ts";
import { send, sendTo, shown } from "./ask-mail.ts";
import { askPassword } from "./ask-password.ts";
import { begin, beginningOf } from "./begin.ts";
import type { SignInContext } from "./context.ts";
import { localesIn } from "./cookies.ts";
import { proving, stillCounts, wayOf } from "./factors.ts";
import { actionOf, inLanguage, type OpenedForm, opened, openedHere, type PageHeaders } from "./forms.ts";
import { isSharedWithDirectory } from "./mailed-address.ts";
import type { MailedStage } from "./pending.ts";
import { provenForm } from "./proven-form.ts";
import { optionsOf } from "./proven-page.ts";
import { proceed } from "./steps.ts";
import { takenRequest } from "./taken.ts";

/** What the form of a page that waits for a mail contains. */
export interface MailedBody {
  readonly request: string;
  /** The code, or the handle of the link. */
  readonly code?: string | undefined;
  readonly choice?: string | undefined;
}

/** Of a hundred million codes five count for a form, and ten forms of a person have a mail in an hour. */
const ATTEMPTS_MAX = 5;

/** Takes the code of a mail. Throws `request.invalid` for a form that does not count. */
export async function takeMailedCode(
  body: MailedBody,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("mail-code", body.request, headers, context);
  if (body.choice !== undefined) return turned("mail-code", form, body, headers, context);
  const ask = (problem: MailedForm["problem"]) =>
    shownAgain("mail-code", form, body.request, { problem }, headers, context);
  const code = (body.code ?? "").replace(/[\s-]/g, "");
  if (code === "") return ask("mailCodeMissing");
  const { flow } = form.pending.request;
  const tenant = homeIn(form);
  if ((await countAttempt(context.table, { tenant, flow }, context.now)) > ATTEMPTS_MAX) return ask("mailCodeSpent");
  const purposes = ["sign-in-code"] as const;
  const link = await findLink(context.table, codeHandle(flow, code), { purposes, tenant }, context.now);
  return (link && (await goOn("mail-code", form, link, headers, context))) ?? ask("mailCodeWrong");
}

/**
 * Shows the page of a link that was opened in the browser that asked for it: a press of its button signs in, so that
 * programs that open the links of mails use none up. One round trip; two where the link counts.
 */
export async function showMailedLink(
  handle: string | undefined,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const purposes = ["sign-in-link"] as const;
  const link = handle === undefined ? undefined : await findLink(context.table, handle, { purposes }, context.now);
  const form = link?.page === undefined ? undefined : openedHere("mail-link", link.page, headers, context);
  if (!link?.page || !form || handle === undefined) {
    const language = languageOf(localesIn(context.cookies), headers["accept-language"]);
    const brand = context.tools.settings.brandOf(context.pathTenant ?? SUPER_TENANT);
    return unusableLinkPage(link ? "linkElsewhere" : "linkSpent", { language, brand });
  }
  const asked = await takenRequest(form.pending.request.asked, form, context);
  const { language, brand, application, request } = asked;
  const action = actionOf("mail-link", request.tenant);
  return openedLinkPage(
    { language, brand, application: application.name, action, request: link.page, code: handle },
    optionsOf(asked),
  );
}

/** Takes the link that was opened. Throws `request.invalid` for a form that does not count. */
export async function takeMailedLink(
  body: MailedBody,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("mail-link", body.request, headers, context);
  if (body.choice !== undefined) return turned("mail-link", form, body, headers, context);
  const purposes = ["sign-in-link"] as const;
  const wanted = { purposes, tenant: homeIn(form) };
  const link = await findLink(context.table, body.code ?? "", wanted, context.now);
  const isIts = link?.flow === digestOf(form.pending.request.flow);
  const page = link && isIts ? await goOn("mail-link", form, link, headers, context) : undefined;
  return page ?? shownAgain("mail-link", form, body.request, { problem: "linkSpent" }, headers, context);
}

/** What the button asks for that was pressed in place of an answer. */
async function turned(
  way: MailedStage,
  form: OpenedForm<MailedStage>,
  { choice }: MailedBody,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const { asked, known, facts } = await readAgain(form, headers, context);
  const { request } = form.pending;
  if (choice === "other" || (request.proven && !known)) return askPassword(asked, context);
  const wish = wayOf(choice);
  if (wish && known && facts) return proceed(asked, known.standing, facts, [], context, wish);
  if (choice !== "again") return askPassword(asked, context);
  const { tenant } = asked.request;
  return known ? sendTo(way, asked, known, context) : send(way, asked, { home: tenant, about: request.about }, context);
}

/** The page that a form is from. Throws `request.invalid` where the application has changed meanwhile. */
export async function shownAgain(
  way: MailedStage,
  form: OpenedForm<MailedStage>,
  text: string,
  { problem, language }: { readonly problem?: MailedForm["problem"]; readonly language?: Language | undefined },
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const { asked, known } = await readAgain(language ? inLanguage(form, language) : form, headers, context);
  const { about, proven } = form.pending.request;
  if (proven && !known) return askPassword(asked, context);
  return shown(way, asked, { about, text, known }, problem);
}

/** The request of a form, with the person where it is known who that is. */
async function readAgain(form: OpenedForm<MailedStage>, headers: PageHeaders, context: SignInContext) {
  const provenOne = provenIn(form);
  if (!provenOne) return { asked: await takenRequest(form.pending.request.asked, form, context) };
  const { asked, standing, facts } = await provenForm(provenOne, headers, context);
  return { asked, facts, known: standing && { standing, factors: facts.factors } };
}

/**
 * Goes on with whom a link or a code belongs to, and uses it up. `undefined` where it does not count any more: it was
 * used, the account has changed, or it belongs to somebody else than the person who is known.
 */
async function goOn(
  way: MailedStage,
  form: OpenedForm<MailedStage>,
  link: FoundLink,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult | undefined> {
  const storing = [usingLink(link)];
  const issued = { authSeconds: link.issuedAtSeconds, startedMs: link.issuedMs };
  const isTheirs = (user: User, fromMs: readonly number[]) =>
    belongsTo(link, user) && maySignIn(user) && stillCounts(issued, fromMs, context.now);
  const provenOne = provenIn(form);
  try {
    if (provenOne) {
      const { asked, standing, facts } = await provenForm(provenOne, headers, context);
      if (!standing) return askPassword(asked, context);
      if (link.userId !== standing.user.id || !isTheirs(standing.user, standing.fromMs)) return undefined;
      return await proceed(asked, proving(standing, way), facts, storing, context);
    }
    const beginning = await beginningOf(form, link.userId, context);
    const { user, ofUser } = beginning;
    if (!user || !isTheirs(user, ofUser[0])) return undefined;
    const { about, tenant } = form.pending.request;
    if (await isSharedWithDirectory(about, user, tenant, context.users)) return undefined;
    return await begin(beginning, user, way, { storing }, headers, context);
  } catch (error) {
    if (error instanceof LinkEnded) return undefined;
    throw error;
  }
}

/** A form of somebody who has proven something else; `undefined` for one that says who the person is. */
function provenIn(form: OpenedForm<MailedStage>) {
  const { session, request } = form.pending;
  const { proven } = request;
  return proven && { ...form, pending: { session, request: { ...request, proven } } };
}

/** The tenant of whom the mail goes to. */
function homeIn({ pending: { request } }: OpenedForm<MailedStage>): string {
  return request.proven ? homeOf(request.proven.user, request.tenant) : request.tenant;
}
