/** Push delivery (RFC 8935) over HTTP: to a receiver that verifies what arrives, fails, refuses and comes back. */
import { afterEach, describe, expect, test } from "vitest";
import { oauthOf } from "#tests/support/oauth.ts";
import { type Arrived, receiver } from "#tests/support/receiver.ts";
import { RFC7644 } from "#tests/support/scim.ts";
import { PUSH, receiverOf, SCIM, SSF, typesOf, verifiedSet } from "#tests/support/signals.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const inbox = receiver();
const api = world({ deployment: RFC7644, delivers: true });
const admin = receiverOf(api);
const oauth = oauthOf(api);
const HEADER = "Bearer planted-header-91";

let made = 0;
const newUser = async (more: object = {}): Promise<string> => {
  made += 1;
  return (await api.ask("POST", "/scim2/Users", { body: { userName: `pushed-${made}`, ...more } })).body.id;
};
const pathOf = (name: string) => `/${name}-${made}`;
const to = (path: string) => ({ method: PUSH, endpoint_url: inbox.url(path), authorization_header: HEADER });
const verified = async (arrived: readonly Arrived[]) => {
  const metadata = await admin.metadata();
  return (await Promise.all(arrived.map(({ text }) => verifiedSet(text, metadata)))).map(({ payload }) => payload);
};
/** A client for the Shared Signals API, and its calls. */
const application = async (...scopes: string[]) => {
  const client = await oauth.newClient(["ssf.read", "ssf.manage", ...scopes]);
  const fields = { grant_type: "client_credentials", scope: ["ssf.manage", ...scopes].join(" ") };
  const { access_token } = await oauth.token(client, fields);
  return { client, ...receiverOf(api, `Bearer ${access_token}`) };
};

afterEach(() => admin.deleteAll());

describe("pushing", () => {
  test("sends each event by itself, in order, with the header that the receiver asked for", async () => {
    const path = pathOf("plain");
    const id = await admin.stream({ delivery: to(path) });
    const user = await newUser();
    await api.ask("DELETE", `/scim2/Users/${user}`);
    const arrived = await inbox.waitFor(path, 3);
    for (const { headers } of arrived) {
      expect(headers).toMatchObject({
        "content-type": "application/secevent+jwt",
        accept: "application/json",
        authorization: HEADER,
      });
    }
    const events = await verified(arrived);
    expect(typesOf(events)).toEqual(["prov:create:notice", "prov:delete", "session-revoked"]);
    expect(events[0]).toMatchObject({ aud: (await admin.ask("GET", `/ssf/streams?stream_id=${id}`)).body.aud });
    expect((await admin.poll(id)).status).toBe(400);
  });
  test("repeats an event under its id until the receiver takes it, and keeps the order of a resource", async () => {
    const path = pathOf("failing");
    const statuses = [503, 500, 202];
    inbox.respond(
      path,
      (_, response) => void response.writeHead(statuses.shift() ?? 202, { "retry-after": "1" }).end(),
    );
    const events_requested = [`${SCIM}prov:create:notice`, `${SCIM}prov:delete`];
    const stream_id = await admin.stream({ events_requested, delivery: to(path) });
    const user = await newUser();
    await inbox.waitFor(path, 1);
    await admin.ask("DELETE", `/scim2/Users/${user}`);
    // A change of the stream ends the pause before the next attempt.
    const retry = async () => {
      await admin.ask("POST", "/ssf/status", { stream_id, status: "paused" });
      await admin.ask("POST", "/ssf/status", { stream_id, status: "enabled" });
    };
    await retry();
    await inbox.waitFor(path, 2);
    await retry();
    const events = await verified(await inbox.waitFor(path, 4));
    const [first, second, third, fourth] = events;
    expect([second?.jti, third?.jti]).toEqual([first?.jti, first?.jti]);
    expect([third, fourth].map((event) => [event?.sub_id.uri, ...Object.keys(event?.events ?? {})])).toEqual(
      events_requested.map((event) => [`/Users/${user}`, event]),
    );
  });
  test("goes on after an event that the receiver refuses with a code, and repeats no word of it", async () => {
    const path = pathOf("refusing");
    let isFirst = true;
    inbox.respond(path, (_, response) => {
      const body = JSON.stringify({ err: "invalid_key", description: "planted" });
      if (isFirst) response.writeHead(400, { "content-type": "application/json", "content-language": "en" }).end(body);
      else response.writeHead(202).end();
      isFirst = false;
    });
    await admin.stream({ events_requested: [`${SCIM}prov:create:notice`], delivery: to(path) });
    const users = [await newUser(), await newUser()];
    const events = await verified(await inbox.waitFor(path, 2));
    expect(events.map(({ sub_id }) => sub_id.uri).sort()).toEqual(users.map((user) => `/Users/${user}`).sort());
  });
  test("sends a verification event on request", async () => {
    const path = pathOf("verification");
    const stream_id = await admin.stream({ delivery: to(path) });
    await admin.ask("POST", "/ssf/verification", { stream_id, state: "hello" });
    const [event] = await verified(await inbox.waitFor(path, 1));
    expect(event).toMatchObject({
      sub_id: { format: "opaque", id: stream_id },
      events: { [`${SSF}verification`]: { state: "hello" } },
    });
  });
  test("sends data to an application that may read it, until it may not", async () => {
    const path = pathOf("data");
    const { stream, client } = await application("internal_user_mgt_view");
    await stream({
      events_requested: [`${SCIM}prov:create:full`, `${SCIM}prov:create:notice`],
      delivery: to(path),
    });
    await newUser({ title: "shown" });
    const [full] = await verified(await inbox.waitFor(path, 1));
    expect(full?.events[`${SCIM}prov:create:full`].data).toMatchObject({ title: "shown" });
    const apis = (await api.ask("GET", `${APPLICATIONS}/${client.applicationId}/authorized-apis`)).body;
    for (const { id, identifier } of apis) {
      if (identifier === "/scim2/Users") {
        await api.ask("DELETE", `${APPLICATIONS}/${client.applicationId}/authorized-apis/${id}`);
      }
    }
    expect(apis.map(({ identifier }: { identifier: string }) => identifier).sort()).toEqual(["/scim2/Users", "/ssf"]);
    await newUser({ title: "hidden" });
    const events = await verified(await inbox.waitFor(path, 2));
    expect(typesOf(events.slice(1))).toEqual(["prov:create:notice"]);
    expect(JSON.stringify(events[1])).not.toContain("hidden");
  });
  test("stops when the application of a stream is deleted", async () => {
    const path = pathOf("gone");
    const { stream, client } = await application();
    await stream({ events_requested: [`${SCIM}prov:create:notice`], delivery: to(path) });
    await api.ask("DELETE", `${APPLICATIONS}/${client.applicationId}`);
    const control = pathOf("control");
    await admin.stream({ events_requested: [`${SCIM}prov:create:notice`], delivery: to(control) });
    await newUser();
    await inbox.waitFor(control, 1);
    expect(inbox.at(path)).toEqual([]);
  });
});
