/** Secondary user stores in the profile rfc7644, and in SCIM 1.1. */
import { describe, expect, test } from "vitest";
import { fresh, RFC7644, refusal, type Shown, scimOf } from "#tests/support/scim.ts";
import { refusal1, scim1Of } from "#tests/support/scim1.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const api = world({ deployment: `${RFC7644}${TWO_STORES}` });
const scim = scimOf(api);
const scim1 = scim1Of(api);
const namesIn = (list: Shown): string[] =>
  list.Resources.map(({ userName, displayName }: Shown) => userName ?? displayName);

test("SCIM 2.0: creates users of one name in two stores, without username, and without a password", async () => {
  const name = fresh("plain");
  const [here, there] = [await scim.user({ userName: name }), await scim.user({ userName: `second/${name}` })];
  expect([here.userName, there.userName]).toEqual([name, `SECOND/${name}`]);
  expect("username" in there).toBe(false);
  expect(await scim.names(`userName eq "${name}"`)).toEqual([name, `SECOND/${name}`]);
  expect(await scim.names(`userName eq "${name}"`, { domain: "SECOND" })).toEqual([`SECOND/${name}`]);
  refusal(await scim.ask("POST", "/Users", { body: { userName: `FOURTH/${name}` } }), 400, "invalidValue");
  refusal(await scim.get("/Users", { domain: "FOURTH" }), 400, "invalidValue");
});

describe("SCIM 1.1", () => {
  test("lists users of several stores, and finds them by name", async () => {
    const name = fresh("older");
    const [here, there] = [await scim1.user({ userName: name }), await scim1.user({ userName: `second/${name}` })];
    expect([here.userName, there.userName]).toEqual([name, `SECOND/${name}`]);
    expect(await scim1.read(`/Users/${there.id}`)).toMatchObject({ userName: `SECOND/${name}` });
    const listed = await scim1.list("/Users", { filter: `userName Eq "${name}"` });
    expect([listed.totalResults, namesIn(listed)]).toEqual([2, [name, `SECOND/${name}`]]);
    expect(namesIn(await scim1.list("/Users", { filter: `userName Eq "SECOND/${name}"` }))).toEqual([`SECOND/${name}`]);
    const renamed = await scim1.patch(`/Users/${there.id}`, { userName: `SECOND/${name}-2` });
    expect(renamed.userName).toBe(`SECOND/${name}-2`);
    refusal1(await scim1.ask("PATCH", `/Users/${there.id}`, { body: { userName: `${name}-3` } }), 400);
    refusal1(
      await scim1.ask("POST", "/Users", { body: { userName: `FOURTH/${name}`, password: "good-password" } }),
      400,
    );
    expect((await scim1.ask("DELETE", `/Users/${there.id}`)).status).toBe(200);
    expect((await scim1.ask("GET", `/Users/${there.id}`)).status).toBe(404);
  });

  test("shows groups with the names of their stores and with members of their own store", async () => {
    const [here, there] = [
      await scim1.user({ userName: fresh("one") }),
      await scim1.user({ userName: `THIRD/${fresh("two")}` }),
    ];
    const name = fresh("crew");
    const primary = await scim1.group({ displayName: name, members: [{ value: here.id }] });
    const third = await scim1.group({ displayName: `third/${name}`, members: [{ value: there.id }] });
    expect([primary.displayName, third.displayName]).toEqual([`PRIMARY/${name}`, `THIRD/${name}`]);
    expect(third.members).toEqual([{ value: there.id, display: there.userName }]);
    const strange = await scim1.ask("PATCH", `/Groups/${third.id}`, { body: { members: [{ value: here.id }] } });
    expect(refusal1(strange, 400)).toContain(here.id);
    const found = await scim1.list("/Groups", { filter: `displayName Eq "THIRD/${name}"` });
    expect(namesIn(found)).toEqual([`THIRD/${name}`]);
    expect(namesIn(await scim1.list("/Groups", { filter: `displayName Eq "${name}"` }))).toEqual([`PRIMARY/${name}`]);
    expect((await scim1.read(`/Users/${there.id}`)).groups).toEqual([{ value: third.id, display: `THIRD/${name}` }]);
    refusal1(await scim1.ask("POST", "/Groups", { body: { displayName: `FOURTH/${name}` } }), 400);
  });
});
