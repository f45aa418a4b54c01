/** What `provider.ts` loads at run time: the resources, with a client of the environment of the deployment. */
import type { Api } from "../../client/client.ts";
import { apiResource } from "./api-resource.ts";
import { application } from "./application.ts";
import type { Members } from "./declared.ts";
import { apiOf, type Resource } from "./resource.ts";

export type Kind = "application" | "apiResource";

let kept: Api | undefined;

/** One client for all resources of a deployment, so that they share its token. */
function api(): Api {
  kept ??= apiOf(process.env);
  return kept;
}

/** Without what Pulumi adds for itself. */
function own({ __provider: _, ...members }: Members): Members {
  return members;
}

function opened(resource: Resource) {
  return {
    check: (outputs: Members, inputs: Members) => resource.check(api(), own(outputs), own(inputs)),
    diff: (id: string, outputs: Members, inputs: Members) => resource.diff(api(), id, own(outputs), own(inputs)),
    create: (inputs: Members) => resource.create(api(), own(inputs)),
    read: (id: string, outputs: Members) => resource.read(api(), id, own(outputs)),
    update: (id: string, outputs: Members, inputs: Members) => resource.update(api(), id, own(outputs), own(inputs)),
    delete: (id: string, outputs: Members) => resource.remove(api(), id, own(outputs)),
  };
}

export const providers = { application: opened(application), apiResource: opened(apiResource) };
