/** Two user stores over one directory hold the same users under the same ids (S2-037, S2-038). */
import { afterAll, describe, expect, test } from "vitest";
import { type Shown, scimOf } from "#tests/support/scim.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { world } from "#tests/support/world.ts";

describe.runIf(hasSlapd)("a user of two user stores", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  afterAll(() => slapd.close());
  await slapd.connected((client) =>
    client.add(`uid=kim,${PEOPLE}`, { objectClass: "inetOrgPerson", uid: "kim", cn: "Kim", sn: "Lee" }),
  );
  const stores = directoryStore(slapd.url) + directoryStore(slapd.url).replace("CORP", "STAFF");
  const flag = "remove_duplicate_users_in_users_response";
  const keeping = scimOf(world({ deployment: stores }), "wso2");
  const removing = scimOf(world({ deployment: `[scim2]\n${flag} = true\n${stores}` }), "wso2");
  const idsIn = async (scim: typeof keeping): Promise<string[]> =>
    (await scim.find('name.familyName eq "Lee"')).Resources.map(({ id }: Shown) => id);

  test(`is listed twice where ${flag} is left out`, async () => {
    const [first, second, ...others] = await idsIn(keeping);
    expect([second, others]).toEqual([first, []]);
  });
  test(`is listed once where ${flag} is true`, async () => {
    expect(await idsIn(removing)).toHaveLength(1);
  });
});
