/** Input that tries to read or write more of a directory than it may. */
import { afterAll, describe, expect, test } from "vitest";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { refusal, type Shown, scimOf, UNKNOWN_ID } from "#tests/support/scim.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { world } from "#tests/support/world.ts";

describe.runIf(hasSlapd)("a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ deployment: directoryStore(slapd.url) });
  const scim = scimOf(api, "wso2");
  const oauth = oauthOf(api);
  const { ask, get, names } = scim;
  const password = "good-password";
  const user = (userName: string, more: Shown = {}) => scim.user({ userName: `CORP/${userName}`, password, ...more });
  const me = (username: string, given = password) => api.ask("GET", "/scim2/Me", { as: { username, password: given } });
  afterAll(() => slapd.close());

  describe("hostile input", () => {
    test.each(["*)(uid=*", "*", "a*b", "a\\b)", "kim)(|(uid=*"])(
      "the filter value %j finds no other user",
      async (value) => {
        expect(await names(`userName eq ${JSON.stringify(value)}`, { domain: "CORP" })).toEqual([]);
        expect(await names(`userName co ${JSON.stringify(`${value}\u0001`)}`, { domain: "CORP" })).toEqual([]);
        expect((await me(`CORP/${value}`)).status).toBe(401);
      },
    );
    test("returns 400, not 503, for a name that the directory cannot index", async () => {
      const body = { userName: `CORP/${"y".repeat(255)}`, password };
      expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(400);
    });
    test("finds no user for NUL in a filter", async () => {
      expect(await names('userName eq "a\\u0000b"', { domain: "CORP" })).toEqual([]);
      expect(await names('title co "\\u0000"', { domain: "CORP" })).toEqual([]);
    });
    test.each(['a,ou=more"', "a+cn=b", "#hash", "a=b;c", "<a>", "back\\slash", "\u00e4\u00f6\u00fc\u{1F600}", "a,b,c"])(
      "the name %j is stored as text",
      async (name) => {
        const { id } = await user(name);
        const { dn } = await slapd.connected(async (client) => {
          const { EqualityFilter } = await import("ldapts");
          const { searchEntries } = await client.search(PEOPLE, {
            filter: new EqualityFilter({ attribute: "uid", value: name }),
          });
          return searchEntries[0] ?? { dn: "" };
        });
        expect(dn.endsWith(`,${PEOPLE}`)).toBe(true);
        expect((await me(`CORP/${name}`)).body).toMatchObject({ id, userName: `CORP/${name}` });
        const renamed = await scim.patched(`/Users/${id}`, { op: "replace", path: "userName", value: `CORP/${name}2` });
        expect(renamed.userName).toBe(`CORP/${name}2`);
        expect((await ask("DELETE", `/Users/${id}`)).status).toBe(204);
      },
    );
    test.each(["", " ", "   ", "a b", "*", "a/b", "a\u0000b", "ab"])(
      "returns 400 for the new name %j",
      async (name) => {
        refusal(await ask("POST", "/Users", { body: { userName: `CORP/${name}`, password } }), 400, "invalidValue");
      },
    );
    test("returns 401 for an empty password, which a directory would take as an anonymous bind", async () => {
      await user("careful");
      const client = await oauth.newClient();
      const form = { grant_type: "password", username: "CORP/careful", password: "" };
      expect((await oauth.post(TOKEN, form, client)).status).toBe(400);
      expect((await me("CORP/careful", "")).status).toBe(401);
      expect((await me("CORP/nobody-at-all")).status).toBe(401);
    });
    test("locks a name after ten wrong passwords, whatever the directory does", async () => {
      await user("guessed");
      for (let tries = 0; tries < 10; tries += 1) await me("CORP/guessed", "wrong-password");
      expect((await me("CORP/guessed")).status).toBe(401);
    });
    test("returns 404 for texts that cannot be ids", async () => {
      for (const id of [UNKNOWN_ID, "*", ")(uid=*", "x".repeat(300), "a%00b"]) {
        expect([400, 404]).toContain((await get(`/Users/${encodeURIComponent(id)}`)).status);
      }
    });
  });

  test("hides the directory from other tenants", async () => {
    const owners = [{ username: "boss", password }];
    const made = await api.ask("POST", "/api/server/v1/tenants", { body: { domain: "acme.example", owners } });
    expect(made.status).toBe(201);
    const as = { username: "boss@acme.example", password };
    const { id } = await user("guarded");
    const at = (method: string, path: string, body?: Shown) =>
      api.ask(method, `/t/acme.example/scim2${path}`, { as, ...(body && { body }) });
    expect((await at("GET", "/Users?domain=CORP")).status).toBe(400);
    expect((await at("POST", "/Users", { userName: "CORP/guarded", password })).status).toBe(400);
    expect((await at("GET", `/Users/${id}`)).status).toBe(404);
    expect((await at("DELETE", `/Users/${id}`)).status).toBe(404);
    expect((await at("POST", "/Groups", { displayName: "x", members: [{ value: id }] })).status).toBe(400);
    expect((await me("CORP/guarded@acme.example")).status).toBe(401);
    expect((await at("GET", "/Users")).body.Resources.map(({ userName }: Shown) => userName)).toEqual(["boss"]);
  });
});
