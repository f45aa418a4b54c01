/** What the authentication sequence of an application asks of its users. Pure. */
import { LOCAL_IDP } from "./authenticators.ts";
import type { Application } from "./model.ts";

type Sequence = Application["authenticationSequence"];
type Option = Sequence["steps"][number]["options"][number];

/** What can prove more than a password. */
export type SecondFactor = "code" | "passkey";

/** What users must prove. */
export type NeededFactors =
  /** A password, and for each further step one of its factors, which are in the order of its options. */
  | { readonly further: readonly (readonly SecondFactor[])[] }
  /** What this service does not have: no one can sign in. */
  | { readonly missing: string };

const PASSWORD: ReadonlySet<string> = new Set(["basicauthenticator", "basic"]);
/** The page asks for the name and the password at once. */
const IDENTIFIER: ReadonlySet<string> = new Set(["identifierexecutor"]);
const SECOND: ReadonlyMap<string, SecondFactor> = new Map([
  ["totp", "code"],
  ["fidoauthenticator", "passkey"],
  ["fido", "passkey"],
]);

/**
 * What a sequence asks for. Of the options of a step one is enough, as in Identity Server; but a step after that of the
 * password which a second factor can satisfy needs it, because the password would prove nothing more. In the step of
 * the password, the password is what counts: a passkey is not asked for before it.
 */
export function neededFactors({ type, steps, script }: Sequence): NeededFactors {
  if (script?.trim()) return { missing: "an adaptive script, which this service does not run" };
  if (type === "DEFAULT" || steps.length === 0) return { further: [] };
  const { ofPassword, others } = partsOf(steps);
  const unmet = others.find((step) => secondFactorsOf(step.options).length === 0 && !isOf(step, PASSWORD));
  if (unmet) return { missing: namesOf(unmet.options) };
  if (ofPassword < 0) return { missing: "a first step without a password" };
  return { further: others.map(({ options }) => secondFactorsOf(options)).filter((factors) => factors.length > 0) };
}

/**
 * What the password opens in a sequence: the step that asks for it, and further steps that ask for nothing more. A
 * sequence in which one of these is new asks for less, though it has no option more.
 */
export function passwordWays(steps: Sequence["steps"]): readonly string[] {
  const { ofPassword, others } = partsOf(steps);
  const needsMore = new Set(others.filter((step) => secondFactorsOf(step.options).length > 0 || !isOf(step, PASSWORD)));
  const free = steps.filter((step, at) => at !== ofPassword && !needsMore.has(step));
  return [
    ...(ofPassword < 0 ? [] : [`password in step ${steps[ofPassword]?.id}`]),
    ...free.map(({ id }) => `nothing more in step ${id}`),
  ];
}

/** The position of the step that asks for the password, and the steps that ask for something further. */
function partsOf(steps: Sequence["steps"]) {
  const ofPassword = steps.findIndex((step) => isOf(step, PASSWORD));
  return { ofPassword, others: steps.filter((step, at) => at !== ofPassword && !isOf(step, IDENTIFIER)) };
}

function isOf({ options }: Sequence["steps"][number], names: ReadonlySet<string>): boolean {
  return options.some(({ idp, authenticator }) => idp === LOCAL_IDP && names.has(authenticator.toLowerCase()));
}

/** Whether a user name and a password are all that a sequence asks for. */
export function isPasswordEnough(sequence: Sequence): boolean {
  const needed = neededFactors(sequence);
  return "further" in needed && needed.further.length === 0;
}

/** The second factors among the options of a step, each once. */
function secondFactorsOf(options: readonly Option[]): readonly SecondFactor[] {
  const named = options.map(({ idp, authenticator }) =>
    idp === LOCAL_IDP ? SECOND.get(authenticator.toLowerCase()) : undefined,
  );
  return [...new Set(named)].filter((factor) => factor !== undefined);
}

function namesOf(options: readonly Option[]): string {
  return options
    .map(({ idp, authenticator }) => (idp === LOCAL_IDP ? authenticator : `${authenticator} of ${idp}`))
    .join(" or ")
    .slice(0, 200);
}
