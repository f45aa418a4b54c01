/**
 * Changes of the assignments of an application, with the conditions and revocations that belong to them: in one
 * transaction, so that nothing is assigned that is not there, and no token outlives the access that it came from.
 */
import { keys } from "../../database/table/keys.ts";
import type { Step } from "../../database/table/table.ts";
import type { Assigned } from "../../directory/memberships/assignment-model.ts";
import { permissionOf } from "../../tokens/model.ts";
import { revokingGrant } from "../../tokens/revocation-store.ts";
import { losingAssignment } from "../registry/client-store.ts";
import type { Application } from "../registry/model.ts";
import { notFound } from "../registry/rules.ts";

/** The step that holds the application, which must not be deleted meanwhile. */
export function holdingApplication(tenant: string, applicationId: string): Step {
  return {
    check: keys.application(tenant, applicationId),
    when: "present",
    otherwise: () => notFound(applicationId, tenant),
  };
}

/** What assignments are taken from an application. */
export interface Loss {
  readonly application: Application;
  readonly tenant: string;
  readonly removing: readonly Assigned[];
  /** Those users of them who have access by another assignment. */
  readonly keeping: ReadonlySet<string>;
  /** The time of the revocation, and when the last token that it ends expires. */
  readonly fromMs: number;
  readonly untilSeconds: number;
}

/**
 * The steps that end what lost assignments gave: of a user all tokens of the application; of the members of a group or
 * role the access tokens, and each refresh token at its next use. None where the application asks for no assignment.
 */
export function endingAccess(loss: Loss): readonly Step[] {
  const { application, tenant, removing, keeping, fromMs, untilSeconds } = loss;
  const clientId = application.inbound.oidc?.clientId;
  const isAsked = application.advancedConfigurations.enableAuthorization && removing.length > 0;
  if (clientId === undefined || !isAsked) return [];
  const ofMany = removing.some(({ type }) => type !== "user");
  const users = removing.filter(({ type, id }) => type === "user" && !keeping.has(id));
  return [
    ...losingAssignment(clientId, { tenant, applicationId: application.id }, fromMs, ofMany),
    ...users.flatMap(({ id }) => revokingGrant(tenant, permissionOf(id, clientId), fromMs, untilSeconds)),
  ];
}
