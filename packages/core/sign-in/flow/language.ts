/** Shows a page again in the language that its person has chosen, which later pages in this browser have, too. */
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { Language } from "../pages/language.ts";
import { askCode, askSetup } from "./ask-code.ts";
import { askNewPassword } from "./ask-new-password.ts";
import { askPasskey, askPasskeySetup } from "./ask-passkey.ts";
import { askPassword } from "./ask-password.ts";
import type { SignInContext } from "./context.ts";
import { inLanguage, opened, type PageHeaders } from "./forms.ts";
import { shownAgain } from "./mailed-form.ts";
import type { MailedStage, ProvenStage } from "./pending.ts";
import { provenForm } from "./proven-form.ts";
import { taken } from "./taken.ts";

/** The same page as the form is from: nothing that was entered counts. Throws `request.invalid` for no form. */
export async function switchLanguage(
  stage: ProvenStage | MailedStage | "sign-in",
  { request: text, language }: { readonly request: string; readonly language: Language },
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  if (stage === "sign-in") {
    const form = inLanguage(opened(stage, text, headers, context), language);
    return askPassword(await taken(form, context), context, { proven: form.pending.request.proven });
  }
  if (stage === "mail-code" || stage === "mail-link") {
    return shownAgain(stage, opened(stage, text, headers, context), text, { language }, headers, context);
  }
  const form = inLanguage(opened(stage, text, headers, context), language);
  const { asked, standing, facts } = await provenForm(form, headers, context);
  if (!standing) return askPassword(asked, context);
  const { factors } = facts;
  const { setup } = form.pending.request;
  switch (stage) {
    case "code":
      return askCode(asked, standing, factors, context);
    case "passkey":
      return askPasskey(asked, standing, factors, context);
    case "passkey-setup":
      return askPasskeySetup(asked, standing, factors, context);
    case "setup":
      return askSetup(asked, standing, factors, context, { ...setup });
    case "new-password":
      return askNewPassword(asked, standing, context);
    default:
      throw new Error(`the page of ${stage} is shown once`);
  }
}
