/** An LDAP directory as user store: users in SCIM 2.0, and sign-ins. */
import { afterAll, describe, expect, test } from "vitest";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { fresh, refusal, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { scim1Of } from "#tests/support/scim1.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { CERTIFICATES, meByCertificate } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

describe.runIf(hasSlapd)("a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ hasMtls: true, deployment: `${CERTIFICATES}${directoryStore(slapd.url)}` });
  const scim = scimOf(api, "wso2");
  const scim1 = scim1Of(api);
  const oauth = oauthOf(api);
  const { ask, get, find, names } = scim;
  const password = "good-password";
  const user = (userName: string, more: Shown = {}) => scim.user({ userName: `CORP/${userName}`, password, ...more });
  const me = (username: string, given = password) => api.ask("GET", "/scim2/Me", { as: { username, password: given } });
  const entryOf = (uid: string): Promise<Shown> =>
    slapd.connected(async (client) => {
      const { searchEntries } = await client.search(PEOPLE, { filter: `(uid=${uid})`, attributes: ["*", "entryUUID"] });
      return searchEntries[0] ?? {};
    });
  afterAll(() => slapd.close());

  describe("users", () => {
    test("creates, authenticates, lists with a filter, changes and deletes a user", async () => {
      const made = await user("kim", {
        name: { givenName: "Kim", familyName: "Berry" },
        displayName: "Kim B.",
        nickName: "Kimmy",
        title: "Driver",
        externalId: "e-1",
        emails: [{ value: "kim@corp.example", type: "work", primary: true }, { value: "kim@home.example" }],
        phoneNumbers: [{ value: "+1 555 0100" }],
        [URN.enterprise]: { employeeNumber: "7", department: "Taxi", costCenter: "C1" },
      });
      expect(made).toMatchObject({
        userName: "CORP/kim",
        username: "CORP/kim",
        active: true,
        nickName: "Kimmy",
        externalId: "e-1",
        emails: [{ value: "kim@corp.example", type: "work", primary: true }, { value: "kim@home.example" }],
        [URN.enterprise]: { employeeNumber: "7", department: "Taxi", costCenter: "C1" },
      });
      expect(made.name).toEqual({ givenName: "Kim", familyName: "Berry" });
      const entry = await entryOf("kim");
      expect(entry).toMatchObject({
        dn: `uid=kim,${PEOPLE}`,
        entryUUID: made.id,
        cn: "Kim Berry",
        sn: "Berry",
        givenName: "Kim",
        displayName: "Kim B.",
        title: "Driver",
        mail: ["kim@corp.example", "kim@home.example"],
        telephoneNumber: "+1 555 0100",
        employeeNumber: "7",
        departmentNumber: "Taxi",
      });
      expect(await scim.read(`/Users/${made.id}`)).toEqual(made);

      expect((await me("CORP/kim")).body).toMatchObject({ id: made.id, userName: "CORP/kim" });
      expect((await me("corp/KIM@carbon.super")).body).toMatchObject({ id: made.id });
      expect((await me("CORP/kim", "wrong-password")).status).toBe(401);
      expect((await me("kim")).status).toBe(401);

      const filter = 'userName eq "kim" and emails.value co "@corp." and title sw "Dri"';
      expect((await find(filter, "/Users", { domain: "corp" })).Resources).toEqual([made]);

      const changed = await scim.patched(
        `/Users/${made.id}`,
        { op: "replace", path: "title", value: "Boss" },
        { op: "replace", path: "nickName", value: "K" },
        { op: "remove", path: 'emails[value eq "kim@home.example"]' },
        { op: "add", path: "name.givenName", value: "Kimberly" },
        { op: "replace", path: "userName", value: "CORP/kimberly" },
      );
      expect(changed).toMatchObject({ id: made.id, userName: "CORP/kimberly", title: "Boss", nickName: "K" });
      expect(changed.emails).toEqual([{ value: "kim@corp.example", type: "work", primary: true }]);
      expect(changed.meta.version).not.toBe(made.meta.version);
      expect(await entryOf("kimberly")).toMatchObject({ entryUUID: made.id, cn: "Kimberly Berry", title: "Boss" });
      expect(await entryOf("kim")).toEqual({});
      expect((await me("CORP/kimberly")).status).toBe(200);

      expect((await ask("DELETE", `/Users/${made.id}`)).status).toBe(204);
      expect(await entryOf("kimberly")).toEqual({});
      expect((await get(`/Users/${made.id}`)).status).toBe(404);
      expect((await me("CORP/kimberly")).status).toBe(401);
    });

    test("accepts a new password at once, refuses the old one, and revokes tokens", async () => {
      const { id } = await user("renewed");
      const client = await oauth.newClient([], { accessToken: { type: "Default" } });
      const grant = { grant_type: "password", username: "CORP/renewed", password, scope: "internal_login" };
      const { access_token, refresh_token } = await oauth.token(client, grant);
      expect((await me("CORP/renewed")).status).toBe(200);
      expect((await api.ask("GET", "/scim2/Me", { as: `Bearer ${access_token}` })).body).toMatchObject({ id });
      const renewed = await oauth.token(client, { grant_type: "refresh_token", refresh_token });
      await scim.patched(`/Users/${id}`, { op: "replace", path: "password", value: "another-password" });
      expect((await me("CORP/renewed")).status).toBe(401);
      expect((await me("CORP/renewed", "another-password")).status).toBe(200);
      const bearer = `Bearer ${renewed.access_token}`;
      expect((await api.ask("GET", "/scim2/Me", { as: bearer })).status).toBe(401);
      expect((await oauth.post(TOKEN, grant, client)).status).toBe(400);
      expect((await entryOf("renewed")).userPassword).toMatch(/^\{SSHA\}/);
    });

    test("authenticates the user of a client certificate, and no other", async () => {
      const { id } = await user("certified");
      expect(await meByCertificate(api, "CORP/certified")).toMatchObject({ status: 200, body: { id } });
      expect((await meByCertificate(api, "CORP/nobody")).status).toBe(401);
      await scim.patched(`/Users/${id}`, { op: "replace", path: "active", value: false });
      expect((await meByCertificate(api, "CORP/certified")).status).toBe(401);
    });

    test("refuses sign-ins of an inactive user, who stays visible", async () => {
      const { id } = await user("dormant");
      expect((await me("CORP/dormant")).status).toBe(200);
      expect(await scim.patched(`/Users/${id}`, { op: "replace", path: "active", value: false })).toMatchObject({
        active: false,
      });
      expect((await me("CORP/dormant")).status).toBe(401);
      await scim.patched(`/Users/${id}`, { op: "replace", path: "active", value: true });
      expect((await me("CORP/dormant")).status).toBe(200);
    });

    test("returns 409 for a name in use, in any case, also for a rename; PRIMARY may have it too", async () => {
      await user("taken");
      const { id } = await user("other");
      refusal(await ask("POST", "/Users", { body: { userName: "CORP/TAKEN", password } }), 409, "uniqueness");
      const rename = { op: "replace", path: "userName", value: "CORP/Taken" };
      refusal(await scim.patch(`/Users/${id}`, rename), 409, "uniqueness");
      await scim.user({ userName: "taken", password });
      expect(await names('userName eq "taken"')).toEqual(["taken", "CORP/taken"]);
    });

    test("writes the user name for a missing family name, and does not show it in SCIM", async () => {
      const { id, name } = await user("nameless");
      expect(name).toBeUndefined();
      expect(await entryOf("nameless")).toMatchObject({ cn: "nameless", sn: "nameless" });
      const whole = await scim.read(`/Users/${id}`);
      const put = await ask("PUT", `/Users/${id}`, { body: { ...whole, name: { formatted: "N. N." } } });
      expect(put.body.name).toEqual({ formatted: "N. N." });
      expect(await entryOf("nameless")).toMatchObject({ cn: "N. N.", sn: "nameless" });
    });

    test("checks If-Match against changes of the service and of the directory", async () => {
      const { id, meta } = await user("versioned");
      const patch = (ifMatch: string, value: string) =>
        ask("PATCH", `/Users/${id}`, {
          body: { schemas: [URN.patch], Operations: [{ op: "replace", path: "title", value }] },
          headers: { "if-match": ifMatch },
        });
      expect((await patch(meta.version, "A")).status).toBe(200);
      expect((await patch(meta.version, "B")).status).toBe(412);
      const { version } = (await scim.read(`/Users/${id}`)).meta;
      await slapd.connected((client) => client.modifyDN(`uid=versioned,${PEOPLE}`, "uid=versioned2"));
      expect((await patch(version, "C")).status).toBe(412);
    });

    test("lets one of the requests with the same If-Match through, and nothing of the others remains", async () => {
      const { id, meta } = await user("contested", { title: "T" });
      const changes = [{ active: false }, { nickName: "N" }, { title: "A" }, { title: "B", locale: "de" }];
      const headers = { "if-match": meta.version };
      const answers = await Promise.all(
        changes.map((value) =>
          ask("PATCH", `/Users/${id}`, {
            body: { schemas: [URN.patch], Operations: [{ op: "replace", value }] },
            headers,
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
      const passed = changes[answers.findIndex(({ status }) => status === 200)];
      const { active, nickName, title, locale } = await scim.read(`/Users/${id}`);
      expect({ active, nickName, title, locale }).toEqual({ active: true, title: "T", ...passed });
    });

    test("renames a user to another case of its name", async () => {
      const { id } = await user("cased");
      const renamed = await scim.patched(`/Users/${id}`, { op: "replace", path: "userName", value: "CORP/CASED" });
      expect(renamed).toMatchObject({ id, userName: "CORP/CASED" });
      expect((await me("CORP/cased")).body.id).toBe(id);
    });

    test("returns 400 for two values that are equal in the directory", async () => {
      const phoneNumbers = [{ value: "+1 555 0100" }, { value: "+1-555-0100" }];
      const { id } = await user("doubled");
      refusal(await scim.patch(`/Users/${id}`, { op: "add", value: { phoneNumbers } }), 400, "invalidValue");
      refusal(
        await ask("POST", "/Users", { body: { userName: "CORP/doubled-2", password, phoneNumbers } }),
        400,
        "invalidValue",
      );
      expect((await scim.read(`/Users/${id}`)).phoneNumbers).toBeUndefined();
    });

    test("applies all of many concurrent changes", async () => {
      const { id } = await user("busy");
      const values = Array.from({ length: 6 }, (_, at) => `busy-${at}@corp.example`);
      const answers = await Promise.all(
        values.map((value) =>
          scim.patch(`/Users/${id}`, { op: "add", path: "emails", value: [{ value, type: "other" }] }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(values.map(() => 200));
      const { emails } = await scim.read(`/Users/${id}`);
      expect(emails.map(({ value }: Shown) => value).sort()).toEqual(values);
      // The directory holds the values, the record the types.
      expect(emails.map(({ type }: Shown) => type)).toEqual(values.map(() => "other"));
      const others = { active: false, nickName: "N", title: "T", locale: "de" };
      await Promise.all(
        Object.entries(others).map(([path, value]) => scim.patched(`/Users/${id}`, { op: "replace", path, value })),
      );
      expect(await scim.read(`/Users/${id}`)).toMatchObject(others);
    });

    test("returns 400 for a value that the schema refuses, and creates and changes nothing", async () => {
      const body = {
        userName: "CORP/odd",
        password,
        preferredLanguage: "\u00fc\u00fc",
        phoneNumbers: [{ value: "\u00fc" }],
      };
      refusal(await ask("POST", "/Users", { body }), 400, "invalidValue");
      expect(await entryOf("odd")).toEqual({});
    });
  });

  describe("changes in the directory", () => {
    const add = (uid: string, more: Shown = {}) =>
      slapd.connected((client) =>
        client.add(`uid=${uid},${PEOPLE}`, {
          objectClass: "inetOrgPerson",
          uid,
          cn: uid,
          sn: "Found",
          userPassword: password,
          ...more,
        }),
      );

    test("takes every entry as a full user: signs in, is shown, joins groups, has roles", async () => {
      await add("found", { mail: "found@corp.example" });
      const { Resources } = await find('userName eq "CORP/found"');
      const [shown] = Resources;
      expect(shown).toMatchObject({
        userName: "CORP/found",
        name: { familyName: "Found" },
        emails: [{ value: "found@corp.example" }],
      });
      expect((await me("CORP/found")).body.id).toBe(shown.id);
      const group = await scim.group({ displayName: "CORP/finders", members: [{ value: shown.id }] });
      expect(group.members).toMatchObject([{ value: shown.id, display: "CORP/found" }]);
      const roles = await scim.find('displayName eq "admin"', "/v2/Roles");
      const give = { op: "add", path: "groups", value: [{ value: group.id }] };
      await ask("PATCH", `/v2/Roles/${roles.Resources[0].id}`, { body: { schemas: [URN.patch], Operations: [give] } });
      expect((await scim.read(`/Users/${shown.id}`)).groups).toMatchObject([
        { value: group.id, display: "CORP/finders" },
      ]);
      expect(await names(`groups.value eq "${group.id}"`)).toEqual(["CORP/found"]);
      const owned = await api.create({ name: fresh("owned") });
      const give2 = await api.ask("PUT", `/api/server/v1/applications/${owned}/owner`, { body: { id: shown.id } });
      expect(give2.status).toBe(200);
    });

    test("follows a rename, in groups from the next change on", async () => {
      const { id } = await user("before-it");
      const group = await scim.group({ displayName: "CORP/renamed", members: [{ value: id }] });
      await slapd.connected((client) => client.modifyDN(`uid=before-it,${PEOPLE}`, "uid=after-it"));
      expect(await scim.read(`/Users/${id}`)).toMatchObject({ userName: "CORP/after-it" });
      await scim.group({ displayName: "CORP/renamed-2", members: [{ value: id }] });
      expect((await scim.read(`/Groups/${group.id}`)).members).toMatchObject([{ display: "CORP/after-it" }]);
    });

    test("drops a removed user, and takes a new entry of that name as another user", async () => {
      const old = await user("replaced", { nickName: "Old", externalId: "old" });
      await scim.group({ displayName: "CORP/replaced", members: [{ value: old.id }] });
      await slapd.connected((client) => client.del(`uid=replaced,${PEOPLE}`));
      expect((await get(`/Users/${old.id}`)).status).toBe(404);
      for (const method of ["PUT", "DELETE"]) {
        const body = method === "PUT" ? { body: { userName: "CORP/replaced" } } : {};
        expect((await ask(method, `/Users/${old.id}`, body)).status).toBe(404);
      }
      expect(await names('externalId eq "old"')).toEqual([]);
      await add("replaced");
      const [other] = (await find('userName eq "CORP/replaced"')).Resources;
      expect(other.id).not.toBe(old.id);
      expect([other.nickName, other.groups]).toEqual([undefined, undefined]);
      const joined = await scim.group({ displayName: "CORP/replaced-2", members: [{ value: other.id }] });
      expect(joined.members).toMatchObject([{ value: other.id, display: "CORP/replaced" }]);
      expect((await me("CORP/replaced")).body.id).toBe(other.id);
    });

    test("accepts a changed password at once", async () => {
      await add("moved");
      expect((await me("CORP/moved")).status).toBe(200);
      await slapd.connected(async (client) => {
        const { Attribute, Change } = await import("ldapts");
        const modification = new Attribute({ type: "userPassword", values: ["elsewhere-set"] });
        await client.modify(`uid=moved,${PEOPLE}`, new Change({ operation: "replace", modification }));
      });
      expect((await me("CORP/moved")).status).toBe(401);
      expect((await me("CORP/moved", "elsewhere-set")).status).toBe(200);
    });

    test("finds no user for a name of two entries", async () => {
      await slapd.connected((client) =>
        client.add(`ou=more,${PEOPLE}`, { objectClass: "organizationalUnit", ou: "more" }),
      );
      await add("twice");
      await slapd.connected((client) =>
        client.add(`uid=twice,ou=more,${PEOPLE}`, {
          objectClass: "inetOrgPerson",
          uid: "twice",
          cn: "t",
          sn: "t",
          userPassword: password,
        }),
      );
      expect((await me("CORP/twice")).status).toBe(401);
      refusal(await ask("POST", "/Users", { body: { userName: "CORP/twice", password } }), 409, "uniqueness");
    });
  });

  test("SCIM 1.1: creates, lists, changes and deletes a user", async () => {
    const made = await scim1.user({
      userName: "CORP/older",
      name: { familyName: "O" },
      emails: [{ value: "o@corp.example" }],
    });
    expect(made).toMatchObject({ userName: "CORP/older", name: { familyName: "O" } });
    const listed = await scim1.list("/Users", { filter: 'userName Eq "CORP/older"' });
    expect(listed.Resources).toMatchObject([{ id: made.id }]);
    const changed = await scim1.patch(`/Users/${made.id}`, { name: { familyName: "P" } });
    expect(changed.name.familyName).toBe("P");
    expect((await me("CORP/older")).body.id).toBe(made.id);
    expect((await scim1.ask("DELETE", `/Users/${made.id}`)).status).toBe(200);
    expect((await scim1.ask("GET", `/Users/${made.id}`)).status).toBe(404);
  });
});
