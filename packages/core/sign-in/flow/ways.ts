/** What a request asks a person to prove. Pure. */
import type { Application } from "../../applications/registry/model.ts";
import {
  type Method,
  neededWays,
  type SecondFactor,
  unprovenWays,
  type Way,
} from "../../applications/registry/sequence-model.ts";
import { FACTORS_CLASS, isWithFactors, PASSWORD_CLASS } from "../openid/id-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { requestedClaim } from "./claims-parameter.ts";
import type { SignInTools } from "./context.ts";

/** What a request asks for. A person asks for a factor who changes it in the own account. */
export function stepsOf(
  { authenticationSequence }: Pick<Application, "authenticationSequence">,
  request: AuthorizationRequest,
  { recovers }: Pick<SignInTools, "recovers">,
): Steps {
  const needed = neededWays(authenticationSequence, recovers);
  const steps = "steps" in needed ? needed.steps : [];
  const needsFactors = prefersFactors(request);
  if (!request.account) return { asked: steps, needsFactors };
  // Who reads the mailbox of an account can choose another password for it.
  const who = [...(steps[0] ?? []), ...(recovers ? (["mail-code"] as const) : [])];
  const wished = request.account.task && FACTOR_OF_TASK[request.account.task];
  return { who, asked: [wished ? [wished] : who], needsFactors };
}

/**
 * The ways that are left of what is asked for next; `undefined` where nothing is missing: the steps of the application,
 * then one of the factors that make up the class that the client asks for.
 */
export function lackingWays({ asked, needsFactors }: Steps, methods: readonly Method[]): readonly Way[] | undefined {
  return unprovenWays(asked, methods) ?? (needsFactors && !isWithFactors(methods) ? EITHER : undefined);
}

/** The steps of a sign-in. */
export interface Steps {
  /** For each step its ways. */
  readonly asked: readonly (readonly Way[])[];
  /** The client asks for the class of sign-ins with a second factor, before that of a password alone. */
  readonly needsFactors: boolean;
  /** The ways to say who the person is, where they are not those of the first step that is asked for. */
  readonly who?: readonly Way[] | undefined;
}

/** The factor that a person sets up in the own account. */
const FACTOR_OF_TASK = { app: "code", passkey: "passkey", password: undefined } as const;

/** What a client that asks for the class of such sign-ins gets: it does not say by which factor. */
const EITHER: readonly SecondFactor[] = ["code", "passkey"];

function prefersFactors({ acrValues = [], claims }: AuthorizationRequest): boolean {
  const essential = claims && requestedClaim(claims.idToken, "acr");
  const wished = (essential?.isEssential && essential.values) || acrValues;
  return wished.find((value) => value === FACTORS_CLASS || value === PASSWORD_CLASS) === FACTORS_CLASS;
}
