/** What change records say about the request that makes a change. */
import { withStore } from "../domain/username.ts";
import type { Principal, SignInMethod } from "../operation/context.ts";
import type { Cause, ChangeActor } from "./model.ts";

/** An admitted request, as far as records show it. */
interface Caller {
  readonly operation: string;
  readonly principal: Principal | undefined;
  readonly signIn: SignInMethod | undefined;
  readonly clientId: string | undefined;
}

/** A request that may change something. */
export interface Caused {
  readonly caller: Caller;
  readonly traceId: string;
  readonly sourceIp: string;
}

/** The cause of the changes of a request. */
export function causeOf({ caller, traceId, sourceIp }: Caused): Cause {
  const { operation, principal } = caller;
  return { tenant: principal?.tenant, actor: actorOf(caller), sourceIp, operation, traceId };
}

function actorOf({ principal, signIn, clientId }: Caller): ChangeActor {
  const by = { ...(signIn !== undefined && { signIn }), ...(clientId !== undefined && { clientId }) };
  if (!principal) return { type: "operator", id: "", ...by };
  if (principal.kind === "client") return { type: "client", id: principal.subject, ...by };
  const { subject, username, userStore, actor } = principal;
  const via = actor?.split(" ");
  return { type: "user", id: subject, name: withStore(userStore, username), ...by, ...(via && { via }) };
}
