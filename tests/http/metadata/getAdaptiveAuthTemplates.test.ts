import { createContext, runInContext } from "node:vm";
import { beforeAll, describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask } = world();

/** What the tests read of a template. */
interface AdaptiveTemplate {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly authenticationSteps: number;
  readonly defaultAuthenticators: object;
  readonly defaultStepsDescription: object;
  readonly parametersDescription?: object;
  /** One line of the script per element. */
  readonly code: readonly string[];
}

type Categories = Record<
  string,
  { displayName: string; icon?: string; order: number; templates?: readonly AdaptiveTemplate[] }
>;
let categories: Categories = {};
const templates = () => Object.values(categories).flatMap((category) => category.templates ?? []);
const named = (name: string) => templates().find((template) => template.name === name);

beforeAll(async () => {
  const { status, body } = await ask("GET", `${APPLICATIONS}/meta/adaptive-auth-templates`);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(["templatesJSON"]);
  categories = JSON.parse(body.templatesJSON);
});

/** A user, the request and the responses of services, as a script sees them. */
interface Situation {
  readonly user?: Record<string, unknown>;
  readonly ip?: string;
  readonly acr?: string;
  readonly idp?: string;
  readonly answer?: unknown;
}

/** Simulates a sign-in in which every step succeeds; returns the steps that ran and the other calls. */
const play = (
  name: string,
  { user = {}, ip = "10.1.2.3", acr, idp = "LOCAL", answer }: Situation = {},
): (number | string)[] => {
  const done: (number | string)[] = [];
  const subject = { localClaims: {}, remoteClaims: {}, ...user };
  const context = {
    currentKnownSubject: subject,
    request: { ip, params: {} },
    steps: { 1: { idp, subject } },
  };
  type Handlers = { onSuccess?: (context: unknown, answer?: unknown) => void; onFail?: (context: unknown) => void };
  const service = (...given: unknown[]) => {
    const handlers = given.at(-1) as Handlers;
    if (answer) handlers.onSuccess?.(context, answer);
    else handlers.onFail?.(context);
  };
  const among = (field: string) => (_: unknown, names: string[]) =>
    names.some((candidate) => (user[field] as string[] | undefined)?.includes(candidate));
  const script = createContext({
    executeStep: (step: number, ...handlers: Handlers[]) => {
      done.push(step);
      handlers.at(-1)?.onSuccess?.(context);
    },
    selectAcrFrom: (_: unknown, levels: string[]) => (acr && levels.includes(acr) ? acr : undefined),
    isMemberOfAnyOfGroups: among("groups"),
    hasAnyOfTheRoles: among("roles"),
    getUserSessions: () => user.sessions,
    getCookieValue: () => user.cookie,
    setCookie: (_: unknown, cookie: string) => done.push(`cookie ${cookie}`),
    sendEmail: () => done.push("mail"),
    sendError: () => done.push("refused"),
    assignUserRoles: (_: unknown, roles: string[]) => done.push(`given ${roles}`),
    removeUserRoles: (_: unknown, roles: string[]) => done.push(`taken ${roles}`),
    callAnalytics: service,
    httpPost: service,
    Log: { warn: () => undefined },
  });
  runInContext(`${named(name)?.code.join("\n")}\n`, script);
  runInContext("onLoginRequest", script)(context);
  return done;
};

test("returns the categories and templates of consoles in their order", () => {
  const shown = Object.entries(categories).map(([key, { displayName, order, icon, templates: own }]) => [
    key,
    displayName,
    order,
    icon,
    own?.length,
  ]);
  expect(shown).toEqual([
    ["AccessControl", "Access Control", 1, "./images/access-control-template.png", 2],
    ["AdaptiveMFA", "Adaptive MFA", 2, "./images/adaptive-mfa-template.png", 10],
    ["UserAttributes", "User Attributes", 3, "./images/user-attributes-template.png", 1],
    ["ProgressiveEnrollment", "Progressive Enrollment", 4, "./images/progressive-enrollment-template.png", 2],
    ["uncategorized", "Uncategorized", 10_000, undefined, undefined],
  ]);
});

test("every template is complete, and its script runs", () => {
  for (const [key, category] of Object.entries(categories)) {
    for (const template of category.templates ?? []) {
      const { authenticationSteps: count } = template;
      expect(template).toMatchObject({ category: key, helpLink: "", runtime: "any" });
      expect(template.title).toMatch(/Template/);
      expect(template.summary).toMatch(/\.$/);
      const numbers = Array.from({ length: count }, (_, index) => String(index + 1));
      expect(Object.keys(template.defaultAuthenticators)).toEqual(numbers);
      expect(Object.keys(template.defaultStepsDescription)).toEqual(numbers.map((number) => `Step ${number}`));
      expect(template.code.every((line) => !line.includes("\n"))).toBe(true);
      for (const variable of Object.keys(template.parametersDescription ?? {})) {
        expect(
          template.code.some((line) => line.startsWith(`var ${variable} = `)),
          variable,
        ).toBe(true);
      }
      expect(play(template.name, { user: { sessions: [] } })[0], template.name).toBe(1);
    }
  }
});

describe("the scripts do what their summaries say", () => {
  test.each<[string, Situation, (number | string)[]]>([
    ["IP-Based", { ip: "10.255.0.1" }, [1]],
    ["IP-Based", { ip: "192.168.7.7" }, [1]],
    ["IP-Based", { ip: "192.169.0.1" }, [1, 2]],
    ["IP-Based", { ip: "2001:db8::1" }, [1, 2]],
    ["ACR-Based", {}, [1]],
    ["ACR-Based", { acr: "urn:pickup:code" }, [1, 2]],
    ["ACR-Based", { acr: "urn:pickup:passkey" }, [1, 3]],
    ["Group-Based", { user: { groups: ["managers"] } }, [1, 2]],
    ["Group-Based", { user: { groups: ["drivers"] } }, [1]],
    ["Role-Based", { user: { roles: ["admin"] } }, [1, 2]],
    ["User Store-Based", { user: { userStoreDomain: "PARTNERS" } }, [1, 2]],
    ["User Store-Based", { user: { userStoreDomain: "PRIMARY" } }, [1]],
    ["Tenant-Based", { user: { tenantDomain: "fleet.example" } }, [1, 2]],
    ["Session-Based", { user: { roles: ["dispatcher"], sessions: [1, 2] } }, [1, 2]],
    ["Session-Based", { user: { roles: ["dispatcher"], sessions: [1] } }, [1]],
    ["New-Device-Based", { user: { uniqueId: "u" } }, [1, 2, "cookie knownDevice", "mail"]],
    ["New-Device-Based", { user: { uniqueId: "u", cookie: "u" } }, [1]],
    ["[Deprecated] Risk-Based", { answer: { event: { riskScore: 0 } } }, [1]],
    ["[Deprecated] Risk-Based", { answer: { event: { riskScore: 1 } } }, [1, 2]],
    ["[Deprecated] Risk-Based", { answer: { event: {} } }, [1, 2]],
    ["ELK-Risk-Based", { answer: { count: 3 } }, [1]],
    ["ELK-Risk-Based", { answer: { count: 4 } }, [1, 2]],
    ["ELK-Risk-Based", {}, [1, 2]],
    ["User-Age-Based", { user: { localClaims: { "http://wso2.org/claims/dob": "1990-02-28" } } }, [1]],
    ["User-Age-Based", { user: { localClaims: { "http://wso2.org/claims/dob": "2999-01-01" } } }, [1, "refused"]],
    ["User-Age-Based", {}, [1, "refused"]],
    ["Update Office365 role", {}, [1]],
    [
      "Update Office365 role",
      { idp: "Office365", user: { remoteClaims: { groups: "Taxi dispatch,Other" } } },
      [1, "given dispatcher", "taken accountant"],
    ],
  ])("%s, %j: %j", (name, situation, done) => {
    expect(play(name, situation)).toEqual(done);
  });
});
