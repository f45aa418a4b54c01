/** What a resource says of a user, and the rules for its parts but the name and the password. Pure. */
import { splitStore } from "../../kernel/domain/username.ts";
import { refuse } from "../../kernel/faults.ts";
import { preparedPassword } from "../../kernel/opaque-string.ts";
import { checkTogether } from "../../kernel/together.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { EMAILS_MAX, lookupsOf } from "../users/lookup-rows.ts";
import { USER_BYTES_MAX } from "../users/store.ts";
import type { StoreName } from "../users/writing.ts";
import { textOf } from "./resource.ts";

/** The parts of a user's resource, which are stored in different places. */
export interface Account {
  readonly name: StoreName;
  readonly password: string | undefined;
  readonly active: boolean | undefined;
  readonly profile: Resource;
}

/** The store and the bare name of a user name, which may be one that no new user can have. Throws `request.invalid`. */
export function nameIn(userName: string, userStores: readonly string[]): StoreName {
  const name = splitStore(userName);
  checkStore(name, userStores);
  return name;
}

/** The parts of a resource in canonical form. They may break rules. Throws `request.invalid` without a name. */
export function accountOf(resource: Resource): Account {
  const { id: _, meta: __, groups: ___, userName: ____, active, password, ...profile } = resource;
  return {
    name: splitStore(textOf(resource, "userName")),
    password: typeof password === "string" ? preparedPassword(password) : undefined,
    active: typeof active === "boolean" ? active : undefined,
    profile,
  };
}

/** Checks that a user store exists. Throws `request.invalid`. */
export function checkStore({ userStore }: StoreName, userStores: readonly string[]): void {
  if (userStores.includes(userStore)) return;
  throw refuse(`userName: Invalid user store domain: ${userStore.slice(0, 50)}.`);
}

/** Checks what a row of a user, and its rows by e-mail address, can hold. Throws `request.invalid`. */
export function checkProfile({ profile }: Account): void {
  checkTogether(
    () => {
      if (lookupsOf(profile).filter(({ attribute }) => attribute === "emails").length > EMAILS_MAX)
        throw refuse(`emails: a user can have at most ${EMAILS_MAX} e-mail addresses.`);
    },
    () => {
      const bytes = Buffer.byteLength(JSON.stringify(profile));
      if (bytes > USER_BYTES_MAX) throw refuse(`The user has ${bytes} bytes; at most ${USER_BYTES_MAX} can be stored.`);
    },
  );
}
