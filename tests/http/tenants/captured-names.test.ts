/**
 * Names of the super tenant that end in a domain: a new tenant does not capture them, and no user gets one that a
 * tenant captures.
 */
import { afterAll, describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { tenantStore } from "#core/directory/tenant-store.ts";
import { capturedNames } from "#core/directory/tenants/captured.ts";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newId } from "#core/kernel/ids.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { fresh, scimOf, URN } from "#tests/support/scim.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { type Answer, type World, world } from "#tests/support/world.ts";

const slapd = hasSlapd ? await startSlapd() : undefined;
const api = world({ deployment: `${TWO_STORES}${slapd ? directoryStore(slapd.url) : ""}` });
afterAll(() => slapd?.close());
const scim = scimOf(api, "wso2");
const password = "good-password";
const TENANTS = "/api/server/v1/tenants";
const create = (domain: string) =>
  api.ask("POST", TENANTS, {
    body: { domain, owners: [{ username: "boss", password, provisioningMethod: "inline-password" }] },
  });
const exists = async (domain: string) => (await api.ask("GET", `${TENANTS}/domain/${domain}`)).status === 200;
const domainOf = () => `${fresh("taxi")}.example`;
const stores = ["", "SECOND/", ...(slapd ? ["CORP/"] : [])];

describe("createTenant", () => {
  test.each(stores)(
    "returns 409 with the number of users whose names end in the domain, in the store %j",
    async (store) => {
      const domain = domainOf();
      const ids: string[] = [];
      for (const name of [`ann@${domain}`, `ANN2@${domain.toUpperCase()}`, `x@y@${domain}`]) {
        ids.push((await scim.user({ userName: `${store}${name}`, password })).id);
      }
      const as = { username: `${store}ann@${domain}`, password };
      expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(200);
      const refused = await create(domain);
      expect([refused.status, refused.body.description]).toEqual([
        409,
        expect.stringContaining("3 users of the super"),
      ]);
      expect(await exists(domain)).toBe(false);
      expect((await api.ask("GET", "/scim2/Me", { as })).status).toBe(200);

      for (const id of ids.slice(1)) expect((await scim.ask("DELETE", `/Users/${id}`)).status).toBe(204);
      expect((await create(domain)).body.description).toContain("1 user of the super");
      await scim.patched(`/Users/${ids[0]}`, { op: "replace", path: "userName", value: `${store}ann.${domain}` });
      expect((await create(domain)).status).toBe(201);
    },
  );
  test("does not count names that only resemble the domain, nor those of other tenants", async () => {
    const domain = domainOf();
    for (const name of [`ann@x.${domain}`, `ann@x${domain}`, `ann@${domain}.x`, `ann.${domain}`, `ann@${domain}@`]) {
      await scim.user({ userName: name, password });
    }
    const other = domainOf();
    expect((await create(other)).status).toBe(201);
    const owner = { username: `boss@${other}`, password };
    const inOther = await api.ask("POST", "/scim2/Users", { as: owner, body: { userName: `ann@${domain}`, password } });
    expect(inOther.status, inOther.text).toBe(201);
    expect((await create(domain)).status).toBe(201);
  });
  test("counts the users of all stores together", async () => {
    const domain = domainOf();
    for (const store of stores) await scim.user({ userName: `${store}ann@${domain}`, password });
    expect((await create(domain)).body.description).toContain(`${stores.length} user`);
  });
  test.runIf(hasSlapd)("counts users that the directory got without this service", async () => {
    const domain = domainOf();
    const uid = `ann@${domain}`;
    await slapd?.connected((client) =>
      client.add(`uid=${uid},${PEOPLE}`, { objectClass: "inetOrgPerson", uid, cn: uid, sn: uid }),
    );
    expect((await create(domain)).status).toBe(409);
  });
  test("keeps no reservation after a refusal: the name can be given again", async () => {
    const domain = domainOf();
    await scim.user({ userName: `ann@${domain}`, password });
    expect((await create(domain)).status).toBe(409);
    await scim.user({ userName: `bob@${domain}`, password });
    expect((await create(domain)).body.description).toContain("2 users");
  });
});

/** Every door through which a user of the super tenant gets a name. */
type Door = (send: World["ask"], userName: string) => Promise<Answer>;
const doors: Readonly<Record<string, Door>> = {
  "POST /scim2/Users": (send, userName) => send("POST", "/scim2/Users", { body: { userName, password } }),
  "POST /svc/scim/Users": (send, userName) => send("POST", "/svc/scim/Users", { body: { userName, password } }),
  "PUT /scim2/Users": (send, userName) => renamed(send, "PUT", "/scim2", userName, { userName }),
  "PATCH /scim2/Users": (send, userName) =>
    renamed(send, "PATCH", "/scim2", userName, {
      schemas: [URN.patch],
      Operations: [{ op: "replace", value: { userName } }],
    }),
  "PATCH /svc/scim/Users": (send, userName) => renamed(send, "PATCH", "/svc/scim", userName, { userName }),
};
const renamed = async (send: World["ask"], method: string, base: string, userName: string, body: unknown) => {
  const store = userName.includes("/") ? userName.slice(0, userName.indexOf("/") + 1) : "";
  const { id } = await scim.user({ userName: `${store}${fresh("old")}`, password });
  return send(method, `${base}/Users/${id}`, { body });
};

describe.each(Object.entries(doors))("%s", (_, door) => {
  test.each(stores)("returns 400 for a name of the store %j that ends in the domain of a tenant", async (store) => {
    const domain = domainOf();
    expect((await door(api.ask, `${store}eve@${domain}`)).status).toBeLessThan(300);
    const other = domainOf();
    expect((await create(other)).status).toBe(201);
    for (const name of [`ann@${other}`, `ann@${other.toUpperCase()}`, `x@y@${other}`, "ann@carbon.super"]) {
      const answer = await door(api.ask, `${store}${name}`);
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/must not end in @/)]);
    }
  });
});

test("an inactive tenant has its names too", async () => {
  const domain = domainOf();
  const { headers } = await create(domain);
  const id = headers.get("location")?.split("/").at(-1);
  await api.ask("PUT", `${TENANTS}/${id}/lifecycle-status`, { body: { activated: false } });
  const answer = await api.ask("POST", "/scim2/Users", { body: { userName: `ann@${domain}`, password } });
  expect(answer.status).toBe(400);
});

test("users of other tenants may have any domain in their names", async () => {
  const domain = domainOf();
  expect((await create(domain)).status).toBe(201);
  const as = { username: `boss@${domain}`, password };
  const userName = `ann@${domain}`;
  expect((await api.ask("POST", "/scim2/Users", { as, body: { userName, password } })).status).toBe(201);
  const signedIn = await api.ask("GET", "/scim2/Me", { as: { username: `${userName}@${domain}`, password } });
  expect(signedIn.body.userName).toBe(userName);
});

describe("a user from before, whose name a tenant captures", () => {
  test("signs in with the super tenant behind the name, and is changed, renamed and deleted", async () => {
    const domain = domainOf();
    expect((await create(domain)).status).toBe(201);
    const userName = `ann@${domain}`;
    const id = await addUser(api.service, { username: userName, password });
    const me = (username: string) => api.ask("GET", "/scim2/Me", { as: { username, password } });
    expect((await me(userName)).status).toBe(401);
    expect((await me(`${userName}@carbon.super`)).body.id).toBe(id);
    const sent = await api.ask("PUT", `/scim2/Users/${id}`, { body: { userName, title: "driver" } });
    expect([sent.status, sent.body.title], sent.text).toEqual([200, "driver"]);
    expect((await scim.patched(`/Users/${id}`, { op: "replace", path: "userName", value: fresh("ann") })).id).toBe(id);
    expect((await scim.ask("DELETE", `/Users/${id}`)).status).toBe(204);
  });
});

describe("concurrent requests", () => {
  test("a tenant and users with its domain: never both", async () => {
    for (let round = 0; round < 6; round += 1) {
      const domain = domainOf();
      const [tenant, ...users] = await Promise.all([
        create(domain),
        ...Array.from({ length: 4 }, (_, at) =>
          // Without a password nothing is hashed: these race with every part of the creation of the tenant.
          api.ask("POST", "/svc/scim/Users", {
            body: { userName: `user${at}@${domain}`, ...(at % 2 === 0 && { password }) },
          }),
        ),
      ]);
      const created = users.filter(({ status }) => status === 201).length;
      expect([201, 409]).toContain(tenant?.status);
      for (const { status, text } of users) expect([201, 400], text).toContain(status);
      expect(tenant?.status === 201 && created > 0, `${tenant?.status} with ${created} users`).toBe(false);
    }
  });
  test("a user creation refuses a domain that is reserved, but not one whose creation ended without a tenant", async () => {
    const domain = domainOf();
    const tenants = tenantStore(tableOf(api.service));
    const nowMs = systemClock.now();
    expect(await tenants.reserve(domain, newId(), nowMs)).toBe(true);
    const ask = () => api.ask("POST", "/scim2/Users", { body: { userName: `ann@${domain}`, password } });
    expect((await ask()).status).toBe(400);
    // Killed a while ago.
    expect(await tenants.reserve(domain, newId(), nowMs - 61_000)).toBe(true);
    expect((await ask()).status).toBe(201);
  });
  test("a creation that was killed does not keep another from creating the tenant", async () => {
    const domain = domainOf();
    const tenants = tenantStore(tableOf(api.service));
    expect(await tenants.reserve(domain, newId(), systemClock.now())).toBe(true);
    expect((await create(domain)).status).toBe(201);
    expect(await tenants.reserve(domain, newId(), systemClock.now())).toBe(false);
  });
  test("the reservation of another creation is not released", async () => {
    const domain = domainOf();
    const table = tableOf(api.service);
    const tenants = tenantStore(table);
    const [first, second] = [newId(), newId()];
    await tenants.reserve(domain, first, systemClock.now());
    await tenants.reserve(domain, second, systemClock.now());
    await tenants.release(domain, first);
    expect((await table.get(keys.tenantReservation(domain)))?.id).toBe(second);
    await tenants.release(domain, second);
    expect(await table.get(keys.tenantReservation(domain))).toBeUndefined();
  });
});

test("counting reads leaves, not users: the number of matches does not change the cost", async () => {
  const domain = domainOf();
  const table = tableOf(api.service);
  const users = userStore(table);
  let batches = 0;
  const counted = userStore({
    ...table,
    getMany(keysRead, options) {
      batches += keysRead.length;
      return table.getMany(keysRead, options);
    },
  });
  for (let at = 0; at < 20; at += 1) {
    await users.add(TENANT, freshUser(newId(), `u${at}@${domain}`, systemClock.now()));
  }
  expect(await capturedNames(counted, ["PRIMARY"], domain)).toBe(20);
  // Leaves of about 230 names each; no user and no entry.
  expect(batches).toBeLessThan(10);
});
