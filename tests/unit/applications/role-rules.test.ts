/** Which changes of the roles of an application are gains (decision 0061). */
import { describe, expect, test } from "vitest";
import { admitsMoreRoles } from "#core/applications/registry/role-rules.ts";

const tenant = (...ids: string[]) => ({ allowedAudience: "ORGANIZATION" as const, roles: ids.map((id) => ({ id })) });
const own = (...ids: string[]) => ({ allowedAudience: "APPLICATION" as const, roles: ids.map((id) => ({ id })) });

describe("lets more roles count:", () => {
  test.each([
    [tenant("a"), tenant()],
    [tenant("a"), undefined],
    [tenant("a"), tenant("a", "b")],
    [tenant("a"), tenant("b")],
    [tenant("a"), own()],
    [own(), tenant()],
    [own(), undefined],
    [own(), tenant("a")],
    [own("a"), own()],
  ])("%j to %j", (before, after) => {
    expect(admitsMoreRoles(before, after)).toBe(true);
  });
});

describe("does not:", () => {
  test.each([
    [undefined, undefined],
    [undefined, tenant()],
    [undefined, tenant("a")],
    [undefined, own()],
    [tenant(), own("a")],
    [tenant("a", "b"), tenant("b")],
    [tenant("a", "b"), tenant("b", "a")],
    [own(), own("a")],
  ])("%j to %j", (before, after) => {
    expect(admitsMoreRoles(before, after)).toBe(false);
  });
});
