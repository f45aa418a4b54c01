/** The form of a template for adaptive authentication, as consoles read it (reference application-api.md section 7.6). */

/** The authenticators that a template offers in one step. */
export interface StepChoice {
  readonly local: readonly string[];
  readonly federated: readonly string[];
}

/** One template: a script with what people must know to adapt it. */
export interface AdaptiveTemplate {
  readonly name: string;
  readonly title: string;
  /** The key of its category. */
  readonly category: string;
  readonly summary: string;
  /** What has to be adapted or be in place. */
  readonly preRequisites: readonly string[];
  /** The variables at the top of the script, with their meaning. */
  readonly parametersDescription?: Readonly<Record<string, string>>;
  readonly defaultStepsDescription: Readonly<Record<string, string>>;
  readonly authenticationSteps: number;
  readonly defaultAuthenticators: Readonly<Record<string, StepChoice>>;
  /** One line of the script per element. */
  readonly code: readonly string[];
  readonly helpLink: string;
  readonly runtime: "any" | "new";
}

/** One step of a template: what it is for, and the local authenticators to begin with. */
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

/** What a template says itself; the rest of its form follows. */
export interface Draft {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly preRequisites?: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
  /** Password, then a one-time code, where nothing else is said. */
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
