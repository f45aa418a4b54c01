/** The shapes of SSF 1.0 and of poll delivery (RFC 8936). */
import { withoutNulls } from "../../kernel/management-api.ts";
import * as z from "../../kernel/zod.ts";
import { POLL, PUSH, streamStatuses } from "./model.ts";

const TEXT_MAX = 255;
const TYPES_MAX = 100;
const URL_MAX = 2_048;
/** SETs of one answer; and ids that one request acknowledges. */
export const BATCH_MAX = 100;
const REPORTS_MAX = 1_000;

const streamId = z.string().min(1).max(TEXT_MAX);
const plainText = z
  .string()
  .max(TEXT_MAX)
  .regex(/^\P{Cc}*$/u, "must not contain control characters");
const types = z.array(z.string().max(TEXT_MAX)).max(TYPES_MAX);
const method = z.enum([PUSH, POLL]);

const DeliverySent = z
  .object({
    method,
    endpoint_url: z.string().max(URL_MAX).optional().meta({ description: "For push: the address of the receiver" }),
    authorization_header: z
      .string()
      .max(URL_MAX)
      .regex(/^[\x21-\x7E]+(?: [\x21-\x7E]+)*$/, "must be printable ASCII without blanks at its ends")
      .optional()
      .meta({ description: "For push: the value of `Authorization` in each request. It is never shown." }),
  })
  .meta({ id: "SignalDeliverySent" });

/** Members that the receiver sets. */
const settings = {
  delivery: DeliverySent.optional(),
  events_requested: types.optional().meta({ description: "Types of events; unknown ones are ignored" }),
  description: plainText.optional(),
};

/** Members that this service sets. Where they are sent, they must be as they are. */
const fixed = {
  iss: z.string().optional(),
  aud: z
    .custom<string | readonly string[]>(isAudience, "expected a text or a list of texts")
    .optional()
    .meta({ description: "The present audience, as a text or a list" }),
  events_supported: types.optional(),
  events_delivered: types.optional(),
};

export const NewStream = z.preprocess(withoutNulls, z.object(settings).meta({ id: "NewSignalStream" }));

export const StreamChange = z.preprocess(
  withoutNulls,
  z.object({ stream_id: streamId, ...settings, ...fixed }).meta({ id: "SignalStreamChange" }),
);

export const StreamShown = z
  .object({
    stream_id: z.string(),
    iss: z.string(),
    aud: z.string(),
    delivery: z.object({ method, endpoint_url: z.string() }),
    events_supported: z.array(z.string()),
    events_requested: z.array(z.string()),
    events_delivered: z.array(z.string()),
    description: z.string().optional(),
  })
  .meta({ id: "SignalStream" });

/** SSF 1.0 section 8.1.1.2. The handler makes it of streams as they are shown. */
export const StreamsShown = z
  .custom<z.output<typeof StreamShown> | readonly z.output<typeof StreamShown>[]>((value) => typeof value === "object")
  .meta({ description: "A `SignalStream` where the request names one, otherwise a list of them" });

export const StreamQuery = z.object({ stream_id: streamId });
export const OptionalStreamQuery = z.object({
  stream_id: streamId.optional().meta({ description: "One stream; without it, all streams of the caller" }),
});
export const StreamPath = z.object({ streamId });

const status = z.enum(streamStatuses);

export const StatusChange = z.preprocess(
  withoutNulls,
  z.object({ stream_id: streamId, status, reason: plainText.optional() }).meta({ id: "SignalStatusChange" }),
);

export const StatusShown = z
  .object({ stream_id: z.string(), status, reason: z.string().optional() })
  .meta({ id: "SignalStatus" });

const Subject = z
  .object({
    format: z.string().max(TEXT_MAX).meta({ description: "`scim` with `uri`, or `iss_sub` with `iss` and `sub`" }),
    uri: z.string().max(TEXT_MAX).optional().meta({ description: "Such as /Users/<id>" }),
    iss: z.string().max(URL_MAX).optional(),
    sub: z.string().max(TEXT_MAX).optional().meta({ description: "The id of a user" }),
  })
  .meta({ id: "SignalSubject" });

export const SubjectAdded = z.preprocess(
  withoutNulls,
  z
    .object({ stream_id: streamId, subject: Subject, verified: z.boolean().optional() })
    .meta({ id: "SignalSubjectAdded" }),
);
export const SubjectRemoved = z.preprocess(
  withoutNulls,
  z.object({ stream_id: streamId, subject: Subject }).meta({ id: "SignalSubjectRemoved" }),
);

export const Verification = z.preprocess(
  withoutNulls,
  z.object({ stream_id: streamId, state: z.string().max(TEXT_MAX).optional() }).meta({ id: "SignalVerification" }),
);

const jti = z.string().min(1).max(TEXT_MAX);

const SetError = z
  .object({ err: z.string().max(TEXT_MAX), description: z.string().max(1_000).optional() })
  .meta({ id: "SignalError" });

export const PollRequest = z.preprocess(
  withoutNulls,
  z
    .object({
      maxEvents: z
        .int()
        .min(0)
        .optional()
        .meta({ description: `The most SETs of the answer, up to ${BATCH_MAX}` }),
      returnImmediately: z.boolean().optional().meta({
        description: "False, the default: waits up to 5 seconds where there is no event",
      }),
      ack: z.array(jti).max(REPORTS_MAX).optional().meta({ description: "The ids of SETs that were received" }),
      setErrs: z
        .record(jti, SetError)
        .optional()
        .meta({ description: "SETs that the receiver refuses, by their ids. They are not sent again." }),
    })
    .meta({ id: "SignalPoll" }),
);

export const PollAnswer = z
  .object({ sets: z.record(z.string(), z.string()), moreAvailable: z.boolean().optional() })
  .meta({ id: "SignalPollAnswer" });

/** The keys of events (RFC 7517). */
export const EventKeySet = z
  .object({
    keys: z.array(
      z
        .object({
          kty: z.string(),
          crv: z.string(),
          x: z.string(),
          y: z.string(),
          kid: z.string(),
          use: z.string(),
          alg: z.string(),
        })
        .meta({ id: "EventKey" }),
    ),
  })
  .meta({ id: "EventKeySet" });

function isAudience(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}

/** The metadata of the transmitter (SSF 1.0 section 7.1). */
export const TransmitterMetadata = z
  .object({
    spec_version: z.string(),
    issuer: z.string(),
    jwks_uri: z.string(),
    delivery_methods_supported: z.array(z.string()),
    configuration_endpoint: z.string(),
    status_endpoint: z.string(),
    add_subject_endpoint: z.string(),
    remove_subject_endpoint: z.string(),
    verification_endpoint: z.string(),
    authorization_schemes: z.array(z.object({ spec_urn: z.string() })),
    default_subjects: z.string(),
  })
  .meta({ id: "SignalTransmitter" });
