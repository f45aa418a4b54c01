/**
 * Random changes of addresses, by every way that writes one, against a model of who wrote what: after each, an address
 * stands for the one user who has it and did not write it. A failure names its seed.
 */
import { expect, test } from "vitest";
import { userStore } from "#core/directory/users/store.ts";
import { seeded } from "#tests/support/hostile-database.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { basic, world } from "#tests/support/world.ts";

const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const STEPS = 60;
const api = world();
const { newClient, post } = oauthOf(api);

/** A user of the model. */
interface Modelled {
  readonly id: string;
  readonly password: string;
  userName: string;
  /** In their order, as they were written. */
  addresses: string[];
  /** Folded: those that the person wrote. */
  own: Set<string>;
  verified: boolean;
  isDeleted: boolean;
}

const fold = (text: string) => text.toLowerCase();

test.each([1, 2, 3])("random changes: seed %d", async (seed) => {
  const random = seeded(seed);
  const below = (most: number) => Math.floor(random() * most);
  const of = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  const pool = Array.from({ length: 4 }, (_, at) => `Person${at}-${seed}@Example.com`);
  const spelt = () => of([(text: string) => text, fold, (text: string) => text.toUpperCase()])(of(pool));
  const some = () => {
    const all = Array.from({ length: below(3) }, spelt);
    return all.filter((one, at) => all.findIndex((other) => fold(other) === fold(one)) === at);
  };
  const emails = (values: readonly string[]) => values.map((value) => ({ value }));
  const client = await newClient([], { grantTypes: ["password"] });
  const users: Modelled[] = [];
  const addUser = async (addresses: string[]) => {
    const password = `a-good-Password-of-${seed}-${users.length}`;
    const userName = `random-${seed}-${users.length}`;
    const { body } = await api.ask("POST", "/scim2/Users", { body: { userName, password, emails: emails(addresses) } });
    users.push({ id: body.id, password, userName, addresses, own: new Set(), verified: false, isDeleted: false });
  };
  /** Notes what a caller wrote. */
  const wrote = (user: Modelled, addresses: string[], isOwn: boolean) => {
    const had = new Set(user.addresses.map(fold));
    const isNew = (one: string) => isOwn && !had.has(one);
    // A change of the first address by the person ends its verification.
    if (isOwn && user.addresses[0] !== addresses[0]) user.verified = false;
    user.own = new Set(addresses.map(fold).filter((one) => isNew(one) || user.own.has(one)));
    user.addresses = addresses;
  };
  const ok = async (answer: ReturnType<typeof api.ask>) => {
    const { status, text } = await answer;
    expect([200, 204, 207], text).toContain(status);
    return { text };
  };
  const operations = (...Operations: readonly object[]) => ({ schemas: [PATCH_OP], Operations });
  const replacing = (values: readonly string[]) =>
    operations(
      values.length > 0 ? { op: "replace", path: "emails", value: emails(values) } : { op: "remove", path: "emails" },
    );
  const as = ({ userName: username, password }: Modelled) => basic({ username, password });

  const changes: Readonly<Record<string, (user: Modelled) => Promise<void>>> = {
    async "PATCH by an administrator"(user) {
      const next = some();
      await ok(api.ask("PATCH", `/scim2/Users/${user.id}`, { body: replacing(next) }));
      wrote(user, next, false);
    },
    async "PATCH that adds one"(user) {
      const one = spelt();
      if (user.addresses.some((each) => fold(each) === fold(one))) return;
      const body = operations({ op: "add", path: "emails", value: emails([one]) });
      await ok(api.ask("PATCH", `/scim2/Users/${user.id}`, { body }));
      wrote(user, [...user.addresses, one], false);
    },
    async "PATCH of Me"(user) {
      const next = some();
      await ok(api.ask("PATCH", "/scim2/Me", { body: replacing(next), as: as(user) }));
      wrote(user, next, true);
    },
    async "PUT by an administrator"(user) {
      const next = some();
      const system = user.verified ? { [SYSTEM]: { emailVerified: true } } : {};
      const body = { userName: user.userName, emails: emails(next), ...system };
      await ok(api.ask("PUT", `/scim2/Users/${user.id}`, { body }));
      // The flag is about another address then, and a verification only where it was not set before.
      const [was, is] = [user.addresses[0], next[0]];
      wrote(user, next, false);
      if (user.verified && is !== undefined && (was === undefined || fold(was) !== fold(is))) user.own.delete(fold(is));
    },
    async "PUT of Me"(user) {
      const next = some();
      const system = user.verified ? { [SYSTEM]: { emailVerified: true } } : {};
      const body = { userName: user.userName, emails: emails(next), ...system };
      await ok(api.ask("PUT", "/scim2/Me", { body, as: as(user) }));
      wrote(user, next, true);
    },
    async Bulk(user) {
      const next = some();
      const body = { Operations: [{ method: "PATCH", path: `/Users/${user.id}`, data: replacing(next) }] };
      await ok(api.ask("POST", "/scim2/Bulk", { body }));
      wrote(user, next, false);
    },
    async "another name"(user) {
      user.userName = below(3) === 0 ? `again-${user.userName}`.slice(0, 100) : user.userName;
      const body = operations({ op: "replace", path: "userName", value: user.userName });
      await ok(api.ask("PATCH", `/scim2/Users/${user.id}`, { body }));
    },
    async "deletion and restoration"(user) {
      await ok(api.ask("DELETE", `/scim2/Users/${user.id}`));
      user.isDeleted = true;
      await check();
      await ok(api.ask("POST", `/api/server/v1/deleted-resources/${user.id}/restore`));
      user.isDeleted = false;
    },
    async "a dry run"(user) {
      await ok(api.ask("PATCH", `/scim2/Users/${user.id}?dryRun=true`, { body: replacing(some()) }));
    },
  };

  async function onlyHolder(address: string) {
    const sought = { attribute: "emails", value: address } as const;
    const [holder, other] = await userStore(tableOf(api.service)).holdersOf(TENANT, sought);
    return other ? undefined : holder;
  }

  async function check() {
    for (const address of pool) {
      const holders = users.filter(
        ({ addresses, own, isDeleted }) =>
          !isDeleted && addresses.some((one) => fold(one) === fold(address)) && !own.has(fold(address)),
      );
      const found = await onlyHolder(address);
      const expected = holders.length === 1 ? holders[0]?.id : undefined;
      expect([address, found?.id], JSON.stringify(users)).toEqual([address, expected]);
    }
  }

  for (const addresses of [some(), some(), some()]) await addUser(addresses);
  for (let step = 0; step < STEPS; step += 1) {
    const user = of(users);
    const [name, change] = of(Object.entries(changes));
    await change(user).catch((error: unknown) => {
      throw new Error(`step ${step}, ${name}: ${error instanceof Error ? error.message : error}`);
    });
    await check();
  }
  // What the store says is what the token endpoint does.
  for (const user of users) {
    for (const address of pool) {
      const form = { grant_type: "password", username: address, password: user.password };
      const found = await onlyHolder(address);
      expect((await post(TOKEN, form, client)).status).toBe(found?.id === user.id ? 200 : 400);
    }
  }
});
