/** What a webhook tells of those who make changes; and that changes of webhooks cause no changes. */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { addUser } from "#tests/support/people.ts";
import { receiver } from "#tests/support/receiver.ts";
import { type Ask, world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world({ delivers: true });
const { ask } = api;

const WEBHOOKS = "/api/server/v1/webhooks";
const WSO2 = { name: "WSO2", uri: "https://schemas.identity.wso2.org/events" };
const CHANGES = { name: "Changes", uri: "urn:identity-admin-api:events" };
const password = "a-long-password";
const manager: Ask["as"] = { username: "manager", password };
const auditor: Ask["as"] = { username: "auditor", password };
const SCOPES = ["internal_webhook_create", "internal_webhook_update", "internal_webhook_view"];

beforeAll(async () => {
  await addUser(api.service, { username: "manager", password, scopes: SCOPES });
  await addUser(api.service, { username: "auditor", password, scopes: [...SCOPES, "internal_audit_view"] });
});
afterEach(async () => {
  const { webhooks } = (await ask("GET", WEBHOOKS)).body;
  for (const { id } of webhooks) await ask("DELETE", `${WEBHOOKS}/${id}`);
});

const bodyFor = (path: string, profile: { readonly name: string; readonly uri: string }, channel = "user") => ({
  endpoint: inbox.url(path),
  name: path,
  eventProfile: profile,
  channelsSubscribed: [`${profile.uri}/${channel}`],
});
const subscribe = async (as: Ask["as"], body: unknown) => {
  const answer = await ask("POST", WEBHOOKS, { body, ...(as !== undefined && { as }) });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
};
let counter = 0;
const newUser = async () => {
  counter += 1;
  const { status, text } = await ask("POST", "/scim2/Users", { body: { userName: `u.${counter}`, password } });
  if (status !== 201) throw new Error(text);
};
// biome-ignore lint/suspicious/noExplicitAny: any event
const payload = (message: { readonly body: any } | undefined): any => Object.values(message?.body.events ?? {})[0];

test("events name actors and addresses only where who created the webhook may see them", async () => {
  const shown = await Promise.all([
    subscribe(manager, bodyFor("/manager-wso2", WSO2)),
    subscribe(manager, bodyFor("/manager-changes", CHANGES)),
    subscribe(auditor, bodyFor("/auditor-wso2", WSO2)),
    subscribe(auditor, bodyFor("/auditor-changes", CHANGES)),
  ]);
  expect(shown.map(({ delivery }) => delivery.showsActors)).toEqual([false, false, true, true]);
  await newUser();
  const first = async (path: string) => (await inbox.waitFor(path, 1))[0];
  const [plain, plainChange] = [await first("/manager-wso2"), await first("/manager-changes")];
  const [full, fullChange] = [await first("/auditor-wso2"), await first("/auditor-changes")];
  expect(payload(full)).toMatchObject({ initiatorType: "ADMIN", initiatorIpAddress: "127.0.0.1" });
  expect(payload(fullChange)).toMatchObject({
    initiatorIpAddress: "127.0.0.1",
    actor: { type: "user", id: expect.any(String), name: "admin" },
  });
  expect(payload(plain)).toMatchObject({ initiatorType: "ADMIN" });
  expect(payload(plainChange).actor).toEqual({ type: "user", id: expect.any(String) });
  // The address of the service itself has a port.
  for (const one of [plain, plainChange]) expect(one?.text).not.toMatch(/"127\.0\.0\.1"|"admin"/);
});

test("the scopes of the last PUT decide, whoever created the webhook", async () => {
  const body = bodyFor("/moved", WSO2);
  const { id } = await subscribe(auditor, body);
  const put = (as: Ask["as"]) => ask("PUT", `${WEBHOOKS}/${id}`, { body, ...(as !== undefined && { as }) });
  expect((await put(manager)).body.delivery.showsActors).toBe(false);
  await newUser();
  expect(payload((await inbox.waitFor("/moved", 1))[0])).not.toHaveProperty("initiatorIpAddress");
  expect((await put(auditor)).body.delivery.showsActors).toBe(true);
  await newUser();
  expect(payload((await inbox.waitFor("/moved", 2))[1])).toHaveProperty("initiatorIpAddress");
});

test("changes of webhooks are sent, and sending them changes no webhook", async () => {
  const { id } = await subscribe(undefined, bodyFor("/self", CHANGES, "webhook"));
  await ask("POST", `${WEBHOOKS}/${id}/deactivate`);
  await ask("POST", `${WEBHOOKS}/${id}/activate`);
  // A message that was under way when the webhook was deactivated is sent again, with the same id.
  const distinct = () => [...new Map(inbox.at("/self").map((one) => [one.headers["webhook-id"], one])).values()];
  await vi.waitFor(() => expect(distinct().length).toBeGreaterThanOrEqual(3), { timeout: 20_000, interval: 50 });
  expect(distinct().map(({ body }) => Object.keys(body.events)[0]?.split("/").at(-1))).toEqual([
    "created",
    "updated",
    "updated",
  ]);
  // The delivery looks for changes every 50 ms: a loop would send some dozens by now.
  await new Promise((done) => setTimeout(done, 2_000));
  expect(distinct()).toHaveLength(3);
});
