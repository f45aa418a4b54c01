/** The recorded examples in the form of OpenAPI: of parameters, bodies, headers and answers. */
import type { Json } from "./json-schema.ts";
import { type RecordedAnswer, type RecordedFailure, type Recording, type Recordings, refusals } from "./recordings.ts";

const PREFIX = "#/components/examples/";

/** The examples of one document. */
export type Examples = ReturnType<typeof newExamples>;

/** The example of a failure, with the reason as its summary. */
const shownAs = ({ reason, body }: RecordedFailure): Json => ({ summary: refusals[reason], value: body });

/**
 * Prepares the examples. `familyOf` names the group of operations whose errors have one form, as a prefix for names of
 * components: an error that is the same in a whole group is a component.
 */
export function newExamples(recordings: Recordings, familyOf: (id: string) => string) {
  const found = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  const nameOf = (id: string, { reason }: RecordedFailure) =>
    `${familyOf(id)}${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
  for (const [id, { failures }] of Object.entries(recordings)) {
    for (const failure of failures) {
      const name = nameOf(id, failure);
      found.set(name, (found.get(name) ?? new Set()).add(JSON.stringify(shownAs(failure))));
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const shared = [...found]
    .filter(([name, values]) => values.size === 1 && (counts.get(name) ?? 0) > 1)
    .map(([name, values]) => [name, JSON.parse([...values].join()) as Json] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = new Set(shared.map(([name]) => name));
  const of = (id: string): Recording | undefined => recordings[id];
  return {
    /** Parameters with what the recorded request had in them. */
    withValues: (id: string, parameters: readonly Json[]): readonly Json[] =>
      parameters.map((parameter) => withValue(parameter, of(id))),
    /** `examples` of a request body; empty without a recording. */
    ofRequest: (id: string): Json => {
      const { body } = of(id)?.request ?? {};
      return body === undefined ? {} : { examples: exampleOf(body) };
    },
    /** The answer of the recorded request, if it had this status. */
    answerOf: (id: string, status: number): RecordedAnswer | undefined => {
      const answer = of(id)?.answer;
      return answer?.status === status ? answer : undefined;
    },
    /** `examples` of an error; `undefined` without a recording of it. */
    ofFailure: (id: string, status: number): Json | undefined => {
      const failures = of(id)?.failures.filter((failure) => failure.status === status) ?? [];
      if (failures.length === 0) return undefined;
      const entries = failures.map((failure) => {
        const name = nameOf(id, failure);
        return [failure.reason, names.has(name) ? { $ref: `${PREFIX}${name}` } : shownAs(failure)];
      });
      return Object.fromEntries(entries);
    },
    /** Errors that are the same for several operations, by their names. */
    shared: Object.fromEntries(shared),
  };
}

/** The only example of a place. */
export function exampleOf(value: unknown): Json {
  return { example: { value } };
}

function withValue(parameter: Json, recording: Recording | undefined): Json {
  const { name, in: place, schema } = parameter;
  const { params = {}, query = {}, headers = {} } = recording?.request ?? {};
  const values = place === "path" ? params : place === "query" ? query : headers;
  const text = Object.hasOwn(values, String(name)) ? values[String(name)] : undefined;
  return text === undefined ? parameter : { ...parameter, examples: exampleOf(parsed(text, schema as Json)) };
}

/** The value that a text in an address stands for. */
function parsed(text: string, { type }: Json): unknown {
  if (type === "integer" || type === "number") return Number(text);
  return type === "boolean" ? text === "true" : text;
}
