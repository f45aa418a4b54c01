/** Proxy tickets of CAS, and the address that gets what grants them. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sessionsOf } from "#core/sign-in/sessions/session-store.ts";
import type { Browser } from "#tests/support/browsing.ts";
import { type CasApplication, casOf, casPath } from "#tests/support/cas.ts";
import { idOf, tableOf } from "#tests/support/people.ts";
import { receiver } from "#tests/support/receiver.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world();
const { newApplication, ticketIn, login, call, enter, browser } = casOf(api);

let page: Browser;
let proxy: CasApplication;
let target: CasApplication;
const granted = new Map<string, string>();

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  proxy = await newApplication({ serviceURL: inbox.url("/portal"), allowProxyTickets: "true" });
  target = await newApplication({ serviceURL: inbox.url("/mail/*") });
  page = browser();
  await login(page, proxy.service);
  ticketIn(await enter(page));
});

const newTicket = async (application = proxy, at = page) => ticketIn(await login(at, application.service));
/** An address for granting tickets that answers with a status. */
const callback = (status = 200, headers: Record<string, string> = {}) => {
  const path = `/pgt-${randomBytes(4).toString("hex")}?keep=1`;
  inbox.respond(path.split("?", 1)[0] ?? "", (request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://x");
    expect(searchParams.get("keep")).toBe("1");
    granted.set(searchParams.get("pgtIou") ?? "", searchParams.get("pgtId") ?? "");
    response.writeHead(status, headers).end();
  });
  return inbox.url(path);
};
const iouIn = (text: string) => /<cas:proxyGrantingTicket>([^<]*)</.exec(text)?.[1];
/** A granting ticket of the session of a browser. */
const grantFor = async (at = page, application = proxy) => {
  const pgtUrl = callback();
  const ticket = await newTicket(application, at);
  const { text } = await call("serviceValidate", { service: application.service, ticket, pgtUrl });
  const pgt = granted.get(iouIn(text) ?? "") ?? "";
  expect(pgt).toMatch(/^PGT-[0-9a-f]{48}$/);
  return { pgt, pgtUrl };
};
const mail = () => target.service.replace("*", "inbox?a=b");
const proxyTicketIn = (text: string) => /<cas:proxyTicket>([^<]*)</.exec(text)?.[1] ?? "";

describe("getProxyTicket, validateProxyTicket", () => {
  test("a session has rows for so many services of an application, and no more", async () => {
    const at = browser();
    await login(at, proxy.service);
    ticketIn(await enter(at));
    const { pgt } = await grantFor(at);
    for (let path = 0; path < 150; path += 1) {
      const targetService = target.service.replace("*", `rest/${path}`);
      expect(proxyTicketIn((await call("proxy", { pgt, targetService })).text)).not.toBe("");
    }
    const found = await sessionsOf(tableOf(api.service), "carbon.super", await idOf(api.service, PERSON.username));
    const most = Math.max(...found.map(({ clients }) => clients.length));
    expect(most).toBeGreaterThan(40);
    expect(most).toBeLessThanOrEqual(65);
  });
  test("a pgt that was sent to another host than that of the serviceURL counts no more", async () => {
    const moved = await newApplication({ serviceURL: inbox.url("/moved"), allowProxyTickets: "true" });
    const { pgt } = await grantFor(page, moved);
    const properties = [
      { key: "serviceURL", value: "https://moved.example/login" },
      { key: "allowProxyTickets", value: "true" },
    ];
    const at = `${APPLICATIONS}/${moved.id}/inbound-protocols/cas`;
    const body = { name: "cas", configName: "cas", properties };
    expect((await api.ask("PUT", at, { body })).status).toBe(200);
    expect((await call("proxy", { pgt, targetService: mail() })).text).toContain("INVALID_TICKET");
  });
  test("allowProxyTickets: the application gets proxy tickets, which name it, and count once", async () => {
    const { pgt, pgtUrl } = await grantFor();
    const { text } = await call("proxy", { pgt, targetService: mail() });
    const ticket = proxyTicketIn(text);
    expect(ticket).toMatch(/^PT-[0-9a-f]{48}$/);
    const of = { service: mail(), ticket };
    const validated = await call("proxyValidate", of);
    expect([
      validated.user,
      validated.text.includes(`<cas:proxies><cas:proxy>${pgtUrl}</cas:proxy></cas:proxies>`),
    ]).toEqual([PERSON.username, true]);
    expect((await call("proxyValidate", of)).code).toBe("INVALID_TICKET");
    const next = proxyTicketIn((await call("proxy", { pgt, targetService: mail() })).text);
    expect((await call("p3/proxyValidate", { service: mail(), ticket: next })).text).toContain("isFromNewLogin>false<");
    const json = await call("proxy", { pgt, targetService: mail(), format: "JSON" });
    expect(JSON.parse(json.text).serviceResponse.proxySuccess.proxyTicket).toMatch(/^PT-/);
  });
  test("where it is false, there are none", async () => {
    const plain = await newApplication({ serviceURL: inbox.url("/plain") });
    const ticket = await newTicket(plain);
    const refused = await call("serviceValidate", { service: plain.service, ticket, pgtUrl: callback() });
    expect([refused.code, refused.user]).toEqual(["UNAUTHORIZED_SERVICE_PROXY", undefined]);
    const { pgt } = await grantFor();
    const body = { name: "cas", configName: "cas", properties: [{ key: "serviceURL", value: proxy.service }] };
    const at = `${APPLICATIONS}/${proxy.id}/inbound-protocols/cas`;
    await api.ask("PUT", at, { body });
    expect((await call("proxy", { pgt, targetService: mail() })).code).toBe("UNAUTHORIZED_SERVICE");
    body.properties.push({ key: "allowProxyTickets", value: "true" });
    await api.ask("PUT", at, { body });
    expect(proxyTicketIn((await call("proxy", { pgt, targetService: mail() })).text)).not.toBe("");
  });
  test("a proxy ticket counts at proxyValidate alone, and a granting ticket nowhere", async () => {
    const { pgt } = await grantFor();
    const ticket = proxyTicketIn((await call("proxy", { pgt, targetService: mail() })).text);
    const refused = await call("serviceValidate", { service: mail(), ticket });
    expect([refused.code, refused.text.includes("proxyValidate")]).toEqual(["INVALID_TICKET", true]);
    expect((await call("proxyValidate", { service: mail(), ticket })).code).toBe("INVALID_TICKET");
    expect((await call("proxyValidate", { service: proxy.service, ticket: pgt })).code).toBe("INVALID_TICKET");
    expect((await call("proxy", { pgt: await newTicket(), targetService: mail() })).code).toBe("INVALID_TICKET");
  });
  test("a chain names all proxies, the latest first", async () => {
    const middle = await newApplication({ serviceURL: inbox.url("/middle"), allowProxyTickets: "true" });
    const first = await grantFor();
    const ticket = proxyTicketIn((await call("proxy", { pgt: first.pgt, targetService: middle.service })).text);
    const second = callback();
    const { text } = await call("proxyValidate", { service: middle.service, ticket, pgtUrl: second });
    const pgt = granted.get(iouIn(text) ?? "") ?? "";
    const last = proxyTicketIn((await call("proxy", { pgt, targetService: mail() })).text);
    const chain = (await call("proxyValidate", { service: mail(), ticket: last })).text;
    expect([...chain.matchAll(/<cas:proxy>([^<]*)</g)].map(([, each]) => each)).toEqual([second, first.pgtUrl]);
  });
  test("a granting ticket ends with the session", async () => {
    const fresh = browser();
    await login(fresh, proxy.service);
    ticketIn(await enter(fresh));
    const { pgt } = await grantFor(fresh);
    expect(proxyTicketIn((await call("proxy", { pgt, targetService: mail() })).text)).not.toBe("");
    await fresh.open(casPath("logout"));
    await fresh.submit({});
    expect((await call("proxy", { pgt, targetService: mail() })).code).toBe("INVALID_TICKET");
  });
  test("no ticket leaves for a service that the user could not sign in to without a page", async () => {
    const { pgt } = await grantFor();
    const refused = async (application: object, properties = {}) => {
      const { service } = await newApplication(properties, application);
      const { code, text } = await call("proxy", { pgt, targetService: service });
      expect([code, proxyTicketIn(text)]).toEqual(["UNAUTHORIZED_SERVICE", ""]);
    };
    const requestedClaims = [{ claim: { uri: "http://wso2.org/claims/username" } }];
    await refused({ claimConfiguration: { dialect: "LOCAL", requestedClaims }, advancedConfigurations: {} });
    await refused({ advancedConfigurations: { skipLoginConsent: true, enableAuthorization: true } });
    const steps = ["BasicAuthenticator", "totp"].map((authenticator, at) => ({
      id: at + 1,
      options: [{ idp: "LOCAL", authenticator }],
    }));
    await refused({ authenticationSequence: { type: "USER_DEFINED", steps } });
    const disabled = await newApplication();
    await api.ask("PATCH", `${APPLICATIONS}/${disabled.id}`, { body: { applicationEnabled: false } });
    expect((await call("proxy", { pgt, targetService: disabled.service })).code).toBe("UNAUTHORIZED_SERVICE");
    for (const targetService of ["https://unknown.example/", mail().replace("/mail/", "/mail/../"), "x"]) {
      expect((await call("proxy", { pgt, targetService })).code).toBe("UNAUTHORIZED_SERVICE");
    }
  });
});

describe("pgtUrl", () => {
  test.each([
    ["another host", "https://evil.example/pgt"],
    ["a private address", "https://10.0.0.1/pgt"],
    ["metadata of a cloud", "http://169.254.169.254/latest/meta-data/"],
    ["this machine at another port", "http://127.0.0.1:1/pgt"],
    ["a name of this machine", "http://localhost:1/pgt"],
    ["a user name", "http://user@127.0.0.1/pgt"],
    ["a file", "file:///etc/passwd"],
    ["a fragment", "https://app.example/#x"],
    ["no address", "pgt"],
    ["nothing", ""],
  ])("is refused: %s, and the ticket is used up", async (_, pgtUrl) => {
    const of = { service: proxy.service, ticket: await newTicket() };
    const { code, user, text } = await call("serviceValidate", { ...of, pgtUrl });
    expect([code, user, iouIn(text)]).toEqual(["INVALID_PROXY_CALLBACK", undefined, undefined]);
    expect((await call("serviceValidate", of)).code).toBe("INVALID_TICKET");
  });
  test("is refused at another host than that of the serviceURL, which the service could call", async () => {
    const far = await newApplication({ allowProxyTickets: "true" });
    const pgtUrl = callback();
    granted.clear();
    const ticket = await newTicket(far);
    expect((await call("serviceValidate", { service: far.service, ticket, pgtUrl })).code).toBe(
      "INVALID_PROXY_CALLBACK",
    );
    expect(granted.size).toBe(0);
  });
  test("an application at a private address, which is not exempt, is not called", async () => {
    const inside = await newApplication({ serviceURL: "https://127.0.0.1/app", allowProxyTickets: "true" });
    const ticket = await newTicket(inside);
    const refused = await call("serviceValidate", { service: inside.service, ticket, pgtUrl: "https://127.0.0.1/pgt" });
    expect([refused.code, refused.text.includes("public address")]).toEqual(["INVALID_PROXY_CALLBACK", true]);
  });
  test.each([302, 404, 500])("an address that answers with %i gets no ticket that counts", async (status) => {
    const pgtUrl = callback(status, { location: inbox.url("/elsewhere") });
    granted.clear();
    const { code } = await call("serviceValidate", { service: proxy.service, ticket: await newTicket(), pgtUrl });
    expect(code).toBe("INVALID_PROXY_CALLBACK");
    const [pgt = ""] = granted.values();
    expect(pgt).toMatch(/^PGT-/);
    expect((await call("proxy", { pgt, targetService: mail() })).code).toBe("INVALID_TICKET");
    expect(inbox.at("/elsewhere")).toEqual([]);
  });
});
