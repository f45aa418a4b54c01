import { expect, test } from "vitest";
import { APPLICATIONS, world } from "#tests/support/world.ts";

const { ask, service } = ((w) => ({ ask: w.ask, service: () => w.service }))(world());

test("try", async () => {
  const headers = { "idempotency-key": '"one"' };
  const a = await ask("POST", APPLICATIONS, { body: { name: "a" }, headers });
  const b = await ask("POST", APPLICATIONS, { body: { name: "a" }, headers });
  console.log(a.status, a.text, [...a.headers], b.status, b.text, [...b.headers]);
  const c = await ask("POST", "/scim2/Users", { body: { userName: "hans", password: "Passw0rd!" }, headers: { "idempotency-key": "two" } });
  const d = await ask("POST", "/scim2/Users", { body: { userName: "hans", password: "Passw0rd!" }, headers: { "idempotency-key": "two" } });
  console.log(c.status, c.text, d.status, d.text === c.text, [...d.headers]);
  expect(service()).toBeDefined();
});
