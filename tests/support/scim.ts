/**
 * Helpers for the tests of SCIM 2.0: a client that validates every response (media type, format of errors, ids and
 * schemas of resources, no password anywhere), and creates users and groups.
 */
import { expect } from "vitest";
import type { Answer, Ask, World } from "./world.ts";

/** A deployment that gives each request the profile of its media types. */
export const NEGOTIATED = '[scim2]\nprofile = "negotiate"\n';
/** A deployment that follows RFC 7644 exactly, whatever a request says. */
export const RFC7644 = '[scim2]\nprofile = "rfc7644"\n';

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const MESSAGES = "urn:ietf:params:scim:api:messages:2.0";
export const URN = {
  user: `${CORE}:User`,
  group: `${CORE}:Group`,
  enterprise: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  system: "urn:scim:wso2:schema",
  patch: `${MESSAGES}:PatchOp`,
  search: `${MESSAGES}:SearchRequest`,
  list: `${MESSAGES}:ListResponse`,
  bulk: `${MESSAGES}:BulkRequest`,
  bulkResponse: `${MESSAGES}:BulkResponse`,
  error: `${MESSAGES}:Error`,
} as const;

/** An unknown id. */
export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

type Json = Readonly<Record<string, unknown>>;
/** A resource of a response. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any response
export type Shown = Record<string, any>;
/** An operation of a PATCH request. */
export interface Op {
  readonly op: string;
  readonly path?: string;
  readonly value?: unknown;
}

function* objectsIn(value: unknown): Generator<Shown, void> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Shown;
  for (const part of Object.values(value)) yield* objectsIn(part);
}

const checkResource = (resource: Shown, isWhole: boolean): void => {
  expect(resource.schemas.length).toBeGreaterThan(0);
  expect(new Set(resource.schemas).size).toBe(resource.schemas.length);
  for (const urn of [URN.enterprise, URN.system]) expect(resource.schemas.includes(urn)).toBe(urn in resource);
  if (!resource.schemas.includes(URN.user) && !resource.schemas.includes(URN.group)) return;
  expect(resource.id).toEqual(expect.stringMatching(/./));
  if (!isWhole) return;
  const type = resource.schemas.includes(URN.user) ? "User" : "Group";
  expect(resource.meta).toMatchObject({ resourceType: type, created: expect.any(String), version: expect.any(String) });
  expect(resource.meta.location).toMatch(new RegExp(`/scim2/${type}s/${resource.id}$`));
};

/** Validates what RFC 7643 and RFC 7644 require of every response. */
const checkAnswer = ({ status, headers, text, body }: Answer, isProjected: boolean, errorIsList: boolean): void => {
  expect(status).toBeLessThan(502);
  if (text === "") return;
  expect(headers.get("content-type")).toBe("application/scim+json;charset=UTF-8");
  for (const object of objectsIn(body)) {
    expect(Object.keys(object)).not.toContain("password");
    expect(Object.values(object)).not.toContain(null);
  }
  if (status >= 400) {
    expect(body.schemas).toEqual(errorIsList ? [URN.error] : URN.error);
    expect(body.status).toBe(String(status));
    expect(body.detail).toEqual(expect.stringMatching(/\S/));
  } else if (body.schemas.includes(URN.list)) {
    expect(body.schemas).toEqual([URN.list]);
    expect(body.itemsPerPage).toBe(body.Resources.length);
    expect(Number.isInteger(body.totalResults)).toBe(true);
    for (const resource of body.Resources) checkResource(resource, !isProjected);
  } else {
    checkResource(body, !isProjected);
  }
};

let made = 0;
/** A name that is new in this file. */
export const fresh = (word: string): string => {
  made += 1;
  return `${word}-${made}`;
};

/** What asks for the profile `rfc7644`. */
export const asScim = { accept: "application/scim+json" } as const;

/** A SCIM 2.0 client of a running service, which asks for the given profile. */
export const scimOf = ({ ask: send }: World, profile: "wso2" | "rfc7644" = "rfc7644") => {
  const password = profile === "wso2" ? { password: "good-Passw0rd" } : undefined;
  const asked = profile === "rfc7644" ? asScim : undefined;
  /** Sends a request below `/scim2`, and validates the response. */
  const ask = async (method: string, path: string, options: Ask & { readonly query?: Json } = {}): Promise<Answer> => {
    const { query = {}, headers, ...rest } = options;
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const search = parameters.size > 0 ? `?${parameters}` : "";
    const answer = await send(method, `/scim2${path}${search}`, { ...rest, headers: { ...asked, ...headers } });
    const { attributes, excludedAttributes } = (rest.body ?? {}) as Shown;
    const isProjected = /attributes/i.test(search + path) || attributes || excludedAttributes;
    checkAnswer(answer, Boolean(isProjected), profile === "rfc7644");
    return answer;
  };
  const get = (path: string, query: Json = {}) => ask("GET", path, { query });

  const created = async (path: string, body: Json): Promise<Shown> => {
    const answer = await ask("POST", path, { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const patch = (path: string, ...Operations: readonly Op[]) =>
    ask("PATCH", path, { body: { schemas: [URN.patch], Operations } });
  const find = async (filter: string, path = "/Users", query: Json = {}): Promise<Shown> => {
    const answer = await get(path, { filter, ...query });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };

  return {
    ask,
    get,
    patch,
    find,
    /** Creates a user, with a new name by default, and with a password where the profile requires one. */
    user: (body: Json = {}) =>
      created("/Users", { schemas: [URN.user], userName: fresh("user"), ...password, ...body }),
    /** Creates a group, with a new name by default. */
    group: (body: Json = {}) => created("/Groups", { schemas: [URN.group], displayName: fresh("group"), ...body }),
    read: async (path: string): Promise<Shown> => {
      const answer = await get(path);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
    /** Sends a PATCH that must succeed; returns the resource. */
    patched: async (path: string, ...operations: readonly Op[]): Promise<Shown> => {
      const answer = await patch(path, ...operations);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
    /** The user names that match a filter, in the order of the list. */
    names: async (filter: string, query: Json = {}): Promise<string[]> =>
      (await find(filter, "/Users", query)).Resources.map(({ userName }: Shown) => userName),
  };
};

/** Expects an error response; returns its message. */
export const refusal = ({ status, text, body }: Answer, expected: number, scimType?: string): string => {
  expect(status, text).toBe(expected);
  expect(body.scimType).toBe(scimType);
  return body.detail;
};
