/** The pages of the own account with forms: the profile, and the deletion; and the last page of an account. */
import type { PageResult } from "../../kernel/operation/operation.ts";
import { ACCOUNT_PATH } from "../flow/account.ts";
import { type Html, html } from "../pages/html.ts";
import { page } from "../pages/layout.ts";
import { LISTED_MAX } from "./contract.ts";
import { innerPage } from "./page.ts";
import { listOf, type ProfileFields, textsOf } from "./profile.ts";
import type { Visitor } from "./visitor.ts";
import { type Words, words } from "./words.ts";

/** The form for the profile. `sent`: what the person has entered, where that could not be saved. */
export function profilePage(
  visitor: Visitor,
  { problem, sent }: { readonly problem?: "emailWrong" | "profileRefused"; readonly sent?: ProfileFields } = {},
): PageResult {
  const say = words[visitor.language];
  const { user } = visitor;
  const texts = textsOf(user).map(({ name, value }) => field(name, name, say.attributes[name], sent?.[name] ?? value));
  const content = html`${problem === undefined ? undefined : html`<p role="alert" id="problem">${say[problem]}</p>`}
<form method="post" action="${visitor.path(`${ACCOUNT_PATH}/profile`)}">
<input type="hidden" name="request" value="${visitor.handleOf(profilePurpose(visitor))}">
${texts}
${listFields("email", sent?.email ?? listOf(user, "email"), say)}
${listFields("phone", sent?.phone ?? listOf(user, "phone"), say)}
<p class="quiet">${say.listAdvice} ${say.unverifiedAdvice}</p>
<button type="submit">${say.profileSave}</button>
</form>`;
  return innerPage(say.profileEdit, visitor, content, { status: problem === undefined ? 200 : 400 });
}

/** What the handle of the form is for: the profile as it was shown, so that no other change is undone. */
export function profilePurpose({ user }: Pick<Visitor, "user">): string {
  return `profile ${user.version}`;
}

const autocomplete: Readonly<Record<string, string>> = {
  givenName: "given-name",
  familyName: "family-name",
  displayName: "name",
  nickName: "nickname",
  title: "organization-title",
  preferredLanguage: "language",
  email: "email",
  phone: "tel",
};

function field(id: string, name: string, label: string, value: string): Html {
  const known = autocomplete[name];
  return html`<label for="${id}">${label}</label>
<input id="${id}" name="${name}" type="text" maxlength="1024" autocomplete="${known ?? "off"}" value="${value}">
`;
}

/** A field for each value, and one for another. */
function listFields(name: "email" | "phone", values: readonly string[], say: Words): readonly Html[] {
  const shown = [...values.slice(0, LISTED_MAX - 1), ...(values.at(-1) === "" ? [] : [""])];
  return shown.map((value, at) => field(`${name}-${at + 1}`, name, say[name](at + 1), value));
}

/** The question whether the account is to be deleted. */
export function deletionPage(visitor: Visitor, deletedDays: number, problem?: "deletionUnsure"): PageResult {
  const say = words[visitor.language];
  const content = html`${problem === undefined ? undefined : html`<p role="alert" id="problem">${say[problem]}</p>`}
<p>${say.deletionAdvice}</p>
<p>${deletedDays > 0 ? say.deletionRestore(deletedDays) : say.deletionForGood}</p>
<form method="post" action="${visitor.path(`${ACCOUNT_PATH}/deletion`)}">
<input type="hidden" name="request" value="${visitor.handleOf("deletion")}">
<label for="sure"><input id="sure" name="sure" type="checkbox" value="yes" required>${say.deletionSure}</label>
<button type="submit">${say.deletionSend}</button>
</form>`;
  return innerPage(say.deletionTitle, visitor, content, { status: problem === undefined ? 200 : 400 });
}

/** The account is deleted. */
export function deletedPage(visitor: Visitor, cookies: readonly string[]): PageResult {
  const say = words[visitor.language];
  const content = html`<h1>${say.deletedTitle}</h1>
<p>${say.deletedAdvice}</p>`;
  return page(say.deletedTitle, visitor, content, { cookies });
}

/** What was done has ended the session, too. */
export function signedOutPage(
  visitor: Visitor,
  done: "sessions" | "codes" | "passkeys",
  cookies: readonly string[],
): PageResult {
  const say = words[visitor.language];
  const content = html`<h1>${say.title}</h1>
<p role="status">${say.done[done]}</p>
<p><a href="${visitor.path(ACCOUNT_PATH)}">${say.again}</a></p>`;
  return page(say.title, visitor, content, { cookies });
}
