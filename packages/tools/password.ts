/**
 * `npm run password -- <user>[@<tenant>]`: sets a password directly in the table, without the API. It is for operators
 * when no administrator can sign in any more.
 *
 * TABLE_NAME names the table. Reads the password from standard input, so that it appears in no shell history or process
 * list. Prints one line. Exit codes: 0 done, 1 failed.
 */
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { openTable } from "#core/database/table/dynamo.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import type { PasswordLimits } from "#core/directory/credentials/password-limits.ts";
import { checkPassword } from "#core/directory/credentials/password-rules.ts";
import { newCredential, replacingCredential } from "#core/directory/credentials/store.ts";
import { userStore } from "#core/directory/users/store.ts";
import { parseUsername } from "#core/kernel/domain/username.ts";
import { Fault } from "#core/kernel/faults.ts";
import { deploymentFromFile } from "#core/service/settings/deployment.ts";
import { revokingUser } from "#core/tokens/revocation-store.ts";
import { tableConfig } from "#functions/env.ts";

const FILE = new URL("../../deployment.toml", import.meta.url);
const TIMEOUTS = { callMs: 9_000, requestMs: 25_000, throttling: "awaited" } as const;
const USAGE = `npm run password -- <user>[@<tenant>]

Set TABLE_NAME to the name of the table. The password is read from standard input.`;

if (import.meta.main) {
  const [username, ...more] = process.argv.slice(2);
  try {
    if (!username || more.length > 0 || !process.env.TABLE_NAME) throw new Error(USAGE);
    const { passwords } = deploymentFromFile(process.env.DEPLOYMENT_TOML ?? fileURLToPath(FILE));
    await setPassword(openTable(tableConfig(TIMEOUTS))(newMeter()), username, await ask(username), passwords);
    console.log(`The password of ${username} is set. Earlier tokens of the user are revoked.`);
  } catch (error) {
    console.error(error instanceof Fault ? error.description : error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * Sets the password of a user that has one; revokes its tokens and unlocks it. Throws an `Error` with a message for
 * users, and `request.invalid` for an invalid password.
 */
export async function setPassword(
  table: Table,
  username: string,
  password: string,
  limits: PasswordLimits,
): Promise<void> {
  const name = parseUsername(username);
  if (name) checkPassword(password, name, limits);
  const userId = name && (await userStore(table).idOf(name));
  if (!name || !userId) throw new Error(`There is no user "${username}".`);
  const without = () => new Error(`The user "${username}" has no password.`);
  const credential = await newCredential(password, { userId, history: limits.history });
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
