/** The user stores of a deployment, as the operations on them see them. */
import { PRIMARY } from "../../kernel/domain/username.ts";
import type { DirectorySettings } from "../ldap/model.ts";

/** One user store. */
export interface DeclaredStore {
  readonly domain: string;
  readonly description: string;
  /** `undefined`: the users are stored in the table. */
  readonly directory: DirectorySettings | undefined;
}

/** The user store that every tenant has. */
export const primaryStore: DeclaredStore = {
  domain: PRIMARY,
  description: "The user store that always exists",
  directory: undefined,
};

/** The stores of a tenant besides PRIMARY: a directory belongs to one tenant. */
export function storesOf(declared: readonly DeclaredStore[], tenant: string): readonly DeclaredStore[] {
  return declared.filter(({ directory }) => !directory || directory.tenant === tenant);
}

/** The id of a store, as Identity Server makes it. */
export function storeIdOf({ domain }: DeclaredStore): string {
  return Buffer.from(domain, "utf8").toString("base64url");
}
