import type { IncomingMessage, ServerResponse } from "node:http";

/** A request as the client of CAS leaves it. */
export type CasRequest = IncomingMessage & {
  principal?: { readonly user: string; readonly attributes?: Readonly<Record<string, string | string[]>> };
  ticket?: { readonly request: (service: string) => Promise<string> };
};

/** What tests use of the library: it returns whether a request is of a person who is signed in. */
export declare function httpCasClient(
  options: object,
): (request: CasRequest, response: ServerResponse) => Promise<boolean>;
