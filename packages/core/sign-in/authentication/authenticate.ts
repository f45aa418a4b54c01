/** Basic authentication: from an `Authorization` header to a principal and its scopes. */

import type { Table } from "../../database/table/table.ts";
import { mustChangePassword } from "../../directory/users/model.ts";
import { unauthenticated } from "../../http/decision.ts";
import type { Clock } from "../../kernel/clock.ts";
import { readingsOf } from "../../kernel/domain/username.ts";
import type { Fault } from "../../kernel/faults.ts";
import type { SignInStores } from "./attempt.ts";
import { basicParts, readBasic } from "./basic.ts";
import { type ChangesOf, newChangesOf } from "./role-changes.ts";
import { newSignIn, type OnRefused } from "./sign-in.ts";
import { newRevocationCache } from "./token-validity.ts";
import { type Authenticated, newResolveUser, type PrincipalStores, type ResolveUser } from "./user-principal.ts";

/** By the form of the header alone: it names no user. */
const UNREADABLE =
  "The Authorization header cannot be read: send Basic, a blank, and the base64 of the user name, a colon and the password; or Bearer, a blank, and an access token.";

/** After the right password, the reason is no secret. */
const CHANGE_FIRST =
  "The password must be changed before it can be used. Sign in to an application in a browser, or ask an administrator.";

/** What authentication reads. */
export interface AuthenticationStores extends SignInStores, PrincipalStores {
  readonly table: Table;
}

/** What a caller sent, and from where. */
export interface Presented {
  readonly header: string | undefined;
  readonly sourceIp: string;
}

/** Authenticates the `Authorization` header of a request. Throws `auth.unauthenticated`. */
export type Authenticate = (
  presented: Presented,
  stores: AuthenticationStores,
  onRefused: OnRefused,
) => Promise<Authenticated>;

/** Opens Basic authentication for one container. `everyScope` are the scopes of the full-access role. */
export function newAuthenticate(
  clock: Clock,
  everyScope: ReadonlySet<string>,
  resolveUser: ResolveUser = newResolveUser(clock, everyScope),
  changesOf: ChangesOf = newChangesOf(newRevocationCache(), clock),
): Authenticate {
  const signIn = newSignIn(clock);
  return async ({ header, sourceIp }, stores, onRefused) => {
    if (!header) {
      throw unauthenticated(
        "Send an Authorization header: Basic with user name and password, or Bearer with an access token.",
      );
    }
    if (!basicParts(header)) throw unauthenticated(UNREADABLE);
    const credential = readBasic(header);
    const readings = credential ? readingsOf(credential.username) : [];
    if (!credential || readings.length === 0) throw refused();
    const { changesIn, ended } = changesOf(readings, stores.table);
    const attempt = { readings, password: credential.password, sourceIp };
    const found = await signIn(attempt, stores, onRefused, changesIn).finally(ended);
    if (!found) throw refused();
    if (mustChangePassword(found.user)) throw unauthenticated(CHANGE_FIRST);
    return resolveUser(stores, found.tenant, found.user, await changesIn(found.tenant));
  };
}

/** One sentence for every credential that is not accepted, so that it shows nothing of the reason. */
function refused(): Fault {
  return unauthenticated("The user name or the password is wrong, or the user may not sign in.");
}
