/** Hostile requests: callbacks of every kind of registration, stolen and weakened codes, control characters. */
import { beforeAll, describe, expect, test } from "vitest";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { requestsOf } from "#tests/support/requests.ts";
import { CALLBACK, claimsIn, newVerifier, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser, tokensOf } = signInOf(api);
const { push, pushed, opening } = requestsOf(api);
const { post } = oauthOf(api);
let byExpression: TestClient;
let native: TestClient;
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  await api.ask("POST", "/scim2/Users", { body: { userName: PERSON.username, password: PERSON.password } });
  client = await newApplication();
  other = await newApplication();
  byExpression = await newApplication({
    callbackURLs: [
      "regexp=https://(www|shop)\\.cars\\.example\\.com/back(\\?lang=[a-z]{2})?",
      "regexp=https://x\\.example/.*",
    ],
  });
  native = await newApplication({ callbackURLs: ["http://127.0.0.1/back", "http://[::1]:4000/back?x=1"] });
});

const ordinary = "https://www.cars.example.com/back";
const expressions: readonly string[] = [
  ...[
    "https://cars.example.com/back",
    "https://evil.cars.example.com/back",
    "https://www.cars.example.com.evil.example/back",
  ],
  ...["https://wwwxcars.example.com/back", "https://www.carsxexample.com/back", "https://www.cars.example.com/backx"],
  ...[`x${ordinary}`, `${ordinary}?lang=eng`, `${ordinary}?lang=e1`, `${ordinary}?lang=`, `${ordinary}?lang=de&x=1`],
  ...[
    `${ordinary}?lang=de#x`,
    `${ordinary}#`,
    `${ordinary}#?lang=de`,
    `${ordinary}\n`,
    `${ordinary}\nhttps://evil.example`,
  ],
  ...[`https://evil.example\n${ordinary}`, `https://evil.example/?${ordinary}`, `https://evil.example/#${ordinary}`],
  ...[
    "https://www.cars.example.com@evil.example/back",
    "https://u:p@www.cars.example.com/back",
    "http://www.cars.example.com/back",
  ],
  ...[
    "HTTPS://www.cars.example.com/back",
    "https://WWW.cars.example.com/back",
    "https://www.cars.example.com:8443/back",
  ],
  ...["https://www.cars.example.com//back", "https://www.cars.example.com/Back", "https://www.cars.example.com/./back"],
  ...[
    "https://www.cars.example.com/back/..",
    "https://www.cars.example.com/%62ack",
    "https://www\\.cars\\.example\\.com/back",
  ],
  ...[
    "https://(www|shop).cars.example.com/back",
    "regexp=https://www.cars.example.com/back",
    "https://www．cars.example.com/back",
  ],
  ...[
    "https://x.example@evil.example/",
    "https://x.example:443@evil.example/",
    "https://x.example/#",
    "https://x.example/a#b",
  ],
  ...[
    "https://x.example/\n",
    "https://x.example/\r\nX: y",
    "https://x.example/a b",
    "https://x.example/\t",
    "https://x.example/\\",
  ],
  ...[
    'https://x.example/"',
    "https://x.example/<script>",
    "https://x.example/`",
    "https://x.example/{x}",
    "https://x.example/^",
  ],
  ...[
    "https://x.example/\u0000",
    "https://x.example/\u00e4",
    "https://x.example/\u202e",
    "https://x.example/\ud83d\ude00",
  ],
  ...["https://x.example", "https://x.example.evil.example/", "https://xxexample/", "//x.example/", "https:x.example/"],
  ...["javascript:https://x.example/", "data:https://x.example/", `https://x.example/${"a".repeat(2_100)}`],
];
const loopbacks: readonly string[] = [
  ...["http://localhost/back", "http://localhost:8000/back", "http://127.0.0.1:8000/", "http://127.0.0.1:8000/back/"],
  ...[
    "http://127.0.0.1:8000/back/x",
    "http://127.0.0.1:8000/back?x",
    "http://127.0.0.1:8000/back?",
    "http://127.0.0.1:8000/back#",
  ],
  ...[
    "http://127.0.0.1:8000//back",
    "http://127.0.0.1:8000/./back",
    "http://127.0.0.1:8000/Back",
    "http://127.0.0.1:8000/%62ack",
  ],
  ...[
    "http://127.0.0.1:8000\\@evil.example/back",
    "http://127.0.0.1:8000@evil.example/back",
    "http://u@127.0.0.1:8000/back",
  ],
  ...["http://127.0.0.1:/back", "http://127.0.0.1:99999/back", "http://127.0.0.1:-1/back", "http://127.0.0.1:8e3/back"],
  ...[
    "http://127.0.0.1:123456/back",
    "http://127.0.0.1:0x50/back",
    "http://127.0.0.1: 80/back",
    "http://127.0.0.1:80:80/back",
  ],
  ...["https://127.0.0.1:8000/back", "HTTP://127.0.0.1:8000/back", "ws://127.0.0.1:8000/back", "ftp://127.0.0.1/back"],
  ...[
    "http://127.0.0.2:8000/back",
    "http://127.1:8000/back",
    "http://127.0.1:8000/back",
    "http://2130706433:8000/back",
  ],
  ...[
    "http://0x7f000001:8000/back",
    "http://0177.0.0.1:8000/back",
    "http://127.0.0.1.:8000/back",
    "http://127.000.000.001:80/back",
  ],
  ...["http://127.0.0.1.evil.example:8000/back", "http://127.0.0.1.nip.io/back", "http://evil.example/127.0.0.1/back"],
  ...[
    "http://0.0.0.0:8000/back",
    "http://0:8000/back",
    "http://[::]:8000/back?x=1",
    "http://[::1]/back",
    "http://[::1]:4000/back",
  ],
  ...[
    "http://[::1]:4000/back?x=2",
    "http://[::1]:4000/back?x=1&y",
    "http://[::1]:4000/back?x=1#",
    "http://[0:0:0:0:0:0:0:1]:4000/back?x=1",
  ],
  ...[
    "http://[::ffff:127.0.0.1]:4000/back?x=1",
    "http://[::1%25lo]:4000/back?x=1",
    "http://::1:4000/back?x=1",
    "http://[::1]4000/back?x=1",
  ],
  ...[
    "http://[::1]:4000@evil.example/back?x=1",
    "http://[::2]:4000/back?x=1",
    "http://[::1:4000/back?x=1",
    "//127.0.0.1:8000/back",
  ],
  ...[
    "http:127.0.0.1:8000/back",
    "http:/127.0.0.1:8000/back",
    "http:///127.0.0.1:8000/back",
    "http:\\\\127.0.0.1:8000\\back",
  ],
  ...[
    "http://127.0.0.1:8000/back\n",
    "http://127.0.0.1:8000/back\u0000",
    " http://127.0.0.1:8000/back",
    "http://127.0.0.1:٨٠٨٠/back",
  ],
];

describe.each([
  [
    "an expression",
    () => byExpression,
    expressions,
    ["https://shop.cars.example.com/back?lang=de", "https://x.example/a?b=c"],
  ],
  ["a loopback address", () => native, loopbacks, ["http://127.0.0.1:65535/back", "http://[::1]:9/back?x=1"]],
] as const)("a callback that is registered as %s", (_, of, forms, good) => {
  test("is tried in at least sixty forms", () => expect(new Set(forms).size).toBeGreaterThanOrEqual(60));
  test.each(forms)("%j leads nowhere, and cannot be pushed", async (redirect_uri) => {
    for (const fields of [
      { prompt: "none" },
      { response_type: "token" },
      { request: "a.b.c" },
      { response_mode: "x" },
    ]) {
      const shown = await browser().open(requestOf(of(), { redirect_uri, state: "s", ...fields }));
      expect([shown.status, shown.location, shown.html.includes("<form")]).toEqual([400, undefined, false]);
    }
    const { status, body } = await push(of(), { redirect_uri });
    expect([status, body?.request_uri]).toEqual([400, undefined]);
  });
  test.each(good)("%s is one of its addresses", async (redirect_uri) => {
    const shown = await browser().open(requestOf(of(), { redirect_uri, prompt: "none" }));
    expect(shown.location?.href.startsWith(redirect_uri)).toBe(true);
  });
});

describe("a code", () => {
  const start = async (of: TestClient, fields: Readonly<Record<string, string>> = {}) => {
    const page = browser();
    await page.open(requestOf(of, fields));
    return answerOf(await enter(page)).code ?? "";
  };
  test("is not weakened: no verifier, a verifier without a challenge, the challenge itself, plain", async () => {
    const { verifier, challenge } = newVerifier();
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    for (const code_verifier of [undefined, "", challenge, newVerifier().verifier, verifier.toLowerCase()]) {
      const { status, body } = await redeem(client, await start(client, pkce), { code_verifier });
      expect([status, body.error]).toEqual([400, "invalid_grant"]);
    }
    expect((await redeem(client, await start(client), { code_verifier: verifier })).body.error).toBe("invalid_grant");
    const required = await newApplication({ pkce: { mandatory: true } });
    for (const fields of [
      {},
      { code_challenge: "" },
      { code_challenge: challenge, code_challenge_method: "plain" },
      { code_challenge: challenge },
    ]) {
      expect(answerOf(await browser().open(requestOf(required, fields))).error).toBe("invalid_request");
    }
    expect((await browser().open(`${requestOf(required, pkce)}&code_challenge=`)).status).toBe(400);
    // A challenge next to the name of a pushed request does not count, and none there is not replaced.
    expect((await push(required)).body.error).toBe("invalid_request");
    const page = browser();
    await page.open(opening(required, await pushed(required, pkce), { code_challenge: newVerifier().challenge }));
    const { code } = answerOf(await enter(page));
    expect((await redeem(required, code, { code_verifier: verifier })).status).toBe(200);
  });
  test("that was injected into the answer of another sign-in is refused: another verifier, client, address", async () => {
    const [mine, theirs] = [newVerifier(), newVerifier()];
    const stolen = await start(client, { code_challenge: theirs.challenge, code_challenge_method: "S256" });
    expect((await redeem(client, stolen, { code_verifier: mine.verifier })).body.error).toBe("invalid_grant");
    const plain = await start(client);
    expect((await redeem(other, plain)).body.error).toBe("invalid_grant");
    expect((await redeem(client, plain, { redirect_uri: "https://cars.example.com/other" })).body.error).toBe(
      "invalid_grant",
    );
    expect((await redeem(client, plain, { redirect_uri: undefined })).body.error).toBe("invalid_grant");
    expect((await redeem(client, plain)).status).toBe(200);
  });
  test("that is replayed ends what its first use started, also by two uses at once", async () => {
    const code = await start(client);
    const answers = await Promise.all([redeem(client, code), redeem(client, code), redeem(client, code)]);
    const tokens = answers.flatMap(({ body }) => (body.access_token ? [body] : []));
    expect(tokens.length).toBeLessThanOrEqual(1);
    expect((await redeem(client, code)).body.error).toBe("invalid_grant");
    for (const { access_token, refresh_token } of tokens) {
      expect((await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${access_token}` })).status).toBe(401);
      const again = await post("/oauth2/token", { grant_type: "refresh_token", refresh_token }, client);
      expect(again.body.error).toBe("invalid_grant");
    }
  });
  test("comes with the issuer, by which a client notices that another server answered", async () => {
    const page = browser();
    await page.open(requestOf(client));
    const { iss } = answerOf(await enter(page));
    expect(iss).toBe(`${api.url}/oauth2/token`);
    expect(answerOf(await browser().open(requestOf(client, { prompt: "none" }))).iss).toBe(iss);
  });
  test("is no token, no refresh token and no name of a request, and none of these is a code", async () => {
    const code = await start(client);
    expect((await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${code}` })).status).toBe(401);
    const wrong = await post("/oauth2/token", { grant_type: "refresh_token", refresh_token: code }, client);
    expect(wrong.body.error).toBe("invalid_grant");
    const { tokens } = await tokensOf(client);
    const name = (await pushed(client)).split(":").at(-1);
    for (const text of [
      tokens.access_token,
      tokens.refresh_token,
      name,
      `${code}x`,
      code.replace("ac_", "pr_"),
      code.slice(3),
    ]) {
      expect((await redeem(client, text)).body.error).toBe("invalid_grant");
    }
    const renamed = `urn:ietf:params:oauth:request_uri:${code.replace("ac_", "pr_")}`;
    expect((await browser().open(opening(client, renamed))).status).toBe(400);
  });
});

describe("control characters break no header and no page", () => {
  const texts = [
    "a\r\nLocation: https://evil.example",
    "a\nSet-Cookie: x=y",
    "a\u0000b",
    "%0d%0aX: y",
    "a\u2028b",
    "\ud800",
  ];
  test.each(texts)("%j", async (text) => {
    const page = browser();
    await page.open(requestOf(client));
    await enter(page);
    for (const response_mode of ["query", "fragment", "form_post"]) {
      const shown = await page.open(requestOf(client, { state: text, nonce: text, response_mode }));
      expect([302, 200, 400]).toContain(shown.status);
      expect([shown.headers.get("x"), shown.headers.getSetCookie()]).toEqual([null, []]);
      const place = `${shown.location?.origin}${shown.location?.pathname}`;
      if (shown.status === 302) expect(place).toBe(CALLBACK);
      if (shown.status === 200) expect(shown.html).toContain(`action="${CALLBACK}"`);
      if (response_mode === "query" && shown.status === 302) {
        const { code } = answerOf(shown);
        const { nonce } = claimsIn((await redeem(client, code)).body.id_token);
        expect(nonce).toBe(text.toWellFormed());
      }
    }
    for (const name of [
      "response_mode",
      "response_type",
      "prompt",
      "max_age",
      "code_challenge_method",
      "claims",
      "request",
    ]) {
      const shown = await page.open(requestOf(client, { [name]: text, state: "s" }));
      expect([302, 400]).toContain(shown.status);
      if (shown.status === 302) expect(`${shown.location?.origin}${shown.location?.pathname}`).toBe(CALLBACK);
      expect([shown.headers.get("x"), shown.headers.getSetCookie()]).toEqual([null, []]);
    }
  });
});
