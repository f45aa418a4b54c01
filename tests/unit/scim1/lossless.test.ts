/** Invariants of the mapping: any user that is read and written back stays the same. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { storedResource } from "#core/directory/provisioning/users.ts";
import { userResource } from "#core/directory/scim-api/resources/present.ts";
import { patched, replaced } from "#core/directory/scim-api/v1/changes.ts";
import { readRemoved, readSent } from "#core/directory/scim-api/v1/input.ts";
import { userShown } from "#core/directory/scim-api/v1/present.ts";
import { everything } from "#core/directory/scim-api/v1/projection.ts";
import { freshUser, type User } from "#core/directory/users/model.ts";
import { Fault } from "#core/kernel/faults.ts";
import { identityOf } from "#core/scim/protocol/patch/elements.ts";
import { present } from "#core/scim/protocol/projection.ts";
import type { Resource } from "#core/scim/protocol/schema/attribute.ts";
import { groupType, userType } from "#core/scim/protocol/schema/resource-types.ts";
import { systemSchema } from "#core/scim/protocol/schema/system.ts";
import { linksIn, resources } from "./support.ts";

const names = new Map([
  ["g-1", "staff"],
  ["r-1", "admin"],
]);
const userOf = ({ userName: _, active = true, ...profile }: Resource): User =>
  freshUser("u-1", "kim", 0, { active: active === true, profile, groupIds: ["g-1"], roleIds: ["r-1"] });
const shown = (user: User): Resource =>
  userShown(present(everything(userType), userResource(user, names, linksIn("t"), false)), ["PRIMARY"]);
/** Whether no two elements of a list have the same value and type. */
const isDistinct = (resource: Resource): boolean =>
  userType.schema.attributes.every((attribute) => {
    const list = resource[attribute.name];
    return !Array.isArray(list) || new Set(list.map((one) => identityOf(attribute, one))).size === list.length;
  });
/** The resource without what a PUT does not send. */
const kept = ({ id: _, ...rest }: Resource): Resource => rest;

describe("a user that is read and written back", () => {
  test("by PUT stays the same, with all that SCIM 1.1 cannot name", () => {
    fc.assert(
      fc.property(resources(userType), (resource) => {
        const user = userOf(resource);
        const before = storedResource(user);
        expect(replaced(userType, before, readSent(userType, shown(user)))).toEqual(kept(before));
      }),
      { numRuns: 500 },
    );
  });
  test("by PATCH stays the same, where its elements are distinct", () => {
    fc.assert(
      fc.property(resources(userType).filter(isDistinct), (resource) => {
        const user = userOf(resource);
        const before = storedResource(user);
        expect(patched(userType, before, readSent(userType, shown(user)), [])).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });
  test("into an empty user yields all that SCIM 1.1 can name", () => {
    fc.assert(
      fc.property(resources(userType), (resource) => {
        const made = replaced(userType, {}, readSent(userType, shown(userOf(resource))));
        const again = userOf(made);
        const { meta: _, ...first } = shown(again);
        const system = (made[systemSchema.id] ?? {}) as Resource;
        expect(Object.keys(system).filter((name) => !["askPassword", "verifyEmail"].includes(name))).toEqual([]);
        expect(replaced(userType, {}, readSent(userType, first))).toEqual(made);
      }),
    );
  });
});

describe("any body", () => {
  const odd = fc.oneof(
    fc.constantFrom(
      "meta",
      "emails",
      "name",
      "wso2Extension",
      "roles",
      "groups",
      "displayName",
      "members",
      "id",
      "__proto__",
      "toString",
    ),
    fc.string({ maxLength: 5 }),
  );
  const bodies = fc.dictionary(
    odd,
    fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constantFrom(
        { operation: "delete" },
        [{ value: 1, operation: "DELETE" }],
        { attributes: ["emails", "__proto__"] },
        [["x"]],
      ),
    ),
  );
  test.each([userType, groupType])("is read or fails with a description: $name", (type) => {
    fc.assert(
      fc.property(bodies, resources(userType), (body, resource) => {
        const given = structuredClone(body);
        try {
          const sent = readSent(type, body);
          const removed = readRemoved(type, body);
          if (type === userType) {
            const before = storedResource(userOf(resource));
            const frozen = structuredClone(before);
            replaced(type, before, sent);
            patched(type, before, sent, removed);
            expect(before).toEqual(frozen);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          expect((error as Fault).row.status).toBe(400);
        }
        expect(body).toEqual(given);
      }),
      { numRuns: 1_000 },
    );
  });
});
