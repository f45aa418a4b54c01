/**
 * A bulk request whose function dies before or after a write, and that is sent again: nothing is created twice,
 * nothing is incomplete, and what was missing is created.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { nameIndex } from "#core/database/table/name-index/name-index.ts";
import type { Table } from "#core/database/table/table.ts";
import { bulk } from "#core/directory/scim-api/v1/handlers.ts";
import { bootstrapTenant } from "#core/directory/tenants/bootstrap.ts";
import { systemScopes } from "#core/kernel/domain/system-apis.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";
import { callOn, storesOn } from "./support.ts";

let table: TestTable;
beforeAll(async () => {
  table = await testTable();
});

class Death extends Error {}
/** A function that dies returns no response. */
const caller = {
  scopes: systemScopes,
  reportDefect: ({ cause }: { cause?: unknown }) => {
    throw cause;
  },
};

/** A table on which the function dies at its n-th write: before or after it is applied. */
const dying = (alive: Table, writes: number, isApplied: boolean): Table => {
  let done = 0;
  return {
    ...alive,
    async write(...steps) {
      done += 1;
      if (done < writes) return alive.write(...steps);
      if (done === writes && isApplied) await alive.write(...steps);
      throw new Death();
    },
  };
};

const USERS = 6;
const names = Array.from({ length: USERS }, (_, at) => `user-${at}`);
const request = (kim: string) => ({
  Operations: [
    ...names.map((userName) => ({
      method: "POST",
      path: "/Users",
      bulkId: userName,
      data: { userName, emails: [`${userName}@x.example`] },
    })),
    { method: "POST", path: "/Groups", bulkId: "staff", data: { displayName: "staff", members: [kim] } },
    { method: "PATCH", path: `/Users/${kim}`, data: { nickName: "K", phoneNumbers: [{ value: "1", type: "work" }] } },
    { method: "PUT", path: `/Users/${kim}`, bulkId: "put", data: { userName: "kim", title: "T" } },
  ],
});

describe.each([false, true])("death with the write applied: %s", (isApplied) => {
  test.each([1, 3, 5, 7, 8, 9])("is complete after a retry: write %i", async (writes) => {
    const tenant = `death-${writes}-${isApplied}.example`;
    const alive = table.open(newMeter());
    await bootstrapTenant(alive, tenant, { username: "boss", password: "good-password" });
    const stores = storesOn(alive);
    const call = callOn(tenant, stores);
    const making = { Operations: [{ method: "POST", path: "/Users", bulkId: "k", data: { userName: "kim" } }] };
    const kim = String((await bulk(call, caller, making)).Operations[0]?.location?.split("/").at(-1));

    await expect(
      bulk(callOn(tenant, storesOn(dying(alive, writes, isApplied))), caller, request(kim)),
    ).rejects.toBeInstanceOf(Death);
    const { Operations } = await bulk(call, caller, request(kim));
    for (const { method, status } of Operations) {
      expect(method === "POST" ? ["201", "409"] : ["200"]).toContain(status.code);
    }

    // A third request has nothing left to create.
    const third = await bulk(call, caller, request(kim));
    expect(third.Operations.map(({ status }) => status.code)).toEqual(
      [...names, "staff"].map(() => "409").concat("200", "200"),
    );
    const users = await stores.users.names(tenant, PRIMARY).page({ offset: 0, limit: 100 });
    expect(users.entries.map(({ key }) => key)).toEqual(["boss", "kim", ...names]);
    for (const { id, key } of users.entries) {
      expect(await stores.users.find(tenant, id)).toMatchObject({ userName: key });
      if (!names.includes(key)) continue;
      expect(await stores.users.idsBy(tenant, { attribute: "emails", value: `${key}@x.example` }, 10)).toEqual([id]);
    }
    expect((await stores.users.find(tenant, kim))?.profile).toEqual({ title: "T" });
    const [staff, ...others] = (await stores.groups.names(tenant, PRIMARY).page({ offset: 0, limit: 100 })).entries;
    expect(others).toEqual([]);
    expect(await stores.groups.members(tenant, staff?.id ?? "", 10)).toEqual([{ userId: kim, name: "kim" }]);
    expect((await stores.users.find(tenant, kim))?.groupIds).toEqual([staff?.id]);
    for (const list of [keys.userNames(tenant, PRIMARY), keys.groupNames(tenant, PRIMARY)]) {
      expect(await nameIndex(alive, list).audit()).toEqual([]);
    }
  });
});
