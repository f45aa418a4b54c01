/** A version of a template that is restored while another request changes the template. */
import { beforeAll, expect, test } from "vitest";
import type { TemplateStores } from "#core/applications/templates/handlers.ts";
import { templateStore } from "#core/applications/templates/store.ts";
import { lanes, recordRange, toRecord } from "#core/database/changes/record-rows.ts";
import { newMeter } from "#core/database/table/meter.ts";
import type { Table } from "#core/database/table/table.ts";
import { pause } from "#core/kernel/clock.ts";
import { newId } from "#core/kernel/ids.ts";
import { templateUndoHandlers } from "#core/versions/undo/templates.ts";
import { causedIn } from "#tests/support/caused.ts";
import { type TestTable, testTable } from "#tests/support/engine.ts";

const TENANT = "example.com";

let made: TestTable;
beforeAll(async () => {
  made = await testTable();
});
const plain = (): Table => made.open(newMeter());
const recorded = (table = plain()): Table => causedIn(TENANT, "updateApplicationTemplate", table);
const fieldsOf = (secret: string, description: string) => ({
  name: "template",
  description,
  application: { name: "a", inboundProtocolConfiguration: { oidc: { clientSecret: secret } } },
});

/** The oldest version of a template. */
const firstVersion = async (id: string): Promise<string> => {
  const reads = lanes.map((lane) => plain().queryAll({ ...recordRange(TENANT, lane, {}), limit: 100 }));
  const records = (await Promise.all(reads)).flat().map((item) => toRecord(TENANT, item).record);
  const [first] = records.filter(({ resource }) => resource.id === id).sort((a, b) => (a.id < b.id ? -1 : 1));
  return first?.id ?? "";
};

const restore = (table: Table, templateId: string, version: string) => {
  const storesOn = (on: Table): TemplateStores => ({ templates: templateStore(on), customKinds: [] });
  const context = { tenant: TENANT, ...storesOn(table), history: { table, storesOn } };
  const input = { params: { templateId, version }, query: undefined, headers: undefined, body: undefined };
  const { restoreApplicationTemplateVersion } = templateUndoHandlers;
  return restoreApplicationTemplateVersion(
    input,
    context as unknown as Parameters<typeof restoreApplicationTemplateVersion>[1],
  );
};

test("a secret that is set while an older version is restored stays, and the rest is that of the version", async () => {
  const id = newId();
  await templateStore(recorded()).add(TENANT, { id, ...fieldsOf("s0", "first") });
  await pause(2);
  await templateStore(recorded()).replace(TENANT, id, () => fieldsOf("s1", "second"));
  const version = await firstVersion(id);
  const table = plain();
  let isFirst = true;
  const late: Table = {
    ...table,
    async write(...steps) {
      // Answered before the restore writes.
      if (isFirst) await templateStore(recorded()).replace(TENANT, id, () => fieldsOf("s2", "third"));
      isFirst = false;
      await pause(2);
      return table.write(...steps);
    },
  };
  await restore(recorded(late), id, version);
  expect(await templateStore(plain()).find(TENANT, id)).toEqual({ id, ...fieldsOf("s2", "first") });
});
