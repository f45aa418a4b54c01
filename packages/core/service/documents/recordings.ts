/** The recorded examples of the API document: requests of operations with what the service answered. */

/** An answer that was received. */
export interface RecordedAnswer {
  readonly status: number;
  /** Those headers that a client reads. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value, or the text of a file; absent where there was no body. */
  readonly body?: unknown;
}

/** Why a request was refused, as the name of an example, with what readers see. */
export const refusals = {
  always: "Every request",
  brokenBody: "A body that is not JSON",
  brokenFilter: "A filter that does not end",
  inUse: "A name or key that is in use",
  missingMember: "A body without what is required",
  missingScope: "A credential without the scope",
  noCredential: "No credential",
  notSupported: "A parameter that is not supported",
  otherForm: "A form that no page of the service has sent",
  otherMediaType: "A body of another media type",
  reusedKey: "An Idempotency-Key of another request",
  staleEntityTag: "An entity tag that the resource does not have",
  tooLarge: "A body that is too large",
  unacceptable: "An Accept header that allows no representation",
  unknownId: "An id that nothing has",
  wrongParameter: "A parameter of another type",
  wrongSecret: "A wrong client secret",
} as const;

export type Refusal = keyof typeof refusals;

/** A refusal, with the reason for which it was provoked. */
export interface RecordedFailure extends RecordedAnswer {
  readonly reason: Refusal;
}

/** One operation: a request that succeeds, its answer, and refusals of changed requests. */
export interface Recording {
  readonly request: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    /** Headers that the operation declares, by their names in the document. */
    readonly headers?: Readonly<Record<string, string>>;
    /** A JSON value, or the fields of a form. */
    readonly body?: unknown;
  };
  /** Absent where the operation always fails. */
  readonly answer?: RecordedAnswer;
  readonly failures: readonly RecordedFailure[];
}

/** The recordings by the ids of the operations. */
export type Recordings = Readonly<Record<string, Recording>>;
