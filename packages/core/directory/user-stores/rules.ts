/** Rules for tests of connections. Pure; faults have the codes of WSO2 Identity Server. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import type { DirectorySettings } from "../ldap/model.ts";
import type { ConnectionTest } from "./contract.ts";
import type { DeclaredStore } from "./model.ts";

/** The fault for an id that no user store of the tenant has. */
export function storeNotFound(id: string): Fault {
  return new Fault(
    "user_store.not_found",
    `Unable to find any user store's domain id with the provided identifier ${id.slice(0, 100)}.`,
  );
}

/**
 * The directories that a test is about: none, where the caller may reach none. The service connects to declared
 * directories only, with its own account: any other address would let callers reach the operator's network, and another
 * account would let them guess its password. Throws `user_store.invalid`.
 */
export function testedDirectories(
  stores: readonly DeclaredStore[],
  { connectionURL, username, connectionPassword, driverName }: z.output<typeof ConnectionTest>,
): readonly DirectorySettings[] {
  if (driverName !== undefined) throw refusal("driverName: there is no database behind a user store of this service.");
  if (connectionPassword !== undefined) {
    throw refusal("connectionPassword: leave it out. The test uses the password that the deployment has.");
  }
  return stores
    .flatMap(({ directory }) => directory ?? [])
    .filter(({ url, bindDn }) => {
      const isAddressed = withoutSlash(url) === withoutSlash(connectionURL);
      return isAddressed && (username === undefined || username === bindDn);
    });
}

function refusal(description: string): Fault {
  return new Fault("user_store.invalid", description);
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
