/** Who a user is for an application: subjects, claims in ID tokens, UserInfo and access tokens, and their encryption. */
import { generateKeyPairSync } from "node:crypto";
import { compactDecrypt, createRemoteJWKSet, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestClient } from "#tests/support/oauth.ts";
import { CALLBACK, claimsIn, newVerifier, PERSON, signInOf } from "#tests/support/sign-in.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { newApplication, requestOf, enter, answerOf, redeem, browser, tokensOf } = signInOf(api);

const uri = (name: string) => ({ uri: `http://wso2.org/claims/${name}` });
const CORE = "urn:ietf:params:scim:schemas:core:2.0:User";
const SYSTEM = "urn:scim:wso2:schema";
let userId = "";

beforeAll(async () => {
  const created = await api.ask("POST", "/scim2/Users", {
    body: {
      schemas: [CORE, SYSTEM],
      userName: PERSON.username,
      password: PERSON.password,
      name: { givenName: "Kim", middleName: "Q", familyName: "Park" },
      displayName: "Kim Park",
      nickName: "K",
      profileUrl: "https://kim.example",
      photos: [{ type: "photo", value: "https://kim.example/me.png" }],
      emails: [{ type: "work", value: "kim@work.example", primary: true }],
      phoneNumbers: [{ type: "work", value: "+49 30 1" }],
      addresses: [{ type: "work", locality: "Berlin", country: "DE", streetAddress: "1 Road", postalCode: "10115" }],
      locale: "de-DE",
      timezone: "Europe/Berlin",
      "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { manager: { value: "somebody" } },
      [SYSTEM]: { emailVerified: "true", phoneVerified: "false", dateOfBirth: "1990-01-31" },
    },
  });
  userId = created.body.id;
  expect(created.status).toBe(201);
  await api.ask("POST", "/scim2/Groups", { body: { displayName: "drivers", members: [{ value: userId }] } });
  await api.ask("POST", "/scim2/v2/Roles", { body: { displayName: "manager", users: [{ value: userId }] } });
});

const userInfo = async (token: string | undefined) =>
  (await api.ask("GET", "/oauth2/userinfo", { as: `Bearer ${token}` })).body;

/** The claims of a user in the ID token and in UserInfo, without those of the token itself. */
const bothOf = async (client: TestClient, fields: Readonly<Record<string, string>>) => {
  const { tokens } = await tokensOf(client, fields);
  const { iss, aud, iat, exp, auth_time, acr, amr, sid, at_hash, nonce, azp, ...claims } = claimsIn(
    tokens.id_token ?? "",
  );
  expect([iss, iat, exp, auth_time, acr, amr, sid, at_hash].every((each) => each !== undefined)).toBe(true);
  return { idToken: claims, userInfo: await userInfo(tokens.access_token), tokens };
};

describe("every scope", () => {
  const profile = {
    ...{ name: "Kim Park", given_name: "Kim", middle_name: "Q", family_name: "Park", nickname: "K" },
    ...{ preferred_username: "kim", profile: "https://kim.example", picture: "https://kim.example/me.png" },
    ...{ birthdate: "1990-01-31", zoneinfo: "Europe/Berlin", locale: "de-DE", updated_at: expect.any(Number) },
  };
  const address = { street_address: "1 Road", locality: "Berlin", postal_code: "10115", country: "DE" };
  test.each([
    ["openid", {}],
    ["profile", profile],
    ["email", { email: "kim@work.example", email_verified: true }],
    ["phone", { phone_number: "+49 30 1", phone_number_verified: false }],
    ["address", { address }],
    ["groups", { groups: ["drivers"] }],
    ["roles", { roles: expect.toSatisfy((names: string[]) => names.toSorted().join() === "everyone,manager") }],
    ["offline_access", {}],
  ])("%s gives its claims, in the ID token and in UserInfo alike", async (scope, claims) => {
    const client = await newApplication();
    const both = await bothOf(client, { scope: `openid ${scope}` });
    expect(both.idToken).toEqual({ sub: userId, ...claims });
    expect(both.userInfo).toEqual({ sub: userId, ...claims });
    expect(both.tokens.scope?.split(" ").toSorted()).toEqual([...new Set(["openid", scope])].toSorted());
  });

  test("is what introspection shows, and permits nothing else", async () => {
    const client = await newApplication();
    const { tokens } = await tokensOf(client, { scope: "openid profile email groups roles offline_access" });
    const { clientId, clientSecret } = client;
    const introspected = async (token: string | undefined) =>
      (
        await api.ask("POST", "/oauth2/introspect", {
          raw: `token=${token}`,
          headers: { "content-type": "application/x-www-form-urlencoded" },
          as: { username: clientId, password: clientSecret },
        })
      ).body;
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await introspected(token)).toMatchObject({
        active: true,
        sub: userId,
        scope: "openid profile email groups roles offline_access",
        username: "kim@carbon.super",
      });
    }
    const { status } = await api.ask("GET", "/scim2/Me", { as: `Bearer ${tokens.access_token}` });
    expect(status).toBe(403);
  });
});

describe("a refresh", () => {
  test("gives an ID token of the same sign-in, without its nonce (OpenID Connect Core 1.0 section 12.2)", async () => {
    const client = await newApplication();
    const { tokens } = await tokensOf(client, { scope: "openid email", nonce: "n-1" });
    const first = claimsIn(tokens.id_token ?? "");
    await api.ask("PATCH", `/scim2/Users/${userId}`, {
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [{ op: "replace", path: "emails", value: [{ value: "kim@new.example", primary: true }] }],
      },
    });
    const { oauth } = { oauth: { grant_type: "refresh_token", refresh_token: tokens.refresh_token } };
    const { body } = await redeem(client, undefined, { ...oauth, redirect_uri: undefined });
    const second = claimsIn(body.id_token);
    const { iat, exp, at_hash, nonce, email, ...kept } = first;
    expect(second).toEqual({
      ...kept,
      email: "kim@new.example",
      iat: expect.any(Number),
      exp: expect.any(Number),
      at_hash: expect.any(String),
    });
    expect([nonce, email, second.at_hash === at_hash]).toEqual(["n-1", "kim@work.example", false]);
    await api.ask("PATCH", `/scim2/Users/${userId}`, {
      body: {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
        Operations: [
          { op: "replace", path: "emails", value: [{ type: "work", value: "kim@work.example", primary: true }] },
        ],
      },
    });
  });

  test("gives none without the scope openid, and ends where the user would become another one", async () => {
    const client = await newApplication();
    const { tokens } = await tokensOf(client, { scope: "openid email" });
    const refresh = (token: string | undefined, scope?: string) =>
      redeem(client, undefined, { grant_type: "refresh_token", refresh_token: token, scope, redirect_uri: undefined });
    const narrow = await refresh(tokens.refresh_token, "email");
    expect([narrow.status, narrow.body.id_token]).toEqual([200, undefined]);
    const body = { claimConfiguration: { subject: { claim: uri("username") } } };
    await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, { body });
    const other = await refresh(narrow.body.refresh_token);
    expect([other.status, other.body.error]).toEqual([400, "invalid_grant"]);
  });
});

describe("pairwise subjects", () => {
  const pairwise = (host: string, more: object = {}) =>
    newApplication({
      subject: { subjectType: "pairwise" },
      callbackURLs: [`https://${host}/back`],
      accessToken: { type: "JWT" },
      ...more,
    });
  const signedIn = async (client: TestClient, host: string) => {
    const page = browser();
    const redirect_uri = `https://${host}/back`;
    await page.open(requestOf(client, { redirect_uri, scope: "openid email offline_access" }));
    const { code } = answerOf(await enter(page));
    const { body } = await redeem(client, code, { redirect_uri });
    return { page, tokens: body as Readonly<Record<string, string>> };
  };

  test("are one for each sector, and the same in every token of it", async () => {
    const [first, second, third] = [
      await pairwise("cars.example.com"),
      await pairwise("cars.example.com"),
      await pairwise("bikes.example.com"),
    ];
    const one = await signedIn(first, "cars.example.com");
    const subject = claimsIn(one.tokens.id_token ?? "").sub;
    expect(subject).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await userInfo(one.tokens.access_token)).sub).toBe(subject);
    expect(claimsIn((await signedIn(second, "cars.example.com")).tokens.id_token ?? "").sub).toBe(subject);
    expect(claimsIn((await signedIn(third, "bikes.example.com")).tokens.id_token ?? "").sub).not.toBe(subject);
    const again = await signedIn(first, "cars.example.com");
    expect(claimsIn(again.tokens.id_token ?? "").sub).toBe(subject);
  });

  test("are all that introspection, a refresh and the tokens themselves show", async () => {
    const client = await pairwise("cars.example.com");
    const { tokens } = await signedIn(client, "cars.example.com");
    const subject = claimsIn(tokens.id_token ?? "").sub;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const as = { username: client.clientId, password: client.clientSecret };
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const { text, body } = await api.ask("POST", "/oauth2/introspect", { raw: `token=${token}`, headers, as });
      expect(body).toMatchObject({ active: true, sub: subject });
      expect(text).not.toContain(userId);
      expect(body.username).toBeUndefined();
    }
    // A JWT would show the id.
    expect(tokens.access_token).toMatch(/^at_/);
    const refreshed = await redeem(client, undefined, {
      ...{ grant_type: "refresh_token", refresh_token: tokens.refresh_token, redirect_uri: undefined },
    });
    expect(claimsIn(refreshed.body.id_token).sub).toBe(subject);
    expect((await userInfo(refreshed.body.access_token)).sub).toBe(subject);
  });

  test("name the user in id_token_hint and in the parameter claims", async () => {
    const client = await pairwise("cars.example.com");
    const redirect_uri = "https://cars.example.com/back";
    const { page, tokens } = await signedIn(client, "cars.example.com");
    const subject = claimsIn(tokens.id_token ?? "").sub;
    const asked = (fields: Readonly<Record<string, string>>) =>
      page.open(requestOf(client, { redirect_uri, prompt: "none", ...fields }));
    expect(answerOf(await asked({ id_token_hint: tokens.id_token ?? "" })).code).toBeDefined();
    const claims = (sub: string) => JSON.stringify({ id_token: { sub: { value: sub } } });
    expect(answerOf(await asked({ claims: claims(subject) })).code).toBeDefined();
    expect(answerOf(await asked({ claims: claims(userId) })).error).toBe("login_required");
  });

  test("of several hosts need a document, which must list the address", async () => {
    const client = await pairwise("cars.example.com", {
      subject: { subjectType: "pairwise", sectorIdentifierUri: "https://127.0.0.1/sector.json" },
    });
    const shown = await browser().open(requestOf(client, { redirect_uri: "https://cars.example.com/back" }));
    expect(answerOf(shown)).toMatchObject({
      error: "unauthorized_client",
      error_description: expect.stringContaining("sectorIdentifierUri cannot be read"),
    });
  });
});

describe("the parameter claims", () => {
  const claims = (idToken: object, info: object) => JSON.stringify({ id_token: idToken, userinfo: info });

  test("gives single claims where they were asked for, and no unknown or reserved one", async () => {
    const client = await newApplication({ accessToken: { type: "JWT" } });
    const asked = claims(
      { email: null, iss: { value: "x" }, "given_name#de": { essential: true }, groups: null },
      { phone_number: null, roles: null, unknown: null, identity: null },
    );
    for (const type of ["JWT", "Default"]) {
      const own = type === "JWT" ? client : await newApplication();
      const both = await bothOf(own, { scope: "openid", claims: asked });
      expect(both.idToken).toEqual({
        ...{ sub: userId, email: "kim@work.example", given_name: "Kim", groups: ["drivers"] },
      });
      expect(both.userInfo).toEqual({ sub: userId, phone_number: "+49 30 1", roles: expect.any(Array) });
      const refreshed = await redeem(own, undefined, {
        ...{ grant_type: "refresh_token", refresh_token: both.tokens.refresh_token, redirect_uri: undefined },
      });
      expect(claimsIn(refreshed.body.id_token).email).toBe("kim@work.example");
      expect(await userInfo(refreshed.body.access_token)).toEqual(both.userInfo);
    }
  });

  test("gives nothing that the application does not request", async () => {
    const requestedClaims = [{ claim: uri("emailaddress") }];
    const client = await newApplication({}, { claimConfiguration: { requestedClaims } });
    const asked = claims({ email: null, phone_number: null }, { phone_number: null });
    const both = await bothOf(client, { scope: "openid", claims: asked });
    expect(both.idToken).toEqual({ sub: userId, email: "kim@work.example" });
    expect(both.userInfo).toEqual({ sub: userId });
  });

  test("is part of the consent where no scope covers a claim", async () => {
    const client = await newApplication({}, { advancedConfigurations: { skipLoginConsent: false } });
    const page = browser();
    const open = (fields: Readonly<Record<string, string>>) =>
      page.open(requestOf(client, { scope: "openid email", ...fields }));
    await open({});
    const first = await enter(page);
    expect(first.title).toMatch(/asks for access to/);
    expect(first.html).not.toContain("<li>Your phone number");
    expect(answerOf(await page.submit({ answer: "allow" })).code).toBeDefined();
    // The scope email covers this one.
    expect(answerOf(await open({ claims: claims({ email: null }, {}) })).code).toBeDefined();
    const more = await open({ claims: claims({}, { phone_number: null }) });
    expect(more.html).toContain("<li>Your phone number");
    const silent = await open({ prompt: "none", claims: claims({}, { phone_number: null }) });
    expect(answerOf(silent).error).toBe("consent_required");
    await open({ claims: claims({}, { phone_number: null }) });
    expect(answerOf(await page.submit({ answer: "allow" })).code).toBeDefined();
    expect(answerOf(await open({ claims: claims({ phone_number: null }, {}) })).code).toBeDefined();
  });
});

describe("the claim configuration of an application", () => {
  const claimsOf = async (claimConfiguration: object, scope = "openid profile email roles") => {
    const client = await newApplication({}, { claimConfiguration });
    return (await bothOf(client, { scope })).idToken;
  };

  test("dialect CUSTOM gives the names of claimMappings", async () => {
    const mappings = [
      { applicationClaim: "mail", localClaim: uri("emailaddress") },
      { applicationClaim: "first", localClaim: { id: Buffer.from(uri("givenname").uri).toString("base64url") } },
      { applicationClaim: "sub", localClaim: uri("username") },
    ];
    const requestedClaims = ["mail", "first", "sub"].map((name) => ({ claim: { uri: name } }));
    const both = await claimsOf({ dialect: "CUSTOM", claimMappings: mappings, requestedClaims }, "openid");
    expect(both).toEqual({ sub: userId, mail: "kim@work.example", first: "Kim" });
  });

  test("roles are those that the application chose", async () => {
    const client = await newApplication({}, { associatedRoles: { allowedAudience: "APPLICATION" } });
    const both = await bothOf(client, { scope: "openid roles" });
    expect([both.idToken.roles, both.userInfo.roles]).toEqual([undefined, undefined]);
    const audience = { type: "application", value: client.applicationId };
    const role = { displayName: "clerk", audience, users: [{ value: userId }] };
    expect((await api.ask("POST", "/scim2/v2/Roles", { body: role })).status).toBe(201);
    const after = await bothOf(client, { scope: "openid roles" });
    expect([after.idToken.roles, after.userInfo.roles]).toEqual([["clerk"], ["clerk"]]);
  });

  test("a requested claim and the subject can be named by their ids", async () => {
    const id = (name: string) => ({ id: Buffer.from(uri(name).uri).toString("base64url") });
    const requestedClaims = [{ claim: id("emailaddress") }];
    const both = await claimsOf({ dialect: "LOCAL", requestedClaims, subject: { claim: id("username") } });
    expect(both).toEqual({ sub: "kim", email: "kim@work.example" });
  });

  test("a user without a mandatory claim gets an error that names it, and a user with it signs in", async () => {
    const requested = (name: string) => [{ claim: uri(name), mandatory: true }];
    const lacking = await newApplication({}, { claimConfiguration: { requestedClaims: requested("title") } });
    const page = browser();
    await page.open(requestOf(lacking));
    expect(answerOf(await enter(page))).toMatchObject({
      error: "access_denied",
      error_description: expect.stringContaining(uri("title").uri),
    });
    for (const name of ["emailaddress", "groups", "roles", "username"]) {
      const own = await newApplication({}, { claimConfiguration: { requestedClaims: requested(name) } });
      // The person is signed in, only not to the other application.
      expect(answerOf(await page.open(requestOf(own))).code).toBeDefined();
    }
    expect(answerOf(await page.open(requestOf(lacking))).error).toBe("access_denied");
  });

  test("role.includeUserDomain and role.claim change names of roles and of their claim", async () => {
    const role = { includeUserDomain: true, mappings: [{ localRole: "Internal/manager", applicationRole: "Boss" }] };
    expect((await claimsOf({ role }, "openid roles")).roles.toSorted()).toEqual(["Boss", "Internal/everyone"]);
    const named = await claimsOf({ role: { claim: { uri: "permissions" } } }, "openid roles");
    expect([named.permissions.toSorted(), named.roles]).toEqual([["everyone", "manager"], undefined]);
    const byId = { id: Buffer.from(uri("userType").uri).toString("base64url") };
    expect((await claimsOf({ role: { claim: byId } }, "openid roles")).userType).toBeDefined();
    for (const name of ["role", "roles"]) {
      expect((await claimsOf({ role: { claim: uri(name) } }, "openid roles")).roles).toBeDefined();
    }
    // No setting replaces what a token says of itself.
    expect((await claimsOf({ role: { claim: { uri: "sub" } } }, "openid roles")).sub).toBe(userId);
  });
});

describe("accessToken.accessTokenAttributes", () => {
  test("are claims of JWTs of users, and do not replace the token's own", async () => {
    const client = await newApplication({
      accessToken: {
        type: "JWT",
        accessTokenAttributes: ["email", "http://wso2.org/claims/givenname", "groups", "roles", "sub", "scope", "aut"],
      },
    });
    const { tokens } = await tokensOf(client, { scope: "openid" });
    const claims = claimsIn(tokens.access_token ?? "");
    expect(claims).toMatchObject({ sub: userId, scope: "openid", aut: "APPLICATION_USER", email: "kim@work.example" });
    expect([claims.given_name, claims.groups, claims.roles.toSorted()]).toEqual([
      "Kim",
      ["drivers"],
      ["everyone", "manager"],
    ]);
    expect((await userInfo(tokens.access_token)).sub).toBe(userId);
    const { body } = await redeem(client, undefined, {
      ...{ grant_type: "refresh_token", refresh_token: tokens.refresh_token, redirect_uri: undefined },
    });
    expect(claimsIn(body.access_token)).toMatchObject({ email: "kim@work.example", groups: ["drivers"] });
  });
});

describe("idToken.encryption", () => {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const jwk = { ...pair.publicKey.export({ format: "jwk" }), kid: "own", use: "enc" };
  const certificate = { type: "JWKS", value: JSON.stringify({ keys: [jwk] }) };
  const encrypted = (algorithm: string, method: string, advanced: object = { certificate }) =>
    newApplication(
      { idToken: { encryption: { enabled: true, algorithm, method } } },
      { advancedConfigurations: { skipLoginConsent: true, ...advanced } },
    );

  test.each([
    ["RSA-OAEP", "A128GCM"],
    ["RSA-OAEP-256", "A256GCM"],
    ["RSA-OAEP-384", "A192GCM"],
    ["RSA-OAEP-512", "A128CBC-HS256"],
    ["RSA-OAEP-256", "A128CBC+HS256"],
    ["RSA-OAEP", "A192CBC-HS384"],
  ])("%s with %s: a signed JWT inside of an encrypted one", async (algorithm, method) => {
    const client = await encrypted(algorithm, method);
    const { tokens } = await tokensOf(client, { scope: "openid email", nonce: "n" });
    const { plaintext, protectedHeader } = await compactDecrypt(tokens.id_token ?? "", pair.privateKey);
    expect(protectedHeader).toEqual({
      ...{ alg: algorithm, enc: method.replace("+", "-"), cty: "JWT", typ: "JWT", kid: "own" },
    });
    const keys = createRemoteJWKSet(new URL(`${api.url}/oauth2/jwks`));
    const { payload } = await jwtVerify(Buffer.from(plaintext).toString(), keys, {
      audience: client.clientId,
      issuer: `${api.url}/oauth2/token`,
    });
    expect(payload).toMatchObject({ sub: userId, email: "kim@work.example", nonce: "n" });
    const { body } = await redeem(client, undefined, {
      ...{ grant_type: "refresh_token", refresh_token: tokens.refresh_token, redirect_uri: undefined },
    });
    expect(body.id_token.split(".")).toHaveLength(5);
  });

  test("an ID token is encrypted by the method of the application", async () => {
    for (const method of ["A128GCM", "A256GCM"]) {
      const { tokens } = await tokensOf(await encrypted("RSA-OAEP-256", method));
      const { protectedHeader } = await compactDecrypt(tokens.id_token ?? "", pair.privateKey);
      expect(protectedHeader.enc).toBe(method);
    }
  });

  test("without a key, or by an algorithm that is not secure, every sign-in is refused", async () => {
    const descriptionOf = async (client: TestClient) =>
      answerOf(await browser().open(requestOf(client))).error_description;
    expect(await descriptionOf(await encrypted("RSA-OAEP-256", "A256GCM", {}))).toContain("which has none");
    expect(await descriptionOf(await encrypted("RSA1_5", "A256GCM"))).toContain("not secure");
  });

  test("with a certificate without such a key, the token endpoint says so, and the code still counts", async () => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const value = JSON.stringify({ keys: [publicKey.export({ format: "jwk" })] });
    const client = await encrypted("RSA-OAEP-256", "A256GCM", { certificate: { type: "JWKS", value } });
    const page = browser();
    const { verifier, challenge } = newVerifier();
    await page.open(requestOf(client, { code_challenge: challenge, code_challenge_method: "S256" }));
    const { code } = answerOf(await enter(page));
    const refused = await redeem(client, code, { code_verifier: verifier });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_request"]);
    await api.ask("PATCH", `${APPLICATIONS}/${client.applicationId}`, {
      body: { advancedConfigurations: { certificate } },
    });
    expect((await redeem(client, code, { code_verifier: verifier, redirect_uri: CALLBACK })).status).toBe(200);
  });
});
