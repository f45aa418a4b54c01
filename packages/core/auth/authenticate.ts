/** From a Basic credential to a principal and its scopes. */

import { readingsOf } from "../domain/username.ts";
import { unauthenticated } from "../http/decision.ts";
import type { Clock } from "../platform/clock.ts";
import type { Fault } from "../platform/faults.ts";
import { readBasic } from "./basic.ts";
import { type Authenticated, type Enter, type EnteringStores, newEnter } from "./entering.ts";
import { newSignIn, type OnRefused, type SignInStores } from "./sign-in.ts";

/** What authentication reads. */
export interface AuthenticationStores extends SignInStores, EnteringStores {}

/** Authenticates the `Authorization` header of a request. Throws `auth.unauthenticated`. */
export type Authenticate = (
  header: string | undefined,
  stores: AuthenticationStores,
  onRefused: OnRefused,
) => Promise<Authenticated>;

/** Opens the authentication of one container. `everyScope` is what the administrator's role stands for. */
export function newAuthenticate(
  clock: Clock,
  everyScope: ReadonlySet<string>,
  enter: Enter = newEnter(clock, everyScope),
): Authenticate {
  const signIn = newSignIn(clock);
  return async (header, stores, onRefused) => {
    if (!header)
      throw unauthenticated("Send a credential: Authorization: Basic, with user name and password, or Bearer.");
    const credential = readBasic(header);
    const readings = credential ? readingsOf(credential.username) : [];
    if (!credential || readings.length === 0) throw refused();
    const found = await signIn(readings, credential.password, stores, onRefused);
    if (!found) throw refused();
    return enter(stores, found.tenant, found.user);
  };
}

/** The one answer to every credential that does not let in. */
function refused(): Fault {
  return unauthenticated("The user name or the password is wrong, or the user may not sign in.");
}
