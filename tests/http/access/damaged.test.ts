/**
 * A row that this service could not have written: 500 in the dialect of the operation, its key in the log, nothing else
 * affected.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { fresh, URN } from "#tests/support/scim.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const VALUE = "damaged-value-5f1c";
let lines: string[] = [];

beforeEach(() => {
  lines = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      lines.push(texts.map(String).join(" "));
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const newUser = async (): Promise<{ readonly id: string; readonly userName: string }> => {
  const userName = fresh("damaged");
  const body = { schemas: [URN.user], userName, password: "good-password" };
  return { id: (await api.ask("POST", "/scim2/Users", { body })).body.id, userName };
};
const damage = (id: string, set: Readonly<Record<string, string>>): Promise<void> =>
  tableOf(api.service).write({
    change: keys.user(TENANT, id),
    set,
    when: "present",
    otherwise: () => new Error("no such user"),
  });
/** The records of failed requests. */
const failures = () =>
  lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : [])).filter(({ cause }) => cause);

describe("a damaged user", () => {
  test.each<[attribute: string, expected: string]>([
    ["created", "a finite number"],
    ["active", "true or false"],
    ["groups", "a set of texts or absent"],
    ["profile", "JSON of an object"],
  ])("is 500 in SCIM, and the log names key and attribute without the value: %s", async (attribute, expected) => {
    const { id } = await newUser();
    await damage(id, { [attribute]: VALUE });
    lines = [];
    const answer = await api.ask("GET", `/scim2/Users/${id}`);
    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toMatch(/^application\/scim\+json/);
    expect(answer.body).toMatchObject({ schemas: URN.error, status: "500" });
    const [failure] = failures();
    expect(failure).toMatchObject({ fault: "server.unexpected", cause: { name: "DamagedRow" } });
    const { PK, SK } = keys.user(TENANT, id);
    expect(failure.cause.message).toBe(
      `The user row PK="${PK}" SK="${SK}" is damaged: ${attribute} must be ${expected}.`,
    );
    expect(`${lines.join("\n")}${answer.text}`).not.toContain(VALUE);
  });

  test("is 500 in SCIM 1.1", async () => {
    const { id } = await newUser();
    await damage(id, { modified: VALUE });
    const answer = await api.ask("GET", `/svc/scim/Users/${id}`);
    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.body.Errors[0]).toEqual({ code: "500", description: expect.any(String) });
  });

  test("is 500 in the management API where it is read", async () => {
    const { id } = await newUser();
    const application = await api.create({ name: fresh("damaged") });
    await damage(id, { userStore: VALUE, ver: VALUE });
    const body = { id };
    const answer = await api.ask("PUT", `${APPLICATIONS}/${application}/owner`, { body });
    expect([answer.status, answer.body.code]).toEqual([500, "SE-50000"]);
  });

  test("fails only the requests that read it", async () => {
    const [damaged, sound] = [await newUser(), await newUser()];
    await damage(damaged.id, { profile: VALUE });
    expect((await api.ask("GET", `/scim2/Users/${sound.id}`)).body.userName).toBe(sound.userName);
    const body = { schemas: [URN.patch], Operations: [{ op: "replace", path: "nickName", value: "S" }] };
    expect((await api.ask("PATCH", `/scim2/Users/${sound.id}`, { body })).status).toBe(200);
    const list = await api.ask("GET", `/scim2/Users?filter=userName+eq+${sound.userName}`);
    expect(list.body.totalResults).toBe(1);
    expect((await api.ask("GET", `/scim2/Users?filter=userName+eq+${damaged.userName}`)).status).toBe(500);
  });

  test("is not changed: neither a write nor a removal replaces it", async () => {
    const { id } = await newUser();
    await damage(id, { profile: VALUE });
    const body = { schemas: [URN.patch], Operations: [{ op: "replace", path: "nickName", value: "S" }] };
    expect((await api.ask("PATCH", `/scim2/Users/${id}`, { body })).status).toBe(500);
    expect((await api.ask("DELETE", `/scim2/Users/${id}`)).status).toBe(500);
    expect(await tableOf(api.service).get(keys.user(TENANT, id))).toMatchObject({ profile: VALUE });
  });
});
