/** Which profile of SCIM 2.0 a request gets. */
import { describe, expect, test } from "vitest";
import { profileOf } from "#core/http/scim-profile.ts";

describe("profileOf, with negotiate", () => {
  test.each([
    { accept: "application/scim+json" },
    { accept: "Application/SCIM+JSON; charset=utf-8" },
    { accept: "text/html;q=0.9, application/scim+json;q=0.1" },
    { accept: "application/json, application/scim+json" },
    { accept: "application/json", "content-type": "application/scim+json" },
    { "content-type": "application/scim+json; charset=utf-8" },
  ])("is rfc7644 for %j", (headers) => {
    expect(profileOf("negotiate", headers)).toBe("rfc7644");
  });
  test.each([
    {},
    { accept: "" },
    { accept: "*/*" },
    { accept: "application/json" },
    { accept: "application/*", "content-type": "application/json" },
    { accept: "application/scim+json;q=0" },
    { accept: "application/scim+json; q=0.000, */*" },
    { accept: "application/scim+jsonx" },
    { accept: "text/plain; type=application/scim+json" },
  ])("is wso2 for %j", (headers) => {
    expect(profileOf("negotiate", headers)).toBe("wso2");
  });
});

test("profileOf has the profile of the deployment, where that has one", () => {
  expect(profileOf("wso2", { accept: "application/scim+json" })).toBe("wso2");
  expect(profileOf("rfc7644", { accept: "application/json" })).toBe("rfc7644");
});
