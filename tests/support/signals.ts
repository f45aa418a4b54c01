/** Receivers of security events for tests: streams, polls, and the verification of SETs by a library of others. */
import { createRemoteJWKSet, decodeJwt, type JWTPayload, jwtVerify } from "jose";
import type { Answer, Ask, World } from "./world.ts";

export const PUSH = "urn:ietf:rfc:8935";
export const POLL = "urn:ietf:rfc:8936";
export const SCIM = "urn:ietf:params:scim:event:";
export const CAEP = "https://schemas.openid.net/secevent/caep/event-type/";
export const SSF = "https://schemas.openid.net/secevent/ssf/event-type/";

/** An event as a receiver reads it. */
export interface ReceivedEvent extends JWTPayload {
  readonly jti: string;
  readonly txn: string;
  readonly sub_id: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any event
  readonly events: Readonly<Record<string, any>>;
}

/** The parts of a poll. */
export interface Polling {
  readonly maxEvents?: number;
  readonly returnImmediately?: boolean;
  readonly ack?: readonly string[];
  readonly setErrs?: Readonly<Record<string, { readonly err: string; readonly description?: string }>>;
}

/** Verifies a SET as RFC 8417 and SSF 1.0 ask receivers to, with the keys that the transmitter publishes. */
export const verifiedSet = async (text: string, metadata: { readonly jwks_uri: string; readonly issuer: string }) => {
  const { payload, protectedHeader } = await jwtVerify(text, createRemoteJWKSet(new URL(metadata.jwks_uri)), {
    issuer: metadata.issuer,
    typ: "secevent+jwt",
    requiredClaims: ["iat", "jti", "aud", "events", "sub_id", "txn"],
  });
  if ("sub" in payload || "exp" in payload) throw new Error("a SET has neither sub nor exp");
  if (Object.keys(payload.events as object).length !== 1) throw new Error("a SET of a stream has one event");
  return { payload: payload as ReceivedEvent, header: protectedHeader };
};

/** What a receiver does over HTTP, as the caller `as`, below the path of a tenant if one is given. */
export const receiverOf = (api: World, as?: Ask["as"], prefix = "") => {
  const caller = as === undefined ? {} : { as };
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    api.ask(method, `${prefix}${path}`, { ...caller, ...(body === undefined ? {} : { body }) });
  const poll = (id: string, polling: Polling = {}) =>
    ask("POST", `/ssf/poll/${id}`, { returnImmediately: true, ...polling });
  const metadata = async () => (await ask("GET", "/.well-known/ssf-configuration")).body;
  return {
    ask,
    poll,
    metadata,
    create: (body: unknown = {}) => ask("POST", "/ssf/streams", body),
    /** Creates a stream and returns its id. */
    async stream(body: unknown = {}): Promise<string> {
      const answer = await ask("POST", "/ssf/streams", body);
      if (answer.status !== 201) throw new Error(`create returned ${answer.status}: ${answer.text}`);
      return answer.body.stream_id;
    },
    /** The verified events of a poll, in the order of the answer. */
    async events(id: string, polling?: Polling): Promise<ReceivedEvent[]> {
      const { status, text, body } = await poll(id, polling);
      if (status !== 200) throw new Error(`poll returned ${status}: ${text}`);
      const published = await metadata();
      const sets = Object.entries<string>(body.sets);
      return Promise.all(
        sets.map(async ([jti, set]) => {
          const { payload } = await verifiedSet(set, published);
          if (payload.jti !== jti) throw new Error("a SET is not under its id");
          return payload;
        }),
      );
    },
    /** Deletes all streams of the caller: it may have a few only. */
    async deleteAll(): Promise<void> {
      for (const { stream_id } of (await ask("GET", "/ssf/streams")).body) {
        await ask("DELETE", `/ssf/streams?stream_id=${stream_id}`);
      }
    },
    /** Acknowledges all that waits. */
    async drain(id: string): Promise<void> {
      for (let ack: string[] = []; ; ) {
        const { body } = await poll(id, { ack });
        ack = Object.keys(body.sets);
        if (ack.length === 0) return;
      }
    },
  };
};

/** The types of events, by the last part of their URIs. */
export const typesOf = (events: readonly Pick<ReceivedEvent, "events">[]): string[] =>
  events.flatMap(({ events: own }) => Object.keys(own).map((type) => type.replace(/^.*(?:event:|event-type\/)/, "")));

export const claimsOf = (set: string): ReceivedEvent => decodeJwt(set) as ReceivedEvent;
