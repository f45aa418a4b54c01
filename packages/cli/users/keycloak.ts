/** Users of a realm export of Keycloak: their attributes, and their password as the text of a hash. */

import { readImportedHash } from "#core/platform/imported-hash.ts";
import { listIn, memberOf, textIn } from "../client.ts";
import { fieldsOf, type SourceRecord } from "./record.ts";

/** The users of a realm export, or of a file with users alone. `undefined` where it is neither. */
export function keycloakUsers(file: unknown): SourceRecord[] | undefined {
  return listIn(file, "users")?.map((user, at) => {
    const { credentials: _, ...rest } =
      user !== null && typeof user === "object" ? (user as { credentials?: unknown }) : {};
    const fields = fieldsOf(rest);
    const password = passwordOf(user);
    if (password !== undefined) fields.set("password", [password]);
    return { place: `user ${at + 1}`, fields };
  });
}

/**
 * The first password of a user. A hash that cannot be imported becomes one of an unknown format, which the server
 * refuses: anything else could become a plain password.
 */
function passwordOf(user: unknown): string | undefined {
  const credential = listIn(user, "credentials")?.find((each) => textIn(each, "type") === "password");
  if (credential === undefined) return undefined;
  const plain = textIn(credential, "value");
  if (plain !== undefined) return plain;
  const [secret, data] = [partOf(credential, "secretData"), partOf(credential, "credentialData")];
  const [value = "", salt = "", algorithm = ""] = [
    textIn(secret, "value"),
    textIn(secret, "salt"),
    textIn(data, "algorithm"),
  ];
  const iterations = memberOf(data, "hashIterations");
  if (algorithm === "argon2") {
    const named = (name: string) => listIn(memberOf(data, "additionalParameters"), name)?.[0];
    const parameters = `m=${named("memory")},t=${iterations},p=${named("parallelism")}`;
    return importable(`$argon2${named("type") ?? "id"}$v=19$${parameters}$${salt}$${value}`);
  }
  return importable(`$${algorithm}$i=${iterations},l=${Buffer.from(value, "base64").length}$${salt}$${value}`);
}

function importable(hash: string): string {
  try {
    readImportedHash(hash);
    return hash;
  } catch {
    return "{keycloak}";
  }
}

/** A member that is JSON as a text. */
function partOf(credential: unknown, name: string): unknown {
  try {
    return JSON.parse(textIn(credential, name) ?? "");
  } catch {
    return undefined;
  }
}
