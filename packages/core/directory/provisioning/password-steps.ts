/** The steps of a transaction that set the password of a user who exists, or end the second factors of a user. */
import { stale } from "../../database/table/stale.ts";
import type { Step } from "../../database/table/table.ts";
import { hashRefused, isHash } from "../credentials/imported.ts";
import { puttingPasskeysAside, removingPasskeys } from "../credentials/passkey-store.ts";
import type { PasswordLimits } from "../credentials/password-limits.ts";
import { checkPassword } from "../credentials/password-rules.ts";
import { addingCredential, type NewCredential, newCredential, replacingCredential } from "../credentials/store.ts";
import { puttingTotpAside, removingTotp } from "../credentials/totp-store.ts";
import { hasCodes, hasPasskeys, type User } from "../users/model.ts";
import type { UserStore } from "../users/store.ts";
import type { StoreName } from "../users/writing.ts";
import type { Caller } from "./escalation.ts";

/** The steps that take a factor away. They read nothing. */
export const factorRemoving = { codes: removingTotp, passkeys: removingPasskeys } as const;

const puttingAside = { codes: puttingTotpAside, passkeys: puttingPasskeysAside } as const;

/** The user whose password is set, as the change names it. */
interface Named {
  readonly name: StoreName;
  readonly password?: string | undefined;
}

/**
 * Checks a new password, and makes the steps that store it. `check` throws `request.invalid` for a password that breaks
 * a rule. It is hashed once, however often the change is tried.
 */
export function passwordSetter(
  { tenant, scopes }: Caller,
  { users, passwords }: { readonly users: UserStore; readonly passwords: PasswordLimits },
) {
  let hashed: Promise<NewCredential> | undefined;
  return {
    check({ name, password }: Named): void {
      if (password === undefined) return;
      // Set as a plain password, the hash itself would sign in.
      if (isHash(password, scopes)) throw hashRefused("is accepted only when the user is created");
      checkPassword(password, { tenant, ...name }, passwords);
    },
    async steps(user: User, { password }: Named): Promise<Step[]> {
      if (password === undefined || isExternal(users, tenant, user)) return [];
      hashed ??= newCredential(password, { userId: user.id, history: passwords.history });
      const setting = user.hasPassword ? replacingCredential : addingCredential;
      return [setting(tenant, user.id, await hashed, stale)];
    },
  };
}

/** Whether the users of a store, with their passwords, are in a directory. */
export function isExternal(users: UserStore, tenant: string, { userStore }: Pick<User, "userStore">): boolean {
  return users.elsewhere?.has(tenant, userStore) === true;
}

/** The steps that end the factors of a user who is deleted. They read nothing. */
export function factorEnding(tenant: string, user: User, untilSeconds: number | undefined): readonly Step[] {
  const kinds = [...(hasCodes(user) ? ["codes" as const] : []), ...(hasPasskeys(user) ? ["passkeys" as const] : [])];
  return kinds.map((kind) =>
    untilSeconds === undefined
      ? factorRemoving[kind](tenant, user.id)
      : puttingAside[kind](tenant, user.id, untilSeconds, stale),
  );
}
