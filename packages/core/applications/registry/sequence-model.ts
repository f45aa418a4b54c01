/** What the authentication sequence of an application asks of its users. Pure. */
import { LOCAL_IDP } from "./authenticators.ts";
import type { Application } from "./model.ts";

type Sequence = Application["authenticationSequence"];
type Option = Sequence["steps"][number]["options"][number];

/** What a user sets up, to prove more than a password. */
export type SecondFactor = "code" | "passkey";

/** In which ways somebody can prove something. */
export type Way = SecondFactor | "password" | "mail-code" | "mail-link";

/**
 * What is proven: that the person knows the password, has the app of one-time codes, has the key of a passkey, or reads
 * the mailbox.
 */
export type Method = "pwd" | "otp" | "pop" | "mail";

/** What each way proves. */
export const METHOD = {
  password: "pwd",
  code: "otp",
  passkey: "pop",
  "mail-code": "mail",
  "mail-link": "mail",
} as const satisfies Readonly<Record<Way, Method>>;

/** What users must prove. */
export type NeededWays =
  /**
   * For each step its ways, in the order of its options. The first step says who the person is; a one-time code of an
   * app does not.
   */
  | { readonly steps: readonly (readonly Way[])[] }
  /** What this service does not have: no one can sign in. */
  | { readonly missing: string };

/** The page asks for the name and the password at once. */
const IDENTIFIER = "identifierexecutor";
const WAYS: ReadonlyMap<string, Way> = new Map([
  ["basicauthenticator", "password"],
  ["basic", "password"],
  ["totp", "code"],
  ["fidoauthenticator", "passkey"],
  ["fido", "passkey"],
  ["email-otp-authenticator", "mail-code"],
  ["magiclinkauthenticator", "mail-link"],
]);
const PASSWORD_ALONE: NeededWays = { steps: [["password"]] };

/** What a sequence asks for, in a deployment that sends mails or does not. Of the ways of a step one is enough. */
export function neededWays({ type, steps, script }: Sequence, sendsMail: boolean): NeededWays {
  if (script?.trim()) return { missing: "an adaptive script, which this service does not run" };
  if (type === "DEFAULT" || steps.length === 0) return PASSWORD_ALONE;
  const asking = steps
    .map(({ options }) => ({ options, ways: waysOf(options) }))
    .filter(({ options, ways }) => ways.includes("password") || !options.some(isIdentifier));
  const unmet = asking.find(({ ways }) => ways.length === 0);
  if (unmet) return { missing: namesOf(unmet.options) };
  // Without these ways, other steps would ask for less.
  if (!sendsMail && asking.some(({ ways }) => ways.some((way) => METHOD[way] === "mail"))) {
    return { missing: "mails, and this deployment sends none" };
  }
  const who = asking.findIndex(({ ways }) => ways.some((way) => way !== "code"));
  if (who < 0) return { missing: "a step that says who the user is" };
  const [first, others] = [asking[who]?.ways ?? [], asking.filter((_, at) => at !== who)];
  return { steps: [first.filter((way) => way !== "code"), ...others.map(({ ways }) => ways)] };
}

/**
 * The ways that are left of the first step that is not proven; `undefined` where nothing is missing. Each step needs a
 * proof of its own: with a password or a passkey in one step and a passkey in the next, a passkey alone is not enough.
 * A step whose ways prove nothing more than what is proven already is not asked for.
 */
export function unprovenWays(
  steps: readonly (readonly Way[])[],
  methods: readonly Method[],
): readonly Way[] | undefined {
  const provenBy = new Map<Method, readonly Way[]>();
  const isProven = (step: readonly Way[], tried = new Set<Method>()): boolean =>
    step.some((way) => {
      const method = METHOD[way];
      if (!methods.includes(method) || tried.has(method)) return false;
      tried.add(method);
      const other = provenBy.get(method);
      if (other && !isProven(other, tried)) return false;
      provenBy.set(method, step);
      return true;
    });
  const left = (step: readonly Way[]) => step.filter((way) => !methods.includes(METHOD[way]));
  // Steps to which nothing can be added take their proofs first: the others can be asked for more.
  const closed = steps.filter((step) => left(step).length === 0);
  for (const step of closed) isProven(step);
  const lacking = steps.filter((step) => !closed.includes(step)).find((step) => !isProven(step));
  return lacking && left(lacking);
}

/** The ways by which a person can begin: not by what another step needs, as long as there is another. */
export function firstWays([first = [], ...others]: readonly (readonly Way[])[]): readonly Way[] {
  const isNeededLater = (way: Way) => others.some((step) => step.every((each) => METHOD[each] === METHOD[way]));
  const free = first.filter((way) => !isNeededLater(way));
  return free.length > 0 ? free : first;
}

const METHODS: readonly Method[] = ["pwd", "otp", "pop", "mail"];
const SETS = Array.from({ length: 2 ** METHODS.length }, (_, set) => METHODS.filter((_, bit) => set & (1 << bit)));

/**
 * All that opens a sequence, each set of proofs as text. A sequence in which one of these is new asks for less, though
 * it may have no option more.
 */
export function openingProofs(sequence: Sequence): readonly string[] {
  const needed = neededWays(sequence, true);
  if ("missing" in needed) return [];
  const [first = []] = needed.steps;
  const isOpenedBy = (methods: readonly Method[]) =>
    first.some((way) => methods.includes(METHOD[way])) && !unprovenWays(needed.steps, methods);
  return SETS.filter(isOpenedBy).map((methods) => `enough: ${methods.join(" and ")}`);
}

/** Whether a user name and a password are all that a sequence asks for. */
export function isPasswordEnough(sequence: Sequence): boolean {
  return openingProofs(sequence).includes("enough: pwd");
}

function waysOf(options: readonly Option[]): readonly Way[] {
  const named = options.map(({ idp, authenticator }) =>
    idp === LOCAL_IDP ? WAYS.get(authenticator.toLowerCase()) : undefined,
  );
  return [...new Set(named)].filter((way) => way !== undefined);
}

function isIdentifier({ idp, authenticator }: Option): boolean {
  return idp === LOCAL_IDP && authenticator.toLowerCase() === IDENTIFIER;
}

function namesOf(options: readonly Option[]): string {
  return options
    .map(({ idp, authenticator }) => (idp === LOCAL_IDP ? authenticator : `${authenticator} of ${idp}`))
    .join(" or ")
    .slice(0, 200);
}
