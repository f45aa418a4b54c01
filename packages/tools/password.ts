/**
 * `npm run password -- <user>[@<tenant>]`: sets a password past the API, for those who may write the table and have no
 * administrator left who could do it through SCIM. TABLE_NAME names the table. The password is read from standard input, so
 * that it stands in no history and no list of processes.
 */
import { createInterface } from "node:readline/promises";
import { parseUsername } from "#core/domain/username.ts";
import { newCredential, replacingCredential } from "#core/identities/credentials/store.ts";
import { checkPassword } from "#core/identities/users/rules.ts";
import { userStore } from "#core/identities/users/store.ts";
import { Fault } from "#core/platform/faults.ts";
import { openTable } from "#core/table/dynamo.ts";
import { newMeter } from "#core/table/meter.ts";
import type { Table } from "#core/table/table.ts";
import { revokingUser } from "#core/tokens/revocation-store.ts";
import { tableConfig } from "#functions/env.ts";

const PATIENCE = { callMs: 9_000, requestMs: 25_000 };
const USAGE = "npm run password -- <user>[@<tenant>], with TABLE_NAME set and the password on standard input";

if (import.meta.main) {
  const [username, ...more] = process.argv.slice(2);
  try {
    if (!username || more.length > 0 || !process.env.TABLE_NAME) throw new Error(USAGE);
    await setPassword(openTable(tableConfig(PATIENCE))(newMeter()), username, await ask(username));
    console.log(`The password of ${username} is set. It counts at once; tokens of before do not.`);
  } catch (error) {
    console.error(error instanceof Fault ? error.description : error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * Sets the password of a user that has one, which ends its tokens and the lock of its name. Throws an `Error` with a sentence
 * for people, and `request.invalid` for a password that no user may have.
 */
export async function setPassword(table: Table, username: string, password: string): Promise<void> {
  checkPassword(password);
  const name = parseUsername(username);
  const userId = name && (await userStore(table).idOf(name));
  if (!name || !userId) throw new Error(`There is no user "${username}".`);
  const without = () => new Error(`The user "${username}" has no password.`);
  const credential = await newCredential(password);
  await table.write(
    replacingCredential(name.tenant, userId, credential, without),
    ...revokingUser(name.tenant, userId),
  );
}

async function ask(username: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(`New password of ${username}: `);
  } finally {
    lines.close();
  }
}
