import { describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask } = world({
  deployment: `
    [[custom_inbound_protocol]]
    name = "pickup link"
    display_name = "Pickup link"
    [[custom_inbound_protocol]]
    name = "cas"
  `,
});
const list = (query = "") => ask("GET", `${APPLICATIONS}/meta/inbound-protocols${query}`);
const custom = [
  { name: "pickup link", displayName: "Pickup link" },
  { name: "cas", displayName: "cas" },
];
const standard = [
  { name: "saml", displayName: "SAML2 Web SSO Configuration" },
  { name: "oidc", displayName: "OAuth/OpenID Connect Configuration" },
  { name: "ws-trust", displayName: "WS-Trust Security Token Service Configuration" },
];

test("lists the protocols of deployment.toml in order, then the standard ones", async () => {
  for (const query of ["", "?customOnly=false", "?other=1"]) {
    const answer = await list(query);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([...custom, ...standard]);
  }
});

test("customOnly lists custom protocols only", async () => {
  expect((await list("?customOnly=true")).body).toEqual(custom);
});

test("the tenant path returns the same list", async () => {
  const answer = await ask("GET", `/t/carbon.super${APPLICATIONS}/meta/inbound-protocols`);
  expect(answer.body).toEqual([...custom, ...standard]);
});

describe("wrong requests", () => {
  test.each(["", "TRUE", "1", "yes", "true ", "null"])("400 for customOnly=%j", async (value) => {
    const answer = await list(`?customOnly=${encodeURIComponent(value)}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "UE-10000", description: "query.customOnly: expected true or false." });
  });
  test("returns 400 for a repeated parameter", async () => {
    expect((await list("?customOnly=true&customOnly=false")).status).toBe(400);
  });
  test("returns 405 with the allowed methods", async () => {
    const answer = await ask("POST", `${APPLICATIONS}/meta/inbound-protocols`, { body: {} });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });
});
