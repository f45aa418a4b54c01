/** The limits of OAuth clients in deployment.toml: strength of secrets and lifetimes of tokens, by every way in. */
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { defaultClientLimits, strengthOf } from "#core/applications/protocols/limits.ts";
import { ownerOf } from "#core/applications/protocols/model.ts";
import { applicationStore } from "#core/applications/registry/store.ts";
import { keys } from "#core/database/table/keys.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { keyStore } from "#core/tokens/key-store.ts";
import { continuingFamily, familyStore } from "#core/tokens/refresh-family-store.ts";
import { exported, fileOf, oauthEntry, upload } from "#tests/support/files.ts";
import { oauthOf, TOKEN } from "#tests/support/oauth.ts";
import { TENANT, tableOf } from "#tests/support/people.ts";
import { partsOf } from "#tests/support/signing.ts";
import { ADMIN, type Answer, APPLICATIONS, world } from "#tests/support/world.ts";

const LIMITS = { access: 7_200, refresh: 90_000, id: 1_800 };
const DAY_SECONDS = 86_400;
const api = world({
  deployment: `[oauth]
max_access_token_lifetime = ${LIMITS.access}
max_refresh_token_lifetime = ${LIMITS.refresh}
max_id_token_lifetime = ${LIMITS.id}
`,
});
const { ask, create } = api;
const { newClient, post, oidcPath, ownToken, token } = oauthOf(api);
const GRANT = { grant_type: "client_credentials" };
const GRANTS = { grantTypes: ["client_credentials"] };
const seal = () => newSeal(Buffer.from(process.env.SEAL_KEY ?? "", "base64"));

let made = 0;
const newName = () => {
  made += 1;
  return `limited-${made}`;
};

/** Every way in which a caller can give an application a client with these settings. */
const ways: Readonly<Record<string, (oidc: Settings) => Promise<Answer>>> = {
  "POST of an application": (oidc) =>
    ask("POST", APPLICATIONS, { body: { name: newName(), inboundProtocolConfiguration: { oidc: bodyOf(oidc) } } }),
  "PUT of the protocol": async (oidc) => {
    const id = await create({ name: newName() });
    return ask("PUT", oidcPath(id), { body: bodyOf(oidc) });
  },
  "import of a new application": (oidc) =>
    upload(api, "POST", fileOf({ name: newName(), inbound: oauthEntry(newName(), elementsOf(oidc)) })),
  "import into an existing application": async (oidc) => {
    const name = newName();
    await create({ name });
    return upload(api, "PUT", fileOf({ name, inbound: oauthEntry(newName(), elementsOf(oidc)) }));
  },
};

interface Settings {
  readonly secret?: string;
  readonly user?: number;
  readonly client?: number;
  readonly refresh?: number;
  readonly id?: number;
  readonly subject?: number;
}

const bodyOf = ({ secret, user, client, refresh, id, subject }: Settings) => ({
  ...GRANTS,
  ...(secret !== undefined && { clientSecret: secret }),
  accessToken: {
    ...(user !== undefined && { userAccessTokenExpiryInSeconds: user }),
    ...(client !== undefined && { applicationAccessTokenExpiryInSeconds: client }),
  },
  ...(refresh !== undefined && { refreshToken: { expiryInSeconds: refresh } }),
  ...(id !== undefined && { idToken: { expiryInSeconds: id } }),
  ...(subject !== undefined && { subjectToken: { applicationSubjectTokenExpiryInSeconds: subject } }),
});
const elementsOf = ({ secret, user, client, refresh, id, subject }: Settings) =>
  Object.entries({
    oauthConsumerSecret: secret,
    userAccessTokenExpiryTime: user,
    applicationAccessTokenExpiryTime: client,
    refreshTokenExpiryTime: refresh,
    idTokenExpiryTime: id,
    subjectTokenExpiryTime: subject,
  })
    .map(([name, value]) => (value === undefined ? "" : `<${name}>${value}</${name}>`))
    .join("");

const WEAK = [
  "s",
  "secret",
  "password123",
  "0".repeat(1_024),
  "ab".repeat(500),
  "abcdefghijklmnopqrstuvwxyz0123456789",
];
const WEAK_WORDS = ["secretsecretsecretsecretsecret", "12345678901234567890123456789", "correct-horse"];
const STRONG = [
  // As WSO2's own tests send it.
  "my_custom_client_secret",
  randomBytes(15).toString("base64url"),
  randomBytes(16).toString("hex"),
  crypto.randomUUID(),
  "xK9~!q#7$Lm2@Vz^",
  "7Qx2vLr9TzKw4NbJ8pYd",
];

describe.each(Object.entries(ways))("%s", (_, send) => {
  test.each([...WEAK, ...WEAK_WORDS].map((secret) => [secret.slice(0, 30), secret]))(
    "returns 400 for the secret %s",
    async (_, secret) => {
      const answer = await send({ secret });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("min_client_secret_bits")]);
      expect(answer.body.description).toMatch(/clientSecret is too easy to guess: .* 64\. Leave it out/);
    },
  );
  test("accepts secrets that are hard to guess", async () => {
    for (const secret of STRONG) expect([secret, (await send({ secret })).status < 300]).toEqual([secret, true]);
  });
  test.each<[keyof Settings, number, RegExp]>([
    ["user", LIMITS.access, /userAccessTokenExpiryInSeconds must be at most 7200 .*max_access_token_lifetime/],
    ["client", LIMITS.access, /applicationAccessTokenExpiryInSeconds must be at most 7200 .*max_access_token_lifetime/],
    ["refresh", LIMITS.refresh, /refreshToken.expiryInSeconds must be at most 90000 .*max_refresh_token_lifetime/],
    [
      "subject",
      LIMITS.access,
      /applicationSubjectTokenExpiryInSeconds must be at most 7200 .*max_access_token_lifetime/,
    ],
    ["id", LIMITS.id, /idToken.expiryInSeconds must be at most 1800 .*max_id_token_lifetime/],
  ])("returns 400 for a lifetime above the ceiling: %s", async (field, most, message) => {
    for (const seconds of [most + 1, 2_147_483_647]) {
      const answer = await send({ [field]: seconds });
      expect([answer.status, answer.body.description]).toEqual([400, expect.stringMatching(message)]);
    }
    expect((await send({ [field]: most })).status).toBeLessThan(300);
    expect((await send({ [field]: 0 })).status).toBeLessThan(300);
  });
});

test("the default of a lifetime is its ceiling where that is shorter, in settings and metadata", async () => {
  const { applicationId } = await newClient();
  const oidc = (await ask("GET", oidcPath(applicationId))).body;
  expect([oidc.idToken.expiryInSeconds, oidc.refreshToken.expiryInSeconds]).toEqual([LIMITS.id, 86_400]);
  const metadata = (await ask("GET", `${APPLICATIONS}/meta/inbound-protocols/oidc`)).body;
  expect([metadata.defaultIdTokenExpiryTime, metadata.defaultRefreshTokenExpiryTime]).toEqual(["1800", "86400"]);
  expect((await ask("PUT", oidcPath(applicationId), { body: oidc })).status).toBe(200);
});

test("a secret must differ from the client id", async () => {
  const [secret = ""] = STRONG;
  const oidc = { ...GRANTS, clientId: secret, clientSecret: secret };
  const answer = await ask("POST", APPLICATIONS, {
    body: { name: newName(), inboundProtocolConfiguration: { oidc } },
  });
  expect([answer.status, answer.body.description]).toEqual([400, expect.stringMatching(/too easy to guess/)]);
});

/** Scopes that may change every application. */
const ANY: ReadonlySet<string> = new Set(["internal_application_internal_api_update"]);

describe("what was stored before the limits", () => {
  /** A client as it was stored without limits. */
  const oldClient = async (type: "JWT" | "Default") => {
    const client = await newClient([], { ...GRANTS, grantTypes: ["client_credentials", "password", "refresh_token"] });
    const sealedSecret = seal().seal("s", ownerOf(TENANT, client.applicationId));
    const seconds = 2_147_483_647;
    await applicationStore(tableOf(api.service)).update(TENANT, client.applicationId, ANY, (before) => {
      const { oidc } = before.inbound;
      if (!oidc) throw new Error("the application has a client");
      const accessToken = {
        ...oidc.accessToken,
        type,
        userAccessTokenExpiryInSeconds: seconds,
        applicationAccessTokenExpiryInSeconds: seconds,
      };
      const refreshToken = { ...oidc.refreshToken, expiryInSeconds: seconds };
      return { ...before, inbound: { ...before.inbound, oidc: { ...oidc, sealedSecret, accessToken, refreshToken } } };
    });
    return { ...client, clientSecret: "s" };
  };

  test("a short secret is still valid, shown, exported and imported", async () => {
    const client = await oldClient("Default");
    await ownToken(client);
    const body = { grantTypes: ["client_credentials"], clientId: client.clientId, clientSecret: "s" };
    expect((await ask("PUT", oidcPath(client.applicationId), { body })).status).toBe(200);
    const file = await exported(api, client.applicationId, "?exportSecrets=true");
    expect(file).toContain("<oauthConsumerSecret>s</oauthConsumerSecret>");
    const answer = await upload(api, "PUT", file);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    await ownToken(client);
  });
  test.each(["JWT", "Default"] as const)("tokens of the type %s live no longer than the limits", async (type) => {
    const client = await oldClient(type);
    expect((await token(client, GRANT)).expires_in).toBe(LIMITS.access);
    const pair = await token(client, { grant_type: "password", ...ADMIN });
    expect(pair.expires_in).toBe(LIMITS.access);
    const next = await token(client, { grant_type: "refresh_token", refresh_token: pair.refresh_token });
    expect(next.expires_in).toBe(LIMITS.access);
    const { body } = await post("/oauth2/introspect", { token: next.refresh_token }, client);
    const left = body.exp - Date.now() / 1_000;
    expect([body.active, left > LIMITS.refresh - 600, left <= LIMITS.refresh]).toEqual([true, true, true]);
  });
  test("a refresh token ends 30 days after the sign-in, or with the limit if that is longer", async () => {
    const client = await oldClient("Default");
    const { refresh_token = "" } = await token(client, { grant_type: "password", ...ADMIN });
    const table = tableOf(api.service);
    const families = familyStore(table);
    const row = await families.findToken(refresh_token);
    const found = row && (await families.withFamily(row));
    if (!found) throw new Error("a refresh token has a family");
    const startedMs = Date.now() - 31 * DAY_SECONDS * 1_000;
    const gone = () => new Error("gone");
    await table.write(
      ...continuingFamily(found.family, { ...found.family, startedMs, endsAtSeconds: 4_000_000_000 }, gone),
      // Otherwise the client is younger than the token.
      { change: keys.client(client.clientId), set: { tokensFromMs: 0 }, when: "present", otherwise: gone },
    );
    const answer = await post(TOKEN, { grant_type: "refresh_token", refresh_token }, client);
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_grant"]);
    expect((await post("/oauth2/introspect", { token: refresh_token }, client)).body).toEqual({ active: false });
  });
  test("a signing key that was kept for longer is kept for the limit", async () => {
    const client = await oldClient("JWT");
    const signing = keyStore(tableOf(api.service), seal());
    const { header } = partsOf(await ownToken(client));
    await signing.lengthen(String(header.kid), 2_147_483_647);
    const { ring } = await keyStore(tableOf(api.service), seal(), { lifeSecondsMax: LIMITS.access }).open(Date.now());
    expect(ring.map(({ longestLifeSeconds }) => longestLifeSeconds)).toEqual([LIMITS.access]);
  });
});

test("the strength of a text is never more than that of random characters, and little less for these", () => {
  for (let at = 0; at < 200; at += 1) {
    const random = randomBytes(18).toString("base64url");
    expect(strengthOf(random)).toBeLessThanOrEqual(24 * 6);
    expect(strengthOf(random)).toBeGreaterThan(defaultClientLimits.secretBitsMin);
  }
});
