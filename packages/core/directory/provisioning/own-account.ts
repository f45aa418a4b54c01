/**
 * Users change how they sign in, and how they are reached, with a fresh proof alone: the current password in the very
 * request, or a sign-in of the last minutes to an application that the person gave the own account (decision 0145; ASVS
 * 6.2.3 and 7.5.1). A token that was stolen, or that an application has for other things, is none. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { Fault } from "../../kernel/faults.ts";
import type { Proof } from "../../kernel/operation/context.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { systemSchema } from "../../scim/protocol/schema/system.ts";
import { userSchemas } from "../../scim/protocol/schema/user.ts";
import { hasCodes, hasPasskeys, systemAttributes, type User } from "../users/model.ts";

/** How long a sign-in is a fresh proof. */
export const PROOF_SECONDS = 5 * 60;

const namesOf = ({ attributes }: (typeof userSchemas)["wso2"]) =>
  attributes.filter(({ guarded }) => guarded).map(({ name }) => name);

/** Stored outside of the profile. */
const apart: ReadonlySet<string> = new Set(["userName", "password"]);
const ofCore = namesOf(userSchemas.wso2).filter((name) => !apart.has(name));
const ofSystem = namesOf(systemSchema);

/** What a change makes of a user. */
interface Changed {
  readonly userName: string;
  readonly password: string | undefined;
  readonly profile: Resource;
}

/** The names of the guarded attributes that a change sets to something else. */
export function guardedChanges(before: User, { userName, password, profile }: Changed): readonly string[] {
  const [was, is] = [systemAttributes(before.profile), systemAttributes(profile)];
  return [
    ...(userName === before.userName ? [] : ["userName"]),
    ...(password === undefined ? [] : ["password"]),
    ...ofCore.filter((name) => !isDeepStrictEqual(before.profile[name], profile[name])),
    ...ofSystem.filter((name) => !isDeepStrictEqual(was[name], is[name])),
  ];
}

/** Whether a user has a fresh proof. Who has a second factor has proven one in the sign-in. */
export function isProven(
  { proof, now }: { readonly proof?: Proof | undefined; readonly now: number },
  user: Pick<User, "profile">,
): boolean {
  if (proof?.kind === "password") return true;
  if (proof === undefined || now / 1_000 - proof.atSeconds > PROOF_SECONDS) return false;
  return !(hasCodes(user) || hasPasskeys(user)) || provesFactor(proof.methods);
}

/** Whether a sign-in has proven what its user has set up. A mail proves no more than who reads the mailbox. */
export function provesFactor(methods: readonly string[] = []): boolean {
  return methods.includes("otp") || methods.includes("pop");
}

/**
 * Checks that a user who changes these guarded attributes of itself has proven to be there. Throws `scim.forbidden`.
 */
export function checkProof(
  { proof, now }: { readonly proof?: Proof | undefined; readonly now: number },
  user: User,
  changed: readonly string[],
): void {
  if (changed.length === 0 || isProven({ proof, now }, user)) return;
  const factor = hasCodes(user) || hasPasskeys(user) ? ", with acr_values=mfa," : "";
  throw new Fault(
    "scim.forbidden",
    `Changing your own ${changed.join(", ")} needs a fresh proof: send the request with Basic, your user name and your current password; or sign in again (prompt=login)${factor} to an application that requests internal_login, and use the token of that sign-in within ${PROOF_SECONDS / 60} minutes.`,
  );
}

/** A password or a token alone must not take a second factor away. */
export function ownFactor(): Fault {
  return new Fault(
    "scim.forbidden",
    "You cannot take your own one-time codes or passkeys away. Set up another app or passkey when you sign in, or ask another administrator.",
  );
}
