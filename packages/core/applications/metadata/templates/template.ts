/** The form of a template for adaptive authentication, as administration consoles read it. */

/** The authenticators that a template offers in one step. */
export interface StepChoice {
  readonly local: readonly string[];
  readonly federated: readonly string[];
}

/** One template: a script, and what an administrator needs to know to adapt it. */
export interface AdaptiveTemplate {
  readonly name: string;
  readonly title: string;
  /** The key of its category. */
  readonly category: string;
  readonly summary: string;
  /** What must be adapted or exist. */
  readonly preRequisites: readonly string[];
  /** The meaning of each variable at the top of the script. */
  readonly parametersDescription?: Readonly<Record<string, string>>;
  readonly defaultStepsDescription: Readonly<Record<string, string>>;
  readonly authenticationSteps: number;
  readonly defaultAuthenticators: Readonly<Record<string, StepChoice>>;
  /** One line of the script per element. */
  readonly code: readonly string[];
  readonly helpLink: string;
  readonly runtime: "any" | "new";
}

/** One step of a template, with its local authenticators. */
export interface Step {
  readonly description: string;
  readonly local: readonly string[];
}

/** The usual steps. */
export const steps = {
  password: { description: "User name and password", local: ["BasicAuthenticator"] },
  totp: { description: "One-time code of an authenticator app", local: ["totp"] },
  totpOrPasskey: { description: "One-time code or passkey", local: ["totp", "FIDOAuthenticator"] },
  passkey: { description: "Passkey", local: ["FIDOAuthenticator"] },
} as const satisfies Record<string, Step>;

/** The members of a template that do not follow from others. */
export interface Draft {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly preRequisites?: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
  /** By default a password, then a one-time code. */
  readonly steps?: readonly Step[];
  readonly script: string;
}

/** Completes the templates of a category. */
export function templatesOf(category: string, drafts: readonly Draft[]): AdaptiveTemplate[] {
  return drafts.map(
    ({ parameters, script, preRequisites = [], steps: own = [steps.password, steps.totp], ...draft }) => ({
      ...draft,
      category,
      preRequisites: parameters
        ? ["Adapt the variables at the top of the script to your organisation.", ...preRequisites]
        : preRequisites,
      ...(parameters && { parametersDescription: parameters }),
      defaultStepsDescription: Object.fromEntries(
        own.map(({ description }, index) => [`Step ${index + 1}`, description]),
      ),
      authenticationSteps: own.length,
      defaultAuthenticators: Object.fromEntries(own.map(({ local }, index) => [index + 1, { local, federated: [] }])),
      code: script.trim().split("\n"),
      helpLink: "",
      runtime: "any",
    }),
  );
}
