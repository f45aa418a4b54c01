/** Basic authentication: what is accepted, and hostile requests with their responses. */
import { beforeAll, describe, expect, test } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { ADMIN, APPLICATIONS, basic, world } from "#tests/support/world.ts";

const api = world();
const list = (as: Parameters<typeof api.ask>[2]) => api.ask("GET", APPLICATIONS, as);
const LONGEST = "\u{20000}".repeat(252);
const encoded = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString("base64")}`;

const VIEW = "internal_application_mgt_view";

beforeAll(async () => {
  const scopes = [VIEW];
  await addUser(api.service, { username: "colon", password: "a:b:c", scopes });
  await addUser(api.service, { username: "éva", password: "pässwörd", scopes });
  await addUser(api.service, { username: "mia@corp.example", password: "Mia's own", scopes });
  await addUser(api.service, { username: "mia@own.example", password: "Mia's own", scopes });
  await addUser(api.service, { username: LONGEST, password: "a long name", scopes });
  await addUser(api.service, { username: "victim", password: "the right one", scopes });
});

describe("accepts", () => {
  test.each<[string, string]>([
    ["the administrator", basic(ADMIN)],
    ["a name with user store and tenant", encoded("PRIMARY/admin@carbon.super:admin")],
    ["a name in another letter case", encoded("primary/ADMIN@CARBON.SUPER:admin")],
    ["an e-mail address as the name, if its domain is not a tenant", encoded("mia@corp.example:Mia's own")],
    ["an e-mail address with the user store", encoded("PRIMARY/mia@corp.example:Mia's own")],
    ["an e-mail address with the tenant", encoded("mia@corp.example@carbon.super:Mia's own")],
    ["a password with colons", encoded("colon:a:b:c")],
    ["UTF-8", encoded("éva:pässwörd")],
    [
      "one of the longest names there are, with its store and tenant",
      encoded(`PRIMARY/${LONGEST}@carbon.super:a long name`),
    ],
    ["a name in decomposed Unicode", encoded("e\u0301va:pässwörd")],
  ])("%s", async (_, as) => expect((await list({ as })).status).toBe(200));
});

test("an e-mail address names a user of its domain's tenant as soon as that tenant exists", async () => {
  const as = encoded("mia@own.example:Mia's own");
  expect((await list({ as })).status).toBe(200);
  const owner = { username: "mia", password: "another-mia", email: "m@own.example", firstname: "M", lastname: "M" };
  const found = () =>
    api.ask("POST", "/api/server/v1/tenants", {
      body: { domain: "own.example", owners: [{ ...owner, provisioningMethod: "inline-password" }] },
    });
  // The tenant would take the name from the user of the super tenant.
  expect((await found()).status).toBe(409);
  expect((await list({ as })).status).toBe(200);
  const { body } = await api.ask("GET", `/scim2/Users?filter=${encodeURIComponent('userName eq "mia@own.example"')}`);
  expect((await api.ask("DELETE", `/scim2/Users/${body.Resources[0].id}`)).status).toBe(204);
  expect((await found()).status).toBe(201);
  expect((await list({ as })).status).toBe(401);
  expect((await list({ as: encoded("mia@own.example:another-mia") })).status).toBe(200);
});

describe("returns 401 for", () => {
  test.each<[string, string]>([
    ["a wrong password", encoded("admin:nope")],
    ["an unknown user", encoded("nobody:admin")],
    ["an unknown tenant", encoded("admin@evil.com:admin")],
    ["an unknown user store", encoded("NOPE/admin:admin")],
    ["a reserved user store", encoded("INTERNAL/admin:admin")],
    ["an empty tenant", encoded("admin@:admin")],
    ["two tenants", encoded("admin@carbon.super@evil:admin")],
    ["a key separator in the tenant", encoded("admin@carbon.super#UN#PRIMARY:admin")],
    ["a space in the name", encoded("ad min:admin")],
    ["a Cyrillic а", encoded("аdmin:admin")],
    ["full-width letters", encoded("ａdmin:admin")],
    ["a name that is longer than any user's", encoded(`${"x".repeat(1_100)}:x`)],
    ["a name that is too long only in lower case", encoded(`${"\u0130".repeat(400)}:x`)],
    ["a password of 6,000 characters", encoded(`admin:${"x".repeat(6_000)}`)],
  ])("%s, with one response that shows nothing of the reason", async (_, as) => {
    const answer = await list({ as });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      code: "401",
      message: "Unauthorized",
      description: "The user name or the password is wrong, or the user may not sign in.",
      traceId: expect.any(String),
    });
    expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
  });

  test.each<[string, string]>([
    ["NUL", encoded("admin\0:admin")],
    ["a line break", encoded("admin\r\nX-Y\u003a z:admin")],
    ["Latin-1", encoded(Buffer.from("éva:pässwörd", "latin1"))],
    ["a name without a password", encoded("admin")],
    ["an empty password", encoded("admin:")],
    ["junk", "Basic !!!"],
    ["no base64", "Basic admin:admin"],
    ["URL-safe Base64", "Basic YWRtaW46YWRtaW4_"],
    ["no padding", "Basic YWRtaW46YWRtaW4"],
    ["a scheme without a credential", "Basic"],
    ["a token without a scheme", "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
    ["two credentials", `${basic(ADMIN)}, ${basic(ADMIN)}`],
    ["Digest", "Digest username=admin"],
    ["Negotiate", "Negotiate abc"],
  ])("%s, and says what a header looks like", async (_, as) => {
    const { status, body } = await list({ as });
    expect(status).toBe(401);
    expect(body.description).toMatch(/^The Authorization header cannot be read: send Basic, a blank, and the base64 /);
    expect(body.description).toContain("or Bearer, a blank, and an access token.");
  });

  test("credentials in proxy headers, a certificate header, a cookie or a query parameter", async () => {
    for (const headers of [
      { "x-ssl-cert": "a" },
      { "x-client-cert": "a" },
      { "wso2-identity-user": "admin" },
      { "x-remote-user": "admin" },
      { cookie: "JSESSIONID=1" },
      { "x-access-token": "a" },
    ]) {
      expect((await list({ as: null, headers: headers as unknown as Record<string, string> })).status).toBe(401);
    }
    expect(
      (await api.ask("GET", `${APPLICATIONS}?access_token=a&username=admin&password=admin`, { as: null })).status,
    ).toBe(401);
  });

  test("the path of another tenant, whether it exists or not", async () => {
    for (const tenant of ["acme.com", "CARBON.SUPER", "carbon.super.", "constructor", "%23"]) {
      expect((await api.ask("GET", `/t/${tenant}${APPLICATIONS}`)).status, tenant).toBe(401);
    }
  });

  test("every path of a protected family, known or not, with every method", async () => {
    for (const path of ["/api/server/v1/nothing", "/scim2/Users", "/svc/scim/Users", "/oauth2/x", "/api/server/v1"]) {
      for (const method of ["GET", "POST", "DELETE", "OPTIONS"]) {
        expect((await api.ask(method, path, { as: null })).status, `${method} ${path}`).toBe(401);
      }
    }
    const head = await api.ask("HEAD", APPLICATIONS, { as: null });
    expect([head.status, head.text]).toEqual([401, ""]);
  });
});

describe("lockout", () => {
  test("locks a name after ten wrong passwords, with the same response; other names stay unlocked", async () => {
    const wrong = encoded("victim:wrong");
    const answers = [];
    for (let attempt = 0; attempt < 10; attempt += 1) answers.push(await list({ as: wrong }));
    const right = await list({ as: encoded("victim:the right one") });
    expect(right.status).toBe(401);
    expect({ ...right.body, traceId: "" }).toEqual({ ...answers[0]?.body, traceId: "" });
    expect((await list({ as: encoded("VICTIM@carbon.super:the right one") })).status).toBe(401);
    expect((await list({ as: basic(ADMIN) })).status).toBe(200);
  });
  test.each([
    ["/scim2/Users", "urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    ["/svc/scim/Users", ""],
  ])("a password that an administrator sets through %s unlocks its user at once", async (users, patchOp) => {
    const username = users.startsWith("/scim2") ? "forgetful" : "muddled";
    const id = await addUser(api.service, { username, password: "the right one", scopes: [VIEW] });
    for (let attempt = 0; attempt < 10; attempt += 1) await list({ as: encoded(`${username}:wrong`) });
    expect((await list({ as: encoded(`${username}:the right one`) })).status).toBe(401);
    const body = patchOp
      ? { schemas: [patchOp], Operations: [{ op: "replace", value: { password: "a-new-one" } }] }
      : { schemas: [], password: "a-new-one" };
    expect((await api.ask("PATCH", `${users}/${id}`, { body })).status).toBe(200);
    expect((await list({ as: encoded(`${username}:a-new-one`) })).status).toBe(200);
  });
  test("clears the failures after a success; proxy headers do not change whose failures count", async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const headers = { "x-forwarded-for": `10.0.0.${attempt}`, "x-real-ip": `10.0.1.${attempt}` };
        expect((await list({ as: encoded("colon:wrong"), headers })).status).toBe(401);
      }
      expect((await list({ as: encoded("colon:a:b:c") })).status).toBe(200);
    }
  });
});
