/** Hostile requests around guests, which are users of other tenants at applications with `saas` (decision 0134). */
import { beforeAll, describe, expect, test } from "vitest";
import { concurrently } from "#core/kernel/concurrently.ts";
import { type Operation, PUBLIC, SIGNED_IN } from "#core/kernel/operation/operation.ts";
import { catalogue } from "#core/service/catalogue.ts";
import { apiResourcesOf, scopesNamed } from "#tests/support/api-resources.ts";
import { TWO_STEPS } from "#tests/support/codes.ts";
import type { TestClient } from "#tests/support/oauth.ts";
import { EVERYTHING, saasOf } from "#tests/support/saas.ts";
import { CALLBACK, claimsIn, PERSON } from "#tests/support/sign-in.ts";
import { basic, world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world();
const saas = saasOf(api);
const { newTenant, newSaas, newApplication, requestOf, enter, answerOf, redeem, browser, agree } = saas;
const { arrive, tokensOf, infoOf, silently } = saas;
const ACME = "acme.example";
const KIM = { ...PERSON, username: `kim@${ACME}` };
const OWN = { username: "kim", password: "another-good-Password-2" };
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
let acme: Awaited<ReturnType<typeof newTenant>>;
let kimId = "";
let ownId = "";
let client: TestClient;

beforeAll(async () => {
  acme = await newTenant(ACME);
  kimId = await acme.newUser("kim");
  ownId = (await api.ask("POST", "/scim2/Users", { body: { userName: OWN.username, password: OWN.password } })).body.id;
  client = await newSaas();
});

const WRONG = "The user name or the password is wrong";
const refusedAt = async (of: TestClient, person: typeof KIM, fields = {}) => {
  const page = browser();
  await page.open(requestOf(of, fields));
  const { status, alert, location } = await enter(page, person);
  return { status, alert: alert ?? "", location, sessions: saas.sessionsIn(page) };
};
const subjectOf = async (of: TestClient, person: typeof KIM) => {
  const { tokens } = await tokensOf(of, person);
  return claimsIn(tokens.id_token ?? "").sub as string;
};

describe("an application without saas", () => {
  test("takes no user of another tenant, in any spelling, and no session of one", async () => {
    const plain = await newApplication();
    for (const username of [KIM.username, "kim@ACME.example", `PRIMARY/kim@${ACME}`, `kim@${ACME}@${ACME}`]) {
      expect(await refusedAt(plain, { ...KIM, username })).toMatchObject({ status: 400, sessions: [] });
    }
    const { page, tokens } = await tokensOf(client, KIM);
    expect(await silently(page, plain)).toMatchObject({ error: "login_required" });
    expect((await page.open(requestOf(plain))).title).toMatch(/Sign in/);
    expect(await silently(page, plain, { id_token_hint: tokens.id_token })).toMatchObject({ error: "invalid_request" });
    // The cookie of the other tenant, under the name of this one.
    const [name = ""] = saas.sessionsIn(page);
    page.cookies.set("__Host-session", page.cookies.get(name) ?? "");
    expect(await silently(page, plain)).toMatchObject({ error: "login_required" });
  });
  test("does not take the form of one with saas", async () => {
    const plain = await newApplication();
    const [ofPlain, ofSaas] = [browser(), browser()];
    await ofPlain.open(requestOf(plain));
    await ofSaas.open(requestOf(client));
    // The form names its application: whoever moves it gets a code of that one.
    ofPlain.cookies.set("__Host-sign-in", ofSaas.cookies.get("__Host-sign-in") ?? "");
    const shown = await agree(ofPlain, await ofPlain.submit({ ...KIM, request: ofSaas.fields().request ?? "" }));
    expect((await redeem(plain, answerOf(shown).code)).status).toBe(400);
  });
});

describe("who is asked for a password learns nothing", () => {
  const unknowns = (at: number) => [
    { username: `kim-${at}@nowhere-${at}.example`, password: "wrong" },
    { username: `unknown-${at}@${ACME}`, password: "wrong" },
    { username: `other-${at}@carbon.super`, password: "wrong" },
    { username: `unknown-${at}`, password: "wrong" },
  ];
  test("an unknown tenant, an unknown user and a wrong password look the same, and lock the same", async () => {
    await acme.newUser("locked");
    const cases = [...unknowns(1), { username: `locked@${ACME}`, password: "wrong" }];
    const answers = await Promise.all(
      cases.map(async (person) => {
        const page = browser();
        await page.open(requestOf(client));
        const seen = [];
        for (let at = 0; at < 12; at += 1) {
          const { status, alert } = await enter(page, person);
          seen.push(`${status} ${alert}`);
        }
        return seen;
      }),
    );
    const [first = []] = answers;
    expect(first[0]).toContain(WRONG);
    expect(new Set(first).size).toBe(2);
    for (const seen of answers) expect(seen).toEqual(first);
    // The lock is that of the own tenant.
    const home = await acme.newApplication();
    expect(await refusedAt(home, { ...PERSON, username: "locked" })).toMatchObject({
      alert: first.at(-1)?.slice("400 ".length),
    });
  });
  test("an unknown tenant costs what an unknown user of a tenant costs", async () => {
    const costs = [];
    for (const person of [...unknowns(2).slice(0, 2), ...unknowns(3).slice(0, 2)]) {
      const page = browser();
      await page.open(requestOf(client));
      await enter(page, person);
      const lines = await listening(async () => {
        await enter(page, person);
      });
      const [line] = lines.filter((each: LogLine) => each.service === "sign-in" && each.RoundTrips !== undefined);
      costs.push({ reads: line?.ReadUnits, writes: line?.WriteUnits });
    }
    expect(costs[0]?.reads).toBeGreaterThan(1);
    for (const cost of costs) expect(cost).toEqual(costs[0]);
  });
  test("a tenant that is switched off is like an unknown one", async () => {
    const closed = await newTenant("closed.example");
    await closed.newUser("kim");
    await closed.setActive(false);
    const { alert } = await refusedAt(client, { ...PERSON, username: "kim@nowhere.example" });
    expect(await refusedAt(client, { ...PERSON, username: "kim@closed.example" })).toMatchObject({ alert });
  });
});

describe("what was issued for the application", () => {
  test("counts at its own tenant only", async () => {
    const theirs = await acme.newApplication({ advancedConfigurations: { saas: true } });
    const { page, tokens } = await tokensOf(client, KIM);
    const { code } = await silently(page, client);
    const at = `/t/${ACME}`;
    const fields = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    const refreshing = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
    for (const of of [theirs, client]) {
      expect((await saas.post(`${at}/oauth2/token`, fields, of)).status).toBeGreaterThanOrEqual(400);
      expect((await saas.post(`${at}/oauth2/token`, refreshing, of)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await redeem(theirs, code)).status).toBe(400);
    expect((await saas.refresh(theirs, tokens.refresh_token)).status).toBe(400);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect((await saas.introspect(token, theirs)).body).toEqual({ active: false });
      expect((await saas.revoke(theirs, token)).status).toBe(200);
      expect((await saas.introspect(token, client)).body.active).toBe(true);
    }
    const info = await api.ask("GET", `${at}/oauth2/userinfo`, { as: `Bearer ${tokens.access_token}` });
    expect(info.status).toBe(401);
    const asKim = await acme.ask("POST", "/oauth2/introspect", {
      as: basic(KIM),
      raw: `token=${tokens.access_token}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(asKim.status).toBe(403);
    expect((await redeem(client, code)).status).toBe(200);
    // A second use of the code ends all.
    expect((await redeem(client, code)).status).toBe(400);
  });

  test("an ID token of another tenant is no hint", async () => {
    const theirs = await acme.newApplication({ advancedConfigurations: { saas: true, skipLoginConsent: true } });
    const home = await tokensOf(theirs, { ...PERSON, username: "kim" });
    await agree(home.page, await home.page.open(requestOf(client)));
    const id_token_hint = home.tokens.id_token;
    expect(await silently(home.page, client, { id_token_hint })).toMatchObject({ error: "invalid_request" });
    const out = await home.page.open(`/oidc/logout?client_id=${client.clientId}&id_token_hint=${id_token_hint}`);
    expect(out.status).toBe(400);
    expect((await silently(home.page, client)).code).toMatch(/^ac_/);
  });

  test("an access token opens no operation, of its own tenant or that of the guest", async () => {
    // The owner of a tenant has every right there.
    const scope = `${EVERYTHING} SYSTEM internal_login`;
    const { tokens } = await tokensOf(
      client,
      { username: `boss@${ACME}`, password: "a-good-Password-of-an-owner" },
      { scope },
    );
    expect(tokens.scope?.split(" ").sort()).toEqual(EVERYTHING.split(" ").sort());
    const refreshed = await saas.refresh(client, tokens.refresh_token, { scope: EVERYTHING });
    const as = `Bearer ${refreshed.body.access_token}`;
    const guarded = Object.values<Operation>(catalogue).filter(({ scope: needed }) => needed !== PUBLIC);
    expect(guarded.length).toBeGreaterThan(150);
    // Each operation in one of three ways; those for every caller in all of them.
    const prefixes = ["", "/t/carbon.super", `/t/${ACME}`];
    const tries = guarded.flatMap(({ method, path, scope: needed }, at) =>
      prefixes
        .filter((_, which) => needed === SIGNED_IN || which === at % prefixes.length)
        .map((prefix) => ({ method, path: `${prefix}${path.replace(/\{[^}]*\}/g, kimId)}` })),
    );
    const reached: string[] = [];
    await concurrently(tries, 6, async ({ method, path }) => {
      const { status } = await api.ask(method, path, { as, ...(method !== "GET" && { body: {} }) });
      if (status !== 401) reached.push(`${method} ${path} ${status}`);
    });
    expect(reached).toEqual([]);
    expect((await infoOf(refreshed.body.access_token)).status).toBe(200);
    const introspecting = await saas.post("/oauth2/introspect", { token: tokens.refresh_token }, as);
    expect(introspecting.status).toBe(401);
  });

  test("no other grant issues tokens for a guest", async () => {
    const wide = await newSaas({
      grantTypes: ["authorization_code", "refresh_token", "password", TOKEN_EXCHANGE],
    });
    const byPassword = await saas.post("/oauth2/token", { grant_type: "password", ...KIM, scope: "openid" }, wide);
    expect([byPassword.status, byPassword.body.error]).toEqual([400, "invalid_grant"]);
    const { tokens } = await tokensOf(wide, KIM);
    for (const subject_token of [tokens.access_token, tokens.id_token, tokens.refresh_token]) {
      const exchanged = await saas.post(
        "/oauth2/token",
        {
          grant_type: TOKEN_EXCHANGE,
          subject_token,
          subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
        },
        wide,
      );
      expect([exchanged.status, exchanged.body.access_token]).toEqual([400, undefined]);
    }
  });

  test("has no scope of an API and no resource, whatever the application is authorized for", async () => {
    const { register, authorize } = apiResourcesOf(api);
    const identifier = "https://cars.example.com/api";
    const id = await register({
      ...{ name: "Cars", identifier, requiresAuthorization: false },
      scopes: scopesNamed("drive", "park"),
    });
    const policyIdentifier = "NO POLICY";
    await authorize(client.applicationId, { id, policyIdentifier, scopes: ["drive", "park"] });
    const scope = "openid email drive park";
    // Users of the tenant get them.
    await api.ask("POST", "/scim2/Users", { body: { userName: "lee", password: OWN.password } });
    const own = await tokensOf(client, { ...OWN, username: "lee" }, { scope });
    expect(own.tokens.scope?.split(" ").sort()).toEqual(["drive", "email", "openid", "park"]);
    const { tokens } = await tokensOf(client, KIM, { scope });
    expect(tokens.scope?.split(" ").sort()).toEqual(["email", "openid"]);
    expect((await saas.refresh(client, tokens.refresh_token, { scope: "drive" })).status).toBe(400);
    const refused = await saas.refresh(client, tokens.refresh_token, { resource: identifier });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_target"]);
    const page = browser();
    await page.open(requestOf(client, { scope, resource: identifier }));
    expect(answerOf(await enter(page, KIM))).toMatchObject({ error: "invalid_target" });
    const { code } = await silently(page, client, { scope: "openid email" });
    const redeemed = await redeem(client, code, { resource: identifier });
    expect([redeemed.status, redeemed.body.error]).toEqual([400, "invalid_target"]);
  });
});

describe("forms", () => {
  test("count in the tenant of their application only, for the session that they are of", async () => {
    const theirs = await acme.newApplication({ advancedConfigurations: { saas: true } });
    const fresh = await newSaas();
    const page = browser();
    await page.open(requestOf(fresh));
    const form = (request: string, path: string, more: Readonly<Record<string, string>>, of = page) =>
      api.ask("POST", path, {
        as: null,
        raw: new URLSearchParams({ request, ...more }).toString(),
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          cookie: [...of.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        },
      });
    const signIn = page.fields().request ?? "";
    expect((await form(signIn, `/t/${ACME}/oauth2/sign-in`, KIM)).status).toBe(400);
    expect((await enter(page, KIM)).title).toMatch(/asks for access/);
    const consent = page.fields().request ?? "";
    const allow = { answer: "allow" };
    expect((await form(consent, `/t/${ACME}/oauth2/consent`, allow)).status).toBe(400);
    // In another browser, and for the session of another guest.
    const other = (await arrive(client, { ...KIM, username: `boss@${ACME}`, password: "a-good-Password-of-an-owner" }))
      .page;
    expect((await form(consent, "/oauth2/consent", allow, other)).status).toBe(400);
    other.cookies.set("__Host-sign-in", page.cookies.get("__Host-sign-in") ?? "");
    const moved = await form(consent, "/oauth2/consent", allow, other);
    expect([moved.headers.get("location"), moved.text.includes('name="password"')]).toEqual([null, true]);
    // A consent of another tenant's application says nothing of this one.
    await agree(page, await page.open(requestOf(theirs)));
    expect(await silently(page, fresh)).toMatchObject({ error: "consent_required" });
    // The steps between password and session, too.
    const strict = await newSaas({}, TWO_STEPS);
    const step = browser();
    await step.open(requestOf(strict));
    expect((await enter(step, KIM)).title).toBe("Set up one-time codes");
    const setup = step.fields().request ?? "";
    expect((await form(setup, `/t/${ACME}/oauth2/code-setup`, { code: "123456" }, step)).status).toBe(400);
  });
});

describe("no subject of a guest is that of a user of the tenant", () => {
  const subject = (more: object) => ({
    claimConfiguration: { subject: { claim: { uri: "http://wso2.org/claims/nickname" }, ...more } },
  });
  /** What each calls itself to pass for the other. */
  const disguise = async () => {
    await acme.patchUser(kimId, { nickName: ownId });
    const body = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value: { nickName: `${kimId}@${ACME}` } }],
    };
    await api.ask("PATCH", `/scim2/Users/${ownId}`, { body });
  };
  test.each([
    ["the id", {}, `KIM@${ACME}`, "OWN"],
    ["a claim", subject({}), `KIM@${ACME}`, `KIM@${ACME}@carbon.super`],
    ["a claim with the tenant", subject({ includeTenantDomain: true }), `OWN@${ACME}`, `KIM@${ACME}@carbon.super`],
    ["a claim with the store", subject({ includeUserDomain: true }), `KIM@${ACME}`, `KIM@${ACME}@carbon.super`],
  ])("by %s", async (_, application, ofGuest, ofOwn) => {
    await disguise();
    const of = await newSaas({}, application);
    const named = (text: string) => text.replace("KIM", kimId).replace("OWN", ownId);
    expect(await subjectOf(of, KIM)).toBe(named(ofGuest));
    expect(await subjectOf(of, OWN)).toBe(named(ofOwn));
  });
  test("other values of a claim stay as they are", async () => {
    const body = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value: { nickName: "kim@mail.example" } }],
    };
    await api.ask("PATCH", `/scim2/Users/${ownId}`, { body });
    expect(await subjectOf(await newSaas({}, subject({})), OWN)).toBe("kim@mail.example");
  });
});
