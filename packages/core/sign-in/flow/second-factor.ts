/**
 * What the forms of one-time codes (decision 0122) and of passkeys (0135) have in common: an attempt is counted before
 * it is verified, a proof counts once, and factors that were changed meanwhile stay as they are.
 */

import type { Step, Table } from "../../database/table/table.ts";
import type { Factors } from "../../directory/credentials/factor-store.ts";
import type { UserChangeRequest } from "../../directory/provisioning/users.ts";
import { hasCodes, hasPasskeys, type User } from "../../directory/users/model.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { homeOf } from "../../tokens/model.ts";
import type { FactorLock } from "../authentication/factor-lock-store.ts";
import type { FactorReason } from "../authentication/refusals.ts";
import { askPassword } from "./ask-password.ts";
import type { Asked } from "./asked.ts";
import type { SignInContext } from "./context.ts";
import type { Standing } from "./factors.ts";
import type { OpenedForm, PageHeaders } from "./forms.ts";
import type { Person } from "./hints.ts";
import type { ProvenStage } from "./pending.ts";
import { provenForm, storesAs } from "./proven-form.ts";
import { isFresh, proceed, type UserFacts } from "./steps.ts";

// Changes of users bring the rules for passwords, with the most common ones.
const { changeUser } = later(() => import("../../directory/provisioning/users.ts"), "changeUser");

/**
 * A form that proves a second factor, with the attempts at that factor. `admits` counts this one: false where it must
 * not be verified. One round trip each; one more for the attempt that locks, or where a factor was just set up.
 */
export async function provingForm(
  form: OpenedForm<"code" | "passkey">,
  lockOf: (table: Table, tenant: string, userId: string) => FactorLock,
  headers: PageHeaders,
  context: SignInContext,
) {
  const { tenant, proven } = form.pending.request;
  const lock = lockOf(context.table, homeOf(proven.user, tenant), proven.user.id);
  const [read, attempts] = await Promise.all([provenForm(form, headers, context), lock.find(context.now)]);
  const admits = (version: string) => lock.admits(attempts, version, context.now);
  return { ...read, lock, admits };
}

/** Logs why a proof does not count. */
export function logRefusalOf(
  reason: FactorReason,
  operation: "signIn" | "enterCode" | "usePasskey" | "enterMailedCode",
  { user, home: tenant }: Person,
  { traceId, sourceIp, tools }: SignInContext,
): void {
  const { userName: name, userStore } = user;
  tools.refusals({ traceId, sourceIp, operation })({ tenant, userStore, name }, reason);
}

/** Asks for what the person wants to set up after a proof. */
export type NextSetup = (
  asked: Asked,
  standing: Standing,
  factors: Factors,
  context: SignInContext,
) => PageResult | Promise<PageResult>;

/** A right proof. */
interface Proof {
  /** Stores it; throws `factorsChanged`. */
  readonly storing: Step;
  /** Counted it as an attempt. */
  readonly lock: FactorLock;
  /** Absent where the person goes on to the application. */
  readonly nextSetup: NextSetup | undefined;
}

/** Stores a proof, and goes on. `undefined` where another request used the factor: then the proof does not count. */
export async function goOnProven(
  asked: Asked,
  standing: Standing,
  facts: UserFacts,
  { storing, lock, nextSetup }: Proof,
  context: SignInContext,
): Promise<PageResult | undefined> {
  const next = async () => {
    if (!nextSetup) return proceed(asked, standing, facts, [storing], context);
    await context.table.write(storing);
    if (!isFresh(standing, context)) return askPassword(asked, context, { problem: "late" });
    return nextSetup(asked, standing, facts.factors, context);
  };
  try {
    const [page] = await Promise.all([next(), lock.takeBack()]);
    return page;
  } catch (error) {
    if (error instanceof FactorsChanged) return undefined;
    throw error;
  }
}

/**
 * Stores a second factor that somebody has set up; its step throws `factorsChanged`. False, and nothing is stored,
 * where the factors of the user are others than when the form was read: what may be set up was decided by those.
 */
export async function setUpFactor(
  standing: Standing,
  factor: NonNullable<UserChangeRequest["factor"]>,
  context: SignInContext,
): Promise<boolean> {
  const { user, home: tenant } = standing;
  const check = (before: User): void => {
    if (hasCodes(before) !== hasCodes(user) || hasPasskeys(before) !== hasPasskeys(user)) throw factorsChanged();
  };
  try {
    await changeUser(storesAs(standing, context), { tenant, now: context.now, sourceIp: context.sourceIp }, user.id, {
      check,
      change: (before) => before,
      factor,
    });
    return true;
  } catch (error) {
    if (error instanceof FactorsChanged) return false;
    throw error;
  }
}

/** Goes on with what is so now. `counted`: somebody without the proofs that do not count any more. */
export async function goOnNow(
  form: OpenedForm<ProvenStage>,
  headers: PageHeaders,
  context: SignInContext,
  counted: (standing: Standing, factors: Factors) => Standing = (standing) => standing,
): Promise<PageResult> {
  const { asked, standing, facts } = await provenForm(form, headers, context);
  if (!standing) return askPassword(asked, context);
  return proceed(asked, counted(standing, facts.factors), facts, [], context);
}

/** A factor of the user was used, set up, replaced or taken away since it was read. */
export class FactorsChanged extends Error {}

/** What a step throws that stores a factor. */
export function factorsChanged(): FactorsChanged {
  return new FactorsChanged();
}
