/** From a client certificate that the caller proved to hold to a principal and its scopes (spec, "Authentication" 4). */

import { readingsOf } from "../domain/username.ts";
import { unauthenticated } from "../http/decision.ts";
import { maySignIn } from "../identities/users/model.ts";
import type { Clock } from "../platform/clock.ts";
import type { Fault } from "../platform/faults.ts";
import { readCertificate } from "./access-control/certificate.ts";
import type { CertificateSettings } from "./access-control/model.ts";
import type { AuthenticationStores } from "./authenticate.ts";
import type { Authenticated, Enter } from "./entering.ts";
import type { OnRefused } from "./sign-in.ts";

/** Authenticates the holder of a certificate (PEM). Throws `auth.unauthenticated`. Two round trips. */
type AuthenticateCertificate = (
  pem: string,
  stores: AuthenticationStores,
  onRefused: OnRefused,
) => Promise<Authenticated>;

/** Opens the authentication by certificates of one container. */
export function newAuthenticateCertificate(
  clock: Clock,
  settings: CertificateSettings,
  enter: Enter,
): AuthenticateCertificate {
  return async (pem, stores, onRefused) => {
    const now = clock.now();
    const verdict = readCertificate(pem, settings, now);
    if (verdict.kind === "refused") throw refused();
    // A lock keeps out whoever guesses passwords; nobody guesses a certificate, so strangers cannot shut this door.
    const looks = await Promise.all(
      readingsOf(verdict.username).map(async (name) => {
        const [tenant, userId] = await Promise.all([stores.tenants.find(name.tenant), stores.users.idOf(name)]);
        return { name, tenant, userId };
      }),
    );
    const { name, tenant, userId } = looks.find((look) => look.tenant) ?? looks[0] ?? {};
    if (!name || (verdict.tenants && !verdict.tenants.has(name.tenant))) throw refused();
    const user = userId === undefined ? undefined : await stores.users.find(name.tenant, userId, name.userStore);
    if (!tenant?.active || !user || !maySignIn(user)) {
      onRefused(name, user ? "inactive" : "unknown");
      throw refused();
    }
    return enter(stores, name.tenant, user);
  };
}

/** The one answer to every certificate that does not let in. */
function refused(): Fault {
  return unauthenticated(
    "The client certificate is not accepted: its issuer is not permitted, or it names nobody who may sign in.",
  );
}
