/** Applications that are scripts in browsers: what they may read (CORS), and a library that uses it as it is. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, openBrowser } from "#tests/support/chromium.ts";
import { PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";
import { type LogLine, listening } from "#tools/bench/calls.ts";

const api = world();
const { newApplication, redeem, requestOf, enter, answerOf, browser, tokensOf } = signInOf(api);
const OWN = "https://cars.example.com";
const FOREIGN = "https://evil.example";

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", {
    body: { userName: PERSON.username, password: PERSON.password, emails: [{ value: "kim@cars.example" }] },
  });
});

const preflight = (path: string, method: string, origin = FOREIGN) =>
  fetch(api.url + path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": "authorization" },
  });
/** The headers of CORS of a response. */
const corsOf = ({ headers }: Response) => ({
  origin: headers.get("access-control-allow-origin"),
  credentials: headers.get("access-control-allow-credentials"),
  vary: headers.get("vary"),
});

describe("a preflight request", () => {
  test.each([
    ["POST", "/oauth2/token"],
    ["POST", "/oauth2/revoke"],
    ["GET", "/oauth2/userinfo"],
    ["POST", "/t/carbon.super/oauth2/userinfo"],
    ["GET", "/oauth2/jwks"],
    ["GET", "/.well-known/openid-configuration"],
    ["GET", "/oauth2/token/.well-known/openid-configuration"],
    ["GET", "/.well-known/oauth-authorization-server"],
  ])("for %s %s is answered, without a read of the database", async (method, path) => {
    let answer: Response | undefined;
    const lines = await listening(async () => {
      answer = await preflight(path, method);
    });
    expect(answer?.status).toBe(204);
    expect(await answer?.text()).toBe("");
    expect(Object.fromEntries(answer?.headers ?? [])).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": method,
      "access-control-allow-headers": "authorization, content-type, dpop, x-correlation-id",
    });
    expect(answer?.headers.get("access-control-allow-credentials")).toBeNull();
    expect(lines.length).toBeGreaterThan(0);
    const trips = lines.flatMap((line: LogLine) => line.RoundTrips ?? []);
    expect(trips.filter((count) => count > 0)).toEqual([]);
  });

  test.each([
    ["GET", "/oauth2/authorize"],
    ["POST", "/oauth2/sign-in"],
    ["POST", "/oauth2/consent"],
    ["GET", "/oidc/logout"],
    ["POST", "/oauth2/introspect"],
    ["GET", "/scim2/Users"],
    ["POST", "/api/server/v1/applications"],
    ["DELETE", "/oauth2/token"],
    ["GET", "/oauth2/nothing"],
  ])("for %s %s is refused", async (method, path) => {
    const answer = await preflight(path, method, OWN);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(corsOf(answer).origin).toBeNull();
    expect(answer.headers.get("access-control-allow-methods")).toBeNull();
  });

  test("is one with its headers only: any other request by OPTIONS is refused as before", async () => {
    const answer = await fetch(`${api.url}/oauth2/token`, { method: "OPTIONS" });
    expect(answer.status).toBe(405);
  });
});

describe("a response", () => {
  const send = (path: string, origin: string | undefined, init: RequestInit = {}) =>
    fetch(api.url + path, { ...init, headers: { ...init.headers, ...(origin && { origin }) } });
  const tokenRequest = (fields: Readonly<Record<string, string>>) => ({
    method: "POST",
    body: new URLSearchParams(fields),
  });

  test("with keys and addresses may be read by all", async () => {
    for (const path of ["/oauth2/jwks", "/.well-known/openid-configuration"]) {
      expect(corsOf(await send(path, FOREIGN))).toMatchObject({ origin: "*", credentials: null });
    }
    expect(corsOf(await send("/t/nowhere.example/.well-known/openid-configuration", FOREIGN))).toMatchObject({
      origin: "*",
    });
  });

  test("of the token endpoint may be read by the origins of the client, an error too, and by no other", async () => {
    const client = await newApplication({ publicClient: true, allowedOrigins: [OWN, "https://b.example"] });
    const wrong = tokenRequest({ grant_type: "authorization_code", code: "ac_x", client_id: client.clientId });
    for (const origin of [OWN, "https://b.example"]) {
      const answer = await send("/oauth2/token", origin, wrong);
      expect(answer.status).toBe(400);
      expect(corsOf(answer)).toEqual({ origin, credentials: null, vary: "origin" });
    }
    for (const origin of [FOREIGN, "null", "https://cars.example.com.evil.example", `${OWN}:444`, undefined]) {
      const answer = await send("/oauth2/token", origin, wrong);
      expect(answer.status).toBe(400);
      expect(corsOf(answer)).toEqual({ origin: null, credentials: null, vary: "origin" });
    }
    const unknown = tokenRequest({ grant_type: "authorization_code", code: "ac_x", client_id: "nobody" });
    expect(corsOf(await send("/oauth2/token", OWN, unknown)).origin).toBeNull();
  });

  test("of UserInfo and of revocation likewise, and of introspection never", async () => {
    const client = await newApplication({ allowedOrigins: [OWN] });
    const { tokens } = await tokensOf(client, { scope: "openid email" });
    const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
    const info = await send("/oauth2/userinfo", OWN, bearer);
    expect(await info.json()).toMatchObject({ email: "kim@cars.example" });
    expect(corsOf(info)).toEqual({ origin: OWN, credentials: null, vary: "origin" });
    expect(corsOf(await send("/oauth2/userinfo", FOREIGN, bearer))).toMatchObject({ origin: null, vary: "origin" });
    const secret = { client_id: client.clientId, client_secret: client.clientSecret ?? "", token: "x" };
    expect(corsOf(await send("/oauth2/revoke", OWN, tokenRequest(secret))).origin).toBe(OWN);
    expect(corsOf(await send("/oauth2/revoke", FOREIGN, tokenRequest(secret))).origin).toBeNull();
    expect(corsOf(await send("/oauth2/introspect", OWN, tokenRequest(secret))).origin).toBeNull();
  });

  test("of a page is for nobody but the person", async () => {
    const client = await newApplication({ allowedOrigins: [OWN] });
    const page = browser();
    const shown = await page.open(requestOf(client), { origin: OWN });
    expect(shown.headers.get("access-control-allow-origin")).toBeNull();
    const { code } = answerOf(await enter(page));
    expect((await redeem(client, code)).status).toBe(200);
  });
});

describe.skipIf(chromiumPath === undefined)("oidc-client-ts in Chromium, as it is", () => {
  /** A page whose script is the library, at two origins: the registered one, and another. */
  const pages = async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "oidc-client-ts";', resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: "iife",
      globalName: "oidc",
      platform: "browser",
    });
    const script = outputFiles[0]?.text ?? "";
    const server = createServer((request, response) => {
      if (request.url === "/app.js") return response.setHeader("content-type", "text/javascript").end(script);
      return response
        .setHeader("content-type", "text/html")
        .end('<!doctype html><title>app</title><script src="/app.js"></script>');
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return { server, port: (server.address() as AddressInfo).port };
  };

  test("signs in, gets tokens and claims across origins, refreshes, revokes and signs out", async () => {
    const { server, port } = await pages();
    const chromium = await openBrowser();
    try {
      const origin = `http://127.0.0.1:${port}`;
      const client = await newApplication({
        publicClient: true,
        pkce: { mandatory: true },
        callbackURLs: ["http://127.0.0.1/back"],
        allowedOrigins: [origin],
      });
      const settings = JSON.stringify({
        authority: `${api.url}/oauth2/token`,
        client_id: client.clientId,
        redirect_uri: `${origin}/back`,
        post_logout_redirect_uri: `${origin}/back`,
        scope: "openid email offline_access",
        loadUserInfo: true,
        automaticSilentRenew: false,
        monitorSession: false,
      });
      const manager = `const manager = new oidc.UserManager(${settings});`;
      const page = await (await chromium.newContext()).newPage();
      await page.goto(`${origin}/`);
      await page.evaluate(`(async () => { ${manager} await manager.signinRedirect(); })()`).catch(() => undefined);
      await page.getByLabel("User name").fill(PERSON.username);
      await page.getByLabel("Password").fill(PERSON.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${origin}/back?*`);
      const seen: unknown = await page.evaluate(`(async () => {
        ${manager}
        const user = await manager.signinCallback();
        const renewed = await manager.signinSilent();
        const before = [user.access_token, renewed.access_token];
        return { email: user.profile.email, isRenewed: before[0] !== before[1], renewedSub: renewed.profile.sub === user.profile.sub };
      })()`);
      expect(seen).toEqual({ email: "kim@cars.example", isRenewed: true, renewedSub: true });
      const isRead = await page.evaluate(`(async () => {
        ${manager}
        const { access_token } = await manager.getUser();
        const info = await fetch("${api.url}/oauth2/userinfo", { headers: { authorization: "Bearer " + access_token } });
        return (await info.json()).email;
      })()`);
      expect(isRead).toBe("kim@cars.example");
      // The same page at an origin that the application does not register.
      const other = await page.context().newPage();
      await other.goto(`http://localhost:${port}/`);
      const token: unknown = await page.evaluate(
        `(async () => { ${manager} return (await manager.getUser()).access_token; })()`,
      );
      const foreign =
        await other.evaluate(`fetch("${api.url}/oauth2/userinfo", { headers: { authorization: "Bearer ${token}" } })
        .then(() => "read", () => "refused")`);
      expect(foreign).toBe("refused");
      await page.evaluate(`(async () => { ${manager} await manager.revokeTokens(["refresh_token"]); })()`);
      await page.evaluate(`(async () => { ${manager} await manager.signoutRedirect(); })()`).catch(() => undefined);
      await page.waitForURL(`${origin}/back*`);
      await page.goto(api.url + requestOf(client, { redirect_uri: `${origin}/back`, ...challengeOf() }));
      expect(await page.getByLabel("Password").isVisible()).toBe(true);
    } finally {
      await chromium.close();
      server.close();
    }
  });
});

const challengeOf = () => ({ code_challenge: "x".repeat(43), code_challenge_method: "S256" });
