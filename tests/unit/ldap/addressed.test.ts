/** What one directory and the table do for an address: the same, whether or not somebody has it (decision 0198). */
import { expect, test, vi } from "vitest";
import type { Connection, Entry } from "#core/directory/ldap/connection.ts";
import { filtersOf } from "#core/directory/ldap/filter.ts";
import { directoryUsers } from "#core/directory/ldap/users.ts";
import type { UserStore } from "#core/directory/users/store.ts";
import { newId } from "#core/kernel/ids.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { directoryStore } from "#tests/support/slapd.ts";

const deployment = readDeployment(directoryStore("ldap://127.0.0.1"));
const [settings] = deployment.userStores.flatMap(({ directory }) => directory ?? []);
if (!settings) throw new Error("the deployment declares a directory");
const ADDRESS = { attribute: "emails", value: "KIM@example.com" } as const;

const entry = (uid: string, mail: string): Entry => ({
  dn: `uid=${uid}`,
  values: new Map([
    ["uid", [uid]],
    ["mail", [mail]],
    ["entryuuid", [newId()]],
  ]),
});

/** The holders of an address that a search finds in these entries, the filters, and how many records were read. */
const asked = async (...entries: readonly Entry[]) => {
  const search = vi.fn<Connection["search"]>(async (filter) =>
    String(filter).includes("mail=") ? entries : entries.filter(({ dn }) => String(filter).includes(`(${dn})`)),
  );
  const findMany = vi.fn<UserStore["findMany"]>(async (_, ids) => ids.map(() => undefined));
  const users = directoryUsers(
    {
      settings,
      connection: { search } as Partial<Connection> as Connection,
      filters: filtersOf(settings),
      reportUndoFailure: () => undefined,
    },
    { table: { findMany } as Partial<UserStore> as UserStore, removesUsers: false },
  );
  const found = await users.holdersOf(ADDRESS);
  const records = findMany.mock.calls.map(([, ids]) => ids.length);
  return { ...found, filters: search.mock.calls.map(([filter]) => String(filter)), records };
};

test("finds its only user, in the form in which addresses are compared, by an equality", async () => {
  const found = await asked(entry("kim", "Kim@Example.com"));
  expect([found.count, found.only?.user?.userName, found.records]).toEqual([1, "kim", [1]]);
  expect(found.filters).toEqual([
    "(&(objectClass=inetOrgPerson)(uid=*)(mail=kim@example.com))",
    "(&(objectClass=inetOrgPerson)(uid=*)(uid=kim))",
  ]);
});
test("does the same where there is none", async () => {
  const { count, only, filters, records } = await asked();
  expect([count, only, records]).toEqual([0, undefined, [1]]);
  expect(filters[1]).toMatch(/\(uid=unknown-[0-9a-f-]+\)\)$/);
});
test("counts no entry that the directory finds by another rule than ours", async () => {
  expect(await asked(entry("kim", "kim+1@example.com"))).toMatchObject({ count: 0, only: undefined });
});
test("of two, gives neither", async () => {
  const found = await asked(entry("kim", "kim@example.com"), entry("lee", "KIM@example.com"));
  expect(found).toMatchObject({ count: 2, only: undefined });
});
