/**
 * The names of the audiences of roles. A role keeps the name that its application had when it was created, by which the
 * current one is found: a name is the key of the entry of its application (decision 0153).
 */
import type { ReadNames, ShownAudience } from "../memberships/shown-names.ts";
import type { Audience, Role } from "./model.ts";

/** An application whose name is read, with a name that it had. */
export interface NamedOnce {
  readonly id: string;
  readonly name?: string | undefined;
}

/**
 * The names of applications by id, without those that do not exist. No round trip for none, one where all names are
 * those that they had, otherwise two.
 */
export type ApplicationNames = (tenant: string, wanted: readonly NamedOnce[]) => Promise<ReadonlyMap<string, string>>;

/** The audiences of roles, by the ids of the roles. */
export async function audiencesOf(
  read: ApplicationNames,
  tenant: string,
  roles: readonly Role[],
): Promise<ReadonlyMap<string, ShownAudience>> {
  const applications = new Map(
    roles.flatMap(({ audience: { type, value, name } }) => (type === "application" ? [[value, name] as const] : [])),
  );
  const names = await read(
    tenant,
    [...applications].map(([id, name]) => ({ id, name })),
  );
  return new Map(roles.map(({ id, audience }) => [id, shownAs(audience, names)]));
}

/** Reads the names of roles, with their audiences. */
export function namesWithAudiences(
  findMany: (tenant: string, ids: readonly string[]) => Promise<readonly Role[]>,
  applications: ApplicationNames,
): ReadNames {
  return async (tenant, ids) => {
    const roles = await findMany(tenant, ids);
    const audiences = await audiencesOf(applications, tenant, roles);
    return new Map(
      roles.flatMap(({ id, name }) => {
        const audience = audiences.get(id);
        return audience ? [[id, { name, audience }]] : [];
      }),
    );
  };
}

/** An organization has the name by which it is addressed. A role of an application that is gone shows its last name. */
function shownAs({ type, value, name }: Audience, names: ReadonlyMap<string, string>): ShownAudience {
  if (type === "organization") return { type, value, display: value, exists: true };
  const current = names.get(value);
  return { type, value, display: current ?? name ?? value, exists: current !== undefined };
}
