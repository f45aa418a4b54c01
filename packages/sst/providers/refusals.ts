/** What a deployment says when the service refuses, or cannot be asked. */
import { isFault } from "../../client/client.ts";

/** A sentence about a resource. It has no part of a request, so no credential either. */
export class Refusal extends Error {
  /** The member of the declaration that it is about. */
  readonly property: string;

  constructor(property: string, message: string) {
    super(message);
    this.property = property;
  }
}

/** The error of a failed request: the sentence of the service, after the name of the resource. */
export function refusalOf(what: string, property: string, error: unknown): Error {
  if (!isFault(error)) return error instanceof Error ? error : new Error(String(error));
  const trace = error.traceId ? ` (trace id ${error.traceId})` : "";
  if (error.kind === "changed") {
    return new Refusal(property, `${what} was changed by somebody else just now. Deploy again.${trace}`);
  }
  return new Refusal(property, `${what}: ${error.detail}${trace}`);
}

/** A name that another resource has: how to take that one over. */
export function taken(what: string, property: string, error: unknown, id: string | undefined): Error {
  const refused = refusalOf(what, property, error);
  const option = `{ import: "${id ?? "<its id>"}" }`;
  return new Refusal(property, `${refused.message} To manage what exists, give the resource the option ${option}.`);
}
