import { describe, expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, create } = world();

test("returns an application by id, with or without tenant path and trailing slash", async () => {
  const id = await create({ name: "read me" });
  for (const path of [`${APPLICATIONS}/${id}`, `/t/carbon.super${APPLICATIONS}/${id}`, `${APPLICATIONS}/${id}/`]) {
    const answer = await ask("GET", path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.body.id).toBe(id);
  }
});

describe("404", () => {
  test.each([
    "00000000-0000-0000-0000-000000000000",
    "constructor",
    "__proto__",
    "wso2carbon-local-sp",
    "a#b",
    "%F0%9F%98%80",
  ])("returns 404 for the id %s", async (id) => {
    const answer = await ask("GET", `${APPLICATIONS}/${id.replace("#", "%23")}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: "APP-60006", message: "Application not found." });
    expect(answer.body.description).toContain("carbon.super");
  });
});

test("returns 400 for a text that cannot be an id", async () => {
  expect((await ask("GET", `${APPLICATIONS}/${"x".repeat(300)}`)).status).toBe(400);
});
