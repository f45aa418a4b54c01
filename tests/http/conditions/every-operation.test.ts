/** Conditional requests of every operation of the catalogue, where the operator requires `If-Match`. */
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ZodObject } from "zod";
import { errorSchemas } from "#core/http/dialects.ts";
import { canRequireMatch } from "#core/kernel/operation/conditions.ts";
import type { Operation } from "#core/kernel/operation/operation.ts";
import { dialectOf } from "#core/kernel/operation/services.ts";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { deploymentWith } from "#tests/support/conditions.ts";
import { allItems } from "#tests/support/protocols.ts";
import { type Answer, world } from "#tests/support/world.ts";
import type { Sent } from "#tools/operation-units/caller.ts";
import { type Calls, changes, reads } from "#tools/operation-units/calls.ts";
import { CAS, createFixture, type Fixture } from "#tools/operation-units/fixture.ts";

const api = world({ deployment: deploymentWith("require_if_match = true") });
const declaredOf = (id: OperationId): Operation => operations[id] as Operation;

/** GETs of collections, of which a page has no tag. */
const collections = [
  "listApplications",
  "listApplicationTemplates",
  "listApiResources",
  "listTenants",
  "listUsers",
  "listGroups",
  "listResources",
  "listRoles",
  "listRolesV1",
  "listRolesV3",
  "listResourceTypes",
  "listSchemas",
  "listScim1Users",
  "listScim1Groups",
  "listAuditEvents",
  "listChanges",
  "listDeletedResources",
  "listWebhooks",
  "listMySessions",
  "listUserSessions",
  "listMyAuthorizedApps",
  "listMyApplications",
  "listUserAuthorizedApps",
  ...Object.keys(operations).filter((id) => id.endsWith("History")),
];
/** GETs of the pages of sign-in, those that SSF 1.0 defines without a tag, and one of what nothing changes. */
const untagged = [
  "authorize",
  "exportAccount",
  "getMyApplication",
  "showAccount",
  "showAccountDeletion",
  "showAccountProfile",
  "showForgotPassword",
  "showResetPassword",
  "showVerifyAddress",
  "showRegister",
  "showRegistration",
  "visitAccount",
  "endSession",
  "getUserInfo",
  "getSignalTransmitter",
  "getSignalIssuer",
  "getTenantSignalIssuer",
  "getSignalKeys",
  "getStreamStatus",
  "readStreams",
  "getDeletedResource",
  "getPageScript",
  "showMailedLink",
  "sendAnswer",
  "signOnBySaml",
  "sendSamlResponse",
  "signOnByCas",
  "signOutByCas",
  "sendCasTicket",
  "validateCasTicket",
  "validateServiceTicket",
  "validateServiceTicketWithAttributes",
  "validateProxyTicket",
  "validateProxyTicketWithAttributes",
  "getProxyTicket",
  "continueSamlLogout",
  "getSamlMetadataOfProvider",
  "askPassiveSts",
  "sendPassiveStsToken",
  "getFederationMetadata",
  "takeSsoRequest",
  "takeSsoSignOut",
];
/** Changes of existing resources that have no path of their own or no tag, or none that could succeed. */
const withoutTarget = [
  "deleteScim1Me",
  "deleteStream",
  "endMySession",
  "endMySessions",
  "endUserSession",
  "endUserSessions",
  "removeDeletedResource",
  "replaceStream",
  "revokeMyAuthorizedApp",
  "revokeMyAuthorizedApps",
  "revokeUserAuthorizedApp",
  "revokeUserAuthorizedApps",
  "updateApplicationFromFile",
  "updateStream",
];
/** Refused in the state that the calls leave: the users of the data set have no sessions and no consents. */
const refused: Readonly<Partial<Record<OperationId, number>>> = {
  retryWebhook: 400,
  endMySession: 404,
  endUserSession: 404,
  revokeMyAuthorizedApp: 404,
  revokeUserAuthorizedApp: 404,
};

/** Only the order of the calls is read from them: the ids are those of no resource. */
const unmade: Fixture = {
  administrator: "",
  application: "",
  discoverable: "",
  client: { username: "", password: "" },
  secret: "",
  systemApi: "",
  users: [],
  groups: [],
  role: "",
  spareRole: "",
  scope: "",
  apis: [],
  templates: [],
  tenant: "",
  owner: "",
};
const idsIn = (calls: Calls): OperationId[] => calls.map(([id]) => id);

let fixture: Fixture;
const made = new Map<OperationId, Answer>();

const pathOf = ({ path }: Operation, params: Sent["params"] = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const uploadOf = (file: string): string =>
  `--part\r\nContent-Disposition: form-data; name="file"; filename="a.xml"\r\n\r\n${file}\r\n--part--\r\n`;

const call = (id: OperationId, sent: Sent = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const declared = declaredOf(id);
  const { params, query, body, form, file, as } = sent;
  const raw = form ? new URLSearchParams(form).toString() : file && uploadOf(file);
  const type = {
    ...(form && { "content-type": "application/x-www-form-urlencoded" }),
    ...(file && { "content-type": "multipart/form-data; boundary=part" }),
  };
  return api.ask(declared.method, `${pathOf(declared, params)}${query ? `?${query}` : ""}`, {
    ...(as && { as }),
    headers: { ...type, ...headers },
    ...(raw === undefined ? { body } : { raw }),
  });
};

const sentOf = (id: OperationId, calls: Calls): Sent => {
  const sent = calls.find(([each]) => each === id)?.[1] ?? {};
  return typeof sent === "function" ? sent((earlier) => made.get(earlier)?.body ?? {}) : sent;
};

/** Every row of the table, by its key: a difference names few rows. */
const rows = async (): Promise<ReadonlyMap<string, unknown>> =>
  new Map((await allItems(api.service)).map((item) => [`${item.PK} ${item.SK}`, item]));
const differences = (before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (key) => !isDeepStrictEqual(before.get(key), after.get(key)),
  );

/** The answer of the GET whose tag the conditions of a call are about. */
const targetOf = (id: OperationId, { params, as }: Sent): Promise<Answer> =>
  call(declaredOf(id).target as OperationId, { ...(params && { params }), ...(as && { as }) });

const expectRefusal = ({ body, headers }: Answer, id: OperationId) => {
  const shape = errorSchemas[dialectOf(declaredOf(id))];
  expect(() => (shape instanceof ZodObject ? shape.strict() : shape).parse(body)).not.toThrow();
  expect(headers.get("etag")).toBeNull();
};

/** An answer that shows the resource has the entity tag that a GET of it returns. */
const expectTagOf = async (id: OperationId, sent: Sent, { headers }: Answer): Promise<void> => {
  const { success, method } = declaredOf(id);
  if (!success.etag) {
    expect([id, headers.get("etag")]).toEqual([id, null]);
    return;
  }
  const location = headers.get("location");
  const shown = location ? await api.ask("GET", new URL(location).pathname) : await targetOf(id, sent);
  expect([id, method, headers.get("etag")]).toEqual([id, method, shown.headers.get("etag")]);
};

/** The data set takes some hundred requests and hashed passwords. */
const FIXTURE_MS = 180_000;
beforeAll(async () => {
  fixture = await createFixture(async (id, sent = {}) => {
    const answer = await call(id, sent, id === "updateResidentApplication" ? { "if-match": "*" } : {});
    if (answer.status !== declaredOf(id).success.status) throw new Error(`${id}: ${answer.status} ${answer.text}`);
    const location = answer.headers.get("location")?.split("/").at(-1) ?? "";
    const units = { roundTrips: 0, readUnits: 0, writeUnits: 0 };
    return { status: answer.status, id: location, body: answer.body ?? {}, units };
  });
}, FIXTURE_MS);

/** The versions of resources are in their histories. */
beforeAll(async () => {
  for (const [id, sent] of reads(fixture)) {
    if (id.endsWith("History") && typeof sent !== "function") made.set(id, await call(id, sent));
  }
});

test("every GET of a single resource has an entity tag, every change of one can be conditional on it", () => {
  const every = Object.entries(operations) as [OperationId, Operation][];
  expect(
    every
      .filter(([, { method, success }]) => method === "GET" && !success.etag)
      .map(([id]) => id)
      .sort(),
  ).toEqual([...collections, ...untagged].sort());
  const changing = every.filter(([, { method }]) => ["PUT", "PATCH", "DELETE"].includes(method));
  expect(
    changing
      .filter(([, { target }]) => !target)
      .map(([id]) => id)
      .sort(),
  ).toEqual(withoutTarget);
  for (const [id, { target, path, service }] of every) {
    if (target === undefined) continue;
    const shown = declaredOf(target as OperationId);
    expect([id, shown.method, Boolean(shown.success.etag), shown.service]).toEqual([id, "GET", true, service]);
    const parameters = (each: string) => each.match(/\{\w+\}/g) ?? [];
    expect(parameters(path)).toEqual(expect.arrayContaining(parameters(shown.path)));
  }
});

/** A GET with a tag is 304 for its own tag, and has the content for another. Returns its first answer. */
const expectTagged = async (id: OperationId, sent: Sent): Promise<Answer> => {
  const first = await call(id, sent);
  const etag = first.headers.get("etag") ?? "";
  expect([first.status, etag]).toEqual([200, expect.stringMatching(/^(W\/)?"[\w-]+"$/)]);
  for (const tags of [etag, `"x", ${etag}`, "*"]) {
    const known = await call(id, sent, { "if-none-match": tags });
    expect([known.status, known.text, known.headers.get("etag")]).toEqual([304, "", etag]);
  }
  const other = await call(id, sent, { "if-none-match": '"x"' });
  expect([other.status, other.text, other.headers.get("etag")]).toEqual([200, first.text, etag]);
  return first;
};
const hasTag = (id: OperationId): boolean => declaredOf(id).method === "GET" && Boolean(declaredOf(id).success.etag);

describe.each(idsIn(reads(unmade)).filter(hasTag))("%s", (id) => {
  test("returns an entity tag, 304 without content for the same one, and the content for another", async () => {
    await expectTagged(id, sentOf(id, reads(fixture)));
  });
});

describe.each(idsIn(changes(unmade)))("%s", (id) => {
  const declared = declaredOf(id);
  const success = declared.success.status;

  test("is refused for another entity tag, and made for the one that the resource has", async () => {
    const sent = sentOf(id, changes(fixture));
    // What only a change makes is read between the changes.
    if (hasTag(id)) {
      made.set(id, await expectTagged(id, sent));
      return;
    }
    if (declared.target === undefined) {
      const answer = await call(id, sent);
      expect(answer.status, answer.text).toBe(refused[id] ?? success);
      if (refused[id]) return;
      await expectTagOf(id, sent, answer);
      made.set(id, answer);
      return;
    }
    if (id === "updateCustomConfiguration") await call("updateCustomConfiguration", { ...sent, body: CAS });
    const before = await targetOf(id, sent);
    const etag = before.headers.get("etag") ?? "";
    expect([before.status, etag]).toEqual([200, expect.stringMatching(/"/)]);
    const stored = await rows();
    const refusals: [number, Record<string, string>][] = [
      [412, { "if-match": '"x"' }],
      [412, { "if-match": 'W/"0", "x"' }],
      [412, { "if-match": "no tag" }],
      [412, { "if-match": '"x"', "if-none-match": '"x"' }],
      [412, { "if-match": etag, "if-none-match": "*" }],
      [412, { "if-match": "*", "if-none-match": etag }],
      ...(canRequireMatch(declared)
        ? ([
            [428, {}],
            [428, { "if-match": " ", "if-none-match": '"x"' }],
          ] as const)
        : []),
    ].map(([status, headers]) => [status as number, headers as Record<string, string>]);
    for (const [status, headers] of refusals) {
      const answer = await call(id, sent, headers);
      expect([headers, answer.status, answer.text]).toEqual([headers, status, expect.any(String)]);
      expectRefusal(answer, id);
    }
    expect(differences(stored, await rows())).toEqual([]);
    const answer = await call(id, sent, { "if-match": `"x", ${etag}` });
    expect([answer.status, answer.text]).toEqual([refused[id] ?? success, expect.any(String)]);
    if (refused[id]) return;
    await expectTagOf(id, sent, answer);
    made.set(id, answer);
    const after = await targetOf(id, sent);
    if (after.headers.get("etag") === etag) return;
    const again = await call(id, sent, { "if-match": etag });
    // 404 for what is gone, 401 for a caller that is.
    expect([412, 404, ...(id === "deleteMe" ? [401] : [])], again.text).toContain(again.status);
  });
});
