/**
 * The unchanged software of others as service providers: each takes the metadata of this service, this service takes
 * its metadata, and a browser goes between them. Software that is not installed is skipped.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mellon, shibboleth } from "#tests/support/others/apache.ts";
import { nodeSaml } from "#tests/support/others/node-saml.ts";
import { type HeldPort, holdPort, type Kind, type Other } from "#tests/support/others/program.ts";
import { pysaml2, python3Saml } from "#tests/support/others/python.ts";
import { simplesamlphp } from "#tests/support/others/simplesamlphp.ts";
import { newTraveller, type Page, type Traveller } from "#tests/support/others/travelling.ts";
import { newProviderKey } from "#tests/support/saml.ts";
import { PERSON } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const EMAIL = "http://wso2.org/claims/emailaddress";
/** How a provider can be told: the binding of its metadata, and `logoutMethod` of its settings. */
const METHODS = {
  SOAP: "BACKCHANNEL",
  "HTTP-POST": "FRONTCHANNEL_HTTP_POST",
  "HTTP-Redirect": "FRONTCHANNEL_HTTP_REDIRECT",
} as const;
type Binding = keyof typeof METHODS;

const kinds = [python3Saml, pysaml2, mellon, shibboleth, simplesamlphp];
for (const { name, install } of kinds.filter(({ isInstalled }) => !isInstalled)) {
  process.stderr.write(`Skipping ${name}: it is not installed (${install}).\n`);
}

// The service reads at its start to which hosts of this machine it may send logout requests.
const ports = new Map<Kind, HeldPort>();
beforeAll(async () => {
  for (const kind of [nodeSaml, ...kinds]) ports.set(kind, await holdPort());
  process.env.METADATA_HOSTS = [...ports.values()].map(({ port }) => `127.0.0.1:${port}`).join(",");
});
const api = world({ delivers: true });

/** The software of others, registered here. */
interface Registered extends Other {
  readonly application: string;
}
/** Those of a service provider. */
interface Settings {
  readonly singleSignOnProfile: { readonly assertion: object };
}
const started: Registered[] = [];
/** All that run, registered or not. */
const running: Other[] = [];
let companion: Registered;

const registered = async (kind: Kind): Promise<Registered> => {
  const metadata = await (await fetch(`${api.url}/identity/metadata/saml2`)).text();
  const held = ports.get(kind);
  if (!held) throw new Error("a port is held for each kind");
  await held.release();
  const told = { port: held.port, key: await newProviderKey(), metadata, entityId: api.url };
  const other = await kind.start(told);
  running.push(other);
  const application = await api.create({
    name: kind.name,
    advancedConfigurations: { skipLoginConsent: true },
    claimConfiguration: { dialect: "LOCAL", requestedClaims: [{ claim: { uri: EMAIL } }] },
    inboundProtocolConfiguration: { saml: { metadataFile: Buffer.from(other.metadata).toString("base64") } },
  });
  const made = { ...other, application };
  started.push(made);
  // All of them sign, whether or not their metadata says so.
  await changed(made, () => ({ requestValidation: { enableSignatureValidation: true } }));
  return made;
};
/** The addresses of logout in the metadata of a provider. */
const servicesOf = ({ metadata }: Other): ReadonlyMap<Binding, string> =>
  new Map(
    [...metadata.matchAll(/<[^>]*SingleLogoutService[^>]*>/g)].flatMap(([tag]) => {
      const binding = Object.keys(METHODS).find((each) => tag.includes(`:${each}"`)) as Binding | undefined;
      const location = /\sLocation="([^"]*)"/.exec(tag)?.[1];
      return binding && location ? [[binding, location]] : [];
    }),
  );
/** Changes the settings of a provider. */
const changed = async ({ application }: Registered, changeOf: (settings: Settings) => object) => {
  const at = `${APPLICATIONS}/${application}/inbound-protocols/saml`;
  const { body: settings } = await api.ask("GET", at);
  const body = { manualConfiguration: { ...settings, ...changeOf(settings) } };
  expect(await api.ask("PUT", at, { body })).toMatchObject({ status: 200 });
};

beforeAll(async () => {
  const emails = [{ value: "kim@cars.example", primary: true }];
  const body = { userName: PERSON.username, password: PERSON.password, emails };
  expect((await api.ask("POST", "/scim2/Users", { body })).status).toBe(201);
  companion = await registered(nodeSaml);
});
afterAll(async () => {
  for (const each of running) await each.close();
  for (const each of ports.values()) await each.release();
});

const isAtSignIn = ({ url, html }: Page) => url.origin === api.url && html.includes('name="password"');
/** Presses the button of each page that leads on. */
const goOn = async (browser: Traveller, page: Page): Promise<Page> =>
  /name=['"]SAML(?:Request|Response)['"]/.test(page.html) ? goOn(browser, await browser.submit()) : page;
/** Opens the page of a provider, and enters the password where it is asked for. */
const signIn = async (browser: Traveller, other: Other): Promise<{ user: string; isAsked: boolean }> => {
  const shown = await goOn(browser, await browser.open(other.page));
  const isAsked = isAtSignIn(shown);
  const last = isAsked ? await goOn(browser, await browser.submit(PERSON)) : shown;
  const user = other.userOn(last);
  if (user === undefined) throw await unexpected(last, other);
  return { user, isAsked };
};
const unexpected = async ({ url, status, html }: Page, other: Other) =>
  new Error(`${status} ${url}\n${html.slice(0, 3_000)}\n${await other.written()}`);
/** Waits until a provider knows no one in a browser, and nor does this service: by SOAP it is told a moment later. */
const untilSignedOut = async (browser: Traveller, other: Other): Promise<void> => {
  for (let tries = 0; ; tries += 1) {
    const shown = await goOn(browser, await browser.open(other.page));
    if (isAtSignIn(shown)) return;
    if (tries > 400) throw await unexpected(shown, other);
    await new Promise((done) => setTimeout(done, 50));
  }
};

describe.each(kinds.map((kind) => [kind.name, kind] as const))("signOnBySaml, signOnBySamlForm: %s", (_, kind) => {
  describe.skipIf(!kind.isInstalled)("unchanged", { timeout: 120_000 }, () => {
    let other: Registered;
    beforeAll(async () => {
      other = await registered(kind);
    }, 60_000);

    test("signs a person in, and single signs on", async () => {
      const [first, second] = [newTraveller(), newTraveller()];
      const { user, isAsked } = await signIn(first, other);
      expect([user, isAsked]).toEqual([expect.stringMatching(kind.user), true]);
      const named = expect.stringMatching(nodeSaml.user);
      expect(await signIn(first, companion)).toEqual({ user: named, isAsked: false });
      expect(await signIn(second, companion)).toEqual({ user: named, isAsked: true });
      const again = await signIn(second, other);
      expect(again).toEqual({ user: expect.stringMatching(kind.user), isAsked: false });
      expect(again.user === user).toBe(!kind.isTransient);
    });
    test.skipIf(kind.formPath === undefined)("asks by form", async () => {
      const browser = newTraveller();
      await goOn(browser, await browser.open(new URL(kind.formPath ?? "", other.page)));
      const last = await goOn(browser, await browser.submit(PERSON));
      expect(browser.carried[0]?.binding).toBe("HTTP-POST");
      expect(other.userOn(last)).toMatch(kind.user);
    });
    test("takes a signed response with an encrypted assertion", async () => {
      await changed(other, ({ singleSignOnProfile: { assertion, ...profile } }) => ({
        responseSigning: {},
        singleSignOnProfile: { ...profile, assertion: { ...assertion, encryption: { enabled: true } } },
      }));
      const browser = newTraveller();
      expect((await signIn(browser, other)).user).toMatch(kind.user);
      expect(browser.carried.at(-1)?.xml).toMatch(/^<samlp:Response .*<ds:Signature .*<saml:EncryptedAssertion /);
    });
    test("signs a person out, here and in the other provider", async () => {
      for (const [way, address] of Object.entries(other.logouts)) {
        const browser = newTraveller();
        await signIn(browser, other);
        await signIn(browser, companion);
        const last = await goOn(browser, await browser.open(address));
        if (!other.left.test(last.html) || last.url.origin !== new URL(other.page).origin) {
          throw await unexpected(last, other);
        }
        // By SOAP no browser can visit the other one.
        if (way !== "by SOAP") await untilSignedOut(browser, companion);
        await untilSignedOut(browser, other);
      }
    });
    test("is signed out by each binding of its metadata, where the other provider signs out", async () => {
      const services = servicesOf(other);
      expect(services.size).toBeGreaterThan(0);
      for (const [binding, location] of services) {
        const singleLogoutProfile = { enabled: true, logoutMethod: METHODS[binding], logoutRequestUrl: location };
        await changed(other, () => ({ singleLogoutProfile }));
        const browser = newTraveller();
        await signIn(browser, other);
        await signIn(browser, companion);
        const before = browser.carried.length;
        const last = await goOn(browser, await browser.open(companion.logouts["by redirect"] ?? ""));
        expect(last.html).toMatch(companion.left);
        const carried = browser.carried.slice(before);
        expect(carried.at(-1)?.xml).toMatch(/:LogoutResponse .*status:Success/);
        expect(carried.at(-1)?.xml).not.toContain("PartialLogout");
        const request = { to: location, binding, xml: expect.stringContaining(":LogoutRequest ") };
        const bySoap = binding === "SOAP";
        expect(carried.filter(({ to }) => to === location)).toEqual(bySoap ? [] : [request]);
        await untilSignedOut(browser, other);
      }
    });
  });
});

test("a sign-out that begins here ends the session in all of them", async () => {
  const browser = newTraveller();
  for (const each of started) await signIn(browser, each);
  expect((await browser.open(`${api.url}/samlsso?slo=true`)).html).toContain("Sign out");
  const last = await goOn(browser, await browser.submit());
  expect(last.url.origin).toBe(api.url);
  expect(last.html).toContain("signed out");
  for (const each of started) await untilSignedOut(browser, each);
}, 120_000);
