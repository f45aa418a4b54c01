/** Rehearsals on a directory: what can be checked by reading is checked, and nothing is sent to the directory. */
import { afterAll, describe, expect, test } from "vitest";
import { fresh, type Shown, scimOf, URN } from "#tests/support/scim.ts";
import { directoryStore, hasSlapd, PEOPLE, startSlapd } from "#tests/support/slapd.ts";
import { CERTIFICATES } from "#tests/support/user-stores.ts";
import { type Ask, world } from "#tests/support/world.ts";

describe.runIf(hasSlapd)("a directory", async () => {
  if (!hasSlapd) return;
  const slapd = await startSlapd();
  const api = world({ hasMtls: true, deployment: `${CERTIFICATES}${directoryStore(slapd.url)}` });
  const scim = scimOf(api, "wso2");
  const password = "good-password";
  const user = (userName: string, more: Shown = {}) => scim.user({ userName: `CORP/${userName}`, password, ...more });
  const rehearse = (method: string, path: string, sent: Ask = {}) => api.ask(method, `/scim2${path}?dryRun=true`, sent);
  const patchOf = (...Operations: readonly Shown[]): Ask => ({ body: { schemas: [URN.patch], Operations } });
  /** All entries of people, with the times of their last changes. */
  const entries = (): Promise<readonly Shown[]> =>
    slapd.connected(async (client) => {
      const found = await client.search(PEOPLE, { filter: "(objectClass=*)", attributes: ["*", "+"] });
      return found.searchEntries as Shown[];
    });
  afterAll(() => slapd.close());

  test("refuses a change that only the directory can check, and sends none", async () => {
    const made = await user(fresh("dry"), { title: "T" });
    const path = `/Users/${made.id}`;
    const before = await entries();
    const refused = [
      await rehearse("POST", "/Users", { body: { userName: `CORP/${fresh("new")}`, password } }),
      await rehearse("PATCH", path, patchOf({ op: "replace", path: "title", value: "U" })),
      await rehearse("PATCH", path, patchOf({ op: "replace", path: "password", value: "another-password" })),
      await rehearse("PATCH", path, patchOf({ op: "replace", path: "userName", value: `CORP/${fresh("renamed")}` })),
      await rehearse("DELETE", path),
    ];
    for (const { status, headers, body } of refused) {
      expect({ status, dryRun: headers.get("dry-run") }).toEqual({ status: 400, dryRun: "true" });
      expect(body.detail).toMatch(/^The service found no error, but the directory of the user store CORP checks/);
    }
    expect(await entries()).toEqual(before);
    expect(await scim.read(path)).toEqual(made);
  });

  test("finds what can be found by reading", async () => {
    const [made, other] = [await user(fresh("dry")), await user(fresh("dry"))];
    const before = await entries();
    const taken = await rehearse("POST", "/Users", { body: { userName: made.userName, password } });
    expect(taken.status).toBe(409);
    const rename = patchOf({ op: "replace", path: "userName", value: other.userName });
    expect((await rehearse("PATCH", `/Users/${made.id}`, rename)).status).toBe(409);
    const stale = { ...patchOf({ op: "add", path: "title", value: "U" }), headers: { "if-match": 'W/"99-x"' } };
    expect((await rehearse("PATCH", `/Users/${made.id}`, stale)).status).toBe(412);
    expect(await entries()).toEqual(before);
  });

  test("rehearses what the table alone stores", async () => {
    const made = await user(fresh("dry"));
    const before = await entries();
    const nicknamed = await rehearse(
      "PATCH",
      `/Users/${made.id}`,
      patchOf({ op: "add", path: "nickName", value: "N" }),
    );
    expect(nicknamed.status, nicknamed.text).toBe(200);
    expect(nicknamed.body.nickName).toBe("N");
    const group = { schemas: [URN.group], displayName: `CORP/${fresh("Group")}`, members: [{ value: made.id }] };
    const rehearsed = await rehearse("POST", "/Groups", { body: group });
    expect(rehearsed.status, rehearsed.text).toBe(201);
    expect(rehearsed.body.members).toEqual([expect.objectContaining({ value: made.id })]);
    expect(await scim.read(`/Users/${made.id}`)).toEqual(made);
    expect(await entries()).toEqual(before);
  });
});
