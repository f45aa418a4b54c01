/** Every address that an application registers: stored as a browser sends it, or refused by name (decision 0155). */
import { beforeAll, describe, expect, test } from "vitest";
import { upload } from "#tests/support/files.ts";
import { base64, metadata } from "#tests/support/protocols.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const CODE = { grantTypes: ["authorization_code"], callbackURLs: ["https://x.example/cb"] };
const ACS = "https://sp.example/acs";
let made = 0;

/** A member: where it is written and read, its body with an address, and the address of a response. */
interface Member {
  readonly path: string;
  readonly method?: "PATCH" | "PUT";
  readonly body: (address: string) => object;
  readonly shown: (body: never) => unknown;
  /** Whether it takes schemes of applications; the others take http and https alone. */
  readonly isCallback?: true;
}

const saml = (more: object) => ({
  manualConfiguration: { issuer: `https://sp${made}.example`, assertionConsumerUrls: [ACS], ...more },
});
const members: Readonly<Record<string, Member>> = {
  callbackURLs: {
    path: "/inbound-protocols/oidc",
    body: (address) => ({ ...CODE, callbackURLs: [address] }),
    shown: (body: { callbackURLs: string[] }) => body.callbackURLs[0],
    isCallback: true,
  },
  "logout.backChannelLogoutUrl": {
    path: "/inbound-protocols/oidc",
    body: (address) => ({ ...CODE, logout: { backChannelLogoutUrl: address } }),
    shown: (body: { logout: { backChannelLogoutUrl: string } }) => body.logout.backChannelLogoutUrl,
  },
  "logout.frontChannelLogoutUrl": {
    path: "/inbound-protocols/oidc",
    body: (address) => ({ ...CODE, logout: { frontChannelLogoutUrl: address } }),
    shown: (body: { logout: { frontChannelLogoutUrl: string } }) => body.logout.frontChannelLogoutUrl,
  },
  "subject.sectorIdentifierUri": {
    path: "/inbound-protocols/oidc",
    body: (address) => ({ ...CODE, subject: { subjectType: "pairwise", sectorIdentifierUri: address } }),
    shown: (body: { subject: { sectorIdentifierUri: string } }) => body.subject.sectorIdentifierUri,
  },
  assertionConsumerUrls: {
    path: "/inbound-protocols/saml",
    body: (address) => saml({ assertionConsumerUrls: [ACS, address] }),
    shown: (body: { assertionConsumerUrls: string[] }) => body.assertionConsumerUrls[1],
  },
  defaultAssertionConsumerUrl: {
    path: "/inbound-protocols/saml",
    body: (address) => saml({ assertionConsumerUrls: [ACS, address], defaultAssertionConsumerUrl: address }),
    shown: (body: { defaultAssertionConsumerUrl: string }) => body.defaultAssertionConsumerUrl,
  },
  logoutRequestUrl: {
    path: "/inbound-protocols/saml",
    body: (address) => saml({ singleLogoutProfile: { logoutRequestUrl: address } }),
    shown: (body: { singleLogoutProfile: { logoutRequestUrl: string } }) => body.singleLogoutProfile.logoutRequestUrl,
  },
  logoutResponseUrl: {
    path: "/inbound-protocols/saml",
    body: (address) => saml({ singleLogoutProfile: { logoutResponseUrl: address } }),
    shown: (body: { singleLogoutProfile: { logoutResponseUrl: string } }) => body.singleLogoutProfile.logoutResponseUrl,
  },
  returnToUrls: {
    path: "/inbound-protocols/saml",
    body: (address) => saml({ singleLogoutProfile: { idpInitiatedSingleLogout: { returnToUrls: [address] } } }),
    shown: (body: { singleLogoutProfile: { idpInitiatedSingleLogout: { returnToUrls: string[] } } }) =>
      body.singleLogoutProfile.idpInitiatedSingleLogout.returnToUrls[0],
  },
  replyTo: {
    path: "/inbound-protocols/passive-sts",
    body: (address) => ({ realm: `realm ${made}`, replyTo: address }),
    shown: (body: { replyTo: string }) => body.replyTo,
  },
  replyToLogout: {
    path: "/inbound-protocols/passive-sts",
    body: (address) => ({ realm: `realm ${made}`, replyTo: ACS, replyToLogout: address }),
    shown: (body: { replyToLogout: string }) => body.replyToLogout,
  },
  ...Object.fromEntries(
    ["accessUrl", "imageUrl", "logoutReturnUrl"].map((name): [string, Member] => [
      name,
      {
        path: "",
        method: "PATCH",
        body: (address) => ({ [name]: address }),
        shown: (body: Record<string, string>) => body[name],
      },
    ]),
  ),
  "certificate.value": {
    path: "",
    method: "PATCH",
    body: (address) => ({ advancedConfigurations: { certificate: { type: "JWKS", value: address } } }),
    shown: (body: { advancedConfigurations: { certificate: { value: string } } }) =>
      body.advancedConfigurations.certificate.value,
  },
};
const write = (id: string, { path, method = "PUT", body }: Member, address: string) =>
  ask(method, `${APPLICATIONS}/${id}${path}`, { body: body(address) });
const fresh = () => {
  made += 1;
  return create({ name: `address ${made}` });
};

describe.each(Object.entries(members))("%s", (name, member) => {
  test.each([
    ["https://app.example/x", "https://app.example/x"],
    [" https://app.example/x\n", "https://app.example/x"],
    ["https://bücher.example/zurück", "https://xn--bcher-kva.example/zur%C3%BCck"],
  ])("%j is stored as %j, and what a read shows can be written back", async (given, stored) => {
    const id = await fresh();
    for (const address of [given, stored]) {
      expect(await write(id, member, address)).toMatchObject({ status: 200 });
      const read = (await ask("GET", `${APPLICATIONS}/${id}${member.path}`)).body;
      expect(member.shown(read as never)).toBe(stored);
    }
  });
  test("what no request fits is 400 with the member and the character, and changes nothing", async () => {
    const id = await fresh();
    const read = () =>
      ask("GET", `${APPLICATIONS}/${id}${member.path}`).then(({ status, body: { traceId: _, ...body } }) => ({
        status,
        body,
      }));
    const before = await read();
    const wrong: [string, string][] = [
      ["https://app.example/a b", "a blank"],
      ["https://app.example/a\nb", "a line end"],
      ["https://app.example\\x", "a backslash"],
      ["https://app.example/\u202e", "U+202E"],
      ["https://kim:x@app.example/", "a user name"],
      ["https://*.example/x", "one host"],
      ["x", "an absolute URL"],
      ["/x", "an absolute URL"],
      ["https:app.example", "two slashes"],
      ...["javascript:alert(1)", "data:text/html,x", "vbscript:x", "file:///x", "blob:https://a.example/1"].map(
        (address): [string, string] => [address, "scheme"],
      ),
      ...(member.isCallback
        ? [["http://app.example/x", "use https"] as [string, string]]
        : [["app:/x", "https://"] as [string, string]]),
    ];
    for (const [address, reason] of wrong) {
      const answer = await write(id, member, address);
      expect([address, answer.status]).toEqual([address, 400]);
      expect(answer.body.description).toContain(name);
      expect(answer.body.description).toContain(reason);
    }
    expect(await read()).toEqual(before);
  });
  test("is checked the same way where the application is created", async () => {
    made += 1;
    const body = member.body("https://app.example/a b");
    const [, protocol] = /inbound-protocols\/(.+)/.exec(member.path) ?? [];
    const key = protocol === "passive-sts" ? "passiveSts" : protocol;
    const settings = key === undefined ? body : { inboundProtocolConfiguration: { [key]: body } };
    const answer = await ask("POST", APPLICATIONS, { body: { name: `address ${made}`, ...settings } });
    expect(answer.status).toBe(400);
    expect(answer.body.description).toContain(name);
    expect(answer.body.description).toContain("a blank");
  });
});

test("all addresses of a body that are wrong are told at once", async () => {
  const { body, status } = await ask("POST", APPLICATIONS, {
    body: {
      name: "many addresses",
      accessUrl: "x",
      imageUrl: "data:x",
      logoutReturnUrl: "https://a.example/b c",
    },
  });
  expect([status, body.code]).toEqual([400, "APP-60001"]);
  for (const member of ["accessUrl", "imageUrl", "logoutReturnUrl"]) expect(body.description).toContain(member);
});

test("blank texts clear an address", async () => {
  const id = await create({ name: "cleared", accessUrl: "https://a.example", logoutReturnUrl: "https://a.example" });
  await ask("PATCH", `${APPLICATIONS}/${id}`, { body: { accessUrl: "", logoutReturnUrl: " " } });
  expect((await ask("GET", `${APPLICATIONS}/${id}`)).body).toMatchObject({ accessUrl: "", logoutReturnUrl: "" });
});

describe("allowedOrigins", () => {
  const put = (id: string, allowedOrigins: string[]) =>
    ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, { body: { ...CODE, allowedOrigins } });
  test("are stored as the header has them, those of native applications too", async () => {
    const id = await fresh();
    const given = ["HTTPS://App.Example:443", "capacitor://localhost", "ionic://localhost", "tauri://localhost"];
    expect((await put(id, given)).status).toBe(200);
    expect((await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`)).body.allowedOrigins).toEqual([
      "https://app.example",
      ...given.slice(1),
    ]);
  });
  test.each(["*", "https://*.example", "https://*", "null", "https://app.example/", "javascript://x"])(
    "%s is 400 APP-60001, which says why",
    async (origin) => {
      const answer = await put(await fresh(), [origin]);
      expect([answer.status, answer.body.code]).toEqual([400, "APP-60001"]);
      expect(answer.body.description).toContain("allowedOrigins");
      expect(answer.body.description).toContain(origin);
    },
  );
  test("two spellings of one origin are a duplicate", async () => {
    const answer = await put(await fresh(), ["https://app.example", "https://APP.example:443"]);
    expect([answer.status, answer.body.code]).toEqual([400, "CMS-60010"]);
  });
  test("a native application reads tokens from its origin", async () => {
    const client = await newApplication({ allowedOrigins: ["capacitor://localhost"] });
    const form = new URLSearchParams({ grant_type: "authorization_code", code: "x", client_id: client.clientId });
    const asked = (origin: string) =>
      fetch(`${api.url}/oauth2/token`, {
        method: "POST",
        headers: {
          origin,
          authorization: `Basic ${base64(`${client.clientId}:${client.clientSecret}`)}`,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: form,
      }).then(({ headers }) => headers.get("access-control-allow-origin"));
    expect(await asked("capacitor://localhost")).toBe("capacitor://localhost");
    expect(await asked("ionic://localhost")).toBeNull();
  });
});

describe("a sign-in", () => {
  const WRITTEN = "https://bücher.example/zurück";
  const STORED = "https://xn--bcher-kva.example/zur%C3%BCck";
  beforeAll(async () => {
    await ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  });
  test.each([
    ["with letters of other scripts, as it was written", WRITTEN, WRITTEN, STORED],
    ["with letters of other scripts, as a browser writes it", WRITTEN, STORED, STORED],
    ["without a path, as it was written", "https://app.example", "https://app.example", "https://app.example"],
    ["without a path, as a browser writes it", "https://app.example", "https://app.example/", "https://app.example/"],
  ])("leads to a callback %s, and its code is redeemed", async (_, registered, redirect_uri, to) => {
    const client = await newApplication({ callbackURLs: [registered] });
    const page = browser();
    await page.open(requestOf(client, { redirect_uri }));
    const entered = await enter(page);
    expect(entered.headers.get("location")).toMatch(new RegExp(`^${to.replaceAll(".", "\\.")}\\?code=`));
    const { status } = await redeem(client, answerOf(entered).code, { redirect_uri });
    expect(status).toBe(200);
  });
  test("sends nothing to http of another machine that came in a file, and says why", async () => {
    const address = "http://app.example/back";
    const client = await newApplication();
    const path = `${APPLICATIONS}/${client.applicationId}`;
    const file = (await ask("GET", `${path}/export`)).text;
    const answer = await upload(api, "PUT", file.replaceAll("https://cars.example.com/back", address));
    expect(answer.status).toBe(200);
    expect(answer.body.notHonoured).toContainEqual({
      element: "oAuthAppDO/callbackUrl",
      reason: expect.stringContaining(address),
    });
    expect((await ask("GET", `${path}/inbound-protocols/oidc`)).body.callbackURLs).toEqual([address]);
    const shown = await browser().open(requestOf(client, { redirect_uri: address }));
    expect([shown.status, shown.location]).toEqual([400, undefined]);
    expect(shown.html).toContain("Register an https address");
  });
});

test("addresses of SAML metadata are read as xs:anyURI", async () => {
  const id = await fresh();
  const text = metadata({ entityId: "https://anyuri.example" }).replace('/acs"', '/acs\n  "');
  const body = { metadataFile: base64(text) };
  expect((await ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/saml`, { body })).status).toBe(200);
  expect((await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/saml`)).body.assertionConsumerUrls).toEqual([
    "https://anyuri.example/acs",
  ]);
});
