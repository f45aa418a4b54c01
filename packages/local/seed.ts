/** The super tenant and its administrator in the table of the local service. */

import { keys } from "#core/database/table/keys.ts";
import type { Table } from "#core/database/table/table.ts";
import { credentialStore, newCredential, replacingCredential } from "#core/directory/credentials/store.ts";
import { type Administrator, bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { declaredIndexes } from "#core/directory/users/declared-indexes.ts";
import { userStore } from "#core/directory/users/store.ts";
import { SUPER_TENANT } from "#core/kernel/domain/tenant.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { foldName } from "#core/kernel/fold.ts";
import { preparedPassword } from "#core/kernel/opaque-string.ts";
import { verifyPassword } from "#core/kernel/password.ts";
import { revokingUser } from "#core/tokens/revocation-store.ts";

/**
 * Creates the super tenant with its administrator, in the declared indexes. If it exists, sets the password of the
 * administrator to the given one, so that the password in the environment is always valid. Throws an `Error` with a
 * message for users if the tenant has no user with the name of the administrator.
 */
export async function seed(table: Table, administrator: Administrator, indexes?: readonly string[]): Promise<void> {
  const declared = indexes && declaredIndexes(indexes);
  if (await bootstrapTenant(table, SUPER_TENANT, administrator, declared)) return;
  const name = { tenant: SUPER_TENANT, userStore: PRIMARY, name: administrator.username };
  const userId = await userStore(table).idOf(name);
  const stored = userId && (await credentialStore(table).find(SUPER_TENANT, userId));
  if (!userId || !stored) {
    throw new Error(
      `The data has no user "${administrator.username}". Set ADMIN_USERNAME to the name from the first start.`,
    );
  }
  // Failed attempts before this start must not lock the administrator out.
  await table.forget(keys.lock(name.tenant, name.userStore, foldName(name.name)));
  if (!stored.isImported && (await verifyPassword(preparedPassword(administrator.password), stored.passwordHash)))
    return;
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
