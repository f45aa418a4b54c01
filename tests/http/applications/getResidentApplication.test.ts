import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask } = world();

test("returns empty provisioning for a new tenant", async () => {
  const answer = await ask("GET", `${APPLICATIONS}/resident`);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ provisioningConfigurations: { outboundProvisioningIdps: [] } });
});

test("is not listed and has no operations besides read and update", async () => {
  expect((await ask("GET", APPLICATIONS)).body.totalResults).toBe(0);
  for (const method of ["DELETE", "PATCH", "POST"]) {
    const answer = await ask(method, `${APPLICATIONS}/resident`);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, PUT");
  }
});
