/**
 * What people type as their name: the user name, and an address or a number that counts (decision 0186).
 */
import { beforeAll, describe, expect, test } from "vitest";
import { oauthOf, type TestClient, TOKEN } from "#tests/support/oauth.ts";
import { signInOf } from "#tests/support/sign-in.ts";
import { basic, type World, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const SYSTEM = "urn:scim:wso2:schema";
const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const WRONG = "not-the-right-password";
let made = 0;

interface Person {
  readonly userName: string;
  readonly password: string;
  readonly id: string;
}
/** What a test does with people of one service. */
const peopleOf = (api: World) => {
  const { newApplication, requestOf, enter, browser } = signInOf(api);
  const { post } = oauthOf(api);
  let client: TestClient | undefined;
  const application = async () => {
    client ??= await newApplication({ grantTypes: ["authorization_code", "password"] });
    return client;
  };
  const newPerson = async (more: object = {}): Promise<Person> => {
    made += 1;
    const person = { userName: `login-${made}`, password: `a-good-Password-of-${made}` };
    const { status, body, text } = await api.ask("POST", "/scim2/Users", { body: { ...person, ...more } });
    if (status !== 201) throw new Error(text);
    return { ...person, userName: body.userName, id: body.id };
  };
  const operations = (...all: readonly object[]) => ({ schemas: [PATCH_OP], Operations: all });
  return {
    application,
    newPerson,
    /** The alert of the page, or "in". */
    async atPage(username: string, { password }: Pick<Person, "password">) {
      const page = browser();
      await page.open(requestOf(await application()));
      const { status, alert } = await enter(page, { username, password });
      return status === 303 ? "in" : (alert ?? "");
    },
    /** Whose token the grant password gives; "" for none. */
    async byGrant(username: string, { password }: Pick<Person, "password">): Promise<string> {
      const { status } = await post(TOKEN, { grant_type: "password", username, password }, await application());
      return status === 200 ? "in" : "";
    },
    own: (person: Person, ...all: readonly object[]) =>
      api.ask("PATCH", "/scim2/Me", {
        body: operations(...all),
        as: basic({ username: person.userName, password: person.password }),
      }),
    patch: (person: Person, ...all: readonly object[]) =>
      api.ask("PATCH", `/scim2/Users/${person.id}`, { body: operations(...all) }),
  };
};

const emails = (...values: readonly string[]) => ({ emails: values.map((value) => ({ value })) });
const setting = (value: object) => ({ op: "replace", value });
const replacing = (path: string, value: unknown) => ({ op: "replace", path, value });
const fresh = () => {
  made += 1;
  return `mail-${made}@example.com`;
};

describe("by default", () => {
  const api = world();
  const { newPerson, atPage, byGrant, own, patch } = peopleOf(api);

  test("an address that an administrator wrote signs in, in any case, with blanks around it", async () => {
    const address = fresh();
    const person = await newPerson(emails(address));
    for (const typed of [address, address.toUpperCase(), ` ${address} `, `${address}\u00a0`]) {
      expect([typed, await atPage(typed, person)]).toEqual([typed, "in"]);
      expect([typed, await byGrant(typed, person)]).toEqual([typed, "in"]);
    }
    expect(await atPage(address, { password: WRONG })).toContain("is wrong");
    expect(await byGrant(address, { password: WRONG })).toBe("");
  });
  test("calls of the API by Basic take user names alone", async () => {
    const address = fresh();
    const { password } = await newPerson(emails(address));
    expect((await api.ask("GET", "/scim2/Me", { as: basic({ username: address, password }) })).status).toBe(401);
  });
  test("a telephone number does not", async () => {
    const person = await newPerson({ phoneNumbers: [{ type: "mobile", value: "+49301234567" }] });
    expect(await atPage("+49301234567", person)).toContain("is wrong");
  });
  test("the user name wins over an address of another", async () => {
    const address = fresh();
    const other = await newPerson(emails(address));
    const named = await newPerson({ userName: address });
    expect([await atPage(address, named), await byGrant(address, named)]).toEqual(["in", "in"]);
    expect(await atPage(address, other)).toContain("is wrong");
    expect(await atPage(other.userName, other)).toBe("in");
  });
  test("one that two users share signs in neither, until one gives it up", async () => {
    const address = fresh();
    const [one, two] = [await newPerson(emails(address)), await newPerson(emails(fresh(), address))];
    for (const person of [one, two]) {
      expect(await atPage(address, person)).toContain("is wrong");
      expect([await byGrant(address, person), await atPage(person.userName, person)]).toEqual(["", "in"]);
    }
    await patch(two, replacing("emails", [{ value: fresh() }]));
    expect([await byGrant(address, one), await byGrant(address, two)]).toEqual(["in", ""]);
  });
  test("what a person writes counts for nothing, and takes no address of another out of use", async () => {
    const [address, mine] = [fresh(), fresh()];
    const [victim, person] = [await newPerson(emails(address)), await newPerson(emails(mine))];
    expect((await own(person, replacing("emails", [{ value: address }, { value: mine }]))).status).toBe(200);
    expect([await byGrant(address, victim), await byGrant(address, person)]).toEqual(["in", ""]);
    expect(await byGrant(mine, person)).toBe("in");
    // A user name of another is no address: it stays that of its user.
    expect((await own(person, replacing("emails", [{ value: `${victim.userName}@x.example` }]))).status).toBe(200);
    expect(await byGrant(victim.userName, victim)).toBe("in");
    expect(await byGrant(mine, person)).toBe("");
  });
  test("an address that a person took out and wrote again is one of the person", async () => {
    const address = fresh();
    const person = await newPerson(emails(address));
    await own(person, replacing("emails", [{ value: fresh() }]));
    await own(person, replacing("emails", [{ value: address.toUpperCase() }]));
    expect(await byGrant(address, person)).toBe("");
  });
  test("verification by another makes it count; sending the user again does not, nor does the person", async () => {
    const address = fresh();
    const person = await newPerson();
    expect((await own(person, setting(emails(address)))).status).toBe(200);
    const { body } = await api.ask("GET", `/scim2/Users/${person.id}`);
    await api.ask("PUT", `/scim2/Users/${person.id}`, { body: { ...body, nickName: "A" } });
    await own(person, setting({ [SYSTEM]: { emailVerified: true } }));
    expect(await byGrant(address, person)).toBe("");
    await patch(person, setting({ [SYSTEM]: { emailVerified: false } }));
    await patch(person, setting({ nickName: "B" }));
    expect(await byGrant(address, person)).toBe("");
    expect((await patch(person, setting({ [SYSTEM]: { emailVerified: true } }))).status).toBe(200);
    expect(await byGrant(address, person)).toBe("in");
  });
  test("verification of one of several, by the list", async () => {
    const [first, second] = [fresh(), fresh()];
    const person = await newPerson();
    await own(person, setting(emails(first, second)));
    await patch(person, setting({ [SYSTEM]: { verifiedEmailAddresses: [second] } }));
    expect([await byGrant(first, person), await byGrant(second, person)]).toEqual(["", "in"]);
  });
  test("who is renamed, deactivated, deleted and restored", async () => {
    const address = fresh();
    const person = await newPerson(emails(address));
    await patch(person, replacing("userName", `renamed-${person.userName}`));
    expect(await byGrant(address, person)).toBe("in");
    await patch(person, replacing("active", false));
    expect(await byGrant(address, person)).toBe("");
    await patch(person, replacing("active", true));
    expect((await api.ask("DELETE", `/scim2/Users/${person.id}`)).status).toBe(204);
    expect(await byGrant(address, person)).toBe("");
    const other = await newPerson(emails(address));
    expect(await byGrant(address, other)).toBe("in");
    expect((await api.ask("POST", `/api/server/v1/deleted-resources/${person.id}/restore`)).status).toBe(200);
    expect([await byGrant(address, person), await byGrant(address, other)]).toEqual(["", ""]);
    await api.ask("DELETE", `/scim2/Users/${other.id}`);
    expect(await byGrant(address, person)).toBe("in");
  });
  test("an address of a person does not come to count by a deletion and a restoration", async () => {
    const address = fresh();
    const person = await newPerson();
    await own(person, setting(emails(address)));
    await api.ask("DELETE", `/scim2/Users/${person.id}`);
    await api.ask("POST", `/api/server/v1/deleted-resources/${person.id}/restore`);
    expect([await byGrant(address, person), await byGrant(person.userName, person)]).toEqual(["", "in"]);
  });
  test("locks count for the account, whatever is typed", async () => {
    const [one, two] = [fresh(), fresh()];
    const person = await newPerson(emails(one, two));
    const typed = [one, two, person.userName, one.toUpperCase(), ` ${two}`];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await atPage(typed[attempt % typed.length] ?? "", { password: WRONG });
    }
    for (const name of typed)
      expect([name, await atPage(name, person)]).toEqual([name, expect.stringContaining("Too many")]);
    expect(await byGrant(person.userName, person)).toBe("");
  });
  test("the lock of a user who was renamed since the address was written", async () => {
    const address = fresh();
    const person = await newPerson(emails(address));
    await patch(person, replacing("userName", `newly-${person.userName}`));
    for (let attempt = 0; attempt < 10; attempt += 1) await atPage(address, { password: WRONG });
    expect(await atPage(`newly-${person.userName}`, person)).toContain("Too many");
  });
  test("an address of another tenant", async () => {
    const address = fresh();
    const owner = { username: "keeper", password: "a-good-Password-of-an-owner", email: address };
    const more = { firstname: "O", lastname: "W", provisioningMethod: "inline-password" };
    await api.ask("POST", "/api/server/v1/tenants", {
      body: { domain: "names.example", owners: [{ ...owner, ...more }] },
    });
    expect(await byGrant(address, owner)).toBe("");
  });
  test("a refusal costs the same, whatever the text stands for, and no more round trips than a user name", async () => {
    const [address, shared, unproven, asName] = [fresh(), fresh(), fresh(), fresh()];
    const [one, , person] = [
      await newPerson(emails(address, shared)),
      await newPerson(emails(shared)),
      await newPerson(),
    ];
    await newPerson({ userName: asName });
    await own(person, setting(emails(unproven)));
    const oneCost = async (typed: string) => {
      const lines = await listening(() => byGrant(typed, { password: WRONG }));
      const line = lines.find((each: LogLine) => each.service === "oauth2" && each.RoundTrips !== undefined);
      const { RoundTrips: trips = 99, ReadUnits: reads = 99, WriteUnits: writes = 99 } = line ?? {};
      return { trips, reads, writes };
    };
    // What a container keeps for some seconds may be read again in one of two attempts that follow each other.
    const costOf = async (typed: string) => {
      const [one, other] = [await oneCost(typed), await oneCost(typed)];
      return {
        trips: Math.min(one.trips, other.trips),
        reads: Math.min(one.reads, other.reads),
        writes: Math.min(one.writes, other.writes),
      };
    };
    const typed = [fresh(), address, shared, unproven, asName];
    const costs = [];
    for (const each of typed) costs.push(await costOf(each));
    for (const cost of costs) expect(cost).toEqual(costs[0]);
    expect(costs[0]?.trips).toBe((await costOf(one.userName)).trips);
  });
  test("the mark is in no answer and no record", async () => {
    const address = fresh();
    const person = await newPerson();
    await own(person, setting(emails(address)));
    for (const path of [`/scim2/Users/${person.id}`, `/scim2/Users/${person.id}/history`]) {
      expect((await api.ask("GET", path)).text).not.toMatch(/unproven|emails mail/);
    }
  });
  test("a filter by address finds those that do not count, too", async () => {
    const address = fresh();
    const [one, two] = [await newPerson(emails(address)), await newPerson()];
    await own(two, setting(emails(address)));
    const filter = encodeURIComponent(`emails eq "${address}"`);
    const { body } = await api.ask("GET", `/scim2/Users?filter=${filter}`);
    expect(body.Resources.map(({ id }: Person) => id).sort()).toEqual([one.id, two.id].sort());
  });
});

describe("with telephone numbers", () => {
  const api = world({ deployment: '[sign_in]\nidentifiers = ["userName", "phoneNumbers.value"]\n' });
  const { newPerson, atPage, byGrant, own } = peopleOf(api);
  const phones = (...values: readonly string[]) => ({ phoneNumbers: values.map((value) => ({ value })) });

  test("a number signs in however it is written; an address does not", async () => {
    const address = fresh();
    const person = await newPerson({ ...phones("tel:+49-30-765.4321"), ...emails(address) });
    for (const typed of ["+49307654321", "+49 30 765 4321", " +49 (30) 7654321", "+49/30/7654321", "+49–30–7654321 "]) {
      expect([typed, await byGrant(typed, person)]).toEqual([typed, "in"]);
    }
    expect(await atPage("+49 30 7654321\u00a0", person)).toBe("in");
    for (const typed of [address, "49307654321", "+4930765432", "+49307654321;ext=1"]) {
      expect([typed, await byGrant(typed, person)]).toEqual([typed, ""]);
    }
  });
  test("one of the person, one that two share, and a user name that looks like one", async () => {
    const [one, two] = [
      await newPerson(phones("+4930111111")),
      await newPerson(phones("+49 30 222222", "+49 30 111111")),
    ];
    expect([await byGrant("+4930111111", one), await byGrant("+4930111111", two)]).toEqual(["", ""]);
    expect(await byGrant("+4930222222", two)).toBe("in");
    await own(one, replacing("phoneNumbers", [{ value: "+4930333333" }]));
    expect([await byGrant("+4930333333", one), await byGrant("+4930111111", two)]).toEqual(["", "in"]);
    const named = await newPerson({ userName: "4930444444" });
    const other = await newPerson(phones("4930444444"));
    expect([await byGrant("4930444444", named), await byGrant("4930444444", other)]).toEqual(["in", ""]);
  });
});

describe("with user names alone", () => {
  const api = world({ deployment: '[sign_in]\nidentifiers = ["userName"]\n' });
  const { newPerson, byGrant } = peopleOf(api);
  let person: Person;
  const address = fresh();
  beforeAll(async () => {
    person = await newPerson(emails(address));
  });
  test("no address signs in", async () => {
    expect([await byGrant(address, person), await byGrant(person.userName, person)]).toEqual(["", "in"]);
  });
});
