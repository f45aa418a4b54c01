/**
 * The consistency check of all rows of a tenant's users and groups: names, lookups, credentials, both sides of
 * memberships, tallies. It reads the whole table, without the stores.
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { keys, MEMBER } from "#core/database/table/keys.ts";
import { newMeter } from "#core/database/table/meter.ts";
import { nameIndex } from "#core/database/table/name-index/name-index.ts";
import type { Item } from "#core/database/table/table.ts";
import { tallyOf } from "#core/directory/memberships/tally.ts";
import { lookupsOf } from "#core/directory/users/lookup-rows.ts";
import { PRIMARY } from "#core/kernel/domain/username.ts";
import { foldName } from "#core/kernel/fold.ts";
import { shippedIndexes } from "#core/service/settings/indexes.ts";
import type { TestTable } from "#tests/support/engine.ts";
import { indexProblems } from "#tests/support/user-indexes.ts";

/** Every item of the table. */
export const everything = async (table: TestTable): Promise<readonly Item[]> => {
  const documents = DynamoDBDocumentClient.from(new DynamoDBClient(table.client));
  const items: Item[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await documents.send(
      new ScanCommand({
        TableName: table.tableName,
        Limit: 5_000,
        ConsistentRead: true,
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    from = page.LastEvaluatedKey;
  } while (from);
  documents.destroy();
  return items;
};

const setIn = (value: Item[string]): ReadonlySet<string> => (value instanceof Set ? value : new Set());
const pair = (a: string, b: string): string => `${a} ${b}`;

/** The texts that are in only one of two lists, in sentences. */
const unlike = (what: string, found: Iterable<string>, expected: Iterable<string>): string[] => {
  const [has, should] = [new Set(found), new Set(expected)];
  return [
    ...[...has].filter((one) => !should.has(one)).map((one) => `${what}: ${one} must not exist`),
    ...[...should].filter((one) => !has.has(one)).map((one) => `${what}: ${one} is missing`),
  ];
};

/** All inconsistencies of a tenant, in sentences. There must be no concurrent writer. */
export const discrepancies = async (
  table: TestTable,
  tenant: string,
  userStores: readonly string[] = [PRIMARY],
): Promise<readonly string[]> => {
  const items = await everything(table);
  const calm = table.open(newMeter());
  const below = (prefix: string) => items.filter(({ PK }) => PK.startsWith(prefix));
  const main = (prefix: string) => below(prefix).filter(({ SK }) => SK === "A");
  const idIn = ({ PK }: Item, prefix: string) => PK.slice(prefix.length);

  const tenantPrefix = keys.tenant(tenant).PK.replace(/TENANT$/, "");
  const [userPrefix, groupPrefix] = [keys.user(tenant, "").PK, keys.group(tenant, "").PK];
  const [users, groups] = [main(userPrefix), main(groupPrefix)];
  const groupIds = new Set(groups.map(({ id }) => String(id)));
  const profiles = users.map((user) => ({ id: String(user.id), profile: JSON.parse(String(user.profile)) }));
  const members = below(groupPrefix)
    .filter(({ SK }) => SK.startsWith(MEMBER))
    .map((item) => ({ groupId: idIn(item, groupPrefix), userId: item.SK.slice(MEMBER.length), name: item.name }));

  const entriesOf = (partition: string) =>
    items.filter(({ PK }) => PK === partition).map(({ SK, id }) => pair(SK, String(id)));
  const named = (list: readonly Item[], attribute: string) =>
    list.map((item) => pair(foldName(String(item[attribute])), String(item.id)));
  const inStore = async (userStore: string): Promise<readonly string[]> => {
    const isOf = (item: Item) => item.userStore === userStore;
    const [userNames, groupNames] = [keys.userNames(tenant, userStore), keys.groupNames(tenant, userStore)];
    const indexes = await Promise.all([userNames, groupNames].map((names) => nameIndex(calm, names).audit()));
    return [
      ...(await indexProblems(calm, { tenant, userStore, attributes: shippedIndexes }, users)),
      ...indexes.flat().map(({ low, problem }) => `index at "${low}": ${problem}`),
      ...unlike("user names", entriesOf(userNames.entries), named(users.filter(isOf), "userName")),
      ...unlike("group names", entriesOf(groupNames.entries), named(groups.filter(isOf), "displayName")),
    ];
  };
  const lookups = below(`${keys.tenant(tenant).PK.replace(/TENANT$/, "X#")}`).map(({ PK, SK }) => pair(PK, SK));
  const credentialPrefix = keys.credential(tenant, "").PK;
  const rolePrefix = keys.role(tenant, "").PK;
  const roleIds = new Set(main(rolePrefix).map(({ id }) => String(id)));
  const assignees = below(rolePrefix).flatMap((item) =>
    item.SK.startsWith("USER#") ? [pair(idIn(item, rolePrefix), item.SK.slice("USER#".length))] : [],
  );

  return [
    ...(await Promise.all(userStores.map(inStore))).flat(),
    ...[...users, ...groups]
      .filter(({ userStore }) => !userStores.includes(String(userStore)))
      .map(({ PK, userStore }) => `${PK} has the user store ${String(userStore)}`),
    ...unlike(
      "lookups",
      lookups,
      [
        ...profiles.flatMap(({ id, profile }) =>
          lookupsOf(profile).map(({ attribute, value }) => keys.lookup(tenant, attribute, value, id)),
        ),
        ...groups.flatMap(({ externalId, id }) =>
          typeof externalId === "string" ? [keys.lookup(tenant, "groupExternalId", externalId, String(id))] : [],
        ),
      ].map(({ PK, SK }) => pair(PK, SK)),
    ),
    ...unlike(
      "credentials",
      main(credentialPrefix).map((item) => idIn(item, credentialPrefix)),
      users.flatMap(({ id, hasPassword }) => (hasPassword === true ? [String(id)] : [])),
    ),
    ...unlike(
      "memberships",
      members.map(({ groupId, userId }) => pair(groupId, userId)),
      users.flatMap(({ id, groups: of }) => [...setIn(of)].map((groupId) => pair(groupId, String(id)))),
    ),
    ...members
      .filter(({ groupId }) => !groupIds.has(groupId))
      .map(({ groupId, userId }) => `the group ${groupId} is deleted, but ${userId} is still a member`),
    ...items
      .filter(({ PK, SK }) => PK.startsWith(tenantPrefix) && SK.startsWith("B#"))
      .map(({ PK, SK }) => `a part of a bulk is left: ${PK} ${SK}`),
    ...items
      .filter(({ PK, bulk }) => PK.startsWith(tenantPrefix) && bulk !== undefined)
      .map(({ PK, bulk }) => `${PK} has the bulk ${String(bulk)}`),
    ...items
      .filter(({ PK }) => PK === keys.shownNames(tenant).PK)
      .flatMap(({ bulks }) => [...setIn(bulks)].map((open) => `an open bulk is listed: ${open}`)),
    ...groups.flatMap(({ id, members: memberCount, memberSum }) => {
      const real = tallyOf(members.flatMap(({ groupId, userId }) => (groupId === id ? [userId] : [])));
      return [
        ...(memberCount === real.memberCount && memberSum === real.memberSum
          ? []
          : [`the group ${id} counts ${memberCount} members (${memberSum}), but has ${JSON.stringify(real)}`]),
      ];
    }),
    ...unlike(
      "names of members",
      members.map(({ userId, name }) => pair(userId, String(name))),
      users.flatMap(({ id, userName, groups: of }) => (setIn(of).size > 0 ? [pair(String(id), String(userName))] : [])),
    ),
    ...unlike(
      "assignees of roles",
      assignees,
      users.flatMap(({ id, roles }) => [...setIn(roles)].map((roleId) => pair(roleId, String(id)))),
    ),
    ...assignees
      .filter((assignee) => !roleIds.has(assignee.split(" ")[0] ?? ""))
      .map((assignee) => `no role: ${assignee}`),
  ];
};
