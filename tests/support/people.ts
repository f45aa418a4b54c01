/** Test users, written directly to the table of a running service. */

import { openTable } from "#core/database/table/dynamo.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { addingCredential, type Credential, newCredential } from "#core/directory/credentials/store.ts";
import { freshRole } from "#core/directory/roles/model.ts";
import { roleStore } from "#core/directory/roles/store.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { newId } from "#core/kernel/ids.ts";
import type { RunningService } from "#local/service.ts";

export const TENANT = "carbon.super";

/** Where a service, or a table that was seeded as one, is reached. */
type Reached = Pick<RunningService, "tableName" | "endpoint">;

/** The table of a running service. */
export const tableOf = ({ tableName, endpoint }: Reached): Table =>
  openTable({
    tableName,
    deadlineMs: 5_000,
    client: { endpoint, region: "local", credentials: { accessKeyId: "x", secretAccessKey: "x" } },
  })(newMeter());

const credentials = new Map<string, Promise<Credential>>();
/** A credential with a version of its own. Hashes each password once per process: hashing is slow by design. */
const credentialOf = async (password: string): Promise<Credential> => {
  const known = credentials.get(password) ?? newCredential(password);
  credentials.set(password, known);
  return { ...(await known), version: newId() };
};

/** Adds a user with a role of exactly these scopes, or without a role. Returns the id of the user. */
export const addUser = async (
  service: Reached,
  { username, password, scopes }: { username: string; password: string; scopes?: readonly string[] },
): Promise<string> => {
  const table = tableOf(service);
  const roles = roleStore(table);
  const [userId, roleId] = [newId(), newId()];
  const fail = () => new Error("the test user already exists");
  const role = freshRole(roleId, `role of ${username}`, TENANT, systemClock.now(), { permissions: scopes ?? [] });
  const steps = [
    addingCredential(TENANT, userId, await credentialOf(password), fail),
    ...(scopes ? [...roles.adding(TENANT, role, fail), roles.holding(TENANT, roleId, userId, fail)] : []),
  ];
  const user = freshUser(userId, username, systemClock.now(), {
    hasPassword: true,
    ...(scopes && { roleIds: [roleId] }),
  });
  await userStore(table).add(TENANT, user, { steps, taken: fail });
  return userId;
};

/** Damages the stored row of a user: reading it fails unexpectedly. */
export const breakUser = (service: RunningService, id: string): Promise<void> =>
  tableOf(service).write({
    change: keys.user(TENANT, id),
    set: { profile: "{" },
    when: "present",
    otherwise: () => new Error("no such user"),
  });

/** The id of a user in the PRIMARY store. */
export const idOf = async (service: RunningService, name: string): Promise<string> =>
  (await userStore(tableOf(service)).idOf({ tenant: TENANT, userStore: PRIMARY, name })) ?? "";
