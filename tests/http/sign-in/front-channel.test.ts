/** The browser opens pages of applications at a sign-out (OpenID Connect Front-Channel Logout 1.0). */
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { CALLBACK, claimsIn, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser } = signInOf(api);
const CARS = "https://cars.example.com/out?from=idp";
const BIKES = "https://bikes.example.com:8443/out";

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
});

const listening = (frontChannelLogoutUrl: string) => newApplication({ logout: { frontChannelLogoutUrl } });

const signedIn = async (...clients: readonly [TestClient, ...TestClient[]]) => {
  const page = browser();
  const [first, ...others] = clients;
  await page.open(requestOf(first));
  const { body } = await redeem(first, answerOf(await enter(page)).code);
  for (const other of others) await page.open(requestOf(other));
  const hint = body.id_token as string;
  const out = (fields: Readonly<Record<string, string>> = {}) =>
    page.open(`/oidc/logout?${new URLSearchParams({ id_token_hint: hint, ...fields })}`);
  return { page, out, sid: claimsIn(hint).sid as string };
};
/** The addresses of the frames, as a browser reads them. */
const framesIn = (html: string) =>
  [...html.matchAll(/<iframe src="([^"]*)"/g)].map(([, src = ""]) => new URL(src.replaceAll("&amp;", "&")));

describe("pages of applications", () => {
  test("are opened by the page, which names their origins and nothing else, and goes on after some seconds", async () => {
    const plain = await newApplication();
    const { out, sid } = await signedIn(await listening(CARS), await listening(BIKES), plain);
    const shown = await out({ post_logout_redirect_uri: CALLBACK, state: "a b" });
    expect([shown.status, shown.title]).toEqual([200, "You are signed out"]);
    const frames = framesIn(shown.html);
    const issuer = `${api.url}/oauth2/token`;
    expect(frames.map(({ origin, pathname, searchParams }) => [origin + pathname, ...searchParams]).sort()).toEqual([
      ["https://bikes.example.com:8443/out", ["iss", issuer], ["sid", sid]],
      ["https://cars.example.com/out", ["from", "idp"], ["iss", issuer], ["sid", sid]],
    ]);
    const policy = shown.headers.get("content-security-policy") ?? "";
    const sources = /frame-src ([^;]*)/.exec(policy)?.[1]?.split(" ").sort();
    expect(sources).toEqual(["https://bikes.example.com:8443", "https://cars.example.com"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("script-src");
    expect(shown.html).not.toContain("<script");
    expect(shown.headers.get("refresh")).toBe(`3; url=${CALLBACK}?state=a+b`);
    expect(shown.html).toContain(`<a href="${CALLBACK}?state=a+b">`);
    expect(shown.headers.getSetCookie()[0]).toContain("__Host-session=;");
  });

  test("are opened after the question, too, and without an address to go to", async () => {
    const { page, sid } = await signedIn(await listening(CARS));
    expect((await page.open("/oidc/logout")).html).not.toContain("<iframe");
    const shown = await page.submit({});
    expect(framesIn(shown.html).map(({ searchParams }) => searchParams.get("sid"))).toEqual([sid]);
    expect(shown.headers.get("refresh")).toBeNull();
  });

  test("are not there for a session without such applications, whose browser goes on at once", async () => {
    await listening(CARS);
    const { out } = await signedIn(await newApplication());
    const shown = await out({ post_logout_redirect_uri: CALLBACK });
    expect([shown.status, shown.location?.href]).toEqual([302, CALLBACK]);
  });

  test("are those of now: an application that is gone is not asked", async () => {
    const [cars, bikes] = [await listening(CARS), await listening(BIKES)];
    const { out } = await signedIn(cars, bikes);
    await api.ask("DELETE", `${APPLICATIONS}/${bikes.applicationId}`);
    expect(framesIn((await out()).html).map(({ hostname }) => hostname)).toEqual(["cars.example.com"]);
  });

  test("cannot break out of the page or its policy", async () => {
    const client = await listening("https://cars.example.com/out?a='onload=alert(1)&quot;;frame-src%20*");
    const shown = await (await signedIn(client)).out();
    expect(shown.html).not.toContain("<script");
    expect(framesIn(shown.html)).toHaveLength(1);
    expect(/frame-src ([^;]*)/.exec(shown.headers.get("content-security-policy") ?? "")?.[1]).toBe(
      "https://cars.example.com",
    );
  });

  test.each(["javascript:alert(1)", "data:text/html,a", "app://out"])(
    "with the address %s are not opened",
    async (url) => {
      const client = await newApplication();
      await api.ask("PUT", `${APPLICATIONS}/${client.applicationId}/inbound-protocols/oidc`, {
        body: { grantTypes: ["authorization_code"], callbackURLs: [CALLBACK], logout: { frontChannelLogoutUrl: url } },
      });
      const { out } = await signedIn(client);
      expect((await out()).html).not.toContain("<iframe");
    },
  );
});
