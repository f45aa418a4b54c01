/**
 * The first administrator of a stage. The deployment invokes a function that founds the first tenant where there is none;
 * the table decides that, so neither another deployment nor two at once change or repeat anything.
 */
import type { Secrets } from "./secrets.ts";
import type { Settings } from "./stage.ts";

/** Invokes the function once the table is there, and again only where its input was changed. */
export function firstAdministrator(founding: sst.aws.Function, { adminUsername }: Settings, secrets: Secrets) {
  return new aws.lambda.Invocation("FirstAdministrator", {
    functionName: founding.name,
    input: $util.secret($jsonStringify({ username: adminUsername, password: secrets.adminPassword.value })),
  });
}
