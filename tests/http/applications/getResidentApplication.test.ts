import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask } = world();

test("200: a fresh tenant has one, with nothing provisioned", async () => {
  const answer = await ask("GET", `${APPLICATIONS}/resident`);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ provisioningConfigurations: { outboundProvisioningIdps: [] } });
});

test("it is not listed, and nothing but reading and updating is offered on it", async () => {
  expect((await ask("GET", APPLICATIONS)).body.totalResults).toBe(0);
  for (const method of ["DELETE", "PATCH", "POST"]) {
    const answer = await ask(method, `${APPLICATIONS}/resident`);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, PUT");
  }
});
