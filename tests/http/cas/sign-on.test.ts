/** Sign-in to clients of CAS (decision 0201). */
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Browser } from "#tests/support/browsing.ts";
import { casOf, casPath } from "#tests/support/cas.ts";
import { saasOf } from "#tests/support/saas.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newApplication, ticketIn, login, call, enter, browser } = casOf(api);
const { newTenant } = saasOf(api);
const LOCAL = "http://wso2.org/claims/";
const ODD = '</cas:user><cas:user>admin</cas:user> & "Co" ]]>';

let page: Browser;
let kim = "";

beforeAll(async () => {
  const body = {
    userName: PERSON.username,
    password: PERSON.password,
    name: { givenName: "Kim", familyName: ODD },
    emails: [{ value: "kim@cars.example", primary: true }],
  };
  const made = await api.ask("POST", "/scim2/Users", { body });
  expect(made.status).toBe(201);
  kim = made.body.id;
  for (const displayName of ["drivers", "crew"]) {
    await api.ask("POST", "/scim2/Groups", { body: { displayName, members: [{ value: kim }] } });
  }
  page = browser();
  await login(page, (await newApplication()).service);
  ticketIn(await enter(page));
});

const claims = (...names: readonly string[]) => ({
  claimConfiguration: {
    dialect: "LOCAL",
    requestedClaims: names.map((name) => ({ claim: { uri: `${LOCAL}${name}` } })),
  },
});
/** A ticket in the browser with a session, validated with attributes. */
const validated = async (service: string, path = "p3/serviceValidate", more: Readonly<Record<string, string>> = {}) =>
  call(path, { service, ticket: ticketIn(await login(page, service)), ...more });

describe("signOnByCas, sendCasTicket, validateServiceTicket", () => {
  test("signs a person in, who comes to the service with a ticket", async () => {
    const { service } = await newApplication();
    const fresh = browser();
    expect((await login(fresh, service)).title).toContain("Sign in");
    const { location, status, headers } = await enter(fresh);
    expect([status, location?.href]).toEqual([302, expect.stringMatching(/\/login\?ticket=ST-[0-9a-f]{48}$/)]);
    expect(headers.get("cache-control")).toContain("no-store");
    const ticket = location?.searchParams.get("ticket") ?? "";
    expect(await call("serviceValidate", { service, ticket })).toEqual({
      status: 200,
      type: "application/xml; charset=utf-8",
      text:
        '<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas"><cas:authenticationSuccess>' +
        `<cas:user>${PERSON.username}</cas:user></cas:authenticationSuccess></cas:serviceResponse>`,
      code: undefined,
      user: PERSON.username,
    });
  });
  test("single signs on, with what the client appends to the address, and by a form where it asks for one", async () => {
    const { service } = await newApplication();
    const deep = `${service}?next=%2Fa%3Fb&c=d`;
    const { location } = await login(page, deep);
    expect(location?.href).toMatch(/\/login\?next=%2Fa%3Fb&c=d&ticket=ST-[0-9a-f]+$/);
    const ticket = location?.searchParams.get("ticket") ?? "";
    expect((await call("serviceValidate", { service: deep, ticket })).user).toBe(PERSON.username);

    const shown = await login(page, service, { method: "POST" });
    expect([shown.status, /<form[^>]*action="([^"]*)"/.exec(shown.html)?.[1]]).toEqual([200, service]);
    const { ticket: posted = "" } = page.fields();
    expect((await call("serviceValidate", { service, ticket: posted })).user).toBe(PERSON.username);
    expect((await login(page, service, { method: "HEADER" })).alert).toContain("method must be GET or POST");
  });
  test("serviceURL: one address, or all below a directory; the exact one comes first, then the longest", async () => {
    const host = "https://many.example";
    const of: Readonly<Record<string, string>> = {
      all: (await newApplication({ serviceURL: `${host}/*`, attributeRelease: "none" })).id,
      shop: (await newApplication({ serviceURL: `${host}/shop/*` })).id,
      cart: (await newApplication({ serviceURL: `${host}/shop/cart` })).id,
    };
    const inSession = async (): Promise<string[]> => {
      const { body } = await api.ask("GET", `/api/users/v1/${kim}/sessions`);
      const sessions = body.sessions as { applications: { appId: string }[] }[];
      const ids = sessions.flatMap(({ applications }) => applications.map(({ appId }) => appId));
      // It is listed once, whatever number of its services is in the session.
      expect(ids.length).toBe(new Set(ids).size);
      return ids;
    };
    const before = new Set(await inSession());
    const claimed = async (path: string) => {
      ticketIn(await login(page, `${host}${path}`));
      const id = (await inSession()).find((each) => !before.has(each));
      if (id) before.add(id);
      return Object.keys(of).find((name) => of[name] === id);
    };
    expect(await claimed("/shop/cart?x=1")).toBe("cart");
    expect(await claimed("/shop/cart/more")).toBe("shop");
    expect(await claimed("/shop")).toBe("all");
    // No other one: it is there already.
    expect(await claimed("/shop/")).toBeUndefined();
  });
  test("without a service the browser goes to the pages of the own account", async () => {
    const { title, status } = await page.open("/cas/login");
    expect([status, title]).toEqual([200, expect.stringContaining("account")]);
  });
  test("a tenant has its own applications", async () => {
    const tenant = await newTenant("own.example");
    await tenant.newUser("lee");
    const { service } = await newApplication({}, {}, { prefix: "/t/own.example", as: tenant.as });
    expect((await login(page, service)).alert).toContain("no service of an application here");
    const other = browser();
    await login(other, service, {}, "/t/own.example");
    const ticket = ticketIn(await enter(other, { username: "lee", password: PERSON.password }));
    expect((await call("serviceValidate", { service, ticket }, "/t/own.example")).user).toBe("lee");
  });
  test("a person agrees to the attributes unless the application skips the question", async () => {
    const { service } = await newApplication({}, { ...claims("lastname"), advancedConfigurations: {} });
    expect((await login(page, service)).html).toContain('value="allow"');
    const ticket = ticketIn(await page.submit({ answer: "allow" }));
    expect((await call("serviceValidate", { service, ticket })).user).toBe(PERSON.username);
    const denied = await newApplication({}, { ...claims("lastname"), advancedConfigurations: {} });
    await login(page, denied.service);
    const refused = await page.submit({ answer: "deny" });
    expect([refused.status, refused.location]).toEqual([400, undefined]);
    const named = await newApplication(
      { attributeRelease: "none" },
      { ...claims("lastname"), advancedConfigurations: {} },
    );
    expect((await login(page, named.service)).html).not.toContain("lastname");
  });
  test("a guest has a name that ends in the tenant, and no address that the tenant has verified", async () => {
    const tenant = await newTenant("guests.example");
    await tenant.newUser("gus");
    const saas = { advancedConfigurations: { saas: true }, ...claims("username", "emailaddress") };
    const { service } = await newApplication({}, saas);
    const guest = browser();
    await login(guest, service);
    await enter(guest, { username: "gus@guests.example", password: PERSON.password });
    const ticket = ticketIn(await guest.submit({ answer: "allow" }));
    const { user, text } = await call("p3/serviceValidate", { service, ticket });
    expect(user).toMatch(/@guests\.example$/);
    expect([text.includes("<cas:username>gus@guests.example<"), text.includes("emailaddress")]).toEqual([true, false]);
  });
});

describe("renew and gateway", () => {
  test("renew asks for the password again, and its ticket says so", async () => {
    const { service } = await newApplication();
    const fresh = browser();
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await login(fresh, service);
      ticketIn(await enter(fresh));
      vi.setSystemTime(Date.now() + 5_000);
      const again = ticketIn(await login(fresh, service));
      expect(await call("serviceValidate", { service, ticket: again, renew: "true" })).toMatchObject({
        code: "INVALID_TICKET",
      });
      expect((await login(fresh, service, { renew: "true" })).title).toContain("Sign in");
      const ticket = ticketIn(await enter(fresh));
      const { user, text } = await call("p3/serviceValidate", { service, ticket, renew: "true" });
      expect([user, text.includes("<cas:isFromNewLogin>true<")]).toEqual([PERSON.username, true]);
    } finally {
      vi.useRealTimers();
    }
  });
  test("gateway sends a person without a session back without a ticket, and one with a session with a ticket", async () => {
    const { service } = await newApplication();
    const { status, location } = await login(browser(), service, { gateway: "true" });
    expect([status, location?.href]).toEqual([302, service]);
    ticketIn(await login(page, service, { gateway: "true" }));
    // The password is not asked for, and consent neither.
    const asking = await newApplication({}, { ...claims("lastname"), advancedConfigurations: {} });
    expect((await login(page, asking.service, { gateway: "true" })).location?.href).toBe(asking.service);
    expect((await login(page, service, { gateway: "true", renew: "true" })).title).toContain("Sign in");
  });
});

describe("validateServiceTicketWithAttributes, validateCasTicket", () => {
  test("attributeRelease: the requested claims, every mapped one, or the name alone", async () => {
    const mapped = {
      claimConfiguration: {
        dialect: "CUSTOM",
        claimMappings: [
          { applicationClaim: "family name", localClaim: { uri: `${LOCAL}lastname` } },
          { applicationClaim: "urn:x/1mail", localClaim: { uri: `${LOCAL}emailaddress` } },
        ],
        requestedClaims: [{ claim: { uri: "urn:x/1mail" } }],
      },
    };
    const attributesOf = async (attributeRelease: string) => {
      const { text } = await validated((await newApplication({ attributeRelease }, mapped)).service);
      return [...text.matchAll(/<cas:([A-Za-z0-9_]+)>[^<]/g)].map(([, name]) => name);
    };
    const own = ["user", "authenticationDate", "longTermAuthenticationRequestTokenUsed", "isFromNewLogin"];
    expect(await attributesOf("requested")).toEqual([...own, "_1mail"]);
    expect(await attributesOf("all")).toEqual([...own, "_1mail", "family_name"]);
    expect(await attributesOf("none")).toEqual(["user"]);
  });
  test("values of several are elements of their own, and no value becomes an element", async () => {
    const { service } = await newApplication({}, claims("groups", "lastname"));
    const { text } = await validated(service);
    expect(text.match(/<cas:groups>[^<]*</g)?.sort()).toEqual(["<cas:groups>crew<", "<cas:groups>drivers<"]);
    expect(text).toContain(
      '<cas:lastname>&lt;/cas:user&gt;&lt;cas:user&gt;admin&lt;/cas:user&gt; &amp; "Co" ]]&gt;</cas:lastname>',
    );
    expect(text.match(/<cas:user>/g)).toHaveLength(1);
  });
  test("a claim does not stand for what the service says itself, and each name is there once", async () => {
    const claimMappings = ["isFromNewLogin", "a/last", "b/last"].map((applicationClaim, at) => ({
      applicationClaim,
      localClaim: { uri: `${LOCAL}${["lastname", "givenname", "username"][at]}` },
    }));
    const requestedClaims = claimMappings.map(({ applicationClaim }) => ({ claim: { uri: applicationClaim } }));
    const application = { claimConfiguration: { dialect: "CUSTOM", claimMappings, requestedClaims } };
    const { text } = await validated((await newApplication({}, application)).service);
    expect(text.match(/<cas:(?:isFromNewLogin|last)>[^<]*/g)).toEqual(["<cas:isFromNewLogin>false", "<cas:last>Kim"]);
  });
  test("answers as JSON where the service asks for it", async () => {
    const { service } = await newApplication({}, claims("groups", "givenname"));
    const { text, type } = await validated(service, "p3/serviceValidate", { format: "JSON" });
    expect(type).toBe("application/json; charset=utf-8");
    expect(JSON.parse(text).serviceResponse.authenticationSuccess).toMatchObject({
      user: PERSON.username,
      attributes: { givenname: "Kim", isFromNewLogin: "false" },
    });
    const refused = await call("serviceValidate", { service, ticket: "ST-x", format: "JSON" });
    expect(JSON.parse(refused.text).serviceResponse.authenticationFailure.code).toBe("INVALID_TICKET");
    expect((await call("serviceValidate", { service, ticket: "ST-x", format: "YAML" })).code).toBe("INVALID_REQUEST");
  });
  test("answers with two lines as CAS 1.0 does", async () => {
    const { service } = await newApplication();
    expect((await validated(service, "validate")).text).toBe(`yes\n${PERSON.username}\n`);
    expect((await call("validate", { service, ticket: "ST-x" })).text).toBe("no\n\n");
  });
  test("names the user by the claim that is the subject, else by the user name", async () => {
    const subject = { subject: { claim: { uri: `${LOCAL}emailaddress` } } };
    const application = { claimConfiguration: { dialect: "LOCAL", ...subject } };
    expect((await validated((await newApplication({}, application)).service)).user).toBe("kim@cars.example");
    const odd = { claimConfiguration: { dialect: "LOCAL", subject: { claim: { uri: `${LOCAL}lastname` } } } };
    const { text } = await validated((await newApplication({}, odd)).service, "serviceValidate");
    expect(text).toContain("<cas:user>&lt;/cas:user&gt;&lt;cas:user&gt;admin&lt;");
    const lacking = { claimConfiguration: { dialect: "LOCAL", subject: { claim: { uri: `${LOCAL}nickname` } } } };
    expect((await validated((await newApplication({}, lacking)).service)).user).toBe(PERSON.username);
  });
  test("serviceTicketLifetime: a ticket counts for so many seconds", async () => {
    const at = async (seconds: number, properties = {}) => {
      const { service } = await newApplication(properties);
      vi.useFakeTimers({ toFake: ["Date"] });
      try {
        const ticket = ticketIn(await login(page, service));
        vi.setSystemTime(Date.now() + seconds * 1_000);
        return (await call("serviceValidate", { service, ticket })).code;
      } finally {
        vi.useRealTimers();
      }
    };
    expect(await at(9)).toBeUndefined();
    expect(await at(11)).toBe("INVALID_TICKET");
    expect(await at(28, { serviceTicketLifetime: "30" })).toBeUndefined();
  });
  test("a ticket ends with the session, and with the application", async () => {
    const { service, id } = await newApplication();
    const fresh = browser();
    await login(fresh, service);
    const ticket = ticketIn(await enter(fresh));
    const other = ticketIn(await login(fresh, service));
    expect((await api.ask("PATCH", `${APPLICATIONS}/${id}`, { body: { applicationEnabled: false } })).status).toBe(200);
    expect((await call("serviceValidate", { service, ticket })).code).toBe("INVALID_SERVICE");
    await api.ask("PATCH", `${APPLICATIONS}/${id}`, { body: { applicationEnabled: true } });
    await fresh.open(casPath("logout"));
    await fresh.submit({});
    expect((await call("serviceValidate", { service, ticket: other })).code).toBe("INVALID_TICKET");
  });
});
