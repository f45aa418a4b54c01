/** A passkey that says who the person is: no name was entered (decision 0184). */
import { storingPasskeys } from "../../directory/credentials/passkey-store.ts";
import { maySignIn } from "../../directory/users/model.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { passkeyLock } from "../authentication/factor-lock-store.ts";
import type { SignInForm } from "../pages/pages.ts";
import { askPasskeySetup } from "./ask-passkey.ts";
import { askPassword } from "./ask-password.ts";
import type { Asked } from "./asked.ts";
import { begin, beginningOf } from "./begin.ts";
import type { SignInContext } from "./context.ts";
import { mayAddPasskey } from "./factors.ts";
import type { OpenedForm, PageHeaders } from "./forms.ts";
import { passkeyReasons, usedPasskeys } from "./passkey-form.ts";
import { userIdIn } from "./passkey-site.ts";
import { FactorsChanged, factorsChanged, logRefusalOf } from "./second-factor.ts";
import { taken } from "./taken.ts";

const { answering } = later(() => import("./webauthn.ts"), "answering");

type Problem = Extract<SignInForm["problem"], `passkey${string}`>;

/**
 * Takes what a passkey of any user of the tenant has signed. The authenticator must have verified its user. It says the
 * same where there is no such user, the user may not sign in, or the passkey was taken away. Two round trips before the
 * session; one where no user is meant.
 */
export async function takeFirstPasskey(
  form: OpenedForm<"sign-in">,
  text: string,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const { passkey: challenge, tenant } = form.pending.request;
  const { table, now } = context;
  const { handle } = (await answering(text)) ?? {};
  const userId = handle === undefined ? undefined : userIdIn(handle);
  if (!challenge || userId === undefined) return refused(await taken(form, context), "passkeyUnknown", context);
  const lock = passkeyLock(table, tenant, userId);
  const [beginning, attempts] = await Promise.all([beginningOf(form, userId, context), lock.find(now)]);
  const { asked, user, ofUser } = beginning;
  const [, , , factors] = ofUser;
  const { passkeys } = factors;
  if (!user || passkeys?.handle !== handle || !passkeys) return refused(asked, "passkeyUnknown", context);
  const refuse = (problem: keyof typeof passkeyReasons) => {
    logRefusalOf(passkeyReasons[problem], "signIn", { user, home: tenant }, context);
    return refused(asked, problem === "passkeyLocked" ? problem : "passkeyUnknown", context);
  };
  if (!(await lock.admits(attempts, passkeys.handle, now))) return refuse("passkeyLocked");
  const after = await usedPasskeys(text, passkeys, { ...challenge, verifies: true }, context);
  if (after === "passkeyStale") return refused(asked, after, context);
  if (typeof after === "string") return refuse(after);
  if (!maySignIn(user)) return refused(asked, "passkeyUnknown", context);
  const storing = [storingPasskeys(tenant, userId, { before: passkeys, after }, factorsChanged)];
  const isToAdd = asked.request.account?.task === "passkey" && mayAddPasskey(after);
  const nextSetup = isToAdd ? askPasskeySetup : undefined;
  const used = { storing, now: { ...factors, passkeys: after }, nextSetup };
  try {
    const [page] = await Promise.all([begin(beginning, user, "passkey", used, headers, context), lock.takeBack()]);
    return page;
  } catch (error) {
    if (error instanceof FactorsChanged) return refused(asked, "passkeyStale", context);
    throw error;
  }
}

function refused(asked: Asked, problem: Problem, context: SignInContext): PageResult {
  return askPassword(asked, context, { problem });
}
