/** What the synthetic check uses: the same in every stage, except its client. Pure. */
import { createHash } from "node:crypto";
import { systemIdOf } from "../../kernel/ids.ts";

/** The user that the check changes. Nothing else uses it, and it has no password. */
export const CANARY_USER = { id: systemIdOf("canary user"), name: "canary" } as const;

/** The application whose client the check is. */
export const CANARY_APPLICATION = { id: systemIdOf("canary application"), name: "canary" } as const;

/** What the client may do: read and change users of its own tenant. */
export const CANARY_SCOPES = ["internal_user_mgt_view", "internal_user_mgt_update"] as const;

/** What the ids of its clients begin with. */
export const CANARY_CLIENT = "canary-";

/** Seconds that a token of the check is valid: the least that a deployment can limit tokens to. */
export const CANARY_TOKEN_SECONDS = 60;

/**
 * The id of the client, from its secret. Client ids are unique in a stage: callers of other tenants cannot take an id
 * that they cannot foresee. A digest does not lead back to the secret.
 */
export function canaryClientIdOf(secret: string): string {
  return `${CANARY_CLIENT}${createHash("sha256").update(`client id ${secret}`).digest("base64url").slice(0, 22)}`;
}
