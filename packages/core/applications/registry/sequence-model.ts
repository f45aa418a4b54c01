/** What the authentication sequence of an application asks of its users. Pure. */
import { LOCAL_IDP } from "./authenticators.ts";
import type { Application } from "./model.ts";

type Sequence = Application["authenticationSequence"];
type Option = Sequence["steps"][number]["options"][number];

/** What users must prove. */
export type NeededFactors =
  /** A password, or a password and a one-time code. */
  | { readonly needsCode: boolean }
  /** What this service does not have: nobody can sign in. */
  | { readonly missing: string };

const PASSWORD: ReadonlySet<string> = new Set(["basicauthenticator", "basic"]);
/** The page asks for the name and the password at once. */
const IDENTIFIER: ReadonlySet<string> = new Set(["identifierexecutor"]);
const CODE: ReadonlySet<string> = new Set(["totp"]);

/**
 * What a sequence asks for. Of the options of a step one is enough, as in Identity Server; but a step after that of the
 * password which one-time codes can satisfy needs a code, because the password would prove nothing more.
 */
export function neededFactors({ type, steps, script }: Sequence): NeededFactors {
  if (script?.trim()) return { missing: "an adaptive script, which this service does not run" };
  if (type === "DEFAULT" || steps.length === 0) return { needsCode: false };
  const isOf = (step: Sequence["steps"][number], names: ReadonlySet<string>) =>
    step.options.some(({ idp, authenticator }) => idp === LOCAL_IDP && names.has(authenticator.toLowerCase()));
  const ofPassword = steps.findIndex((step) => isOf(step, PASSWORD));
  const others = steps.filter((step, at) => at !== ofPassword && !isOf(step, IDENTIFIER));
  const unmet = others.find((step) => !isOf(step, CODE) && !isOf(step, PASSWORD));
  if (unmet) return { missing: namesOf(unmet.options) };
  if (ofPassword < 0) return { missing: "a first step without a password" };
  return { needsCode: others.some((step) => isOf(step, CODE)) };
}

/** Whether a user name and a password are all that a sequence asks for. */
export function isPasswordEnough(sequence: Sequence): boolean {
  const needed = neededFactors(sequence);
  return "needsCode" in needed && !needed.needsCode;
}

function namesOf(options: readonly Option[]): string {
  return options
    .map(({ idp, authenticator }) => (idp === LOCAL_IDP ? authenticator : `${authenticator} of ${idp}`))
    .join(" or ")
    .slice(0, 200);
}
