/** What a request asks a person to prove. Pure. */
import type { Application } from "../../applications/registry/model.ts";
import { neededWays, type SecondFactor, type Way } from "../../applications/registry/sequence-model.ts";
import { FACTORS_CLASS, PASSWORD_CLASS } from "../openid/id-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { requestedClaim } from "./claims-parameter.ts";
import type { SignInTools } from "./context.ts";

/**
 * What a request asks for: for each step its ways. The client can ask for the class of sign-ins with a second factor,
 * before that of a password alone; a person asks for a factor who changes it in the own account.
 */
export function stepsOf(
  { authenticationSequence }: Pick<Application, "authenticationSequence">,
  request: AuthorizationRequest,
  { recovers }: Pick<SignInTools, "recovers">,
): Steps {
  const needed = neededWays(authenticationSequence, recovers);
  const steps = "steps" in needed ? needed.steps : [];
  const wished = request.account?.task && FACTOR_OF_TASK[request.account.task];
  if (wished) return { who: steps[0], asked: [[wished]] };
  return steps.length === 1 && prefersFactors(request) ? { who: steps[0], asked: [EITHER] } : { asked: steps };
}

/** The steps of a sign-in. */
export interface Steps {
  readonly asked: readonly (readonly Way[])[];
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
