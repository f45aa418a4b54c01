/** What `npm start` puts into an empty table, and what it makes sure of in one that is not. */

import { type Administrator, SUPER_TENANT } from "#core/domain/tenant.ts";
import { PRIMARY } from "#core/domain/username.ts";
import { credentialStore, newCredential, replacingCredential } from "#core/identities/credentials/store.ts";
import { userStore } from "#core/identities/users/store.ts";
import { foldName } from "#core/platform/fold.ts";
import { verifyPassword } from "#core/platform/password.ts";
import { keys } from "#core/table/keys.ts";
import type { Table } from "#core/table/table.ts";
import { foundTenant } from "#core/tenants/bootstrap.ts";
import { revokingUser } from "#core/tokens/revocation-store.ts";

/**
 * Founds the super tenant with its administrator. Where it exists already, the local administrator's password is set to
 * the one given now, so that what the environment says is what lets in.
 * Throws an `Error` when the tenant was founded with an administrator of another name.
 */
export async function seed(table: Table, administrator: Administrator): Promise<void> {
  if (await foundTenant(table, SUPER_TENANT, administrator)) return;
  const name = { tenant: SUPER_TENANT, userStore: PRIMARY, name: administrator.username };
  const userId = await userStore(table).idOf(name);
  const stored = userId && (await credentialStore(table).find(SUPER_TENANT, userId));
  if (!userId || !stored) {
    throw new Error(
      `The data holds no user "${administrator.username}": set ADMIN_USERNAME to the one it was made with.`,
    );
  }
  // Whoever starts the service may sign in to it, whatever others tried before.
  await table.forget(keys.lock(name.tenant, name.userStore, foldName(name.name)));
  if (await verifyPassword(administrator.password, stored.passwordHash)) return;
  await table.write(
    replacingCredential(
      SUPER_TENANT,
      userId,
      await newCredential(administrator.password),
      () => new Error("no such user"),
    ),
    ...revokingUser(SUPER_TENANT, userId),
  );
}
