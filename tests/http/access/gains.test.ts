/**
 * No privilege escalation through applications (decision 0061): every write to an application by every setting that it
 * changes. A manager without the scopes of an application makes no change by which somebody newly gets them, and keeps
 * its other work.
 */
import { describe, expect, test } from "vitest";
import { OidcBody, PassiveStsBody, SamlBody, SamlManual } from "#core/applications/protocols/shapes.ts";
import { ApplicationPatch } from "#core/applications/registry/shapes.ts";
import * as z from "#core/kernel/zod.ts";
import { operations } from "#core/service/catalogue.ts";
import {
  API,
  type Change,
  changes,
  oidcMembers,
  passiveStsMembers,
  patchMembers,
  samlMembers,
} from "#tests/support/application-changes.ts";
import { able, limitedManagers, manager, rich, writes } from "#tests/support/limited-managers.ts";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const api = world();
const { as, created, keep, reused, authorize, snapshot, getsScope } = limitedManagers(api);
const admin: typeof api.ask = (...asked) => api.ask(...asked);
/** The operations that restore versions, which are tried apart: they need a version from before. */
const restores: string[] = [];

/** The state of the application that the last refusal has left as it was. */
let unchanged: Change["state"] | undefined;
const fresh = async (state: Change["state"]) => {
  const id = await created(state);
  await authorize(id);
  expect(await getsScope(id)).toBe(false);
  return id;
};

/** The first gains of each operation, for the managers who may make them. */
const firstGains = new Map(
  [...new Set(changes.map(({ operation }) => operation))].flatMap((operation) => {
    const [one, other] = changes.filter((change) => change.operation === operation && change.isGain);
    return [...(one ? [[one, rich] as const] : []), ...(other ? [[other, able] as const] : [])];
  }),
);

describe("a manager without the scopes of an application", () => {
  test.each(changes)("$name: gain $isGain", async (change) => {
    const { state, isGain, send } = change;
    const id = (unchanged === state && reused()) || (await fresh(state));
    unchanged = undefined;
    const before = await snapshot(id);
    const answer = await send(as(manager), id);
    if (isGain) {
      expect([answer.status, answer.body?.code]).toEqual([403, "APP-60520"]);
      expect(await snapshot(id)).toEqual(before);
    } else expect([answer.status < 300, answer.text]).toEqual([true, expect.anything()]);
    expect(await getsScope(id)).toBe(false);
    // With the scopes of the application, or with the scope that allows any, the same change is made.
    const who = firstGains.get(change);
    if (who) expect([200, 201]).toContain((await send(as(who), id)).status);
    else if (isGain) {
      keep();
      unchanged = state;
    }
  });

  test("adds client_credentials to an application without authorizations", async () => {
    const id = await created("users");
    const path = `${APPLICATIONS}/${id}/inbound-protocols/oidc`;
    const { body } = await as(manager)("GET", path);
    const answer = await as(manager)("PUT", path, { body: { ...body, grantTypes: ["client_credentials"] } });
    expect(answer.status).toBe(200);
  });
});

describe("a version in which the application was open", () => {
  const oidc = "/inbound-protocols/oidc";
  /** What opens and closes an application, and whose history has both. */
  const closings: readonly (readonly [operation: string, history: string, close: (id: string) => Promise<void>])[] = [
    ["restoreInboundProtocolVersion", oidc, (id) => setGrants(id, ["password"])],
    ["restoreApplicationVersion", "", (id) => setGrants(id, ["password"])],
    [
      "restoreAuthorizedApisVersion",
      "/authorized-apis",
      async (id) => {
        expect((await admin("DELETE", `${APPLICATIONS}/${id}/authorized-apis/${API}`)).status).toBe(204);
      },
    ],
  ];
  const setGrants = async (id: string, grantTypes: readonly string[]): Promise<void> => {
    const path = `${APPLICATIONS}/${id}${oidc}`;
    const { body } = await admin("GET", path);
    expect((await admin("PUT", path, { body: { ...body, grantTypes } })).status).toBe(200);
  };
  restores.push(...closings.map(([operation]) => operation));

  test.each(closings)("is not restored without its scopes: %s", async (_, history, close) => {
    const id = await created("users");
    await authorize(id);
    await setGrants(id, ["client_credentials", "password"]);
    const path = `${APPLICATIONS}/${id}${history}/history`;
    const [open] = (await admin("GET", path)).body.records;
    const opened = await snapshot(id);
    await close(id);
    const before = await snapshot(id);
    const restore = `${path}/${open.version}/restore`;
    const refused = await as(manager)("POST", restore);
    expect([refused.status, refused.body?.code]).toEqual([403, "APP-60520"]);
    expect(await snapshot(id)).toEqual(before);
    expect(await getsScope(id)).toBe(false);
    expect((await as(rich)("POST", restore)).status).toBeLessThan(300);
    expect(await snapshot(id)).toEqual(opened);
  });
});

describe("the class is complete:", () => {
  test("every write to an application is tried", () => {
    // They give sign-in to the application, and no scope: tests/http/assignments tests who may do it.
    const assigning = ["assign", "unassign", "restoreAssignmentsVersion"];
    const others = [...restores, ...assigning, "updateApplicationFromFile"];
    const tried = new Set([...changes.map(({ operation }) => operation), ...others]);
    expect([...tried].sort()).toEqual(writes.map(([id]) => id).sort());
  });
  test.each<[string, z.ZodType, typeof oidcMembers]>([
    ["OIDC", OidcBody, oidcMembers],
    ["PATCH", ApplicationPatch, patchMembers],
    ["SAML2", SamlManual, samlMembers],
    ["Passive STS", PassiveStsBody, passiveStsMembers],
  ])("every member of %s is judged", (_, shape, members) => {
    const listed = Object.keys(members);
    const leaves = leavesOf(withoutRefs(shape));
    expect(leaves.filter((leaf) => !listed.some((path) => leaf === path || leaf.startsWith(`${path}.`)))).toEqual([]);
    expect(listed.filter((path) => !leaves.some((leaf) => leaf === path || leaf.startsWith(`${path}.`)))).toEqual([]);
  });
  test("every source of SAML2 settings is known", () => {
    expect(Object.keys(SamlBody.shape)).toEqual(["metadataFile", "metadataURL", "manualConfiguration"]);
  });
  test("every operation that may be a gain sees the scopes of its caller", () => {
    const gains = new Set(changes.filter(({ isGain }) => isGain).map(({ operation }) => operation));
    expect([...gains].filter((id) => operations[id]?.seesScopes !== true)).toEqual([]);
  });
});

type Schema = z.core.JSONSchema._JSONSchema;

/** The paths of the members that are not objects. */
function leavesOf(schema: Schema, path = ""): string[] {
  if (typeof schema === "boolean" || !schema.properties) return [path];
  return Object.entries(schema.properties).flatMap(([name, one]) =>
    leavesOf(one, path === "" ? name : `${path}.${name}`),
  );
}

/** The schema of a shape, with the shapes that it refers to in their places. */
function withoutRefs(shape: z.ZodType): Schema {
  const { $defs = {}, ...schema } = z.toJSONSchema(shape, { io: "input" });
  const inlined = (one: Schema): Schema => {
    if (typeof one === "boolean") return one;
    const found = one.$ref === undefined ? one : ($defs[one.$ref.split("/").at(-1) ?? ""] ?? {});
    if (typeof found === "boolean" || !found.properties) return found;
    const members = Object.entries(found.properties).map(([name, member]) => [name, inlined(member)] as const);
    return { ...found, properties: Object.fromEntries(members) };
  };
  return inlined(schema);
}
