/**
 * The bootstrap of a stage. The deployment invokes a function that creates the first tenant and its administrator if
 * there is no tenant. The table decides that, so neither a later deployment nor a concurrent one changes anything.
 */
import type { Secrets } from "./secrets.ts";
import type { Settings } from "./stage.ts";

/** Invokes the function when the table exists, and again only if its input changes. */
export function firstAdministrator(bootstrap: sst.aws.Function, { adminUsername }: Settings, secrets: Secrets) {
  return new aws.lambda.Invocation("FirstAdministrator", {
    functionName: bootstrap.name,
    input: $util.secret($jsonStringify({ username: adminUsername, password: secrets.adminPassword.value })),
  });
}
