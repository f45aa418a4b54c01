/**
 * API resources and authorized APIs under the disturbances of DynamoDB: conflicts, throttling, reads during a
 * transaction, stale reads, lost responses. A failure names its seed.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { apiResourceStore } from "#core/applications/apis/store.ts";
import { authorizedApiStore } from "#core/applications/registry/authorization-store.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import { applicationStore, TAKES_ONLY } from "#core/applications/registry/store.ts";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { ApiResource } from "#core/kernel/domain/api-resource.ts";
import { Fault } from "#core/kernel/faults.ts";
import { newId } from "#core/kernel/ids.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { hostileDatabase, type Odds } from "#tests/support/hostile-database.ts";

const HOSTILE: Odds = { conflict: 0.08, throttle: 0.02, half: 0.5, halfMs: 40, lost: 0.05, heldMs: 3 };
const WRITERS = 12;

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

const scope = (name: string) => ({ id: newId(), name, displayName: name });
const fresh = (identifier: string, ...names: string[]): ApiResource => ({
  id: newId(),
  identifier,
  name: identifier,
  type: "BUSINESS",
  requiresAuthorization: true,
  scopes: names.map(scope),
});

/** The name of the fault of a write, if it failed. */
const ending = async (write: Promise<void>): Promise<string | undefined> => {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.fault;
    throw error;
  }
};

describe.each([1, 2, 3])("seed %i", (seed) => {
  const tenant = `tenant-${seed}`;
  const stores = () => {
    const { transport } = hostileDatabase(seed, HOSTILE);
    const hostile = table.reopen({ deadlineMs: 9_000, client: { ...table.client, transport } })(newMeter());
    return {
      apis: apiResourceStore(hostile),
      applications: applicationStore(hostile),
      authorized: authorizedApiStore(hostile),
      calm: table.open(newMeter()),
    };
  };

  test("one of many writers gets an identifier and a scope, and the others leave no row", async () => {
    const { apis, calm } = stores();
    const wanted = Array.from({ length: WRITERS }, (_, index) => fresh("wanted", "shared", `own:${index}`));
    const endings = await Promise.all(wanted.map((api) => ending(apis.add(tenant, api))));
    expect(endings.filter((fault) => fault === undefined)).toHaveLength(1);
    expect(new Set(endings.filter((fault) => fault !== undefined))).toEqual(new Set(["api_resource.exists"]));
    const winner = wanted[endings.indexOf(undefined)];
    const claims = await calm.getMany(
      wanted.flatMap(({ scopes }) => scopes.map(({ name }) => keys.scope(tenant, name))),
    );
    expect(new Set(claims.flatMap((claim) => (claim ? [claim.id] : [])))).toEqual(
      new Set(winner?.scopes.map(({ id }) => id)),
    );
  });

  test("scopes of concurrent writers are all stored, and are deleted with their API", async () => {
    const { apis, calm } = stores();
    const api = fresh("growing");
    await apis.add(tenant, api);
    const added = Array.from({ length: WRITERS }, (_, index) => scope(`growing:${index}`));
    const adding = (one: ApiResource["scopes"][number]) =>
      apis.update(tenant, api.id, (before) => ({ ...before, scopes: [...before.scopes, one] }));
    await Promise.all(added.map(adding));
    const claimed = () => calm.getMany(added.map(({ name }) => keys.scope(tenant, name)));
    expect((await claimed()).map((claim) => claim?.id)).toEqual(added.map(({ id }) => id));
    const kept = (await calm.get(keys.apiResource(tenant, api.id)))?.api as unknown as ApiResource;
    expect(new Set(kept.scopes)).toEqual(new Set(added));
    await Promise.all([apis.remove(tenant, api.id), apis.remove(tenant, api.id)]);
    expect(await claimed()).toEqual(added.map(() => undefined));
    expect(await calm.get(keys.apiResourceEntry(tenant, "growing"))).toBeUndefined();
  });

  test("authorizations of concurrent writers are all stored, and are deleted with their application", async () => {
    const { applications, authorized, calm } = stores();
    const application = freshApplication(newId(), "caller", "owner", false);
    await applications.add(tenant, application, TAKES_ONLY);
    const adding = (apiId: string) =>
      authorized.update(tenant, application.id, async (before) => ({
        after: [...before.filter((one) => one.apiId !== apiId), { apiId, policy: "RBAC", scopeIds: [] }],
        holding: [],
      }));
    const ids = Array.from({ length: WRITERS }, () => newId());
    await Promise.all(ids.map(adding));
    const kept = await authorizedApiStore(calm).of(tenant, application.id);
    expect(kept.map(({ apiId }) => apiId).sort()).toEqual(ids);
    const endings = await Promise.all([
      ...ids.map((id) => ending(adding(`${id} again`))),
      ending(applications.remove(tenant, application.id)),
    ]);
    expect(endings.at(-1)).toBeUndefined();
    expect(new Set(endings)).toSatisfy((faults: Set<unknown>) =>
      [...faults].every((fault) => fault === undefined || fault === "application.not_found"),
    );
    expect(await calm.get(keys.authorizedApis(tenant, application.id))).toBeUndefined();
    expect(await calm.get(keys.application(tenant, application.id))).toBeUndefined();
  });
});
