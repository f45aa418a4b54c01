/** The operations on streams of security events (SSF 1.0, RFC 8936; decision 0089). */
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import { readsPeople } from "../../kernel/operation/reach.ts";
import * as z from "../../kernel/zod.ts";
import { PUBLISHED_SECONDS } from "../../tokens/key-ring.ts";
import {
  EventKeySet,
  NewStream,
  OptionalStreamQuery,
  PollAnswer,
  PollRequest,
  StatusChange,
  StatusShown,
  StreamChange,
  StreamPath,
  StreamQuery,
  StreamShown,
  StreamsShown,
  SubjectAdded,
  SubjectRemoved,
  TransmitterMetadata,
  Verification,
} from "./shapes.ts";

const source = "decision 0089";
const service = "signals";
const manage = { service, scope: "ssf.manage", source } as const;
/** Who may manage streams may read them. */
const read = { service, scope: "ssf.read", includedIn: ["ssf.manage"], source } as const;

/** The metadata of an issuer is at this path followed by the path of the issuer (SSF 1.0 section 7.2). */
const WELL_KNOWN = "/.well-known/ssf-configuration";
const published = { service, method: "GET", scope: PUBLIC, source } as const;
const metadata = {
  ...published,
  success: { status: 200, body: TransmitterMetadata, maxAgeSeconds: PUBLISHED_SECONDS },
  failures: [404],
} as const;

export const signalOperations = {
  getSignalTransmitter: operation({
    ...metadata,
    path: WELL_KNOWN,
    summary: "Read the metadata of the transmitter of security events",
  }),
  getSignalIssuer: operation({
    ...metadata,
    path: `${WELL_KNOWN}/oauth2/token`,
    summary: "Read the metadata of the transmitter by its issuer, that of the super tenant",
  }),
  getTenantSignalIssuer: operation({
    ...metadata,
    path: `${WELL_KNOWN}/t/{tenant}/oauth2/token`,
    params: z.object({ tenant: z.string().min(1).max(255) }),
    summary: "Read the metadata of the transmitter by the issuer of a tenant",
  }),
  getSignalKeys: operation({
    ...published,
    path: "/ssf/jwks",
    summary: "Read the public keys that verify security events",
    success: { status: 200, body: EventKeySet, maxAgeSeconds: PUBLISHED_SECONDS },
    failures: [],
  }),

  createStream: operation({
    ...manage,
    method: "POST",
    path: "/ssf/streams",
    reaches: readsPeople,
    summary: "Create a stream of security events",
    body: NewStream,
    success: { status: 201, body: StreamShown },
    failures: [400, 409],
  }),
  readStreams: operation({
    ...read,
    method: "GET",
    path: "/ssf/streams",
    summary: "Read a stream of the caller, or all of them",
    query: OptionalStreamQuery,
    success: { status: 200, body: StreamsShown },
    failures: [404],
  }),
  updateStream: operation({
    ...manage,
    method: "PATCH",
    path: "/ssf/streams",
    reaches: readsPeople,
    summary: "Change what the request names of a stream",
    body: StreamChange,
    success: { status: 200, body: StreamShown },
    failures: [400, 404],
  }),
  replaceStream: operation({
    ...manage,
    method: "PUT",
    path: "/ssf/streams",
    reaches: readsPeople,
    summary: "Replace the settings of a stream; what the request leaves out is removed",
    body: StreamChange,
    success: { status: 200, body: StreamShown },
    failures: [400, 404],
  }),
  deleteStream: operation({
    ...manage,
    method: "DELETE",
    path: "/ssf/streams",
    summary: "Delete a stream with the events that wait",
    query: StreamQuery,
    success: { status: 204 },
    failures: [400, 404],
  }),
  getStreamStatus: operation({
    ...read,
    method: "GET",
    path: "/ssf/status",
    summary: "Read whether a stream delivers events",
    query: StreamQuery,
    success: { status: 200, body: StatusShown },
    failures: [400, 404],
  }),
  setStreamStatus: operation({
    ...manage,
    method: "POST",
    path: "/ssf/status",
    summary: "Enable, pause or disable a stream; a paused one keeps its events, a disabled one leaves them out",
    body: StatusChange,
    success: { status: 200, body: StatusShown },
    failures: [400, 404],
  }),
  addStreamSubject: operation({
    ...manage,
    method: "POST",
    path: "/ssf/subjects/add",
    summary: "Send events about a subject again; all subjects are included at first",
    body: SubjectAdded,
    success: { status: 200 },
    failures: [400, 404, 429],
  }),
  removeStreamSubject: operation({
    ...manage,
    method: "POST",
    path: "/ssf/subjects/remove",
    summary: "Leave out events about a subject",
    body: SubjectRemoved,
    success: { status: 204 },
    failures: [400, 404, 429],
  }),
  verifyStream: operation({
    ...manage,
    method: "POST",
    path: "/ssf/verification",
    summary: "Request a verification event on a stream",
    body: Verification,
    success: { status: 204 },
    failures: [400, 404, 429],
  }),
  pollStream: operation({
    ...read,
    method: "POST",
    path: "/ssf/poll/{streamId}",
    source: "RFC 8936; decision 0089",
    seesScopes: true,
    reaches: readsPeople,
    summary: "Acknowledge security events and receive further ones",
    params: StreamPath,
    body: PollRequest,
    success: { status: 200, body: PollAnswer },
    failures: [400, 404],
  }),
} as const;
