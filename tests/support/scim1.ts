/** Helpers for the tests of SCIM 1.1: a client that validates every response, and creates users and groups. */
import { expect } from "vitest";
import { fresh, type Shown } from "./scim.ts";
import type { Answer, Ask, World } from "./world.ts";

export const CORE = "urn:scim:schemas:core:1.0";
export const ENTERPRISE = "urn:scim:schemas:extension:enterprise:1.0";
export const WSO2 = "urn:scim:schemas:extension:wso2:1.0";

type Json = Readonly<Record<string, unknown>>;

/** `yyyy-MM-ddTHH:mm:ss`, without a zone. */
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;

const resourcesOf = (body: Shown): readonly Shown[] => (Array.isArray(body.Resources) ? body.Resources : [body]);

/** Validates what SCIM 1.1 requires of every response. */
const checkAnswer = ({ status, headers, text, body }: Answer): void => {
  expect(status, text).toBeLessThan(500);
  if (text === "") return;
  expect(headers.get("content-type")).toBe("application/json;charset=UTF-8");
  expect(text).not.toMatch(/"password"|:null|"\$ref"/);
  if (status >= 400) {
    expect(body).toEqual({ Errors: [{ description: expect.stringMatching(/\S/), code: String(status) }] });
    return;
  }
  if (Array.isArray(body.Resources)) expect(body.itemsPerPage).toBe(body.Resources.length);
  for (const { meta } of resourcesOf(body)) {
    if (meta === undefined) continue;
    expect(Object.keys(meta)).toEqual(["created", "lastModified", "location"]);
    expect([meta.created, meta.lastModified]).toEqual([expect.stringMatching(INSTANT), expect.stringMatching(INSTANT)]);
  }
};

/** Expects an error response; returns its message. */
export const refusal1 = ({ status, text, body }: Answer, expected: number): string => {
  expect(status, text).toBe(expected);
  return body.Errors[0].description;
};

/** A client of SCIM 1.1 on a running service. */
export const scim1Of = ({ ask: send }: World) => {
  /** Sends a request below `/svc/scim`, and checks the response. */
  const ask = async (method: string, path: string, options: Ask & { readonly query?: Json } = {}): Promise<Answer> => {
    const { query = {}, ...rest } = options;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
    const answer = await send(method, `/svc/scim${path}${parameters.size > 0 ? `?${parameters}` : ""}`, rest);
    checkAnswer(answer);
    return answer;
  };
  /** Sends a request that must return this status; returns the body. */
  const done = async (expected: number, method: string, path: string, body?: Json): Promise<Shown> => {
    const answer = await ask(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBe(expected);
    return answer.body;
  };
  return {
    ask,
    /** Creates a user, with a new name by default. */
    user: (body: Json = {}) =>
      done(201, "POST", "/Users", { schemas: [], userName: fresh("user"), password: "good-password", ...body }),
    /** Creates a group, with a new name by default. */
    group: (body: Json = {}) => done(201, "POST", "/Groups", { displayName: fresh("group"), ...body }),
    read: (path: string) => done(200, "GET", path),
    put: (path: string, body: Json) => done(200, "PUT", path, body),
    patch: (path: string, body: Json) => done(200, "PATCH", path, body),
    list: async (path: string, query: Json = {}): Promise<Shown> => {
      const answer = await ask("GET", path, { query });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
  };
};
