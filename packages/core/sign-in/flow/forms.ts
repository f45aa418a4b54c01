/** The forms of the pages: where they lead, and which of them count. */
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import { type Language, languageOf } from "../pages/language.ts";
import { pathOf } from "../pages/paths.ts";
import type { SignInContext } from "./context.ts";
import { browserText, localesIn, settingLanguage } from "./cookies.ts";
import { formsOfPages, openPending, type Pending, type Stage } from "./pending.ts";

/** What pages read of the headers of a request. */
export type PageHeaders = Readonly<
  Partial<Record<"accept-language" | "sec-fetch-site" | "user-agent", string | undefined>>
>;

/** Where the form of a page is sent. */
export function actionOf(stage: Stage, tenant: string): string {
  return pathOf(formsOfPages[stage].path, tenant);
}

/** A form that counts: what it is about, and the browser that sent it. */
export interface OpenedForm<S extends Stage> {
  readonly pending: Pending<S>;
  readonly browser: ReturnType<typeof browserText>;
  readonly language: Language;
}

/** Opens a form that a page of this service sent to this browser. Throws `request.invalid` for any other. */
export function opened<S extends Stage>(
  stage: S,
  text: string,
  headers: PageHeaders,
  context: SignInContext,
): OpenedForm<S> {
  const site = headers["sec-fetch-site"];
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  const form = isForeign ? undefined : openedHere(stage, text, headers, context);
  if (!form) throw new Fault("request.invalid", EXPIRED);
  return form;
}

/** The same without a look at where the request comes from; `undefined` for a form that does not count. */
export function openedHere<S extends Stage>(
  stage: S,
  text: string,
  headers: PageHeaders,
  context: SignInContext,
): OpenedForm<S> | undefined {
  const browser = browserText(context.cookies);
  const pending = openPending(context.tools.seal, stage, { text, browser: browser.text, nowMs: context.now });
  if (!pending || (context.pathTenant ?? SUPER_TENANT) !== pending.request.tenant) return undefined;
  return { pending, browser, language: languageOf(localesIn(context.cookies), headers["accept-language"]) };
}

/** A form whose next page is in a language. */
export function inLanguage<S extends Stage>(form: OpenedForm<S>, language: Language): OpenedForm<S> {
  const { browser } = form;
  return { ...form, language, browser: { ...browser, setting: [...browser.setting, settingLanguage(language)] } };
}

const EXPIRED =
  "The page was open for too long, or was opened in another browser. Go back to the application and start again.";
