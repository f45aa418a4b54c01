/** A directory that is down, slow, read-only or encrypted, or that refuses changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { fresh, refusal, type Shown, scimOf, UNKNOWN_ID } from "#tests/support/scim.ts";
import { BIND_DN, BIND_PASSWORD, directoryStore, hasSlapd, PEOPLE, SUFFIX, startSlapd } from "#tests/support/slapd.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { type Answer, world } from "#tests/support/world.ts";

const password = "good-password";
/** Expects 503 with `Retry-After`. */
const isUnavailable = ({ status, headers, text }: Answer) => {
  expect(status, text).toBe(503);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
};

describe.runIf(hasSlapd)("a directory that goes down", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({
    deployment: `${TWO_STORES}${directoryStore(slapd.url, "timeout_ms = 1500\nconnect_timeout_ms = 1000")}`,
  });
  const oauth = oauthOf(api);
  const send = (method: string, path: string, body?: Shown) => api.ask(method, `/scim2${path}`, body ? { body } : {});
  const me = (username: string) => api.ask("GET", "/scim2/Me", { as: { username, password } });
  const created = async (userName: string): Promise<Shown> =>
    (await send("POST", "/Users", { userName, password })).body;
  let names: { readonly corp: string; readonly second: string; readonly primary: string };
  let [corp, second]: [Shown, Shown] = [{}, {}];
  beforeEach(async () => {
    slapd.resume();
    await slapd.start();
    const name = fresh("user");
    names = { corp: `CORP/${name}`, second: `SECOND/${name}`, primary: name };
    corp = await created(names.corp);
    second = await created(names.second);
    await created(names.primary);
  });
  afterAll(() => slapd.close());

  const othersWork = async () => {
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
    expect((await send("DELETE", `/Users/${(await created(fresh("SECOND/gone"))).id}`)).status).toBe(204);
  };
  const corpIsUnavailable = async () => {
    isUnavailable(await me(names.corp));
    isUnavailable(await send("GET", `/Users/${corp.id}`));
    isUnavailable(await send("DELETE", `/Users/${corp.id}`));
    isUnavailable(await send("PUT", `/Users/${corp.id}`, { userName: names.corp, title: "T" }));
    isUnavailable(await send("POST", "/Users", { userName: `CORP/${fresh("new")}`, password }));
    isUnavailable(await send("GET", "/Users?domain=CORP"));
    // The page has room for users of the directory, so it is incomplete without them.
    isUnavailable(await send("GET", "/Users"));
    isUnavailable(await send("GET", `/Users/${UNKNOWN_ID}`));
  };

  test("returns 503 for that user store alone while it is down, and serves it again when it is up", async () => {
    expect((await me(names.corp)).status).toBe(200);
    await slapd.kill();
    await othersWork();
    await corpIsUnavailable();
    const client = await oauth.newClient();
    const grant = { grant_type: "password", username: names.corp, password };
    const answer = await oauth.post(TOKEN, grant, client);
    isUnavailable(answer);
    expect(answer.body.error).toBe("temporarily_unavailable");
    await slapd.start();
    expect((await me(names.corp)).status).toBe(200);
    expect((await send("GET", `/Users/${corp.id}`)).body).toMatchObject({ userName: names.corp });
    expect((await oauth.post(TOKEN, grant, client)).status).toBe(200);
    expect((await send("DELETE", `/Users/${corp.id}`)).status).toBe(204);
  });

  test("returns 503 within the time limit where it does not respond", async () => {
    expect((await send("GET", `/Users/${corp.id}`)).status).toBe(200);
    slapd.pause();
    isUnavailable(await me(names.corp));
    isUnavailable(await send("GET", `/Users/${corp.id}`));
    isUnavailable(await send("GET", "/Users?domain=CORP"));
    await othersWork();
    slapd.resume();
    expect((await me(names.corp)).status).toBe(200);
  });

  test("reconnects after a restart between two requests", async () => {
    expect((await send("GET", `/Users/${corp.id}`)).status).toBe(200);
    await slapd.kill();
    await slapd.start();
    expect((await send("GET", `/Users/${corp.id}`)).status).toBe(200);
    expect((await me(names.corp)).status).toBe(200);
  });

  test("does not count sign-ins during an outage as failures of the user", async () => {
    await slapd.kill();
    for (let tries = 0; tries < 11; tries += 1) isUnavailable(await me(names.corp));
    await slapd.start();
    expect((await me(names.corp)).status).toBe(200);
  });
});

describe.runIf(hasSlapd)("a read-only directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ deployment: directoryStore(slapd.url, "read_only = true") });
  const scim = scimOf(api, "wso2");
  afterAll(() => slapd.close());

  test("lets users sign in, join groups and be deactivated, and returns 403 for changes of the directory", async () => {
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

describe.runIf(hasSlapd)("a directory that refuses changes", async () => {
  if (!hasSlapd) return;
  const limited = `cn=limited,${SUFFIX}`;
  // The service may write everything except passwords and the name "forbidden". It may add a language, not delete it.
  const slapd = await startSlapd(`
access to attrs=userPassword by anonymous auth by * none
access to dn.exact="uid=forbidden,${PEOPLE}" by * none
access to attrs=preferredLanguage by dn.exact="${limited}" =rscxa by * none
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

  test("returns 403 and undoes the part of a change that it had accepted", async () => {
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

  test("logs and counts an undo that fails: the user is half changed", async () => {
    await slapd.connected((client) =>
      client.add(`uid=half,${PEOPLE}`, { objectClass: "inetOrgPerson", uid: "half", cn: "half", sn: "half" }),
    );
    const [user] = (await scim.find('userName eq "CORP/half"')).Resources;
    const lines: string[] = [];
    const capture = (...texts: unknown[]) => void lines.push(texts.map(String).join(" "));
    const spies = (["log", "error"] as const).map((method) => vi.spyOn(console, method).mockImplementation(capture));
    const value = { preferredLanguage: "en", password: "another-password" };
    refusal(await scim.patch(`/Users/${user.id}`, { op: "replace", value }), 403);
    for (const spy of spies) spy.mockRestore();
    expect(await scim.read(`/Users/${user.id}`)).toMatchObject({ preferredLanguage: "en" });
    const records = lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    expect(records.find(({ level }) => level === "ERROR")).toMatchObject({
      message: "directory undo failed",
      tenant: "carbon.super",
      userStore: "CORP",
      userId: user.id,
      cause: { name: "Fault" },
    });
    expect(records.find((one) => one.service === "scim2" && one.operation === "patchUser")).toHaveProperty(
      "DirectoryUndoFailures",
      1,
    );
  });

  describe("the service itself", () => {
    const wrong = world({ deployment: deployment.replace(limited, `cn=nobody,${SUFFIX}`) });
    test("returns 503: only the operator can fix the bind name", async () => {
      isUnavailable(await wrong.ask("GET", "/scim2/Users?domain=CORP"));
      expect((await wrong.ask("GET", "/scim2/Users?domain=PRIMARY")).status).toBe(200);
    });
  });
});

describe.runIf(hasSlapd)("an encrypted directory", async () => {
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

  describe("over ldaps", () => {
    const api = world({ deployment: directoryStore(slapd.secureUrl, certificate) });
    test("is trusted by the configured certificate authority", async () => expect(await statusOf(api)).toBe(201));
  });
  describe("over StartTLS", () => {
    const url = slapd.url.replace("127.0.0.1", "localhost");
    const api = world({
      deployment: directoryStore(url, `start_tls = true\npassword_write = "attribute"\n${certificate}`),
    });
    test("is trusted by the configured certificate authority, also for sign-ins", async () => {
      const userName = `CORP/${fresh("secret")}`;
      expect((await api.ask("POST", "/scim2/Users", { body: { userName, password } })).status).toBe(201);
      expect((await api.ask("GET", "/scim2/Me", { as: { username: userName, password } })).status).toBe(200);
    });
  });
  describe("with a certificate of an unknown authority", () => {
    const api = world({ deployment: directoryStore(slapd.secureUrl) });
    test("returns 503 and sends it nothing", async () => expect(await statusOf(api)).toBe(503));
  });
});
