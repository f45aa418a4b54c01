import { describe, expect, test } from "vitest";
import { entry, exported, fileOf, idIn, oauthEntry, property, upload } from "#tests/support/files.ts";
import { addUser } from "#tests/support/people.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const at = (id: string, below = "") => `${APPLICATIONS}/${id}${below}`;
const read = async (id: string, below = "") => (await ask("GET", at(id, below))).body;

describe("200", () => {
  test("returns an attachment with the name of the application", async () => {
    const id = await create({ name: "Taxi stands 1.0" });
    const answer = await ask("GET", at(id, "/export"));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/octet-stream");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="Taxi stands 1\.0\.xml"/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<ServiceProvider>\n {2}<ApplicationName>/);
    expect(answer.text).not.toContain("ExactSettings");
  });
  test("contains neither id nor owner nor tenant", async () => {
    const id = await create({ name: "anonymous" });
    expect(await exported(api, id)).not.toMatch(new RegExp(`${id}|Owner|admin|carbon`, "i"));
  });
  test("contains secrets with exportSecrets=true only", async () => {
    const oidc = { clientId: "shy", clientSecret: "a-secret-of-mine-7Qx2vLr9", grantTypes: ["client_credentials"] };
    const id = await create({ name: "shy", inboundProtocolConfiguration: { oidc } });
    for (const query of ["", "?exportSecrets=false"]) {
      expect(await exported(api, id, query)).not.toMatch(/a-secret-of-mine-7Qx2vLr9|oauthConsumerSecret/);
    }
    expect(await exported(api, id, "?exportSecrets=true")).toContain(
      "<oauthConsumerSecret>a-secret-of-mine-7Qx2vLr9</oauthConsumerSecret>",
    );
  });
  test("contains secrets only for callers with a scope for them; for others, a comment reports that they are left out", async () => {
    const oidc = { clientId: "guarded", clientSecret: "a-secret-of-mine-7Qx2vLr9", grantTypes: ["client_credentials"] };
    const id = await create({ name: "guarded", inboundProtocolConfiguration: { oidc } });
    const password = "a long enough password";
    const by = async (name: string, scopes: readonly string[], query: string) => {
      const as = { username: name, password };
      await addUser(api.service, { ...as, scopes: ["internal_application_mgt_view", ...scopes] });
      const answer = await ask("GET", at(id, `/export${query}`), { as });
      expect(answer.status).toBe(200);
      return { text: answer.text, as };
    };
    const secret = "<oauthConsumerSecret>a-secret-of-mine-7Qx2vLr9</oauthConsumerSecret>";
    for (const what of ["view", "create"]) {
      const scope = `internal_application_mgt_client_secret_${what}`;
      expect((await by(`keeper-${what}`, [scope], "?exportSecrets=true")).text).toContain(secret);
    }
    const others = ["internal_application_mgt_create", "internal_application_mgt_update"];
    const { text, as } = await by("looker", others, "?exportSecrets=true");
    expect(text).not.toMatch(/a-secret-of-mine-7Qx2vLr9|oauthConsumerSecret/);
    const note = `<!-- Secrets are left out: the caller needs the scope internal_application_mgt_client_secret_view`;
    expect(text.split("\n")[1]).toContain(note);
    expect((await by("modest", [], "")).text).not.toContain("<!--");
    // As specified, the operation on the client itself returns the secret.
    expect((await ask("GET", at(id, "/inbound-protocols/oidc"), { as })).body.clientSecret).toBe(
      "a-secret-of-mine-7Qx2vLr9",
    );
    await ask("DELETE", at(id));
    expect((await upload(api, "POST", text)).status).toBe(201);
  });
  test("creates the same client with a new secret from a file without one", async () => {
    const oidc = { clientId: "remade", clientSecret: "a-secret-of-mine-7Qx2vLr9", grantTypes: ["client_credentials"] };
    const id = await create({ name: "remade", inboundProtocolConfiguration: { oidc } });
    const file = await exported(api, id);
    await ask("DELETE", at(id));
    const again = idIn(await upload(api, "POST", file));
    const client = await read(again, "/inbound-protocols/oidc");
    expect(client).toMatchObject({ clientId: "remade" });
    expect(client.clientSecret).toMatch(/^iacs_[0-9A-Za-z]{49}$/);
  });
  test("preserves renewRefreshToken: true, false, or absent", async () => {
    const exportedFlag = async (name: string, refreshToken: object) => {
      const oidc = { clientId: name, grantTypes: ["refresh_token"], refreshToken };
      const id = await create({ name, inboundProtocolConfiguration: { oidc } });
      const file = await exported(api, id);
      await ask("DELETE", at(id));
      const again = await exported(api, idIn(await upload(api, "POST", file)));
      expect(again).toBe(file);
      return file.match(/<renewRefreshTokenEnabled>(.*)<\/renewRefreshTokenEnabled>/)?.[1];
    };
    expect(await exportedFlag("renewed", { renewRefreshToken: true })).toBe("true");
    expect(await exportedFlag("kept", { renewRefreshToken: false })).toBe("false");
    expect(await exportedFlag("unsaid", {})).toBeUndefined();
  });
  test("preserves settings that the format cannot hold, unless the file was edited", async () => {
    const callbackURLs = ["https://a.example/cb?x=1", "regexp=https://(b|c)\\.example/cb"];
    const id = await create({
      name: "beyond",
      description: "bell \u0007 and \uFFFE",
      logoutReturnUrl: "https://beyond.example/bye",
      inboundProtocolConfiguration: {
        oidc: { clientId: "beyond", grantTypes: ["implicit"], callbackURLs, allowedOrigins: ["https://a.example"] },
      },
    });
    const file = await exported(api, id);
    // Servers with one callback per client read an expression.
    expect(file).toContain(
      "<callbackUrl>regexp=(https://a\\.example/cb\\?x=1|(https://(b|c)\\.example/cb))</callbackUrl>",
    );
    await ask("DELETE", at(id));
    const same = idIn(await upload(api, "POST", file));
    expect(await read(same)).toMatchObject({
      description: "bell \u0007 and \uFFFE",
      logoutReturnUrl: "https://beyond.example/bye",
    });
    expect(await read(same, "/inbound-protocols/oidc")).toMatchObject({
      callbackURLs,
      allowedOrigins: ["https://a.example"],
    });
    await ask("DELETE", at(same));
    const edited = file
      .replace(/<callbackUrl>.*<\/callbackUrl>/, "<callbackUrl>https://edited.example</callbackUrl>")
      .replace(/<Description>.*<\/Description>/, "<Description>edited</Description>");
    const other = idIn(await upload(api, "POST", edited));
    expect(await read(other)).toMatchObject({
      description: "edited",
      logoutReturnUrl: "https://beyond.example/bye",
    });
    expect((await read(other, "/inbound-protocols/oidc")).callbackURLs).toEqual(["https://edited.example"]);
  });
});

describe("after an import, changes through the API win over the file", () => {
  const step = (authenticator: string, inside = "") =>
    `<AuthenticationStep><StepOrder>1</StepOrder><LocalAuthenticatorConfigs><LocalAuthenticatorConfig><Name>${authenticator}</Name>${inside}</LocalAuthenticatorConfig></LocalAuthenticatorConfigs></AuthenticationStep>`;
  const imported = async (file: string) => idIn(await upload(api, "POST", file));

  test("for a text, a flag and a type", async () => {
    const signIn = `<AuthenticationSteps>${step("totp", "<DisplayName>one-time</DisplayName>")}</AuthenticationSteps><AuthenticationType>local</AuthenticationType><SkipConsent>TRUE</SkipConsent>`;
    const id = await imported(fileOf({ name: "otherwise", signIn }));
    const file = await exported(api, id);
    expect(file).toContain("<AuthenticationType>local</AuthenticationType>");
    expect(file).toContain("<SkipConsent>TRUE</SkipConsent>");
    await ask("PATCH", at(id), { body: { advancedConfigurations: { skipLoginConsent: false } } });
    expect(await exported(api, id)).toContain("<SkipConsent>false</SkipConsent>");
    expect(await exported(api, id)).toContain("<DisplayName>one-time</DisplayName>");
    await ask("PATCH", at(id), { body: { authenticationSequence: { type: "DEFAULT" } } });
    const after = await exported(api, id);
    expect(after).toContain("<AuthenticationType>default</AuthenticationType>");
    expect(after).not.toMatch(/one-time|totp/);
  });
  test("for steps of a default sequence", async () => {
    const signIn = `<AuthenticationSteps>${step("totp")}${step("fido").replace(">1<", ">2<")}</AuthenticationSteps><AuthenticationType>default</AuthenticationType>`;
    const id = await imported(fileOf({ name: "dormant", signIn }));
    expect(await exported(api, id)).toContain("<Name>fido</Name>");
    const steps = [{ id: 1, options: [{ idp: "LOCAL", authenticator: "BasicAuthenticator" }] }];
    await ask("PATCH", at(id), { body: { authenticationSequence: { type: "USER_DEFINED", steps } } });
    const after = await exported(api, id);
    expect(after).not.toMatch(/totp|fido/);
    await ask("DELETE", at(id));
    expect((await read(await imported(after))).authenticationSequence.steps).toEqual(steps);
  });
  test("for elements about a secret", async () => {
    const secret = "<oauthConsumerSecret>first-7Qx2vLr9TzKw4Nb</oauthConsumerSecret>";
    const inside = `${secret}<oauthConsumerSecretExpiryTime>1234567</oauthConsumerSecretExpiryTime><samlECP>x</samlECP>`;
    const id = await imported(fileOf({ name: "expiring", inbound: oauthEntry("expiring", inside) }));
    expect(await exported(api, id, "?exportSecrets=true")).toContain("1234567");
    expect(await exported(api, id)).not.toContain("1234567");
    await ask("POST", at(id, "/inbound-protocols/oidc/regenerate-secret"));
    const after = await exported(api, id, "?exportSecrets=true");
    expect(after).not.toMatch(/1234567|>first-/);
    expect(after).toContain("<samlECP>x</samlECP>");
  });
  test("for a removed protocol, and for another client", async () => {
    const inside = "<samlECP>remember</samlECP>";
    const id = await imported(fileOf({ name: "dropped", inbound: oauthEntry("dropped", inside) }));
    const oidc = at(id, "/inbound-protocols/oidc");
    await ask("DELETE", oidc);
    expect(await exported(api, id)).not.toContain("remember");
    await ask("PUT", oidc, { body: { clientId: "another", grantTypes: ["password"] } });
    expect(await exported(api, id)).not.toContain("remember");
  });
  test("for entries without settings: they are listed, removed by name, and replaced by settings", async () => {
    const types = async (id: string) =>
      (await read(id, "/inbound-protocols/")).map(({ type }: { type: string }) => type);
    const inbound = entry("openid", "x") + entry("passivests", "x") + entry("saml-like", "x");
    const id = await imported(fileOf({ name: "legacy", inbound }));
    expect(await types(id)).toEqual(["openid", "passivests", "saml-like"]);
    expect((await ask("DELETE", at(id, "/inbound-protocols/openid"))).status).toBe(204);
    expect(await types(id)).toEqual(["passivests", "saml-like"]);
    await ask("PUT", at(id, "/inbound-protocols/passive-sts"), { body: { realm: "r", replyTo: "https://r.example" } });
    expect(await types(id)).toEqual(["passivests", "saml-like"]);
    expect((await exported(api, id)).match(/<InboundAuthType>passivests/g)).toHaveLength(1);
    await ask("DELETE", at(id, "/inbound-protocols/passive-sts"));
    expect(await types(id)).toEqual(["saml-like"]);
    expect(await exported(api, id)).not.toContain("passivests");
  });
  test("for the key of a custom protocol, when the application gets another name", async () => {
    const inbound = entry("cas", "a key", undefined, property("serviceURL", "https://cas.example"));
    const id = await imported(fileOf({ name: "keyed", inbound }));
    expect(await exported(api, id)).toContain("<InboundAuthKey>a key</InboundAuthKey>");
    expect((await exported(api, id)).match(/<InboundAuthType>cas/g)).toHaveLength(1);
    await ask("PATCH", at(id), { body: { name: "keyed again" } });
    expect(await exported(api, id)).toContain("<InboundAuthKey>keyed again</InboundAuthKey>");
  });
});

test("returns 404 for an unknown application", async () => {
  const answer = await ask("GET", at("00000000-0000-0000-0000-000000000000", "/export"));
  expect([answer.status, answer.body.code]).toEqual([404, "APP-60006"]);
});

test.each(["maybe", "", "1"])("returns 400 for exportSecrets=%s", async (value) => {
  const answer = await ask("GET", at(await create({ name: `word ${value}` }), `/export?exportSecrets=${value}`));
  expect([answer.status, answer.body.code]).toEqual([400, "UE-10000"]);
});

test("does not treat `import` as the id of an application", async () => {
  const answer = await ask("GET", at("import"));
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST, PUT"]);
});
