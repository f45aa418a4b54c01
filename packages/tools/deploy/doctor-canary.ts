/** What the doctor says of the synthetic check (decision 0073). */
import { readyRules } from "#core/auth/access-control/lint.ts";
import { ruleFor } from "#core/auth/access-control/rules.ts";
import { CANARY_SCOPES, CANARY_USER } from "#core/canary/model.ts";
import { operations } from "#core/catalogue.ts";
import type { Deployment } from "#core/settings/deployment.ts";
import { hasCanary, settingsOf, stageOf } from "../../../stacks/stage.ts";
import { type Finding, ok, unchecked, wrong } from "./doctor-finding.ts";

/** Whether a stage is checked, and whether the rules of deployment.toml let the check pass. */
export async function canaryFindings(
  name: string,
  { CANARY }: NodeJS.ProcessEnv,
  deployment: Deployment | undefined,
): Promise<readonly Finding[]> {
  const stage = stageOf(name);
  const settings = settingsOf({ CANARY });
  if (settings.canary && !stage.isWatched) {
    return [wrong("CANARY has no effect in a developer's own stage: it has no alarms", "Delete it.")];
  }
  if (hasCanary(stage, settings)) {
    const refusal = deployment && (await refusalBy(deployment));
    return [refusal ?? ok("every minute, with an alarm where it fails or does not run")];
  }
  if (stage.kind !== "production") return [ok("none")];
  const todo = "Delete CANARY, or check the stage from elsewhere: no alarm reports an outage without traffic.";
  return [unchecked("production is not checked: CANARY is off", todo)];
}

async function refusalBy({ access }: Deployment): Promise<Finding | undefined> {
  // The check of the rules says what is wrong with them.
  const rules = await readyRules(access.rules, operations).catch(() => []);
  const path = `/scim2/Users/${CANARY_USER.id}`;
  const refusing = ["PATCH", "GET"]
    .map((method) => ruleFor(rules, method, path))
    .find((rule) => {
      const own: readonly string[] = CANARY_SCOPES;
      const lacksScope = rule?.scopes?.some((scope) => !own.includes(scope)) ?? false;
      return lacksScope || rule?.handlers?.has("OAuthAuthentication") === false;
    });
  if (!refusing) return undefined;
  return wrong(
    `${refusing.place} refuses the check, which uses a token with ${CANARY_SCOPES.join(" and ")} on ${path}`,
    "Add a rule for that path before it, or set CANARY to off and check the stage from elsewhere.",
  );
}
