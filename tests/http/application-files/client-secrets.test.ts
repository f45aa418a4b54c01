/** All secrets of a client in application files (decision 0079). */
import { afterEach, describe, expect, test, vi } from "vitest";
import { clientSecretsOf, SECRET_PATTERN } from "#tests/support/client-secrets.ts";
import { exported, fileOf, oauthEntry, upload } from "#tests/support/files.ts";
import { oauthOf, type TestClient } from "#tests/support/oauth.ts";
import { allItems } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world({ deployment: "[oauth]\nmax_client_secrets = 3\n" });
const { ask } = api;
const { newClient, oidcPath, ownToken } = oauthOf(api);
const { create, list, statusWith } = clientSecretsOf(api);
const VIEW = "internal_application_mgt_view";
const SECRETS = "?exportSecrets=true";
const nowSeconds = () => Math.floor(Date.now() / 1_000);
const texts = ["one-7Qx2-5f1b9c0e7a3d4286b1c0", "two-8Ry3-6a2c8d1f9b4e5397c2d1", "three-9Sz4-7b3d9e2a8c5f6408d3"];

afterEach(() => void vi.useRealTimers());

/** A client with three secrets, of which the second one has expired when the clock is moved. */
const rotating = async (): Promise<TestClient & { name: string }> => {
  const client = await newClient([VIEW], { clientSecret: texts[0], grantTypes: ["client_credentials"] });
  const { body } = await ask("GET", `${APPLICATIONS}/${client.applicationId}`);
  await create(client.applicationId, { body: { expiresAt: nowSeconds() + 60, description: "the old <backend>" } });
  await create(client.applicationId, { body: { expiresAt: nowSeconds() + 86_400, description: "the new backend" } });
  return { ...client, name: body.name };
};
const secretsOf = async (id: string) => (await list(id)).body.list as readonly Record<string, unknown>[];
const known = (secrets: readonly Record<string, unknown>[]) =>
  secrets.map(({ secretValue, expiresAt, description, latest: isLatest }) => ({
    secretValue,
    expiresAt,
    description,
    isLatest,
  }));
const additional = (...items: readonly (readonly [string, number?])[]) =>
  `<additionalOauthConsumerSecrets>${items
    .map(
      ([value, ms]) =>
        `<additionalOauthConsumerSecret><secretValue>${value}</secretValue>${
          ms === undefined ? "" : `<expiryTime>${ms}</expiryTime>`
        }</additionalOauthConsumerSecret>`,
    )
    .join("")}</additionalOauthConsumerSecrets>`;
const latest = (value: string, ms?: number) =>
  `<oauthConsumerSecret>${value}</oauthConsumerSecret>${
    ms === undefined ? "" : `<oauthConsumerSecretExpiryTime>${ms}</oauthConsumerSecretExpiryTime>`
  }`;
const fileWith = (name: string, inside: string) => fileOf({ name, inbound: oauthEntry(name, inside) });

describe("an export", () => {
  test("with secrets has all of them, with their expiry in milliseconds; without secrets it has none", async () => {
    const { applicationId } = await rotating();
    const secrets = await secretsOf(applicationId);
    const file = await exported(api, applicationId, SECRETS);
    const [newest, second] = secrets;
    const plain = file.replace(/>\s+</g, "><");
    expect(plain).toContain(latest(String(newest?.secretValue), Number(newest?.expiresAt) * 1_000));
    const items = additional([String(second?.secretValue), Number(second?.expiresAt) * 1_000], [texts[0] ?? ""]);
    expect(plain).toContain(items);
    const without = await exported(api, applicationId);
    for (const { secretValue } of secrets) expect(without).not.toContain(secretValue);
    expect(without).not.toMatch(/onsumerSecret|backend|additionalClientSecrets/);
  });
});

describe("an import", () => {
  test("restores all secrets of an export, expired ones too, sealed", async () => {
    const client = await rotating();
    const { applicationId, name } = client;
    const before = await secretsOf(applicationId);
    const file = await exported(api, applicationId, SECRETS);
    await ask("DELETE", `${APPLICATIONS}/${applicationId}`);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    const answer = await upload(api, "POST", file);
    expect([answer.status, answer.body.name]).toEqual([201, name]);
    const after = await secretsOf(answer.body.applicationId);
    expect(known(after)).toEqual(known(before));
    expect(after.map(({ status }) => status)).toEqual(["ACTIVE", "EXPIRED", "ACTIVE"]);
    const statuses = before.map(({ secretValue }) => statusWith(client, String(secretValue)));
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
    const rows = JSON.stringify(await allItems(api.service));
    for (const { secretValue } of before) expect(rows).not.toContain(secretValue);
    // Once more: it is the same file.
    expect(await exported(api, answer.body.applicationId, SECRETS)).toBe(file);
  });
  test("over the same application keeps secrets, their ids and tokens", async () => {
    const client = await rotating();
    const { applicationId } = client;
    const before = await secretsOf(applicationId);
    const token = await ownToken(client, VIEW);
    for (const query of [SECRETS, ""]) {
      expect((await upload(api, "PUT", await exported(api, applicationId, query))).status).toBe(200);
      const after = await secretsOf(applicationId);
      expect(known(after)).toEqual(known(before));
      expect(after.map(({ secretId }) => secretId)).toEqual(before.map(({ secretId }) => secretId));
    }
    expect((await ask("GET", APPLICATIONS, { as: `Bearer ${token}` })).status).toBe(200);
  });
  test("of a file with fewer secrets replaces them; the ones that stay keep tokens valid", async () => {
    const client = await rotating();
    const { applicationId, name, clientId } = client;
    const token = await ownToken(client, VIEW);
    const file = fileOf({ name, inbound: oauthEntry(clientId, latest(texts[0] ?? "")) });
    expect((await upload(api, "PUT", file)).status).toBe(200);
    expect((await secretsOf(applicationId)).map(({ secretValue }) => secretValue)).toEqual([texts[0]]);
    expect((await ask("GET", APPLICATIONS, { as: `Bearer ${token}` })).status).toBe(200);
    const other = fileOf({ name, inbound: oauthEntry(clientId, latest(texts[1] ?? "")) });
    expect((await upload(api, "PUT", other)).status).toBe(200);
    expect((await ask("GET", APPLICATIONS, { as: `Bearer ${token}` })).status).toBe(401);
  });
  test("reads times of other servers: 0 and absent are never, a fraction of a second is dropped", async () => {
    const [one = "", two = "", three = ""] = texts;
    const inside = latest(one, 4_000_000_000_999) + additional([two, 0], [three, 1]);
    const { body } = await upload(api, "POST", fileWith("of-another-server", inside));
    const secrets = await secretsOf(body.applicationId);
    expect(secrets.map(({ expiresAt, status }) => [expiresAt, status])).toEqual([
      [4_000_000_000, "ACTIVE"],
      [0, "ACTIVE"],
      [1, "EXPIRED"],
    ]);
    expect(await exported(api, body.applicationId, SECRETS)).toContain("4000000000999");
  });
  test.each<[string, string, number, string]>([
    ["a negative expiry", latest(texts[0] ?? "", -1), 400, "APP-60001"],
    [
      "an expiry that is no number",
      latest(texts[0] ?? "") + additional(["x-7Qx2-5f1b9c0e7a3d4286b1c0", Number.NaN]),
      400,
      "APP-60001",
    ],
    ["a secret twice", latest(texts[0] ?? "") + additional([texts[0] ?? ""]), 400, "APP-60001"],
    ["a further secret that can be guessed", latest(texts[0] ?? "") + additional(["secret"]), 400, "APP-60001"],
    [
      "a further secret with a blank",
      latest(texts[0] ?? "") + additional([`${texts[1]} ${texts[2]}`]),
      400,
      "APP-60001",
    ],
    [
      "an item without a value",
      `${latest(texts[0] ?? "")}<additionalOauthConsumerSecrets><additionalOauthConsumerSecret/></additionalOauthConsumerSecrets>`,
      400,
      "APP-60001",
    ],
    ["further secrets without the latest", additional([texts[0] ?? ""]), 400, "APP-60001"],
    [
      "more secrets than the limit",
      latest(texts[0] ?? "") + additional([texts[1] ?? ""], [texts[2] ?? ""], [`${texts[2]}${texts[1]}`]),
      409,
      "OAUTH-60011",
    ],
  ])("of %s is refused, and creates nothing", async (what, inside, status, code) => {
    const name = `refused-${what.replaceAll(" ", "-")}`;
    const answer = await upload(api, "POST", fileWith(name, inside));
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    for (const text of texts) expect(answer.text).not.toContain(text);
    expect((await ask("GET", `${APPLICATIONS}?filter=name+eq+${name}`)).body.totalResults).toBe(0);
  });
  test("of a file without a secret creates one", async () => {
    const { body } = await upload(api, "POST", fileWith("without-secret", ""));
    expect((await ask("GET", oidcPath(body.applicationId))).body.clientSecret).toMatch(SECRET_PATTERN);
  });
});
