/**
 * Every operation that changes data, rehearsed and then carried out: the answers are the same, a rehearsal uses no
 * write unit, and every row of the table is the same afterwards.
 */
import { inspect } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { dialects } from "#core/http/dialects.ts";
import { canRehearse } from "#core/kernel/operation/rehearsal.ts";
import { dialectOf } from "#core/kernel/operation/services.ts";
import { type OperationId, operations } from "#core/service/catalogue.ts";
import { allItems } from "#tests/support/protocols.ts";
import { ADMIN, type Answer, basic, world } from "#tests/support/world.ts";
import { isAuthorizer, type LogLine, listening } from "#tools/bench/calls.ts";
import { ALWAYS, type Caller, type Received, type Sent } from "#tools/operation-units/caller.ts";
import { changes, reads } from "#tools/operation-units/calls.ts";
import { createFixture, type Fixture } from "#tools/operation-units/fixture.ts";

const NO_UNITS = { roundTrips: 0, readUnits: 0, writeUnits: 0 };
const api = world();

/** Members that are new with each request. */
const GENERATED = new Set([
  "cursor",
  "sets",
  "clientId",
  "createdAt",
  "clientSecret",
  "secretValue",
  "secret",
  "traceId",
  "version",
]);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const ROW = { depth: null, sorted: true, maxStringLength: null, maxArrayLength: null } as const;
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z?/g;

/** A request whose answer is compared, with what its log lines say of it. */
interface Told {
  readonly answer: Answer;
  readonly line: (LogLine & { readonly dryRun?: string }) | undefined;
}

const sendTo = async (id: OperationId, sent: Sent, query = sent.query ?? ""): Promise<Told> => {
  const { method = "", path = "" } = operations[id] ?? {};
  const { params = {}, form, file, body, as } = sent;
  const upload = new FormData();
  upload.set("file", new Blob([file ?? ""]), "application.xml");
  const written = new Response(upload);
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  let answer: Answer | undefined;
  const lines = await listening(async () => {
    answer = await api.ask(method, query ? `${place}?${query}` : place, {
      as: basic(as ?? ADMIN),
      ...(form && {
        raw: new URLSearchParams(form).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded" },
      }),
      ...(file !== undefined && {
        raw: new Uint8Array(await written.arrayBuffer()),
        headers: { "content-type": written.headers.get("content-type") ?? "" },
      }),
      ...(body !== undefined && { body }),
    });
  });
  if (!answer) throw new Error("no answer");
  return { answer, line: lines.find((line) => !isAuthorizer(line)) };
};

const caller: Caller = async (id, sent = {}) => {
  const { answer } = await sendTo(id, sent);
  if (answer.status !== (ALWAYS[id] ?? operations[id]?.success.status)) {
    throw new Error(`${id} returned ${answer.status}: ${answer.text}`);
  }
  return {
    status: answer.status,
    id: answer.headers.get("location")?.split("/").at(-1) ?? "",
    body: answer.body ?? {},
    units: NO_UNITS,
  };
};

/** Every row as text, in a fixed order. */
const rows = async (): Promise<readonly string[]> =>
  (await allItems(api.service)).map((item) => inspect(item, ROW)).sort();

/** A value without what is new with each request. */
const masked = (value: unknown): unknown => {
  if (typeof value === "string") return value.replace(UUID, "<id>").replace(TIME, "<time>");
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, GENERATED.has(name) ? typeof each : masked(each)]),
  );
};

/** What must be the same in the answers of a rehearsal and of the request itself. */
const comparable = ({ status, headers, body, text }: Answer): unknown => ({
  status,
  body: masked(body),
  isEmpty: text === "",
  type: headers.get("content-type"),
  location: masked(headers.get("location")),
  hasTag: headers.has("etag"),
  ignored: headers.get("ignored-members"),
});

/** Calls that find nothing to change. Sessions and consents need a browser: their own tests rehearse their ends. */
const writesNothing: ReadonlySet<OperationId> = new Set([
  ...(["retryWebhook", "patchWebhookMetadata", "pollStream"] as const),
  ...(["endMySessions", "endMySession", "endUserSessions", "endUserSession"] as const),
  ...(["revokeMyAuthorizedApps", "revokeMyAuthorizedApp"] as const),
  ...(["revokeUserAuthorizedApps", "revokeUserAuthorizedApp"] as const),
]);

let fixture: Fixture;
const made = new Map<OperationId, Received>();
beforeAll(async () => {
  fixture = await createFixture(caller);
  // Authentication is not rehearsed: the first sign-in from a source is remembered.
  for (const [id, sent] of changes(fixture)) {
    const { as } = sentOf(sent);
    if (as && operations[id]?.path.startsWith("/scim2")) await caller("getMe", { as });
  }
}, 60_000);

const sentOf = (sent: ReturnType<typeof changes>[number][1]): Sent =>
  typeof sent === "function" ? sent((earlier) => made.get(earlier)?.body ?? {}) : sent;

describe("every operation that changes data", () => {
  test("has a call here, or changes nothing", () => {
    const called = new Set(changes(fixture).map(([id]) => id));
    const rehearsed = (Object.keys(operations) as OperationId[]).filter((id) => {
      const declared = operations[id];
      return declared && canRehearse(declared) && ALWAYS[id] === undefined;
    });
    expect(rehearsed.filter((id) => !called.has(id))).toEqual([]);
    expect(rehearsed.length).toBeGreaterThan(60);
  });

  // First: the changes below take the credentials away that some of these need.
  test("searches and other reads ignore the parameter", async () => {
    for (const [id, given] of reads(fixture)) {
      const declared = operations[id];
      if (!declared || canRehearse(declared) || declared.method === "GET" || ALWAYS[id]) continue;
      // Pages ignore what they do not know, as every request of OAuth does.
      if (declared.success.page) continue;
      const { answer } = await sendTo(id, sentOf(given), "dryRun=true");
      made.set(id, { ...answer, id: "", units: NO_UNITS });
      expect({ id, status: answer.status, header: answer.headers.get("dry-run") }).toEqual({
        id,
        status: declared.success.status,
        header: null,
      });
      // A pushed request takes any parameter (RFC 9126 section 2.1), and AuthZEN any member: they ignore none by name.
      const ignored = dialects[dialectOf(declared)].ignoresUnknown ? null : "?dryRun";
      expect([id, answer.headers.get("ignored-members")]).toEqual([id, ignored]);
    }
  });

  test("is rehearsed with its own answer, and writes nothing", async () => {
    const problems: unknown[] = [];
    for (const [id, given] of changes(fixture)) {
      const sent = sentOf(given);
      const declared = operations[id];
      if (!declared || !canRehearse(declared)) {
        made.set(id, await caller(id, sent));
        continue;
      }
      // The keys that sign events are made for the first one, also in a rehearsal: they are no data of a tenant.
      if (id === "pollStream") await caller(id, sent);
      const asked = (dryRun: boolean) => [sent.query, `dryRun=${dryRun}`].filter(Boolean).join("&");
      const before = await rows();
      const { answer: rehearsed, line } = await sendTo(id, sent, asked(true));
      const after = await rows();
      const { answer, line: itself } = await sendTo(id, sent, asked(false));
      const [expected, actual] = [comparable(answer), comparable(rehearsed)];
      const wrong = {
        ...(JSON.stringify(actual) !== JSON.stringify(expected) && { actual, expected }),
        ...(answer.status !== (ALWAYS[id] ?? declared.success.status) && { status: answer.status, text: answer.text }),
        ...(JSON.stringify(before) !== JSON.stringify(after) && {
          written: after.filter((row) => !before.includes(row)),
          removed: before.filter((row) => !after.includes(row)),
        }),
        ...(line?.WriteUnits !== 0 && { writeUnits: line?.WriteUnits }),
        ...(line?.dryRun !== "true" && { line }),
        ...(!(writesNothing.has(id) || (itself?.WriteUnits ?? 0) > 0) && { itself: itself?.WriteUnits }),
        ...(itself?.dryRun !== undefined && { itself }),
        ...(rehearsed.headers.get("dry-run") !== "true" && { header: rehearsed.headers.get("dry-run") }),
        ...(answer.headers.has("dry-run") && { header: answer.headers.get("dry-run") }),
      };
      if (Object.keys(wrong).length > 0) problems.push({ id, ...wrong });
      made.set(id, {
        status: answer.status,
        id: "",
        body: answer.body ?? {},
        units: NO_UNITS,
      });
    }
    expect(problems).toEqual([]);
  }, 300_000);
});
