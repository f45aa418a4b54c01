import { describe, expect, test } from "vitest";
import { liveItems, upstreamBody } from "#tests/support/protocols.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { ask, create } = api;
const at = (id: string, segment: string) => `${APPLICATIONS}/${id}/inbound-protocols/${segment}`;
const STS = { realm: "https://realm.example", replyTo: "https://realm.example/reply" };
const TRUST = { audience: "https://audience.example", certificateAlias: "wso2carbon" };
let made = 0;
const bare = () => create({ name: `other ${made++}` });

describe("listInboundProtocols", () => {
  test("lists all protocols with their paths, with or without a trailing slash", async () => {
    const id = await create({
      name: "all",
      inboundProtocolConfiguration: {
        oidc: { grantTypes: ["client_credentials"] },
        saml: {
          manualConfiguration: { issuer: "https://all.example", assertionConsumerUrls: ["https://all.example/acs"] },
        },
        passiveSts: { ...STS, realm: "all" },
        wsTrust: { ...TRUST, audience: "all" },
      },
    });
    for (const path of [at(id, ""), at(id, "").slice(0, -1)]) {
      const answer = await ask("GET", path);
      expect(answer.status).toBe(200);
      expect(
        answer.body.map(({ type, self }: { type: string; self: string }) => [type, self.split("/").at(-1)]),
      ).toEqual([
        ["samlsso", "saml"],
        ["oauth2", "oidc"],
        ["passivests", "passive-sts"],
        ["wstrust", "ws-trust"],
      ]);
      for (const { self } of answer.body) expect((await ask("GET", self)).status).toBe(200);
    }
    await ask("DELETE", `${APPLICATIONS}/${id}`);
    expect((await liveItems(api.service)).filter((item) => JSON.stringify(item).includes(id))).toEqual([]);
  });
  test("returns an empty list without protocols, and 404 for an unknown application", async () => {
    expect((await ask("GET", at(await bare(), ""))).body).toEqual([]);
    expect((await ask("GET", at("unknown", ""))).status).toBe(404);
  });
});

/** The two protocols that hold a key and one more value behave alike. */
interface Keyed {
  readonly segment: string;
  readonly body: Readonly<Record<string, string>>;
  readonly key: string;
  readonly upstream: string;
  readonly member: string;
}
const sts: Keyed = {
  segment: "passive-sts",
  body: STS,
  key: "realm",
  upstream: "create-passive-sts-app",
  member: "passiveSts",
};
const trust: Keyed = {
  segment: "ws-trust",
  body: TRUST,
  key: "audience",
  upstream: "create-ws-trust-app",
  member: "wsTrust",
};
const put = (id: string, { segment }: Keyed, body: unknown) => ask("PUT", at(id, segment), { body });

const readTests = (keyed: Keyed) => {
  const { segment, upstream, member } = keyed;
  test("returns 404 without settings", async () => {
    expect((await ask("GET", at(await bare(), segment))).body.code).toBe("APP-60502");
    expect((await ask("GET", at("unknown", segment))).body.code).toBe("APP-60006");
  });
  test("accepts the body of WSO2 and returns it unchanged", async () => {
    const given = await upstreamBody(upstream);
    const id = await create(given);
    expect((await ask("GET", at(id, segment))).body).toEqual(given.inboundProtocolConfiguration[member]);
  });
};
const updateTests = (keyed: Keyed) => {
  const { segment, body, key } = keyed;
  test("the key stays until the protocol is removed; a key in use is 409", async () => {
    const id = await bare();
    const own = { ...body, [key]: `own ${segment}` };
    expect((await put(id, keyed, own)).status).toBe(200);
    expect((await ask("GET", at(id, segment))).body).toEqual(own);
    const other = await put(id, keyed, { ...own, [key]: "another" });
    expect([other.status, other.body.code]).toEqual([400, "APP-60001"]);
    const taken = await put(await bare(), keyed, own);
    expect([taken.status, taken.body.code]).toEqual([409, "APP-60009"]);
  });
  test("a missing member is 400; a long key is stored completely and unique", async () => {
    const id = await bare();
    expect((await put(id, keyed, { [key]: "x" })).body.code).toBe("UE-10000");
    const long = `https://${"x".repeat(2_000)}`;
    expect((await put(id, keyed, { ...body, [key]: long })).status).toBe(200);
    expect((await ask("GET", at(id, segment))).body[key]).toBe(long);
    expect((await put(await bare(), keyed, { ...body, [key]: long })).status).toBe(409);
  });
};
const deleteTests = (keyed: Keyed) => {
  const { segment, body, key } = keyed;
  test("frees the key at once; 204 without settings", async () => {
    const [id, heir] = [await bare(), await bare()];
    const own = { ...body, [key]: `freed ${segment}` };
    await put(id, keyed, own);
    for (let again = 0; again < 2; again += 1) expect((await ask("DELETE", at(id, segment))).status).toBe(204);
    expect((await put(heir, keyed, own)).status).toBe(200);
    expect((await ask("DELETE", at("unknown", segment))).status).toBe(204);
  });
};
describe("getPassiveStsConfiguration", () => readTests(sts));
describe("getWsTrustConfiguration", () => readTests(trust));
describe("updatePassiveStsConfiguration", () => updateTests(sts));
describe("updateWsTrustConfiguration", () => updateTests(trust));
describe("deletePassiveStsConfiguration", () => deleteTests(sts));
describe("deleteWsTrustConfiguration", () => deleteTests(trust));
