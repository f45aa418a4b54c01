/** Records and streams for tests of security events. */
import type { Change, ChangeRecord } from "#core/database/changes/model.ts";
import { startingAt } from "#core/events/delivery/model.ts";
import type { DataReads, Envelope } from "#core/events/shared-signals/claims.ts";
import { supportedTypes } from "#core/events/shared-signals/event-types.ts";
import { POLL, type Stream } from "#core/events/shared-signals/model.ts";
import { envelopeOf } from "#core/events/shared-signals/push.ts";

export const NOON = Date.UTC(2026, 10, 22, 12);
export const ORIGIN = "https://id.example";
export const SCIM = "urn:ietf:params:scim:event:";
export const CAEP = "https://schemas.openid.net/secevent/caep/event-type/";

/** A record of one change of a user, made by an administrator. */
export const recordOf = (changes: readonly Change[], more: Partial<ChangeRecord> = {}): ChangeRecord => ({
  id: "0000000000000000a1",
  atMs: NOON,
  tenant: "carbon.super",
  actor: { type: "user", id: "admin-id", name: "admin", signIn: "password" },
  sourceIp: "192.0.2.1",
  operation: "patchUser",
  resource: { type: "user", id: "u1", name: "ann" },
  changes,
  traceId: "trace",
  ...more,
});

export const streamWith = (more: Partial<Stream> = {}): Stream => ({
  id: "stream-1",
  tenant: "carbon.super",
  owner: { kind: "client", subject: "receiver" },
  requested: supportedTypes,
  delivery: { method: POLL },
  status: "enabled",
  excluded: [],
  progress: startingAt("0"),
  ...more,
});

export const envelope = (more: Partial<Stream> = {}): Envelope => envelopeOf(streamWith(more), ORIGIN);

/** An owner who may read the data of these types. */
export const reading = (...types: ("user" | "group" | "role")[]): DataReads => ({
  readable: new Set(types),
  representation: async ({ subject }) => ({ id: subject.id, displayName: "as it was" }),
});
