/**
 * Names that look like others, and names with a colon: no door accepts a new one, in any user store. Users who have one
 * from earlier, or from a directory, are read, changed, renamed and deleted.
 */
import { afterAll, describe, expect, test } from "vitest";
import { freshUser } from "#core/directory/users/model.ts";
import { userStore } from "#core/directory/users/store.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newId } from "#core/kernel/ids.ts";
import { oauthOf } from "#tests/support/oauth.ts";
import { addUser, TENANT, tableOf } from "#tests/support/people.ts";
import { fresh, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { TWO_STORES } from "#tests/support/user-stores.ts";
import { type Answer, basic, type World, world } from "#tests/support/world.ts";

const slapd = hasSlapd ? await startSlapd() : undefined;
const api = world({ deployment: `${TWO_STORES}${slapd ? directoryStore(slapd.url) : ""}` });
afterAll(() => slapd?.close());
const scim = scimOf(api, "wso2");
const password = "good-password";
const stores = ["", "SECOND/", ...(slapd ? ["CORP/"] : [])];

/** One of each class; tests/unit/names/characters.test.ts has all code points. */
const bad = {
  "a control character": "\u0007",
  "a soft hyphen": "\u00ad",
  "a zero-width space": "\u200b",
  "a zero-width joiner": "\u200d",
  "a word joiner": "\u2060",
  "an overriding direction": "\u202e",
  "a variation selector": "\ufe0f",
  "a tag": "\u{E0041}",
  "a filler": "\u3164",
  "a colon": ":",
  "a ligature": "\ufb01",
  "a letter of full width": "\uff4b",
  "a letter of another script": "\u0430",
};
/** What refusals say. */
const REASONS = /invisible character U\+|colon|stands for|mixes scripts/;
const classes = Object.entries(bad);

const bulk1 = (operation: Shown) => ({ schemas: ["urn:scim:schemas:core:1.0"], Operations: [operation] });
const bulk2 = (operation: Shown) => ({ schemas: [URN.bulk], Operations: [operation] });
/** The status and text of the only operation of a bulk request. */
const only = (answer: Answer): Answer => {
  expect(answer.status, answer.text).toBe(200);
  const { status, response } = answer.body.Operations[0];
  return { ...answer, status: Number(status.code ?? status), text: JSON.stringify(response ?? status) };
};

/** Every door through which a user gets a name. `id` is an existing user. */
type Door = (send: World["ask"], userName: string, id: string) => Promise<Answer>;
const creations: Readonly<Record<string, Door>> = {
  "POST /scim2/Users": (send, userName) => send("POST", "/scim2/Users", { body: { userName, password } }),
  "POST /svc/scim/Users": (send, userName) => send("POST", "/svc/scim/Users", { body: { userName, password } }),
  "POST /scim2/Bulk": async (send, userName) => {
    const operation = { method: "POST", path: "/Users", bulkId: "a", data: { userName, password } };
    return only(await send("POST", "/scim2/Bulk", { body: bulk2(operation) }));
  },
  "POST /svc/scim/Bulk": async (send, userName) => {
    const operation = { method: "POST", path: "/Users", bulkId: "a", data: { userName, password } };
    return only(await send("POST", "/svc/scim/Bulk", { body: bulk1(operation) }));
  },
};
const replacing = (userName: string) => [{ op: "replace", path: "userName", value: userName }];
const renames: Readonly<Record<string, Door>> = {
  "PUT /scim2/Users": (send, userName, id) => send("PUT", `/scim2/Users/${id}`, { body: { userName } }),
  "PATCH /scim2/Users with a path": (send, userName, id) =>
    send("PATCH", `/scim2/Users/${id}`, { body: { schemas: [URN.patch], Operations: replacing(userName) } }),
  "PATCH /scim2/Users without a path": (send, userName, id) =>
    send("PATCH", `/scim2/Users/${id}`, {
      body: { schemas: [URN.patch], Operations: [{ op: "add", value: { userName } }] },
    }),
  "PUT /svc/scim/Users": (send, userName, id) => send("PUT", `/svc/scim/Users/${id}`, { body: { userName } }),
  "PATCH /svc/scim/Users": (send, userName, id) => send("PATCH", `/svc/scim/Users/${id}`, { body: { userName } }),
  "POST /scim2/Bulk": async (send, userName, id) => {
    const operation = { method: "PUT", path: `/Users/${id}`, data: { userName } };
    return only(await send("POST", "/scim2/Bulk", { body: bulk2(operation) }));
  },
  "POST /svc/scim/Bulk": async (send, userName, id) => {
    const operation = { method: "PATCH", path: `/Users/${id}`, data: { userName } };
    return only(await send("POST", "/svc/scim/Bulk", { body: bulk1(operation) }));
  },
};

describe.each(stores)("in the user store %j", (store) => {
  test.each(Object.entries(creations))(
    "%s creates no user whose name has a hidden character, a colon, or looks like another",
    async (_, door) => {
      const before = (await scim.get("/Users", { count: 0 })).body.totalResults;
      for (const [, character] of classes) {
        const answer = await door(api.ask, `${store}${fresh("new")}${character}x`, "");
        expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(REASONS)]);
      }
      expect((await scim.get("/Users", { count: 0 })).body.totalResults).toBe(before);
    },
  );
  test.each(Object.entries(renames))("%s renames no user to such a name", async (_, door) => {
    const userName = `${store}${fresh("old")}`;
    const { id } = await scim.user({ userName, password });
    for (const [, character] of classes) {
      const answer = await door(api.ask, `${userName}${character}x`, id);
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(REASONS)]);
    }
    expect((await scim.read(`/Users/${id}`)).userName).toBe(userName);
    const renamed = await door(api.ask, `${userName}-2`, id);
    expect(renamed.status, renamed.text).toBe(200);
    expect((await scim.read(`/Users/${id}`)).userName).toBe(`${userName}-2`);
  });
});

test.each(classes)("the owner of a new tenant has no name with %s", async (_, character) => {
  const owners = [{ username: `kim${character}x`, password, provisioningMethod: "inline-password" }];
  const domain = `${fresh("owner")}.example`;
  const answer = await api.ask("POST", "/api/server/v1/tenants", { body: { domain, owners } });
  expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(REASONS)]);
  expect((await api.ask("GET", `/api/server/v1/tenants/domain/${domain}`)).status).toBe(404);
});

/** Stores a user as an earlier version of the service did. */
const earlier = async (userName: string, store: string): Promise<string> => {
  const id = newId();
  const userStoreName = store === "" ? "PRIMARY" : store.slice(0, -1);
  const user = freshUser(id, userName, systemClock.now(), { userStore: userStoreName });
  await userStore(tableOf(api.service)).add(TENANT, user);
  return id;
};

describe.each(["", "SECOND/"])("an existing user of %j", (store) => {
  test.each(classes)("with %s in the name is read, listed, changed, renamed and deleted", async (_, character) => {
    const name = `${fresh("kept")}${character}x`;
    const id = await earlier(name, store);
    const userName = `${store}${name}`;
    const shown = await scim.read(`/Users/${id}`);
    expect(shown.userName).toBe(userName);
    expect(await scim.names(`userName eq ${JSON.stringify(userName)}`)).toEqual([userName]);
    const replaced = await api.ask("PUT", `/scim2/Users/${id}`, { body: { ...shown, title: "driver" } });
    expect([replaced.status, replaced.body.title], replaced.text).toEqual([200, "driver"]);
    expect((await scim.patched(`/Users/${id}`, { op: "add", path: "nickName", value: "K" })).nickName).toBe("K");
    const old = await api.ask("PATCH", `/svc/scim/Users/${id}`, { body: { userName, displayName: "Kim" } });
    expect([old.status, old.body.displayName], old.text).toEqual([200, "Kim"]);
    const other = `${store}${fresh("plain")}`;
    expect((await scim.patched(`/Users/${id}`, { op: "replace", path: "userName", value: other })).userName).toBe(
      other,
    );
    expect((await scim.ask("DELETE", `/Users/${id}`)).status).toBe(204);
    const gone = await earlier(name, store);
    expect((await scim.ask("DELETE", `/Users/${gone}`)).status).toBe(204);
  });
});

test("an existing user with a colon signs in by the password grant as before, and not by Basic", async () => {
  await addUser(api.service, { username: "co:lon", password });
  const me = await api.ask("GET", "/scim2/Me", { as: basic({ username: "co:lon", password }) });
  expect(me.status).toBe(401);
  const oauth = oauthOf(api);
  const client = await oauth.newClient([], { grantTypes: ["password"] });
  const answer = await oauth.token(client, { grant_type: "password", username: "co:lon", password });
  expect(answer.access_token).toEqual(expect.stringMatching(/./));
});

describe.runIf(hasSlapd)("a user whom the directory has with such a name", () => {
  test.each(["zero\u200bwidth", "co:lon"])("%j is shown, changed and deleted under that name", async (name) => {
    await slapd?.connected((client) =>
      client.add(`uid=${name},${PEOPLE}`, { objectClass: "inetOrgPerson", uid: name, cn: name, sn: name }),
    );
    const [user] = (await scim.find(`userName eq ${JSON.stringify(name)}`, "/Users", { domain: "CORP" })).Resources;
    expect(user.userName).toBe(`CORP/${name}`);
    expect((await scim.patched(`/Users/${user.id}`, { op: "add", path: "title", value: "driver" })).title).toBe(
      "driver",
    );
    const sent = await api.ask("PUT", `/scim2/Users/${user.id}`, { body: { ...user, title: "owner" } });
    expect([sent.status, sent.body.title], sent.text).toEqual([200, "owner"]);
    expect((await scim.ask("DELETE", `/Users/${user.id}`)).status).toBe(204);
  });
});

describe.each([
  ["group", "/scim2/Groups"],
  ["role", "/scim2/v2/Roles"],
])("the name of a %s", (kind, path) => {
  const shown = new Set([":", "\ufb01", "\uff4b", "\u0430"]);
  const hidden = classes.filter(([, character]) => !shown.has(character));
  test.each(hidden)("has no %s between letters, when it is created or renamed", async (_, character) => {
    const displayName = fresh(kind);
    const lookalike = displayName.replace("o", `o${character}`);
    const refused = await api.ask("POST", path, { body: { displayName: lookalike } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/invisible character U\+/)]);
    const { id } = (await api.ask("POST", path, { body: { displayName } })).body;
    for (const [method, body] of [
      ["PUT", { displayName: lookalike }],
      ["PATCH", { Operations: [{ op: "replace", path: "displayName", value: lookalike }] }],
    ] as const) {
      const answer = await api.ask(method, `${path}/${id}`, { body });
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/invisible character U\+/)]);
    }
    expect((await api.ask("GET", `${path}/${id}`)).body.displayName).toBe(displayName);
  });
});
