/** Addresses and numbers that people of LDAP directories type as their name (decision 0198). */
import { Client } from "ldapts";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { saasOf } from "#tests/support/saas.ts";
import { scimOf } from "#tests/support/scim.ts";
import { directoryStore, hasSlapd, PEOPLE, SUFFIX, startSlapd } from "#tests/support/slapd.ts";
import { basic, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const PASSWORD = "a-good-Password-of-one";
const OTHER = "a-good-Password-of-another";
const SYSTEM = "urn:scim:wso2:schema";
const ACME = "acme.example";
const FIXED = `ou=fixed,${SUFFIX}`;
const OF_ACME = `ou=acme,${SUFFIX}`;
let made = 0;
const fresh = (prefix: string) => {
  made += 1;
  return `${prefix}-${made}`;
};
const freshAddress = () => `${fresh("mail")}@example.com`;

describe.runIf(hasSlapd)("people of directories", async () => {
  if (!hasSlapd) return;
  const [corp, fixed] = [await startSlapd(), await startSlapd()];
  const limits = "timeout_ms = 1500\nconnect_timeout_ms = 1000\n";
  const stores = [
    directoryStore(corp.url, limits),
    directoryStore(fixed.url, `read_only = true\n${limits}`).replace("CORP", "FIXED").replace(PEOPLE, FIXED),
    directoryStore(fixed.url, `tenant = "${ACME}"\n${limits}`).replace("CORP", "ACME").replace(PEOPLE, OF_ACME),
  ];
  const identifiers = '[sign_in]\nidentifiers = ["userName", "emails.value", "phoneNumbers.value"]\n';
  const api = world({ deployment: `${identifiers}${stores.join("")}` });
  const { newTenant, newApplication, requestOf, enter, browser, post } = saasOf(api);
  const scim = scimOf(api, "wso2");
  let application: TestClient;
  let ofAcme: TestClient;
  let acme: Awaited<ReturnType<typeof newTenant>>;

  beforeAll(async () => {
    for (const ou of ["fixed", "acme"]) {
      await fixed.connected((client) => client.add(`ou=${ou},${SUFFIX}`, { objectClass: "organizationalUnit", ou }));
    }
    application = await newApplication({ grantTypes: ["authorization_code", "password"] });
    acme = await newTenant(ACME);
    ofAcme = await acme.newApplication({}, { grantTypes: ["authorization_code", "password"] });
  });
  beforeEach(async () => {
    await Promise.all([corp.start(), fixed.start()]);
    corp.resume();
  });
  afterAll(() => Promise.all([corp.close(), fixed.close()]));

  /** Writes an entry as an administrator of the directory does, with the password `PASSWORD`. */
  const entry = async (attributes: Readonly<Record<string, string | string[]>>, { at = corp, base = PEOPLE } = {}) => {
    const uid = fresh("person");
    const all = { objectClass: "inetOrgPerson", uid, cn: uid, sn: uid, userPassword: PASSWORD, ...attributes };
    await at.connected((client) => client.add(`cn=${uid},${base}`, all));
    return { uid, dn: `cn=${uid},${base}` };
  };
  const remove = (dn: string, at = corp) => at.connected((client) => client.del(dn));
  const inFixed = { at: fixed, base: FIXED };
  const ofTable = async (more: object = {}) => {
    const userName = fresh("user");
    const { id } = await scim.user({ userName, password: OTHER, ...more });
    return { userName, id };
  };
  const emails = (...values: readonly string[]) => ({ emails: values.map((value) => ({ value })) });
  const own = (username: string, password: string, value: object) =>
    api.ask("PATCH", "/scim2/Me", {
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", value }],
      },
      as: basic({ username, password }),
    });
  const grant = (username: string, password: string, client = application) =>
    post("/oauth2/token", { grant_type: "password", username, password }, client);
  /** The user whose password signs in with a text at the token endpoint: of the directory, of the table, or no user. */
  const whoseIs = async (typed: string) => {
    const [one, other] = [await grant(typed, PASSWORD), await grant(typed, OTHER)];
    for (const { status, body } of [one, other])
      if (status !== 200) expect([status, body.error]).toEqual([400, "invalid_grant"]);
    return [one.status === 200 && "directory", other.status === 200 && "table"].filter(Boolean).join() || "no user";
  };
  const atPage = async (username: string, password: string) => {
    const page = browser();
    await page.open(requestOf(application));
    const { status, alert } = await enter(page, { username, password });
    return status === 303 ? "in" : `${status} ${alert}`;
  };

  test("sign in by an address that the directory has, in any case, with blanks around it, in every directory", async () => {
    for (const where of [{}, inFixed]) {
      const [first, second] = [freshAddress(), freshAddress()];
      const { uid } = await entry({ mail: [first, second] }, where);
      for (const typed of [first, second, first.toUpperCase(), ` ${first} `]) {
        expect([typed, await atPage(typed, PASSWORD)]).toEqual([typed, "in"]);
        expect([typed, await whoseIs(typed)]).toEqual([typed, "directory"]);
      }
      expect(await atPage(first, OTHER)).toContain("is wrong");
      expect(await atPage(uid, PASSWORD)).toContain("is wrong");
      const basicOnly = await api.ask("GET", "/scim2/Me", { as: basic({ username: first, password: PASSWORD }) });
      expect(basicOnly.status).toBe(401);
    }
  });
  test("get tokens as themselves", async () => {
    const mail = freshAddress();
    const { uid } = await entry({ mail });
    const { body } = await grant(mail, PASSWORD);
    const shown = await post("/oauth2/introspect", { token: body.access_token }, application);
    expect(shown.body).toMatchObject({ active: true, username: `CORP/${uid}@carbon.super` });
  });
  test("sign in by a number that the directory has, with blanks and hyphens", async () => {
    await entry({ telephoneNumber: "+49 30 555-0001" });
    for (const typed of ["+49305550001", "+49 (30) 555.0001"]) expect(await whoseIs(typed)).toBe("directory");
    expect(await whoseIs("+4930555000")).toBe("no user");
  });
  test.each(["*@example.com", "*)(mail=*@example.com", "a@b)(uid=*", "*@*", "\\2a@example.com"])(
    "are not found by the text %j",
    async (typed) => {
      await entry({ mail: freshAddress() });
      expect(await whoseIs(typed)).toBe("no user");
      expect(await atPage(typed, PASSWORD)).toMatch(/^(200|400) .*wrong/);
    },
  );

  describe("an address of two", () => {
    test("entries of one directory signs in neither, until one gives it up", async () => {
      const mail = freshAddress();
      const [one, two] = [await entry({ mail }), await entry({ mail: [freshAddress(), mail.toUpperCase()] })];
      expect(await whoseIs(mail)).toBe("no user");
      expect(await grant(`CORP/${one.uid}`, PASSWORD)).toMatchObject({ status: 200 });
      await remove(two.dn);
      expect(await whoseIs(mail)).toBe("directory");
    });
    test("directories", async () => {
      const mail = freshAddress();
      await entry({ mail });
      const { dn } = await entry({ mail }, inFixed);
      expect(await whoseIs(mail)).toBe("no user");
      await remove(dn, fixed);
      expect(await whoseIs(mail)).toBe("directory");
    });
    test("people, of whom one is in the table", async () => {
      const mail = freshAddress();
      const { id } = await ofTable(emails(mail));
      expect(await whoseIs(mail)).toBe("table");
      const { dn } = await entry({ mail });
      expect([await whoseIs(mail), await atPage(mail, OTHER)]).toEqual(["no user", expect.stringContaining("wrong")]);
      await scim.patched(`/Users/${id}`, { op: "replace", path: "emails", value: [{ value: freshAddress() }] });
      expect(await whoseIs(mail)).toBe("directory");
      await ofTable(emails(mail));
      await remove(dn);
      expect(await whoseIs(mail)).toBe("table");
    });
    test("people of the table and one of a directory", async () => {
      const mail = freshAddress();
      await ofTable(emails(mail));
      await ofTable(emails(mail));
      await entry({ mail });
      expect(await whoseIs(mail)).toBe("no user");
    });
  });

  test("the user name of somebody else wins over their address", async () => {
    const mail = freshAddress();
    await entry({ mail });
    await scim.user({ userName: mail, password: OTHER });
    expect(await whoseIs(mail)).toBe("table");
  });
  test("what a user of the table writes takes no address of theirs out of use; what is verified is shared", async () => {
    const mail = freshAddress();
    await entry({ mail });
    const { userName, id } = await ofTable();
    expect((await own(userName, OTHER, emails(mail))).status).toBe(200);
    expect(await whoseIs(mail)).toBe("directory");
    await scim.patched(`/Users/${id}`, { op: "replace", value: { [SYSTEM]: { emailVerified: true } } });
    expect(await whoseIs(mail)).toBe("no user");
  });
  test("what people of a directory write of themselves counts for nothing, however many do, until it is verified", async () => {
    const [mail, ofUser] = [freshAddress(), freshAddress()];
    await entry({ mail });
    await ofTable(emails(ofUser));
    const liars = [];
    for (let at = 0; at < 3; at += 1) {
      const { uid } = await entry({});
      // Some have a record already, some get one with the address.
      if (at > 0) await own(`CORP/${uid}`, PASSWORD, { nickName: "M" });
      expect((await own(`CORP/${uid}`, PASSWORD, emails(mail, ofUser))).status).toBe(200);
      liars.push(uid);
    }
    expect([await whoseIs(mail), await whoseIs(ofUser)]).toEqual(["directory", "table"]);
    const [liar] = (await scim.find(`userName eq "CORP/${liars[0]}"`)).Resources;
    // A change of something else keeps the mark.
    await own(`CORP/${liars[0]}`, PASSWORD, { nickName: "L" });
    expect(await whoseIs(mail)).toBe("directory");
    const verified = { [SYSTEM]: { verifiedEmailAddresses: [mail] } };
    await scim.patched(`/Users/${liar.id}`, { op: "replace", value: verified });
    expect([await whoseIs(mail), await whoseIs(ofUser)]).toEqual(["no user", "table"]);
  });
  test("of more than twenty with one address, whom it counts for is not found out", async () => {
    const mail = freshAddress();
    await entry({ mail });
    for (let at = 0; at < 19; at += 1) await own(`CORP/${(await entry({})).uid}`, PASSWORD, emails(mail));
    expect(await whoseIs(mail)).toBe("directory");
    await own(`CORP/${(await entry({})).uid}`, PASSWORD, emails(mail));
    expect(await whoseIs(mail)).toBe("no user");
  });
  test("an address alone that a person of a directory wrote signs in no one", async () => {
    const mail = freshAddress();
    const { uid } = await entry({});
    expect((await own(`CORP/${uid}`, PASSWORD, emails(mail))).status).toBe(200);
    expect(await whoseIs(mail)).toBe("no user");
  });
  test("the directory decides, also where its record keeps the type of an address", async () => {
    const [was, is] = [freshAddress(), freshAddress()];
    const userName = fresh("CORP/typed");
    await scim.user({ userName, password: PASSWORD, emails: [{ value: was, type: "work" }] });
    expect(await whoseIs(was)).toBe("directory");
    const uid = userName.slice("CORP/".length);
    await corp.connected(async (client) => {
      const { Attribute, Change } = await import("ldapts");
      const modification = new Attribute({ type: "mail", values: [is] });
      await client.modify(`uid=${uid},${PEOPLE}`, new Change({ operation: "replace", modification }));
    });
    await ofTable(emails(was));
    expect([await whoseIs(was), await whoseIs(is)]).toEqual(["table", "directory"]);
  });
  test("deactivated people, entries that are no users, and names that two entries have", async () => {
    const [mail, other, double] = [freshAddress(), freshAddress(), freshAddress()];
    const { uid } = await entry({ mail });
    const [{ id }] = (await scim.find(`userName eq "CORP/${uid}"`)).Resources;
    await scim.patched(`/Users/${id}`, { op: "replace", path: "active", value: false });
    expect([await whoseIs(mail), await atPage(mail, PASSWORD)]).toEqual(["no user", expect.stringContaining("wrong")]);
    await scim.patched(`/Users/${id}`, { op: "replace", path: "active", value: true });
    expect(await whoseIs(mail)).toBe("directory");
    // Without the attribute of user names.
    await corp.connected((client) =>
      client.add(`cn=machine,${PEOPLE}`, {
        objectClass: "inetOrgPerson",
        cn: "machine",
        sn: "M",
        mail: other,
        userPassword: PASSWORD,
      }),
    );
    expect(await whoseIs(other)).toBe("no user");
    await ofTable(emails(other));
    expect(await whoseIs(other)).toBe("table");
    const { dn } = await entry({ mail: double, uid: "twice" });
    const twin = await entry({ uid: "Twice" });
    expect([await whoseIs(double), (await grant("CORP/twice", PASSWORD)).status]).toEqual(["no user", 400]);
    await remove(twin.dn);
    expect(await whoseIs(double)).toBe("directory");
    await remove(dn);
  });
  test("a directory of another tenant is not asked, whose people sign in at its applications", async () => {
    const mail = freshAddress();
    await entry({ mail }, { at: fixed, base: OF_ACME });
    expect(await whoseIs(mail)).toBe("no user");
    expect((await grant(mail, PASSWORD, ofAcme)).status).toBe(200);
    await ofTable(emails(mail));
    expect(await whoseIs(mail)).toBe("table");
    expect((await grant(mail, PASSWORD, ofAcme)).status).toBe(200);
    const here = freshAddress();
    await entry({ mail: here });
    expect((await grant(here, PASSWORD, ofAcme)).status).toBe(400);
  });
  test("locks count for the account, whatever is typed", async () => {
    const [one, two] = [freshAddress(), freshAddress()];
    const { uid } = await entry({ mail: [one, two] });
    const typed = [one, two, `CORP/${uid}`, one.toUpperCase(), ` ${two}`];
    for (let attempt = 0; attempt < 10; attempt += 1) await atPage(typed[attempt % typed.length] ?? "", OTHER);
    for (const name of typed) {
      expect([name, await atPage(name, PASSWORD)]).toEqual([name, expect.stringContaining("Too many")]);
      expect((await grant(name, PASSWORD)).status).toBe(400);
    }
  });

  describe("while a directory is down", () => {
    /** The answer of the token endpoint. */
    const answerTo = async (typed: string, password: string) => {
      const { status, body, headers } = await grant(typed, password);
      return status === 503 ? [503, body.error, headers.get("retry-after") !== null] : status;
    };
    const UNAVAILABLE = [503, "temporarily_unavailable", true];

    test.each(["corp", "fixed"] as const)(
      "%s: an address stands for no user, and is not decided without it",
      async (down) => {
        const [mail, ofUser, asName] = [freshAddress(), freshAddress(), freshAddress()];
        const { uid } = await entry({ mail });
        const { userName } = await ofTable(emails(ofUser));
        await scim.user({ userName: asName, password: OTHER });
        await (down === "corp" ? corp : fixed).kill();
        for (const [typed, password] of [
          [mail, PASSWORD],
          [mail, OTHER],
          [ofUser, OTHER],
          [freshAddress(), OTHER],
        ] as const) {
          expect([typed, await answerTo(typed, password)]).toEqual([typed, UNAVAILABLE]);
        }
        expect(await atPage(ofUser, OTHER)).toMatch(/^503/);
        // The user name needs no directory. Its wrong password gets what an unknown address gets.
        expect([await answerTo(asName, OTHER), await atPage(asName, OTHER)]).toEqual([200, "in"]);
        expect(await answerTo(asName, PASSWORD)).toEqual(UNAVAILABLE);
        expect(await atPage(asName, PASSWORD)).toMatch(/^503/);
        expect(await answerTo(userName, OTHER)).toBe(200);
        expect(await answerTo(`CORP/${uid}`, PASSWORD)).toEqual(down === "corp" ? UNAVAILABLE : 200);
      },
    );
    test("attempts with an address are no failures; guesses at a user name are", async () => {
      const [mail, asName] = [freshAddress(), freshAddress()];
      await entry({ mail });
      await scim.user({ userName: asName, password: OTHER });
      await fixed.kill();
      for (let attempt = 0; attempt < 11; attempt += 1) {
        expect(await answerTo(mail, PASSWORD)).toEqual(UNAVAILABLE);
        expect(await answerTo(asName, PASSWORD)).toEqual(UNAVAILABLE);
      }
      expect(await answerTo(asName, OTHER)).toEqual(UNAVAILABLE);
      await fixed.start();
      expect([await answerTo(mail, PASSWORD), await answerTo(asName, OTHER)]).toEqual([200, 400]);
    });
    test("other tenants do not notice", async () => {
      await acme.newUser("ash", OTHER, emails("ash@example.com"));
      await corp.kill();
      expect((await grant("ash@example.com", OTHER, ofAcme)).status).toBe(200);
    });
  });

  test("directories do the same for a refusal, whatever the text stands for", async () => {
    const [mail, shared, ofUser, asName] = [freshAddress(), freshAddress(), freshAddress(), freshAddress()];
    await entry({ mail: [mail, shared] });
    await entry({ mail: shared }, inFixed);
    await ofTable(emails(ofUser));
    await scim.user({ userName: asName, password: OTHER });
    // The connections that are kept are open afterwards.
    await grant(freshAddress(), PASSWORD);
    const [searches, binds] = [vi.spyOn(Client.prototype, "search"), vi.spyOn(Client.prototype, "bind")];
    const bound: (string | undefined)[] = [];
    for (const typed of [freshAddress(), mail, shared, ofUser, asName]) {
      searches.mockClear();
      binds.mockClear();
      expect((await grant(typed, "a-wrong-Password-of-one")).status).toBe(400);
      expect([typed, searches.mock.calls.length, binds.mock.calls.length]).toEqual([typed, 4, 2]);
      bound.push(binds.mock.calls.map(([dn]) => String(dn)).find((dn) => !/^uid=unknown-/.test(dn)));
    }
    // No password is tried with the entry of somebody whom the text does not stand for.
    expect(bound).toEqual([undefined, expect.stringMatching(/^cn=person/), undefined, undefined, undefined]);
    searches.mockRestore();
    binds.mockRestore();
  });
  test("a refusal costs the same, whatever the text stands for; another tenant pays for no directory", async () => {
    const [mail, shared, ofUser, asName, unproven] = [1, 2, 3, 4, 5].map(freshAddress) as [
      string,
      string,
      string,
      string,
      string,
    ];
    await entry({ mail: [mail, shared] });
    await entry({ mail: shared });
    await ofTable(emails(ofUser));
    await scim.user({ userName: asName, password: OTHER });
    const { uid } = await entry({});
    await own(`CORP/${uid}`, PASSWORD, emails(unproven));
    const oneCost = async (typed: string, client: TestClient) => {
      const lines = await listening(() => grant(typed, "a-wrong-Password-of-one", client));
      const { RoundTrips = 99 } = lines.find((each: LogLine) => each.service === "oauth2" && each.RoundTrips) ?? {};
      return RoundTrips;
    };
    // What a container keeps for some seconds may be read again in one of two attempts that follow each other.
    const tripsOf = async (typed: string, client = application) =>
      Math.min(await oneCost(typed, client), await oneCost(typed, client));
    const trips = [];
    for (const typed of [freshAddress(), mail, shared, ofUser, asName, unproven]) trips.push(await tripsOf(typed));
    expect(new Set(trips).size, JSON.stringify(trips)).toBe(1);
    const plain = await newTenant("plain.example");
    const ofPlain = await plain.newApplication({}, { grantTypes: ["password"] });
    expect(await tripsOf(freshAddress(), ofPlain)).toBe(await tripsOf(fresh("no user"), ofPlain));
    expect(trips[0]).toBeLessThanOrEqual((await tripsOf(fresh("no user"))) + 1);
  });
});
