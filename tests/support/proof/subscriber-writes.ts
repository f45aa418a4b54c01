/** Random writes of webhooks and streams of security events. */
import type { Pool, Write } from "./pool.ts";

const WEBHOOKS = "/api/server/v1/webhooks";
const STREAMS = "/ssf/streams";
/** Fewer than a tenant may have, so that most creations succeed. */
const MOST = 8;
const WSO2 = "https://schemas.identity.wso2.org/events";

const webhookBody = (pool: Pool) => ({
  endpoint: `https://receiver.example/${pool.fresh("hook")}`,
  name: pool.fresh("webhook"),
  eventProfile: { name: "WSO2", uri: WSO2 },
  channelsSubscribed: pool.some(["user", "role", "credential"], 3).map((name) => `${WSO2}/${name}`),
  ...(pool.chance(0.5) && { secret: pool.secret() }),
});

const webhook = (pool: Pool): Write => {
  const { webhooks } = pool;
  const roll = pool.upTo(9);
  if (webhooks.length < 2 || (roll < 3 && webhooks.length < MOST)) {
    const after: Write["after"] = ({ body }) => webhooks.push(body.id);
    return { method: "POST", path: WEBHOOKS, ask: { body: webhookBody(pool) }, isChange: true, after };
  }
  if (roll < 6) {
    const path = `${WEBHOOKS}/${pool.pick(webhooks)}`;
    return { method: "PUT", path, ask: { body: webhookBody(pool) }, isChange: true };
  }
  if (roll < 8) {
    const verb = pool.pick(["activate", "deactivate", "retry"]);
    return { method: "POST", path: `${WEBHOOKS}/${pool.pick(webhooks)}/${verb}`, isChange: false };
  }
  return { method: "DELETE", path: `${WEBHOOKS}/${pool.take(webhooks)}`, isChange: true };
};

const delivery = (pool: Pool) => ({
  method: "urn:ietf:rfc:8935",
  endpoint_url: `https://receiver.example/${pool.fresh("sets")}`,
  ...(pool.chance(0.5) && { authorization_header: `Bearer ${pool.secret()}` }),
});

const stream = (pool: Pool): Write => {
  const { streams } = pool;
  const roll = pool.upTo(11);
  const description = pool.fresh("stream");
  if (streams.length < 2 || (roll < 3 && streams.length < MOST)) {
    const body = { description, ...(pool.chance(0.5) && { delivery: delivery(pool) }) };
    const after: Write["after"] = (reply) => streams.push(reply.body.stream_id);
    return { method: "POST", path: STREAMS, ask: { body }, isChange: true, after };
  }
  const stream_id = pool.pick(streams);
  const send = (method: string, path: string, body: object, isChange = false): Write => ({
    method,
    path,
    ask: { body: { stream_id, ...body } },
    isChange,
  });
  if (roll < 5) return send("PATCH", STREAMS, { description }, true);
  if (roll < 7) return send("PUT", STREAMS, { description, delivery: delivery(pool) }, true);
  if (roll < 8) return send("POST", "/ssf/status", { status: pool.pick(["enabled", "paused", "disabled"]) });
  if (roll < 10) {
    const subject = { format: "scim", uri: `/Users/${pool.pick(["a", "b", "c"])}` };
    return send("POST", `/ssf/subjects/${pool.pick(["add", "remove"])}`, { subject });
  }
  if (roll < 11) return send("POST", "/ssf/verification", { state: description });
  return { method: "DELETE", path: `${STREAMS}?stream_id=${pool.take(streams)}`, isChange: true };
};

/** Each with how often it is chosen. */
export const subscriberWrites: readonly (readonly [number, (pool: Pool) => Write | undefined])[] = [
  [4, webhook],
  [4, stream],
];
