/** What a service of CAS learns of a user. Pure. */
import type { Application } from "../../../applications/registry/model.ts";
import { uriOf } from "../../openid/user-claims.ts";
import { type AskedAttribute, requestedAttributes } from "../sso/attributes.ts";
import type { CasAsked } from "./asked.ts";

/** The attributes that an application gets. */
export function releasedAttributes(
  { release }: Pick<CasAsked, "release">,
  { claimConfiguration }: Pick<Application, "claimConfiguration">,
): readonly AskedAttribute[] {
  if (release === "none") return [];
  const requested = requestedAttributes(claimConfiguration);
  if (release === "requested") return requested;
  const mapped = claimConfiguration.claimMappings.map(({ applicationClaim, localClaim }) => ({
    name: applicationClaim,
    uri: uriOf(localClaim),
  }));
  return [...requested, ...mapped.filter(({ name }) => !requested.some((each) => each.name === name))];
}
