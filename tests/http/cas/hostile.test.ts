/** Attacks on CAS: none gets a ticket, or a name for one, and none an error of the service. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { type CasApplication, casOf, casPath } from "#tests/support/cas.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { ssoOf } from "#tests/support/sso.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const sso = ssoOf(api);
const { newApplication, ticketIn, login, call, enter, browser } = casOf(api);
const { newTenant } = saasOf(api);

let page: Browser;
let plain: CasApplication;
let prefixed: CasApplication;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  plain = await newApplication();
  prefixed = await newApplication({ serviceURL: "https://app.example.com/app/*" });
  page = browser();
  await login(page, plain.service);
  ticketIn(await enter(page));
});

/** Addresses that do not belong to the application below https://app.example.com/app/. */
const foreign = [
  "https://app.example.com.evil.example/app/x",
  "https://app.example.com@evil.example/app/x",
  "https://app.example.com:443@evil.example/app/x",
  "https://evil.example/https://app.example.com/app/x",
  "https://evil.example\\@app.example.com/app/x",
  "https://evil.example#@app.example.com/app/x",
  "https://app.example.com/app/x#fragment",
  "https://app.example.com/app/x#",
  "https://app.example.com:8443/app/x",
  "http://app.example.com/app/x",
  "https://app.example.com/app",
  "https://app.example.com/application/x",
  "https://app.example.com/APP/x",
  "https://app.example.com/app/../admin",
  "https://app.example.com/app/..",
  "https://app.example.com/app/./x",
  "https://app.example.com/app/..;/admin",
  "https://app.example.com/app/%2e%2e/admin",
  "https://app.example.com/app/%2E%2e%2fadmin",
  "https://app.example.com/app%2fx",
  "https://app.example.com/app/..%5cadmin",
  "https://app.example.com/app/..\\admin",
  "https://app.example.com/app/%252e%252e/admin",
  "https://app.example.com/app/..%3b/admin",
  "https://app.example.com/app/..%3B/admin",
  "https://app.example.com/app/%c0%ae%c0%ae/admin",
  "https://app.example.com/app/%u002e%u002e/admin",
  `https://app.example.com/app/x?${"'".repeat(1_500)}`,
  "https://app.example.com\\app\\x",
  "https:app.example.com/app/x",
  "https:///app.example.com/app/x",
  "//app.example.com/app/x",
  "/app/x",
  "https://app.example.com/app/x\n",
  " https://app.example.com/app/x",
  "https://app.example.com/app/\tx",
  "https://app.example.com/app/x y",
  "https://app.example.com/app/\u0000x",
  "https://app.example.com./app/x",
  "https://app.exam\u00adple.com/app/x",
  "https://ａpp.example.com/app/x",
  "https://*.example.com/app/x",
  "https://user:pass@app.example.com/app/x",
  "https://app.example.com/app/x?ticket=ST-of-another",
  `https://app.example.com/app/${"x".repeat(2_100)}`,
  `https://app.example.com${"/a".repeat(900)}`,
  "javascript:alert(1)//https://app.example.com/app/",
  "data:text/html,https://app.example.com/app/x",
  "https://[::1",
  "",
  "*",
];

describe("signOnByCas, signOutByCas", () => {
  test("the address below the directory is one of the application", async () => {
    ticketIn(await login(page, "https://app.example.com/app/x/y%20z?to=https://evil.example/"));
    ticketIn(await login(page, "https://APP.example.com:443/app/"));
    expect(prefixed.service).toBe("https://app.example.com/app/*");
  });
  test.each(foreign)("%j is none: no ticket, no redirection, not by gateway either", async (service) => {
    for (const [name, value] of Object.entries({ none: "", gateway: "true", renew: "true", method: "POST" })) {
      const shown = await login(page, service, { [name]: value });
      expect([shown.status, shown.location]).toEqual([400, undefined]);
      expect(shown.html).not.toMatch(/ST-[0-9a-f]{48}/);
    }
  });
  test.each(foreign)("%j is none: the browser does not go there after a sign-out", async (service) => {
    for (const name of ["service", "url"]) {
      const fresh = browser();
      const shown = await fresh.open(casPath("logout", { [name]: service }));
      expect([shown.status, shown.location, shown.title]).toEqual([200, undefined, "You are signed out"]);
    }
  });
  test("a claimed address is where the browser goes after a sign-out, which the person is asked for", async () => {
    for (const name of ["service", "url"]) {
      const fresh = browser();
      await login(fresh, plain.service);
      ticketIn(await enter(fresh));
      const asked = await fresh.open(casPath("logout", { [name]: plain.service }));
      expect([asked.status, asked.title]).toEqual([200, expect.stringContaining("Sign out")]);
      expect((await fresh.submit({})).location?.href).toBe(plain.service);
      expect((await login(fresh, plain.service)).title).toContain("Sign in");
    }
  });
  test("a disabled application gets no ticket, and no browser after a sign-out", async () => {
    const { id, service } = await newApplication();
    const held = await login(page, service);
    expect((await api.ask("PATCH", `${APPLICATIONS}/${id}`, { body: { applicationEnabled: false } })).status).toBe(200);
    expect((await login(page, service)).alert).toContain("not enabled");
    expect((await login(page, service, { gateway: "true" })).location).toBeUndefined();
    expect((await browser().open(casPath("logout", { service }))).location).toBeUndefined();
    expect((await call("serviceValidate", { service, ticket: ticketIn(held) })).user).toBeUndefined();
  });
  test("a deleted application, and one with another serviceURL, has given its address back", async () => {
    const serviceURL = `https://moved-${randomBytes(4).toString("hex")}.example/`;
    const { id } = await newApplication({ serviceURL });
    await expect(newApplication({ serviceURL })).rejects.toThrow("already configured for another application");
    const at = `${APPLICATIONS}/${id}/inbound-protocols/cas`;
    const properties = [{ key: "serviceURL", value: `${serviceURL}elsewhere` }];
    expect((await api.ask("PUT", at, { body: { name: "cas", configName: "cas", properties } })).status).toBe(200);
    expect((await login(page, serviceURL)).status).toBe(400);
    const next = await newApplication({ serviceURL });
    ticketIn(await login(page, serviceURL));
    expect((await api.ask("DELETE", `${APPLICATIONS}/${next.id}/inbound-protocols/cas`)).status).toBe(204);
    expect((await login(page, serviceURL)).status).toBe(400);
    expect((await api.ask("DELETE", `${APPLICATIONS}/${id}`)).status).toBe(204);
    expect((await login(page, `${serviceURL}elsewhere`)).status).toBe(400);
  });
});

describe("the claim of an address", () => {
  test("comes back with an application that is restored, and with an earlier version of its settings", async () => {
    const { id, service } = await newApplication();
    const at = `${APPLICATIONS}/${id}/inbound-protocols/cas`;
    const properties = [{ key: "serviceURL", value: `${service}/new` }];
    expect((await api.ask("PUT", at, { body: { name: "cas", configName: "cas", properties } })).status).toBe(200);
    const records = (await api.ask("GET", `${at}/history`)).body.records as { id: string }[];
    expect((await api.ask("POST", `${at}/history/${records.at(-1)?.id}/restore`)).status).toBe(200);
    ticketIn(await login(page, service));
    expect((await login(page, `${service}/new`)).status).toBe(400);
    expect((await api.ask("DELETE", `${APPLICATIONS}/${id}`)).status).toBe(204);
    expect((await login(page, service)).status).toBe(400);
    expect((await api.ask("POST", `/api/server/v1/deleted-resources/${id}/restore`)).status).toBe(200);
    ticketIn(await login(page, service));
    await expect(newApplication({ serviceURL: service })).rejects.toThrow("already configured");
  });
});

describe("sendCasTicket", () => {
  const heldAnswer = (path: string, at = page) => sso.heldAnswer(path, at, "/cas/answer");
  test("no other browser, tenant or protocol takes an answer, and no text is one", async () => {
    const held = await heldAnswer(casPath("login", { service: plain.service }));
    const other = browser();
    await login(other, plain.service);
    ticketIn(await enter(other));
    for (const path of [
      held.replace("/cas/answer", "/samlsso/answer"),
      held.replace("/cas", "/t/rival.example/cas"),
      `${held}x`,
      "/cas/answer",
      "/cas/answer?answer=s1.x.y",
    ]) {
      const shown = await page.open(path);
      expect([path, shown.status, shown.location]).toEqual([path, 400, undefined]);
    }
    expect((await other.open(held)).alert).toContain("another browser");
    ticketIn(await page.open(held));
  });
  test("what changed since the person signed in counts: consent, assignment, claims and the serviceURL", async () => {
    const expectNone = async (application: CasApplication, change: object) => {
      const held = await heldAnswer(casPath("login", { service: application.service }));
      expect((await api.ask("PATCH", `${APPLICATIONS}/${application.id}`, { body: change })).status).toBe(200);
      const shown = await page.open(held);
      expect([shown.status, shown.location]).toEqual([400, undefined]);
    };
    await expectNone(await newApplication(), { advancedConfigurations: { enableAuthorization: true } });
    const claim = { claim: { uri: "http://wso2.org/claims/nickname" }, mandatory: true };
    await expectNone(await newApplication(), { claimConfiguration: { dialect: "LOCAL", requestedClaims: [claim] } });
    await expectNone(await newApplication(), { applicationEnabled: false });
    const put = async ({ id }: CasApplication, ...properties: readonly { key: string; value: string }[]) => {
      const body = { name: "cas", configName: "cas", properties };
      const at = `${APPLICATIONS}/${id}/inbound-protocols/cas`;
      expect((await api.ask("PUT", at, { body })).status).toBe(200);
    };
    const wider = await newApplication();
    const narrow = await heldAnswer(casPath("login", { service: wider.service }));
    const ticket = ticketIn(await login(page, wider.service));
    await put(wider, { key: "serviceURL", value: wider.service }, { key: "attributeRelease", value: "all" });
    expect((await page.open(narrow)).location).toBeUndefined();
    expect((await call("serviceValidate", { service: wider.service, ticket })).code).toBe("INVALID_SERVICE");
    const moved = await newApplication();
    const held = await heldAnswer(casPath("login", { service: moved.service }));
    await put(moved, { key: "serviceURL", value: `${moved.service}/2` });
    expect((await page.open(held)).location).toBeUndefined();
  });
});

describe("validateServiceTicket, validateProxyTicket, validateProxyTicketWithAttributes, getProxyTicket", () => {
  const validating = ["validate", "serviceValidate", "p3/serviceValidate", "proxyValidate", "p3/proxyValidate"];
  const newTicket = async (service = plain.service) => ticketIn(await login(page, service));

  test.each(validating)("%s: a ticket counts once", async (path) => {
    const of = { service: plain.service, ticket: await newTicket() };
    expect((await call(path, of)).text).toContain(PERSON.username);
    for (const again of validating) expect((await call(again, of)).text).not.toContain(PERSON.username);
  });
  test("of many attempts at once one counts", async () => {
    const of = { service: plain.service, ticket: await newTicket() };
    const all = await Promise.all(Array.from({ length: 12 }, () => call("serviceValidate", of)));
    expect(all.filter(({ user }) => user !== undefined)).toHaveLength(1);
    expect(all.filter(({ code }) => code === "INVALID_TICKET")).toHaveLength(11);
  });
  test("a ticket of another service is used up", async () => {
    const ticket = await newTicket();
    for (const service of ["https://app.example.com/app/x", `${plain.service}?x=1`]) {
      const held = await newTicket();
      expect((await call("serviceValidate", { service, ticket: held })).code).toBe("INVALID_SERVICE");
      expect((await call("serviceValidate", { service: plain.service, ticket: held })).code).toBe("INVALID_TICKET");
    }
    expect((await call("serviceValidate", { service: plain.service, ticket })).user).toBe(PERSON.username);
  });
  test("what changed since the ticket was issued counts", async () => {
    const consenting = { advancedConfigurations: { skipLoginConsent: false } };
    const nickname = { claim: { uri: "http://wso2.org/claims/nickname" } };
    const claims = (mandatory: boolean) => ({
      claimConfiguration: { dialect: "LOCAL", requestedClaims: [{ ...nickname, mandatory }] },
    });
    for (const [application, change] of [
      [await newApplication(), { advancedConfigurations: { enableAuthorization: true } }],
      [await newApplication(), { applicationEnabled: false }],
      [await newApplication(), claims(true)],
      [await newApplication({ attributeRelease: "all" }, consenting), claims(false)],
    ] as const) {
      const shown = await login(page, application.service);
      const ticket = ticketIn(shown.location ? shown : await page.submit({ answer: "allow" }));
      expect((await api.ask("PATCH", `${APPLICATIONS}/${application.id}`, { body: change })).status).toBe(200);
      const { user, code } = await call("p3/serviceValidate", { service: application.service, ticket });
      expect([user, code]).toEqual([undefined, expect.stringMatching(/^INVALID_/)]);
    }
  });
  test("a ticket of another tenant is none", async () => {
    const rival = await newTenant("rival.example");
    const { service } = plain;
    const theirs = await newApplication({ serviceURL: service }, {}, { prefix: "/t/rival.example", as: rival.as });
    expect(theirs.service).toBe(service);
    const ticket = await newTicket();
    expect((await call("serviceValidate", { service, ticket }, "/t/rival.example")).code).toBe("INVALID_TICKET");
    expect((await call("serviceValidate", { service, ticket })).code).toBe("INVALID_TICKET");
    // Nor is the session of another tenant one there.
    expect((await login(page, service, { gateway: "true" }, "/t/rival.example")).location?.href).toBe(service);
  });
  test("a request without its parameters is told so, and uses no ticket up", async () => {
    const ticket = await newTicket();
    expect((await call("serviceValidate", { ticket })).code).toBe("INVALID_REQUEST");
    expect((await call("serviceValidate", { service: plain.service })).code).toBe("INVALID_REQUEST");
    expect((await call("proxy", { targetService: plain.service })).code).toBe("INVALID_REQUEST");
    expect((await call("serviceValidate", { service: plain.service, ticket })).user).toBe(PERSON.username);
  });

  const long = "x".repeat(5_000);
  test.each([
    ["an odd ticket", { ticket: "ST-<&>'\"" }],
    ["a ticket of another form", { ticket: `ST-${"0".repeat(47)}` }],
    ["a ticket that does not exist", { ticket: `ST-${"0".repeat(48)}` }],
    ["a proxy ticket that does not exist", { ticket: `PT-${"0".repeat(48)}` }],
    ["a granting ticket that does not exist", { ticket: `PGT-${"0".repeat(48)}`, pgt: `PGT-${"0".repeat(48)}` }],
    ["a long ticket", { ticket: `ST-${long}` }],
    ["an empty ticket", { ticket: "" }],
    ["a ticket of controls", { ticket: "ST-\u0000\u001f\ufffe" }],
    ["an empty service", { service: "" }],
    ["a service that is no address", { service: "::::" }],
    ["a long service", { service: `https://app.example.com/${long}` }],
    ["a service with a broken host", { service: "https://%zz/" }],
    ["a service of another scheme", { service: "ldap://app.example.com/" }],
    ["renew without a value", { renew: "" }],
    ["an odd renew", { renew: "<true>" }],
    ["an odd format", { format: "<xml>" }],
    ["an empty format", { format: "" }],
    ["a pgtUrl that is no address", { pgtUrl: "::::" }],
    ["an empty pgtUrl", { pgtUrl: "" }],
    ["a pgtUrl of another scheme", { pgtUrl: "file:///etc/passwd" }],
    ["an odd method", { method: "HEADER" }],
    ["a long pgt", { pgt: long }],
    ["a service ticket as pgt", { pgt: `ST-${"0".repeat(48)}` }],
    ["an odd target", { targetService: "<script>" }],
    ["a target of controls", { targetService: "https://app.example.com/\u0000" }],
    ["an answer of controls", { answer: "\u0000" }],
    ["a long answer", { answer: long }],
    ["an unknown parameter", { "<x>": "<y>" }],
    ["an array", { "ticket[]": "ST-x" }],
    ["a prototype", { __proto__: "x", constructor: "x" } as unknown as Record<string, string>],
  ])("a malformed request is refused: %s", async (_, more) => {
    const of = { service: plain.service, ticket: `ST-${randomBytes(24).toString("hex")}`, ...more };
    for (const path of [...validating, "proxy", "login", "logout", "answer"]) {
      const { status, text } = await call(path, of);
      expect([path, status < 500]).toEqual([path, true]);
      expect(text).not.toMatch(/<cas:(?:user|proxyTicket)>|^yes/);
    }
  });
  test.each([
    "service=%ff&ticket=%ff",
    "service=a&service=b&ticket=c",
    "service=%E0%A4%A",
    "ticket=ST-1&ticket=ST-2&service=x",
    "&&&=&%00=%00",
  ])("a malformed query is refused: %s", async (query) => {
    for (const path of [...validating, "proxy", "login", "logout", "answer"]) {
      const { status } = await fetch(`${api.url}/cas/${path}?${query}`, { redirect: "manual" });
      expect([path, status < 500]).toEqual([path, true]);
    }
  });
});
