import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask } = world();

test("returns the alias of the certificate, without a default", async () => {
  const { status, body } = await ask("GET", `${APPLICATIONS}/meta/inbound-protocols/ws-trust`);
  expect([status, body]).toEqual([200, { certificateAlias: { options: ["wso2carbon"] } }]);
});
