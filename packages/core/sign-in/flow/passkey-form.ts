/** The forms of passkeys: using one, and creating one (decision 0135). */

import type { Way } from "../../applications/registry/sequence-model.ts";
import type { Factors } from "../../directory/credentials/factor-store.ts";
import { type Passkey, type Passkeys, storingPasskeys } from "../../directory/credentials/passkey-store.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { passkeyLock } from "../authentication/factor-lock-store.ts";
import type { FactorReason } from "../authentication/refusals.ts";
import { askSetup } from "./ask-code.ts";
import { askPasskey, askPasskeySetup } from "./ask-passkey.ts";
import { askPassword } from "./ask-password.ts";
import type { SignInContext } from "./context.ts";
import { mayAddPasskey, maySetUp, type PasskeyChallenge, proving, wayOf } from "./factors.ts";
import { type OpenedForm, opened, type PageHeaders } from "./forms.ts";
import { siteOf } from "./passkey-site.ts";
import { provenForm } from "./proven-form.ts";
import {
  factorsChanged,
  goOnNow,
  goOnProven,
  logRefusalOf,
  type NextSetup,
  provingForm,
  setUpFactor,
} from "./second-factor.ts";
import { isFresh, proceed } from "./steps.ts";

const { answering, createdPasskey, signedCounter } = later(
  () => import("./webauthn.ts"),
  "answering",
  "createdPasskey",
  "signedCounter",
);

/** What the form for a passkey contains. */
export interface PasskeyBody {
  readonly request: string;
  /** What the browser says, as JSON. */
  readonly credential?: string | undefined;
  /** The button that was pressed. */
  readonly choice?: "add" | "add-codes" | Way | "other" | "cancel" | undefined;
}

/** What the form that creates one contains. */
export interface PasskeySetupBody extends Pick<PasskeyBody, "request" | "credential"> {
  readonly choice?: "code" | "skip" | "other" | "cancel" | undefined;
}

/** Why an answer of a passkey does not count. */
type Refusal = "passkeyWrong" | "passkeyLocked" | "passkeyStale" | "passkeyCopied";

/** What the log says about it. A challenge that was answered before is no attempt at a key. */
export const passkeyReasons: Readonly<Record<Exclude<Refusal, "passkeyStale">, FactorReason>> = {
  passkeyWrong: "passkey",
  passkeyLocked: "passkeys locked",
  passkeyCopied: "passkey that may be copied: its counter went back",
};

/**
 * Takes the answer of a passkey. Each challenge counts once, for a passkey of this user. Throws `request.invalid` for a
 * form that does not count.
 */
export async function takePasskey(
  body: PasskeyBody,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("passkey", body.request, headers, context);
  const { asked, standing, facts, home, lock, admits } = await provingForm(form, passkeyLock, headers, context);
  if (!standing || body.choice === "other") return askPassword(asked, context);
  const { factors } = facts;
  const { passkeys } = factors;
  // An administrator has taken the passkeys away meanwhile.
  if (!passkeys) return proceed(asked, standing, facts, [], context);
  const way = wayOf(body.choice);
  if (way) return proceed(asked, standing, facts, [], context, way);
  if (!body.credential) return askPasskey(asked, standing, factors, context, "passkeyMissing");
  const refuse = (problem: Refusal) => {
    if (problem !== "passkeyStale") logRefusalOf(passkeyReasons[problem], "usePasskey", standing, context);
    const shown = problem === "passkeyCopied" ? "passkeyWrong" : problem;
    return askPasskey(asked, standing, factors, context, shown);
  };
  if (!(await admits(passkeys.handle))) return refuse("passkeyLocked");
  const after = await usedPasskeys(body.credential, passkeys, { ...challengeOf(form), verifies: false }, context);
  if (typeof after === "string") return refuse(after);
  const now = { ...facts, factors: { ...factors, passkeys: after } };
  const storing = storingPasskeys(home, standing.user.id, { before: passkeys, after }, factorsChanged);
  const choice = body.choice ?? (asked.request.account?.task === "passkey" ? "add" : undefined);
  const proof = { storing, lock, nextSetup: nextSetupOf(choice, now.factors) };
  const page = await goOnProven(asked, proving(standing, "passkey"), now, proof, context);
  // Another request used a passkey at the same time.
  return page ?? refuse("passkeyStale");
}

/** What the person wants to set up after a passkey: one more, or codes. */
function nextSetupOf(choice: PasskeyBody["choice"], { totp, passkeys }: Factors): NextSetup | undefined {
  if (choice === "add-codes" && !totp) return askSetup;
  return choice === "add" && mayAddPasskey(passkeys) ? askPasskeySetup : undefined;
}

/**
 * The passkeys after the use of one; or why the answer does not count. `verifies`: the authenticator must have verified
 * its user.
 */
export async function usedPasskeys(
  text: string,
  passkeys: Passkeys,
  { text: challenge, madeMs, verifies }: PasskeyChallenge & { readonly verifies: boolean },
  { origin }: SignInContext,
): Promise<Passkeys | Refusal> {
  const answer = await answering(text);
  const passkey = passkeys.keys.find(({ id }) => id === answer?.id);
  if (!passkey) return "passkeyWrong";
  const { handle, revision } = passkeys;
  const counter = await signedCounter(text, passkey, { site: siteOf(origin), challenge, handle, verifies });
  if (counter === undefined) return "passkeyWrong";
  if (madeMs <= passkey.challengedMs) return "passkeyStale";
  // Section 7.2: two devices with one key count apart.
  if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) return "passkeyCopied";
  const used: Passkey = { ...passkey, counter, challengedMs: madeMs };
  return { handle, revision: revision + 1, keys: passkeys.keys.map((each) => (each === passkey ? used : each)) };
}

/**
 * Takes a passkey that the browser has created. Who has a second factor has proven it. Throws `request.invalid` for a
 * form that does not count.
 */
export async function takePasskeySetup(
  body: PasskeySetupBody,
  headers: PageHeaders,
  context: SignInContext,
): Promise<PageResult> {
  const form = opened("passkey-setup", body.request, headers, context);
  const { text: challenge, handle, madeMs } = challengeOf(form);
  const { asked, standing, facts, home } = await provenForm(form, headers, context);
  if (!standing || body.choice === "other") return askPassword(asked, context);
  const { factors } = facts;
  const { passkeys } = factors;
  if (body.choice === "code") return proceed(asked, standing, facts, [], context, "code");
  // A factor was set up meanwhile, or all passkeys were replaced by others: the form does not know them. A form that
  // created one counts no more, also for the next person at the browser: it does not lead to another form either.
  const isUsed = passkeys?.keys.some(({ createdMs }) => createdMs >= madeMs);
  const isCurrent = maySetUp(standing, factors) && (passkeys?.handle ?? handle) === handle && !isUsed;
  if (body.choice === "skip" || !isCurrent || !mayAddPasskey(passkeys))
    return proceed(asked, standing, facts, [], context);
  if (!isFresh(standing, context)) return askPassword(asked, context, { problem: "late" });
  const askAgain = (problem: "passkeyMissing" | "passkeyNotCreated" | "passkeyKnown") =>
    askPasskeySetup(asked, standing, factors, context, problem);
  if (!body.credential) return askAgain("passkeyMissing");
  const created = await createdPasskey(body.credential, { site: siteOf(context.origin), challenge });
  if (!created || handle === undefined) return askAgain("passkeyNotCreated");
  if (passkeys?.keys.some(({ id }) => id === created.id)) return askAgain("passkeyKnown");
  const passkey: Passkey = { ...created, createdMs: Math.max(context.now, madeMs), challengedMs: madeMs };
  const after: Passkeys = {
    handle,
    revision: (passkeys?.revision ?? 0) + 1,
    keys: [...(passkeys?.keys ?? []), passkey],
  };
  const storing = storingPasskeys(home, standing.user.id, { before: passkeys, after }, factorsChanged);
  if (!(await setUpFactor(standing, { kind: "passkeys", storing }, context))) return goOnNow(form, headers, context);
  const now = { ...facts, factors: { ...factors, passkeys: after } };
  return proceed(asked, proving(standing, "passkey"), now, [], context);
}

/** What the page of a form asked the authenticator. */
function challengeOf({ pending: { request } }: OpenedForm<"passkey" | "passkey-setup">): PasskeyChallenge {
  if (!request.challenge) throw new Error("a form of passkeys has no challenge");
  return request.challenge;
}
