/** Access rules together with the rules that their refusal asks for: what a test says, and no way around it. */

import { operations } from "#core/service/catalogue.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { readyRules } from "#core/sign-in/authentication/access-control/lint.ts";

/** The text of a deployment.toml, with the rules for the twins of its own before them. */
export async function withTwins(toml: string): Promise<string> {
  try {
    await readyRules(readDeployment(toml).access.rules, operations);
    return toml;
  } catch (error) {
    const [, ...added] = (error as Error).message.split("\n\n");
    // What is wrong otherwise is for the service to tell.
    if (added.length === 0) return toml;
    const first = toml.search(/^\s*\[\[resource\.access_control\]\]/m);
    return `${toml.slice(0, first)}\n${added.join("\n\n")}\n${toml.slice(first)}`;
  }
}
