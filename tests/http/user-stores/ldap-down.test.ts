/** A directory that is down, slow, refusing, read-only or encrypted. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { fresh, NOBODY, refusal, type Shown, scimOf } from "#tests/support/scim.ts";
import { BIND_DN, BIND_PASSWORD, directoryStore, hasSlapd, PEOPLE, SUFFIX, startSlapd } from "#tests/support/slapd.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { type Answer, world } from "#tests/support/world.ts";

const password = "good-password";
/** That an answer says: not now, and when to ask again. */
const isAway = ({ status, headers, text }: Answer) => {
  expect(status, text).toBe(503);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
};

describe.runIf(hasSlapd)("down and up again", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({
    deployment: `${TWO_STORES}${directoryStore(slapd.url, "timeout_ms = 1500\nconnect_timeout_ms = 1000")}`,
  });
  const oauth = oauthOf(api);
  const send = (method: string, path: string, body?: Shown) => api.ask(method, `/scim2${path}`, body ? { body } : {});
  const me = (username: string) => api.ask("GET", "/scim2/Me", { as: { username, password } });
  const made = async (userName: string): Promise<Shown> => (await send("POST", "/Users", { userName, password })).body;
  let names: { readonly corp: string; readonly second: string; readonly primary: string };
  let [corp, second]: [Shown, Shown] = [{}, {}];
  beforeEach(async () => {
    slapd.resume();
    await slapd.start();
    const name = fresh("user");
    names = { corp: `CORP/${name}`, second: `SECOND/${name}`, primary: name };
    corp = await made(names.corp);
    second = await made(names.second);
    await made(names.primary);
  });
  afterAll(() => slapd.close());

  const others = async () => {
    for (const username of [names.primary, names.second, "admin"]) {
      const as = username === "admin" ? undefined : { username, password };
      expect((await api.ask("GET", "/scim2/Me", as ? { as } : {})).status).toBe(200);
    }
    expect((await me("nobody")).status).toBe(401);
    expect((await me("SECOND/nobody")).status).toBe(401);
    expect((await send("GET", `/Users/${second.id}`)).status).toBe(200);
    const change = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", path: "title", value: fresh("t") }],
    };
    expect((await send("PATCH", `/Users/${second.id}`, change)).status).toBe(200);
    expect((await send("GET", "/Users?domain=SECOND")).status).toBe(200);
    expect((await send("GET", "/Users?domain=PRIMARY")).status).toBe(200);
    expect((await send("GET", "/Users?count=1")).status).toBe(200);
    const filter = encodeURIComponent(`userName eq "${names.second}"`);
    expect((await send("GET", `/Users?filter=${filter}`)).body.totalResults).toBe(1);
    expect((await send("GET", "/Groups")).status).toBe(200);
    const group = await send("POST", "/Groups", { displayName: fresh("SECOND/g"), members: [{ value: second.id }] });
    expect(group.status).toBe(201);
    expect((await send("DELETE", `/Users/${(await made(fresh("SECOND/gone"))).id}`)).status).toBe(204);
  };
  const away = async () => {
    isAway(await me(names.corp));
    isAway(await send("GET", `/Users/${corp.id}`));
    isAway(await send("DELETE", `/Users/${corp.id}`));
    isAway(await send("PUT", `/Users/${corp.id}`, { userName: names.corp, title: "T" }));
    isAway(await send("POST", "/Users", { userName: `CORP/${fresh("new")}`, password }));
    isAway(await send("GET", "/Users?domain=CORP"));
    // A page with room for users of the directory would not be complete without them.
    isAway(await send("GET", "/Users"));
    isAway(await send("GET", `/Users/${NOBODY}`));
  };

  test("503 with Retry-After for that store alone; the others keep working; all is well when it is back", async () => {
    expect((await me(names.corp)).status).toBe(200);
    await slapd.kill();
    await others();
    await away();
    const client = await oauth.newClient();
    const grant = { grant_type: "password", username: names.corp, password };
    const answer = await oauth.post(TOKEN, grant, client);
    isAway(answer);
    expect(answer.body.error).toBe("temporarily_unavailable");
    await slapd.start();
    expect((await me(names.corp)).status).toBe(200);
    expect((await send("GET", `/Users/${corp.id}`)).body).toMatchObject({ userName: names.corp });
    expect((await oauth.post(TOKEN, grant, client)).status).toBe(200);
    expect((await send("DELETE", `/Users/${corp.id}`)).status).toBe(204);
  });

  test("503 where it says nothing, within the time that it is given", async () => {
    expect((await send("GET", `/Users/${corp.id}`)).status).toBe(200);
    slapd.pause();
    isAway(await me(names.corp));
    isAway(await send("GET", `/Users/${corp.id}`));
    isAway(await send("GET", "/Users?domain=CORP"));
    await others();
    slapd.resume();
    expect((await me(names.corp)).status).toBe(200);
  });

  test("a restart between two requests is not noticed", async () => {
    expect((await send("GET", `/Users/${corp.id}`)).status).toBe(200);
    await slapd.kill();
    await slapd.start();
    expect((await send("GET", `/Users/${corp.id}`)).status).toBe(200);
    expect((await me(names.corp)).status).toBe(200);
  });

  test("a failed sign-in while it is away does not count against the user", async () => {
    await slapd.kill();
    for (let tries = 0; tries < 11; tries += 1) isAway(await me(names.corp));
    await slapd.start();
    expect((await me(names.corp)).status).toBe(200);
  });
});

describe.runIf(hasSlapd)("read-only", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ deployment: directoryStore(slapd.url, "read_only = true") });
  const scim = scimOf(api, "wso2");
  afterAll(() => slapd.close());

  test("users are read and sign in, are grouped and kept out here, and are not changed there", async () => {
    await slapd.connected((client) =>
      client.add(`uid=fixed,${PEOPLE}`, {
        objectClass: "inetOrgPerson",
        uid: "fixed",
        cn: "F",
        sn: "F",
        userPassword: password,
      }),
    );
    const [user] = (await scim.find('userName eq "CORP/fixed"')).Resources;
    const me = async () => (await api.ask("GET", "/scim2/Me", { as: { username: "CORP/fixed", password } })).status;
    expect(await me()).toBe(200);
    const shown = await scim.get(`/Users/${user.id}`, { attributes: "urn:scim:wso2:schema:isReadOnlyUser" });
    expect(shown.body["urn:scim:wso2:schema"]).toEqual({ isReadOnlyUser: true });
    for (const [path, value] of [
      ["title", "T"],
      ["userName", "CORP/other"],
      ["password", "another-password"],
    ] as const) {
      refusal(await scim.patch(`/Users/${user.id}`, { op: "replace", path, value }), 403);
    }
    refusal(await scim.ask("POST", "/Users", { body: { userName: "CORP/new", password } }), 403);
    refusal(await scim.ask("DELETE", `/Users/${user.id}`), 403);
    expect((await scim.group({ displayName: "CORP/fixed", members: [{ value: user.id }] })).members.length).toBe(1);
    await scim.patched(`/Users/${user.id}`, { op: "add", path: "nickName", value: "N" });
    await scim.patched(`/Users/${user.id}`, { op: "replace", path: "active", value: false });
    expect(await me()).toBe(401);
  });
});

describe.runIf(hasSlapd)("refusing", async () => {
  if (!hasSlapd) return;
  const limited = `cn=limited,${SUFFIX}`;
  // Everything but passwords, and nobody is called "forbidden".
  const slapd = await startSlapd(`
access to attrs=userPassword by anonymous auth by * none
access to dn.exact="uid=forbidden,${PEOPLE}" by * none
access to * by dn.exact="${limited}" write by * none`);
  const deployment = directoryStore(slapd.url).replace(BIND_DN, limited);
  const api = world({ deployment });
  const scim = scimOf(api, "wso2");
  beforeAll(() =>
    slapd.connected((client) =>
      client.add(limited, { objectClass: "person", cn: "limited", sn: "limited", userPassword: BIND_PASSWORD }),
    ),
  );
  afterAll(() => slapd.close());

  test("403, and nothing of the change is made", async () => {
    const add = (uid: string) =>
      slapd.connected((client) =>
        client.add(`uid=${uid},${PEOPLE}`, { objectClass: "inetOrgPerson", uid, cn: uid, sn: "Old", title: "Old" }),
      );
    await add("bound");
    const [user] = (await scim.find('userName eq "CORP/bound"')).Resources;
    const value = {
      title: "New",
      userName: "CORP/renamed",
      emails: [{ value: "a@corp.example" }],
      password: "another-password",
    };
    refusal(await scim.patch(`/Users/${user.id}`, { op: "replace", value }), 403);
    expect(await scim.read(`/Users/${user.id}`)).toEqual({ ...user, meta: expect.anything() });
    refusal(await scim.ask("POST", "/Users", { body: { userName: "CORP/unmade", password } }), 403);
    expect(await scim.names('userName eq "CORP/unmade"')).toEqual([]);
    refusal(await scim.patch(`/Users/${user.id}`, { op: "replace", path: "userName", value: "CORP/forbidden" }), 403);
    expect(await scim.patched(`/Users/${user.id}`, { op: "replace", path: "title", value: "New" })).toMatchObject({
      title: "New",
    });
  });

  describe("us", () => {
    const wrong = world({ deployment: deployment.replace(limited, `cn=nobody,${SUFFIX}`) });
    test("503: that is the operator's to mend", async () => {
      isAway(await wrong.ask("GET", "/scim2/Users?domain=CORP"));
      expect((await wrong.ask("GET", "/scim2/Users?domain=PRIMARY")).status).toBe(200);
    });
  });
});

describe.runIf(hasSlapd)("encrypted", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const certificate = `ca_certificate = """\n${slapd.authority}"""\n`;
  afterAll(() => slapd.close());
  const statusOf = async (api: ReturnType<typeof world>) => {
    const { status } = await api.ask("POST", "/scim2/Users", {
      body: { userName: `CORP/${fresh("secret")}`, password },
    });
    return status;
  };

  describe("from the start", () => {
    const api = world({ deployment: directoryStore(slapd.secureUrl, certificate) });
    test("works with the authority of its certificate", async () => expect(await statusOf(api)).toBe(201));
  });
  describe("by StartTLS", () => {
    const url = slapd.url.replace("127.0.0.1", "localhost");
    const api = world({
      deployment: directoryStore(url, `start_tls = true\npassword_write = "attribute"\n${certificate}`),
    });
    test("works with the authority of its certificate, and for sign-ins", async () => {
      const userName = `CORP/${fresh("secret")}`;
      expect((await api.ask("POST", "/scim2/Users", { body: { userName, password } })).status).toBe(201);
      expect((await api.ask("GET", "/scim2/Me", { as: { username: userName, password } })).status).toBe(200);
    });
  });
  describe("with a certificate of nobody who is known", () => {
    const api = world({ deployment: directoryStore(slapd.secureUrl) });
    test("503: nothing is said to it", async () => expect(await statusOf(api)).toBe(503));
  });
});
