/** The operations on webhooks, as clients of WSO2 Identity Server use them. */
import { describe, expect, test } from "vitest";
import { timeOfChange } from "#core/database/changes/change-id.ts";
import { tableOf } from "#tests/support/people.ts";
import { receiver } from "#tests/support/receiver.ts";
import { world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world();
const { ask } = api;

const WEBHOOKS = "/api/server/v1/webhooks";
const WSO2 = { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" };
const channel = (name: string) => `${WSO2.uri}/${name}`;
const UNKNOWN = "00000000-0000-0000-0000-000000000000";
let counter = 0;
const body = (more: Readonly<Record<string, unknown>> = {}) => {
  counter += 1;
  return {
    endpoint: `https://receiver.example/${counter}`,
    name: "Billing",
    eventProfile: WSO2,
    channelsSubscribed: [channel("user"), channel("login")],
    secret: "a planted secret",
    status: "ACTIVE",
    ...more,
  };
};
const post = (given: unknown) => ask("POST", WEBHOOKS, { body: given });
const created = async (more: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const { status, body: webhook, text } = await post(body(more));
  if (status !== 201) throw new Error(text);
  return webhook.id;
};
const at = (id: string, more = "") => `${WEBHOOKS}/${id}${more}`;
const notFound = {
  code: "WEBHOOKMGT-60010",
  message: "Webhook is not found.",
  description: `No webhook is found for given webhook id: ${UNKNOWN}`,
};

describe("createWebhook", () => {
  test("returns the webhook and its location, without the secret", async () => {
    const given = body();
    const answer = await post(given);
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.body).toEqual({
      id,
      createdAt: expect.any(String),
      updatedAt: answer.body.createdAt,
      endpoint: given.endpoint,
      name: "Billing",
      eventProfile: WSO2,
      channelsSubscribed: [
        { channelUri: channel("user"), status: "SUBSCRIPTION_ACCEPTED" },
        { channelUri: channel("login"), status: "SUBSCRIPTION_ACCEPTED" },
      ],
      status: "ACTIVE",
      delivery: { cursor: expect.any(String), failedAttempts: 0, showsActors: true, idsOnly: [], isSigned: true },
    });
    expect(new URL(answer.headers.get("location") ?? "").pathname).toBe(`/t/carbon.super${WEBHOOKS}/${id}`);
    expect(answer.text).not.toContain("planted");
    expect((await ask("GET", at(id))).text).not.toContain("planted");
  });

  test("stores the secret sealed", async () => {
    const id = await created();
    const items = await tableOf(api.service).queryAll({ PK: "T#carbon.super#SUBS", limit: 100 });
    const row = JSON.stringify(items.find(({ SK }) => SK === `S#${id}`));
    expect(row).toMatch(/sealedSecret/);
    expect(row).not.toContain("planted");
  });

  test.each<[string, Readonly<Record<string, unknown>>, string, string]>([
    ["no URL", { endpoint: "not-a-url" }, "60012", "Endpoint URI is invalid."],
    ["no endpoint", { endpoint: undefined }, "60011", "Endpoint URI is empty."],
    ["no name", { name: " " }, "60011", "Webhook name is empty."],
    [
      "an empty profile",
      { eventProfile: { name: "", uri: "" } },
      "60011",
      "Event Profile Name is empty. Event Profile URI is empty.",
    ],
    ["a profile without URI", { eventProfile: { name: "WSO2" } }, "60011", "Event Profile URI is empty."],
    ["an unknown profile", { eventProfile: { name: "X", uri: "x" } }, "60012", "Event Profile Name is invalid."],
    [
      "the URI of another profile",
      { eventProfile: { name: "WSO2", uri: "urn:x" } },
      "60012",
      `Event Profile URI is invalid: that of WSO2 is ${WSO2.uri}.`,
    ],
    ["no channel", { channelsSubscribed: [] }, "60011", "Channels Subscribed is empty."],
    [
      "an unknown channel",
      { channelsSubscribed: [channel("user"), "urn:x"] },
      "60012",
      "channelsSubscribed.1: not the URI of a channel of the profile WSO2.",
    ],
  ])("refuses %s", async (_, more, code, description) => {
    const { status, body: fault } = await post(body(more));
    expect(status).toBe(400);
    expect(fault).toMatchObject({ code: `WEBHOOKMGT-${code}`, message: "Invalid request.", description });
  });

  test.each([
    "http://receiver.example/",
    "https://receiver.example:8443/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/",
    "https://0x7f000001/",
    "https://user:password@receiver.example/",
    "file:///etc/passwd",
  ])("refuses the endpoint %s", async (endpoint) => {
    const { status, body: fault } = await post(body({ endpoint }));
    expect(status).toBe(400);
    expect(fault).toMatchObject({ code: "WEBHOOKMGT-60012", description: expect.stringMatching(/^Endpoint URI is/) });
  });

  test("refuses the endpoint of another webhook of the tenant, until that one is deleted or moved", async () => {
    const given = body();
    const id = (await post(given)).body.id;
    const again = await post(given);
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({
      code: "WEBHOOKMGT-60003",
      message: "Webhook endpoint already exists",
      description: `A webhook with the given endpoint: ${given.endpoint} already exists in the system.`,
    });
    await ask("DELETE", at(id));
    expect((await post(given)).status).toBe(201);
  });
});

describe("listWebhooks", () => {
  test("shows each webhook with its address, and without its settings", async () => {
    const id = await created({ name: "In the list" });
    const { status, body: list } = await ask("GET", WEBHOOKS);
    expect(status).toBe(200);
    expect(list.webhooks.find((one: { id: string }) => one.id === id)).toEqual({
      id,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      endpoint: `https://receiver.example/${counter}`,
      name: "In the list",
      status: "ACTIVE",
      self: `/t/carbon.super${WEBHOOKS}/${id}`,
    });
  });
});

describe("getWebhook", () => {
  test("returns 404 for an unknown id, as every operation on one webhook does", async () => {
    const calls: readonly (readonly [string, string, unknown?])[] = [
      ["GET", ""],
      ["PUT", "", body()],
      ["DELETE", ""],
      ["POST", "/activate"],
      ["POST", "/deactivate"],
      ["POST", "/retry"],
      ["POST", "/replay", { since: "2026-01-01T00:00:00Z" }],
    ];
    for (const [method, more, sent] of calls) {
      const { status, body: fault } = await ask(method, at(UNKNOWN, more), sent ? { body: sent } : {});
      expect([method, more, status]).toEqual([method, more, 404]);
      expect(fault).toMatchObject(notFound);
    }
  });
});

describe("updateWebhook", () => {
  test("replaces the settings, keeps the secret that it does not name, and removes it for an empty one", async () => {
    const endpoint = "https://kept.example/hook";
    const id = await created({ endpoint });
    const sealed = async () => {
      const items = await tableOf(api.service).queryAll({ PK: "T#carbon.super#SUBS", limit: 100 });
      const row = items.find(({ SK }) => SK === `S#${id}`);
      return JSON.parse(String(row?.settings)).sealedSecret;
    };
    const before = await sealed();
    const { secret: _, ...given } = body({ endpoint, name: "Other", channelsSubscribed: [channel("role")] });
    const { status, body: webhook } = await ask("PUT", at(id), { body: given });
    expect(status).toBe(200);
    expect(webhook).toMatchObject({ id, name: "Other", endpoint: given.endpoint });
    expect(webhook.channelsSubscribed).toEqual([{ channelUri: channel("role"), status: "SUBSCRIPTION_ACCEPTED" }]);
    expect(await sealed()).toBe(before);
    await ask("PUT", at(id), { body: { ...given, secret: "" } });
    expect(await sealed()).toBeUndefined();
  });

  test("refuses the endpoint of another webhook", async () => {
    const [first, second] = [await created({ endpoint: "https://taken.example" }), await created()];
    const { status, body: fault } = await ask("PUT", at(second), { body: body({ endpoint: "https://taken.example" }) });
    expect([status, fault.code]).toEqual([400, "WEBHOOKMGT-60003"]);
    expect((await ask("PUT", at(first), { body: body({ endpoint: "https://taken.example" }) })).status).toBe(200);
  });
});

describe("deleteWebhook", () => {
  test("deletes it", async () => {
    const id = await created();
    expect((await ask("DELETE", at(id))).status).toBe(204);
    expect((await ask("GET", at(id))).status).toBe(404);
    expect((await ask("DELETE", at(id))).status).toBe(404);
  });
});

describe("activateWebhook", () => {
  test("activates an inactive webhook, and refuses an active one", async () => {
    const id = await created({ status: "INACTIVE" });
    expect((await ask("GET", at(id))).body.status).toBe("INACTIVE");
    const { status, body: webhook } = await ask("POST", at(id, "/activate"));
    expect([status, webhook.status]).toEqual([200, "ACTIVE"]);
    const again = await ask("POST", at(id, "/activate"));
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({
      code: "WEBHOOKMGT-60013",
      message: "Webhook already active",
      description: `The webhook: ${id} is already active and cannot be activated again.`,
    });
  });
});

describe("deactivateWebhook", () => {
  test("deactivates an active webhook, and refuses an inactive one", async () => {
    const id = await created();
    const { status, body: webhook } = await ask("POST", at(id, "/deactivate"));
    expect([status, webhook.status]).toEqual([200, "INACTIVE"]);
    expect(webhook.channelsSubscribed[0].status).toBe("UNSUBSCRIPTION_ACCEPTED");
    const again = await ask("POST", at(id, "/deactivate"));
    expect([again.status, again.body.code]).toEqual([400, "WEBHOOKMGT-60014"]);
  });
});

describe("retryWebhook", () => {
  test("refuses a webhook without a failed delivery, in the words of Identity Server", async () => {
    const { status, body: fault } = await ask("POST", at(await created(), "/retry"));
    expect(status).toBe(400);
    expect(fault).toMatchObject({
      code: "WEBHOOKMGT-65028",
      message: "Unable to perform the operation.",
      description: "Operation is not supported for Publisher adapter type.",
    });
  });
});

describe("replayWebhook", () => {
  test("takes the time of a clock that is a minute ahead for now", async () => {
    const id = await created();
    const startMs = Date.now();
    const since = new Date(startMs + 60_000).toISOString();
    const { status, body: webhook } = await ask("POST", at(id, "/replay"), { body: { since } });
    expect(status).toBe(200);
    const cursor = Buffer.from(webhook.delivery.cursor, "base64url").toString("latin1");
    expect(timeOfChange(cursor.slice(8))).toBeLessThanOrEqual(Date.now());
    expect(timeOfChange(cursor.slice(8))).toBeGreaterThanOrEqual(startMs);
  });
  test.each<[string, unknown, RegExp]>([
    ["nothing", {}, /^Send either since, a time, or cursor\.$/],
    ["both", { since: "2026-01-01T00:00:00Z", cursor: "x" }, /^Send either/],
    ["no time", { since: "yesterday" }, /since/],
    ["no cursor", { cursor: "x" }, /cursor/],
    ["the future", { since: "2199-01-01T00:00:00Z" }, /^since: this time is in the future/],
  ])("refuses %s", async (_, given, description) => {
    const { status, body: fault } = await ask("POST", at(await created(), "/replay"), { body: given });
    expect(status).toBe(400);
    expect(fault.description).toMatch(description);
  });
});

describe("getWebhookMetadata", () => {
  test("names the profiles and the adapter", async () => {
    const { status, body: metadata } = await ask("GET", `${WEBHOOKS}/metadata`);
    expect(status).toBe(200);
    expect(metadata).toEqual({
      profiles: [
        { ...WSO2, self: `/t/carbon.super${WEBHOOKS}/metadata/event-profiles/WSO2` },
        {
          name: "Changes",
          uri: "urn:identity-admin-api:events",
          self: `/t/carbon.super${WEBHOOKS}/metadata/event-profiles/Changes`,
        },
      ],
      adapter: { name: "httppublisher", type: "Publisher" },
      organizationPolicy: { policyName: "NO_SHARING" },
    });
  });
  test("has no PUT", async () => expect((await ask("PUT", `${WEBHOOKS}/metadata`, { body: {} })).status).toBe(405));
});

describe("patchWebhookMetadata", () => {
  test("accepts the policy that it has, and refuses others", async () => {
    const patch = (policyName: string) =>
      ask("PATCH", `${WEBHOOKS}/metadata`, { body: { organizationPolicy: { policyName } } });
    expect((await patch("NO_SHARING")).body.organizationPolicy).toEqual({ policyName: "NO_SHARING" });
    const refused = await patch("IMMEDIATE_EXISTING_AND_FUTURE_ORGS");
    expect(refused.status).toBe(400);
    expect(refused.body.description).toMatch(/NO_SHARING/);
  });
});

describe("getEventProfile", () => {
  test("lists channels with their events", async () => {
    const { status, body: profile } = await ask("GET", `${WEBHOOKS}/metadata/event-profiles/WSO2`);
    expect(status).toBe(200);
    expect(profile).toMatchObject({ profile: "WSO2", uri: WSO2.uri });
    const user = profile.channels.find(({ uri }: { uri: string }) => uri === channel("user"));
    expect(user.events).toContainEqual({
      eventName: "userCreated",
      eventDescription: "A user was created",
      eventUri: `${channel("user")}/event-type/userCreated`,
    });
  });
  test("returns 404 for an unknown profile", async () => {
    const { status, body: fault } = await ask("GET", `${WEBHOOKS}/metadata/event-profiles/None`);
    expect(status).toBe(404);
    expect(fault).toMatchObject({
      code: "WEBHOOKMETA-61001",
      message: "Profile not found",
      description: "The requested event profile None could not be found.",
    });
  });
});

describe("a tenant", () => {
  test("has at most 20 webhooks", async () => {
    const { webhooks } = (await ask("GET", WEBHOOKS)).body;
    for (let count = webhooks.length; count < 20; count += 1) await created();
    const { status, body: fault } = await post(body());
    expect(status).toBe(400);
    expect(fault).toMatchObject({
      code: "WEBHOOKMGT-60016",
      message: "Maximum number of webhooks reached.",
      description: expect.stringMatching(
        /^The maximum number of webhooks allowed has been reached\. Max allowed: 20\./,
      ),
    });
    expect(inbox.at("/")).toEqual([]);
  });
});
