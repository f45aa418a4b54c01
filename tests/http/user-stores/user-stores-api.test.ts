/** The operations that show user stores and test the connections of directories (decision 0101). */
import { createServer } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { BIND_DN, BIND_PASSWORD, directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const STORES = "/api/server/v1/userstores";
const PRIMARY = "UFJJTUFSWQ";
const id = (name: string) => Buffer.from(name).toString("base64url");

describe("with two stores in the table", () => {
  const api = world({ deployment: TWO_STORES });

  describe("listUserStores", () => {
    test("lists the declared stores, without PRIMARY", async () => {
      const { status, body } = await api.ask("GET", STORES);
      expect([status, body]).toEqual([
        200,
        [
          expect.objectContaining({ name: "SECOND" }),
          {
            id: id("THIRD"),
            name: "THIRD",
            enabled: true,
            description: "A third one",
            isLocal: true,
            typeName: "DynamoDBUserStoreManager",
            self: `/t/carbon.super${STORES}/${id("THIRD")}`,
          },
        ],
      ]);
      expect((await api.ask("GET", body[1].self)).body.name).toBe("THIRD");
    });
    test("is 501 for what Identity Server has not built either", async () => {
      const codes = await Promise.all(
        ["limit=1", "offset=0", "filter=name+eq+A", "sort=name"].map(async (query) => {
          const { status, body } = await api.ask("GET", `${STORES}?${query}`);
          return `${status} ${body.code}`;
        }),
      );
      expect(codes).toEqual(["501 SUS-65005", "501 SUS-65005", "501 SUS-65006", "501 SUS-65007"]);
    });
  });

  describe("getUserStore", () => {
    test("shows PRIMARY with the attributes of claims", async () => {
      const { status, body } = await api.ask("GET", `${STORES}/${PRIMARY}`);
      expect([status, body]).toMatchObject([200, { name: "PRIMARY", properties: [], isLocal: true }]);
      expect(body.claimAttributeMappings).toContainEqual({
        claimURI: "http://wso2.org/claims/emailaddress",
        mappedAttribute: "mail",
      });
    });
    test("is 404 for a name that no store has", async () => {
      const { status, body } = await api.ask("GET", `${STORES}/${id("FOURTH")}`);
      expect([status, body.code]).toEqual([404, "SUS-60001"]);
    });
  });
});

describe.runIf(hasSlapd)("with a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  afterAll(() => slapd.close());
  const api = world({ deployment: directoryStore(slapd.url) });
  const password = "a-long-password";
  const OTHER = "other.example";

  test("it is shown with its settings, without its password, and in its own tenant only", async () => {
    const { status, body, text } = await api.ask("GET", `${STORES}/${id("CORP")}`);
    expect([status, body]).toMatchObject([
      200,
      {
        typeName: "UniqueIDReadWriteLDAPUserStoreManager",
        className: "org.wso2.carbon.user.core.ldap.UniqueIDReadWriteLDAPUserStoreManager",
        name: "CORP",
      },
    ]);
    expect(body.properties).toEqual(
      expect.arrayContaining([
        { name: "ConnectionURL", value: slapd.url },
        { name: "ConnectionName", value: BIND_DN },
        { name: "UserSearchBase", value: PEOPLE },
        { name: "ReadOnly", value: "false" },
      ]),
    );
    expect(body.claimAttributeMappings).toEqual(
      expect.arrayContaining([
        { claimURI: "http://wso2.org/claims/emailaddress", mappedAttribute: "mail" },
        { claimURI: "http://wso2.org/claims/lastname", mappedAttribute: "sn" },
        { claimURI: "http://wso2.org/claims/username", mappedAttribute: "uid" },
      ]),
    );
    const listed = await api.ask("GET", `${STORES}?requiredAttributes=ConnectionURL,ConnectionPassword`);
    expect(listed.body[0].properties).toEqual([{ name: "ConnectionURL", value: slapd.url }]);
    for (const shown of [text, listed.text]) {
      expect(shown).not.toContain(BIND_PASSWORD);
      expect(shown).not.toContain("DIRECTORY_PASSWORD");
    }
    await api.ask("POST", "/api/server/v1/tenants", {
      body: { domain: OTHER, owners: [{ username: "kim", password }] },
    });
    const as = { username: `kim@${OTHER}`, password };
    expect((await api.ask("GET", STORES, { as })).body).toEqual([]);
    expect((await api.ask("GET", `${STORES}/${id("CORP")}`, { as })).status).toBe(404);
    const tested = await api.ask("POST", `${STORES}/test-connection`, { as, body: { connectionURL: slapd.url } });
    expect([tested.status, tested.body]).toEqual([200, { connection: false }]);
  });

  describe("testUserStoreConnection", () => {
    const connects = async (body: unknown) => {
      const answer = await api.ask("POST", `${STORES}/test-connection`, { body });
      return [answer.status, answer.body.connection ?? answer.body.code];
    };
    test("says whether the service can sign in", async () => {
      expect(await connects({ connectionURL: slapd.url })).toEqual([200, true]);
      expect(await connects({ connectionURL: `${slapd.url}/`, username: BIND_DN })).toEqual([200, true]);
      await slapd.kill();
      expect(await connects({ connectionURL: slapd.url })).toEqual([200, false]);
      await slapd.start();
      expect(await connects({ connectionURL: slapd.url })).toEqual([200, true]);
    });
    test("connects to no other address, and as no other account", async () => {
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      expect(await connects({ connectionURL: `ldap://127.0.0.1:${port}` })).toEqual([200, false]);
      expect(connections).toBe(0);
      await new Promise((resolve) => server.close(resolve));
      expect(await connects({ connectionURL: slapd.url, username: "cn=admin" })).toEqual([200, false]);
    });
    test("takes neither passwords nor drivers", async () => {
      const body = { connectionURL: slapd.url };
      expect(await connects({ ...body, connectionPassword: BIND_PASSWORD })).toEqual([400, "SUS-60004"]);
      expect(await connects({ ...body, driverName: "com.mysql.jdbc.Driver" })).toEqual([400, "SUS-60004"]);
      expect(await connects({})).toEqual([400, "UE-10000"]);
    });
  });
});
