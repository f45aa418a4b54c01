/** Changes of directory entries: an undo that fails is reported, because the entry is half changed. */
import { expect, test } from "vitest";
import type { Connection, Entry } from "#core/directory/ldap/connection.ts";
import { directoryEntries } from "#core/directory/ldap/entries.ts";
import { entryWriter } from "#core/directory/ldap/entry-writer.ts";
import { codes } from "#core/directory/ldap/faults.ts";
import { filtersOf } from "#core/directory/ldap/filter.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import type { UndoFailure } from "#core/http/observe.ts";
import { readDeployment } from "#core/service/settings/deployment.ts";
import { directoryStore } from "#tests/support/slapd.ts";

const ID = "4ac1f3a8-7a5b-1041-903e-032c052354d9";
const [settings] = readDeployment(directoryStore("ldap://localhost")).userStores.flatMap(
  (store) => store.directory ?? [],
);
if (!settings) throw new Error("the deployment declares a directory");

const refusal = (code: number) => Object.assign(new Error("refused"), { code });
const entry: Entry = {
  dn: "uid=kim,ou=people,dc=example,dc=com",
  values: new Map([
    ["entryuuid", [ID]],
    ["uid", ["kim"]],
  ]),
};

/** A writer on a directory that sets no password, with further behaviour of its connection. */
const writerOn = (behaviour: Partial<Connection>) => {
  const failures: UndoFailure[] = [];
  const connection: Connection = {
    search: async () => [entry],
    read: async () => entry,
    pages: async function* () {
      yield [entry];
    },
    verify: async () => false,
    add: async () => undefined,
    modify: async () => undefined,
    rename: async () => undefined,
    remove: async () => undefined,
    setPassword: () => Promise.reject(refusal(codes.unwilling)),
    ...behaviour,
  };
  const entries = directoryEntries(settings, connection, filtersOf(settings));
  return { failures, writer: entryWriter(settings, connection, entries, (failure) => failures.push(failure)) };
};
const kim = (title?: string): User =>
  freshUser(ID, "kim", 0, { userStore: "CORP", profile: title === undefined ? {} : { title } });
const create = ({ writer }: ReturnType<typeof writerOn>) =>
  writer.create(
    kim(),
    "password",
    () => new Error("taken"),
    async () => undefined,
  );

test("reports a new entry that cannot be deleted again, and throws the refusal that came first", async () => {
  const cause = refusal(codes.insufficientAccess);
  const directory = writerOn({ remove: () => Promise.reject(cause) });
  await expect(create(directory)).rejects.toMatchObject({ code: codes.unwilling });
  expect(directory.failures).toEqual([{ tenant: "carbon.super", userStore: "CORP", userId: undefined, cause }]);
});

test("reports a change that cannot be undone, with the user's id", async () => {
  const cause = refusal(codes.insufficientAccess);
  let changes = 0;
  const modify = async () => {
    changes += 1;
    if (changes > 1) throw cause;
  };
  const { writer, failures } = writerOn({ modify });
  const change = { after: kim("Boss"), password: "password" };
  await expect(writer.update(entry, kim(), change)).rejects.toMatchObject({ code: codes.unwilling });
  expect(failures).toEqual([{ tenant: "carbon.super", userStore: "CORP", userId: ID, cause }]);
});

test("reports nothing where the undo succeeds, and where the entry is gone", async () => {
  const undone = writerOn({});
  await expect(create(undone)).rejects.toThrow("refused");
  const gone = writerOn({ remove: () => Promise.reject(refusal(codes.noSuchObject)) });
  await expect(create(gone)).rejects.toThrow("refused");
  expect([undone.failures, gone.failures]).toEqual([[], []]);
});
