/** Sends one request of an operation, and keeps what a reader of the document sees of its answer. */
import { type OperationId, operations } from "#core/service/catalogue.ts";
import type { RecordedAnswer } from "#core/service/documents/recordings.ts";
import { basic, withoutLog } from "#tools/bench/calls.ts";
import { pathOf, payloadOf, type Sent } from "#tools/operation-units/caller.ts";

/** A request with what an example of a refusal changes in it. */
export interface Request extends Sent {
  /** No credential, or another one than `as`. */
  readonly credential?: "none";
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of a body, in place of a JSON value. */
  readonly text?: string;
}

/** The headers that an example shows. Dates, lengths and ids of requests say nothing about the operation. */
const SHOWN = ["location", "etag", "content-disposition", "retry-after", "www-authenticate", "allow"] as const;

/** Stands for a page, which is long and has a random part. */
export const PAGE = "<!doctype html> ...";

const bodyOf = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  if (text === "") return undefined;
  const type = response.headers.get("content-type") ?? "";
  if (/html/.test(type)) return PAGE;
  // A certificate is another one in each run.
  if (/samlmetadata/.test(type)) return text.replace(/(X509Certificate>)[^<]+/g, "$1...");
  return /json/.test(type) ? JSON.parse(text) : text;
};

/** Sends a request. Where `as` is absent, the administrator's credential is used. */
export const exchange = async (url: string, id: OperationId, request: Request): Promise<RecordedAnswer> => {
  const { method = "", path = "" } = operations[id] ?? {};
  const { as = { username: "admin", password: "admin" }, credential, headers = {}, text, query } = request;
  const { body, type } = text === undefined ? payloadOf(request) : { body: text, type: "application/json" };
  return withoutLog(async () => {
    const response = await fetch(`${url}${pathOf(path, request.params)}${query ? `?${query}` : ""}`, {
      method,
      headers: {
        ...(credential !== "none" && { authorization: basic(as.username, as.password) }),
        ...(type !== undefined && { "content-type": type }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const shown = SHOWN.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const content = await bodyOf(response);
    return {
      status: response.status,
      headers: Object.fromEntries(shown),
      ...(content !== undefined && { body: content }),
    };
  });
};
