/**
 * From a client certificate, whose key the caller proved to have in the TLS handshake, to a principal and its scopes.
 */

import { readingsOf } from "../domain/username.ts";
import { unauthenticated } from "../http/decision.ts";
import { maySignIn } from "../identities/users/model.ts";
import type { Clock } from "../platform/clock.ts";
import type { Fault } from "../platform/faults.ts";
import { readCertificate } from "./access-control/certificate.ts";
import type { CertificateSettings } from "./access-control/model.ts";
import type { AuthenticationStores } from "./authenticate.ts";
import type { ChangesOf } from "./role-changes.ts";
import type { OnRefused } from "./sign-in.ts";
import type { Authenticated, ResolveUser } from "./user-principal.ts";

/** Authenticates the user that a certificate (PEM) names. Throws `auth.unauthenticated`. Two round trips. */
type AuthenticateCertificate = (
  pem: string,
  stores: AuthenticationStores,
  onRefused: OnRefused,
) => Promise<Authenticated>;

/** Opens the authentication by certificates of one container. */
export function newAuthenticateCertificate(
  clock: Clock,
  settings: CertificateSettings,
  resolveUser: ResolveUser,
  changesOf: ChangesOf,
): AuthenticateCertificate {
  return async (pem, stores, onRefused) => {
    const now = clock.now();
    const verdict = readCertificate(pem, settings, now);
    if (verdict.kind === "refused") throw refused();
    // No lockout: it protects passwords from guesses, and a certificate cannot be guessed.
    const readings = readingsOf(verdict.username);
    const { changesIn, ended } = changesOf(readings, stores.table);
    const find = async () => {
      const candidates = await Promise.all(
        readings.map(async (name) => {
          const [tenant, userId] = await Promise.all([stores.tenants.find(name.tenant), stores.users.idOf(name)]);
          return { name, tenant, userId };
        }),
      );
      const { name, tenant, userId } = candidates.find((candidate) => candidate.tenant) ?? candidates[0] ?? {};
      if (!name || (verdict.tenants && !verdict.tenants.has(name.tenant))) throw refused();
      const user = userId === undefined ? undefined : await stores.users.find(name.tenant, userId, name.userStore);
      if (tenant?.active && user && maySignIn(user)) return { tenant: name.tenant, user };
      onRefused(name, user ? "inactive" : "unknown");
      throw refused();
    };
    const found = await find().finally(ended);
    return resolveUser(stores, found.tenant, found.user, await changesIn(found.tenant));
  };
}

/** One sentence for every certificate that is not accepted, so that it shows nothing of the reason. */
function refused(): Fault {
  return unauthenticated(
    "The client certificate is not accepted: its issuer is not permitted, or it does not name a user who may sign in.",
  );
}
