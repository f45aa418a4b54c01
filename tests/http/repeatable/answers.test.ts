/** What the first request with a key gets, and what its repeats get (decision 0086). */
import { beforeAll, describe, expect, test } from "vitest";
import { sampleFile } from "#tests/support/files.ts";
import { addUser, tableOf } from "#tests/support/people.ts";
import { allItems } from "#tests/support/protocols.ts";
import { contentOf, key, rowsOf, sameIn } from "#tests/support/repeatable.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask } = api;
const USERS = "/scim2/Users";
const GROUPS = "/scim2/Groups";
const password = "a-long-password";
const manager = { username: "manager", password };
const scopes = ["create", "update", "view", "delete"].map((word) => `internal_application_mgt_${word}`);

let made = 0;
const newName = (): string => {
  made += 1;
  return `name-${made}`;
};
const replayed = "idempotency-replayed";
/** The path of the only role of a user. */
const roleOf = async (id: string): Promise<string> =>
  new URL((await ask("GET", `${USERS}/${id}`)).body.roles[0].$ref).pathname;

beforeAll(async () => {
  await addUser(api.service, { ...manager, scopes });
});

describe("the first answer", () => {
  test("comes again, with Location and the mark, and nothing is done twice", async () => {
    const sent = { body: { name: newName() }, headers: key(newName()) };
    const first = await ask("POST", APPLICATIONS, sent);
    const before = await contentOf(api.service);
    const second = await ask("POST", APPLICATIONS, sent);
    expect([first.status, first.headers.get(replayed)]).toEqual([201, null]);
    expect(sameIn(second)).toEqual(sameIn(first));
    expect(second.headers.get(replayed)).toBe("true");
    expect(await contentOf(api.service)).toEqual(before);
  });

  test("comes again with its body and ETag, also after others changed the resource", async () => {
    const sent = { body: { userName: newName(), password }, headers: key(newName()) };
    const first = await ask("POST", USERS, sent);
    expect(first.status).toBe(201);
    const path = `${USERS}/${first.body.id}`;
    const patch = {
      body: { Operations: [{ op: "replace", path: "title", value: "Boss" }] },
      headers: { ...key(newName()), "if-match": first.headers.get("etag") ?? "" },
    };
    const changed = await ask("PATCH", path, patch);
    expect(changed.status).toBe(200);
    expect(sameIn(await ask("POST", USERS, sent))).toEqual(sameIn(first));
    await ask("DELETE", path);
    expect(sameIn(await ask("PATCH", path, patch))).toEqual(sameIn(changed));
    expect((await ask("GET", path)).status).toBe(404);
  });

  test("comes again whatever the order of members and the spelling of the key", async () => {
    const [name, one] = [newName(), newName()];
    const send = (raw: string, header: string, query = "") =>
      ask("POST", `${USERS}${query}`, {
        raw,
        headers: { "content-type": "application/json", "idempotency-key": header },
      });
    const first = await send(
      `{"userName":"${name}","title":"x","password":"${password}"}`,
      `"${one}"`,
      "?attributes=id&excludedAttributes=meta",
    );
    const second = await send(
      `{ "password": "${password}", "title": "x",\n "userName": "${name}" }`,
      one,
      "?excludedAttributes=meta&attributes=id",
    );
    expect(first.status).toBe(201);
    expect(sameIn(second)).toEqual(sameIn(first));
    expect(second.headers.get(replayed)).toBe("true");
  });

  test("comes again for an uploaded file, whatever the boundary of its parts", async () => {
    const content = (await sampleFile()).replaceAll("SampleSP", newName());
    const headers = key(newName());
    const upload = () => {
      const form = new FormData();
      form.set("file", new Blob([content]), "app.xml");
      return fetch(`${api.url}${APPLICATIONS}/import`, {
        method: "POST",
        body: form,
        headers: { ...headers, authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` },
      });
    };
    const [first, second] = [await upload(), await upload()];
    expect(first.status).toBe(201);
    expect([second.status, second.headers.get(replayed)]).toEqual([201, "true"]);
    expect(await second.text()).toBe(await first.text());
  });

  test("is that of the caller: the same key of another user or tenant is another key", async () => {
    const headers = key(newName());
    const own = await ask("POST", APPLICATIONS, { body: { name: newName() }, headers });
    const other = await ask("POST", APPLICATIONS, { body: { name: newName() }, headers, as: manager });
    expect([own.status, other.status]).toEqual([201, 201]);
    expect(other.headers.get(replayed)).toBeNull();
    const owner = { username: "boss", password };
    const domain = "other.example";
    const tenant = await ask("POST", "/api/server/v1/tenants", {
      body: { domain, owners: [owner] },
      headers: key(newName()),
    });
    expect(tenant.status, tenant.text).toBe(201);
    const as = { username: `boss@${domain}`, password };
    const third = await ask("POST", `/t/${domain}${APPLICATIONS}`, { body: { name: newName() }, headers, as });
    expect([third.status, third.headers.get(replayed)]).toEqual([201, null]);
  });

  test("is kept for 24 hours", async () => {
    const sent = { body: { userName: newName(), password }, headers: key(newName()) };
    const known = new Set((await rowsOf(api.service)).map(({ PK }) => PK));
    const first = await ask("POST", USERS, sent);
    const row = (await rowsOf(api.service)).find(({ PK }) => !known.has(PK));
    const hours = (Number(row?.expiresAtSeconds) - Date.now() / 1_000) / 3_600;
    expect(Math.round(hours)).toBe(24);
    await ask("DELETE", `${USERS}/${first.body.id}`);
    await tableOf(api.service).write({
      change: { PK: row?.PK ?? "", SK: "A" },
      set: { expiresAtSeconds: Math.floor(Date.now() / 1_000) - 1 },
      when: "present",
      otherwise: () => new Error("no row"),
    });
    const second = await ask("POST", USERS, sent);
    expect([second.status, second.headers.get(replayed)]).toEqual([201, null]);
    expect(second.body.id).not.toBe(first.body.id);
  });
});

describe("without a key", () => {
  test("nothing is stored, and nothing is replayed", async () => {
    const before = await rowsOf(api.service, { all: true });
    const sent = { body: { name: newName() } };
    expect((await ask("POST", APPLICATIONS, sent)).status).toBe(201);
    expect((await ask("POST", APPLICATIONS, sent)).status).toBe(409);
    expect(await rowsOf(api.service, { all: true })).toHaveLength(before.length);
  });

  test.each([
    ["GET", APPLICATIONS, undefined],
    ["POST", "/scim2/Users/.search", { filter: 'userName eq "nobody"' }],
    ["PUT", "/scim2/Me", { userName: "admin", nickName: "a" }],
    ["DELETE", `${APPLICATIONS}/00000000-0000-0000-0000-000000000000`, undefined],
  ])("%s %s has no use for one, and ignores it", async (method, path, body) => {
    const before = await rowsOf(api.service, { all: true });
    const sent = { headers: { "idempotency-key": 'not "valid"' }, ...(body && { body }) };
    const answer = await ask(method, path, sent);
    expect([200, 204]).toContain(answer.status);
    expect(await rowsOf(api.service, { all: true })).toHaveLength(before.length);
  });

  test("a PUT that a POST names in a header ignores it too", async () => {
    const before = await rowsOf(api.service, { all: true });
    const headers = { ...key(newName()), "x-http-method-override": "PUT" };
    const answer = await ask("POST", "/svc/scim/Users/me", { body: { userName: "admin" }, headers });
    expect(answer.status, answer.text).toBe(200);
    expect(await rowsOf(api.service, { all: true })).toHaveLength(before.length);
  });

  test("a token request ignores it: the same token is never given twice", async () => {
    const id = await api.create({
      name: newName(),
      inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"] } },
    });
    const { clientId, clientSecret } = (await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`)).body;
    const token = () =>
      ask("POST", "/oauth2/token", {
        raw: "grant_type=client_credentials",
        headers: { "content-type": "application/x-www-form-urlencoded", ...key("token") },
        as: { username: clientId, password: clientSecret },
      });
    const [first, second] = [await token(), await token()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.access_token).not.toBe(first.body.access_token);
  });
});

describe("an answer that is a failure", () => {
  test("comes again where it is final: 409", async () => {
    const name = newName();
    const id = await api.create({ name });
    const sent = { body: { name }, headers: key(newName()) };
    const first = await ask("POST", APPLICATIONS, sent);
    await ask("DELETE", `${APPLICATIONS}/${id}`);
    const second = await ask("POST", APPLICATIONS, sent);
    expect(first.status).toBe(409);
    expect(sameIn(second)).toEqual(sameIn(first));
    expect(second.headers.get(replayed)).toBe("true");
    expect((await ask("POST", APPLICATIONS, { ...sent, headers: key(newName()) })).status).toBe(201);
  });

  test.each([
    [404, "PATCH", `${GROUPS}/unknown`, { Operations: [{ op: "replace", path: "displayName", value: "a" }] }],
    [400, "POST", USERS, { userName: "a@b:c", password }],
  ])("comes again where it is final: %i", async (status, method, path, body) => {
    const sent = { body, headers: key(newName()) };
    const first = await ask(method, path, sent);
    const second = await ask(method, path, sent);
    expect(first.status).toBe(status);
    expect(sameIn(second)).toEqual(sameIn(first));
    expect(second.headers.get(replayed)).toBe("true");
  });

  test("uses up no key where the request does not fit its schema", async () => {
    const headers = key(newName());
    expect((await ask("POST", APPLICATIONS, { body: { name: 1 }, headers })).status).toBe(400);
    expect((await ask("POST", APPLICATIONS, { raw: "{", headers })).status).toBe(400);
    expect((await ask("POST", APPLICATIONS, { body: { name: newName() }, headers })).status).toBe(201);
  });

  test("uses up no key where a right is missing that can be given", async () => {
    const sent = { body: { name: newName(), associatedRoles: {} }, headers: key(newName()) };
    expect((await ask("POST", "/api/server/v1/api-resources", { ...sent, as: manager })).status).toBe(403);
    expect(await rowsOf(api.service)).not.toContainEqual(expect.objectContaining({ state: "running" }));
  });
});

describe("422", () => {
  const other = (sent: string) => [sent, "another request"] as const;
  const management = { code: "422", message: "Unprocessable Content" };
  test.each([
    [...other("body"), "POST", APPLICATIONS, () => ({ name: newName() }), management],
    [...other("query"), "POST", `${USERS}?attributes=userName`, undefined, { status: "422" }],
    [...other("method"), "PATCH", USERS, undefined, undefined],
  ])("a key that was used for another %s is refused (%s)", async (what, _, method, path, body, shape) => {
    const headers = key(newName());
    const first = { name: newName() };
    const user = { userName: newName(), password };
    const isUser = path.startsWith(USERS);
    const url = path.split("?")[0] ?? "";
    expect((await ask("POST", url, { body: isUser ? user : first, headers })).status).toBe(201);
    const answer = await ask(method, path, { body: body?.() ?? user, headers });
    if (what === "method") return expect(answer.status).toBe(405);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject(shape ?? {});
    expect(answer.text).toContain("Idempotency-Key");
  });

  test("SCIM 1.1 says so in its own shape", async () => {
    const headers = key(newName());
    const send = () => ask("POST", "/svc/scim/Users", { body: { userName: newName(), password }, headers });
    expect((await send()).status).toBe(201);
    const answer = await send();
    expect([answer.status, answer.body.Errors[0].code]).toEqual([422, "422"]);
  });
});

describe("409", () => {
  test("a request whose first attempt runs is told to wait", async () => {
    const sent = { body: { name: newName() }, headers: key(newName()) };
    const known = new Set((await rowsOf(api.service)).map(({ PK }) => PK));
    expect((await ask("POST", APPLICATIONS, sent)).status).toBe(201);
    const PK = (await rowsOf(api.service)).find((row) => !known.has(row.PK))?.PK ?? "";
    const set = (values: Readonly<Record<string, string | number>>) =>
      tableOf(api.service).write({
        change: { PK, SK: "A" },
        set: values,
        when: "present",
        otherwise: () => new Error(PK),
      });
    await set({ state: "running", sinceMs: Date.now() });
    const answer = await ask("POST", APPLICATIONS, sent);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([409, "2"]);
    expect(answer.body.description).toContain("has not ended");
    // Longer than any request: its attempt has ended without an answer, so this one takes its place.
    await set({ sinceMs: Date.now() - 41_000 });
    const later = await ask("POST", APPLICATIONS, sent);
    expect([later.status, later.headers.get(replayed)]).toEqual([409, null]);
    expect(later.body.description).toContain("already exists");
    await tableOf(api.service).forget({ PK, SK: "A" });
  });

  test("one of 20 requests at once takes effect, and the others get its answer or are told to wait", async () => {
    const sent = { body: { userName: newName(), password }, headers: key(newName()) };
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("POST", USERS, sent)));
    const made = answers.filter(({ status, headers }) => status === 201 && headers.get(replayed) === null);
    expect(made).toHaveLength(1);
    for (const { status, headers, body } of answers) {
      expect([201, 409]).toContain(status);
      if (status === 201) expect(body.id).toBe(made[0]?.body.id);
      else expect(headers.get("retry-after")).toBe("2");
    }
    expect(sameIn(await ask("POST", USERS, sent))).toEqual(sameIn(made[0] ?? (answers[0] as (typeof answers)[0])));
    const found = await ask("GET", `${USERS}?filter=${encodeURIComponent(`userName eq "${sent.body.userName}"`)}`);
    expect(found.body.totalResults).toBe(1);
  });
});

describe("403", () => {
  test("a caller who lost the right gets no first answer", async () => {
    const user = { username: newName(), password };
    const id = await addUser(api.service, { ...user, scopes });
    const sent = { body: { name: newName() }, headers: key(newName()), as: user };
    expect((await ask("POST", APPLICATIONS, sent)).status).toBe(201);
    expect((await ask("DELETE", await roleOf(id))).status).toBe(204);
    expect((await ask("POST", APPLICATIONS, sent)).status).toBe(403);
  });

  test("a caller with fewer of the scopes that decided gets no first answer", async () => {
    const more = [...scopes, "internal_application_mgt_client_secret_create"];
    const user = { username: newName(), password };
    const id = await addUser(api.service, { ...user, scopes: more });
    const app = await api.create({
      name: newName(),
      inboundProtocolConfiguration: { oidc: { grantTypes: ["password"] } },
    });
    const sent = { body: { description: "second" }, headers: key(newName()), as: user };
    const path = `${APPLICATIONS}/${app}/inbound-protocols/oidc/secrets`;
    const first = await ask("POST", path, sent);
    expect(first.status, first.text).toBe(201);
    expect((await ask("POST", path, sent)).text).toBe(first.text);
    await ask("PATCH", await roleOf(id), {
      body: { Operations: [{ op: "replace", path: "permissions", value: more.slice(1).map((value) => ({ value })) }] },
    });
    const answer = await ask("POST", path, sent);
    expect([answer.status, answer.text.includes(first.body.secretValue)]).toEqual([403, false]);
  });
});

describe("400", () => {
  test.each([
    "",
    '""',
    '"open',
    'a"b',
    "one, two",
    '"one", "two"',
    "ä",
    `"${"x".repeat(256)}"`,
    "x".repeat(256),
    "a b",
  ])("the header %j is refused", async (header) => {
    const headers = { "idempotency-key": Buffer.from(header, "utf8").toString("latin1") };
    const management = await ask("POST", APPLICATIONS, { body: { name: newName() }, headers });
    expect([management.status, management.body.code]).toEqual([400, "UE-10000"]);
    const scim = await ask("POST", USERS, { body: { userName: newName(), password }, headers });
    expect([scim.status, scim.body.status]).toEqual([400, "400"]);
    expect(scim.body.detail).toContain("Idempotency-Key must be one text of 1 to 255");
  });
});

describe("secrets", () => {
  test("no answer with a secret is in the table in plain text", async () => {
    const app = await api.create({
      name: newName(),
      inboundProtocolConfiguration: { oidc: { grantTypes: ["password"] } },
    });
    const sent = { body: { description: "second" }, headers: key("a-key-of-a-caller") };
    const first = await ask("POST", `${APPLICATIONS}/${app}/inbound-protocols/oidc/secrets`, sent);
    const second = await ask("POST", `${APPLICATIONS}/${app}/inbound-protocols/oidc/secrets`, sent);
    expect(first.body.secretValue.length).toBeGreaterThan(20);
    expect(second.text).toBe(first.text);
    const chosen = "Chosen-Passw0rd-of-a-user";
    await ask("POST", USERS, { body: { userName: newName(), password: chosen }, headers: key(newName()) });
    const raw = JSON.stringify(await allItems(api.service));
    for (const secret of [first.body.secretValue, chosen, "a-key-of-a-caller"]) {
      for (const form of [secret, Buffer.from(secret).toString("base64").replace(/=+$/, "")])
        expect(raw).not.toContain(form);
    }
  });

  test("an answer is sealed for its caller and key", async () => {
    const sent = { body: { name: newName() }, headers: key(newName()) };
    const known = new Set((await rowsOf(api.service)).map(({ PK }) => PK));
    await ask("POST", APPLICATIONS, sent);
    const [row, other] = (await rowsOf(api.service)).sort(({ PK }) => (known.has(PK) ? 1 : -1));
    await tableOf(api.service).write({
      change: { PK: row?.PK ?? "", SK: "A" },
      set: { answer: String(other?.answer) },
      when: "present",
      otherwise: () => new Error("no row"),
    });
    expect((await ask("POST", APPLICATIONS, sent)).status).toBe(500);
  });
});

describe("with If-Match", () => {
  test("a change of an application comes again, although its tag is another one now", async () => {
    const path = `${APPLICATIONS}/${await api.create({ name: newName() })}`;
    const tag = (await ask("GET", path)).headers.get("etag") ?? "";
    const sent = { body: { description: "changed" }, headers: { ...key(newName()), "if-match": tag } };
    const first = await ask("PATCH", path, sent);
    expect(first.status, first.text).toBe(200);
    const second = await ask("PATCH", path, sent);
    expect([sameIn(second), second.headers.get(replayed)]).toEqual([sameIn(first), "true"]);
    // Refused by the condition: nothing is kept, so that the request can name the new tag.
    const late = { body: { description: "late" }, headers: { ...key(newName()), "if-match": tag } };
    expect((await ask("PATCH", path, late)).status).toBe(412);
    const fresh = (await ask("GET", path)).headers.get("etag") ?? "";
    const again = await ask("PATCH", path, { ...late, headers: { ...late.headers, "if-match": fresh } });
    expect([again.status, again.headers.get(replayed)]).toEqual([200, null]);
    expect((await ask("GET", path)).body.description).toBe("late");
  });

  test("a dry run uses up no key", async () => {
    const sent = { body: { name: newName() }, headers: key(newName()) };
    expect((await ask("POST", `${APPLICATIONS}?dryRun=true`, sent)).status).toBe(201);
    const first = await ask("POST", APPLICATIONS, sent);
    expect([first.status, first.headers.get(replayed)]).toEqual([201, null]);
  });
});
