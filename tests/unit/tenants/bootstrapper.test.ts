/** The bootstrap while a stage is deployed: IAM applies the rights of the function some seconds after its creation. */
import { afterAll, expect, test } from "vitest";
import { defaultPasswordLimits } from "#core/directory/credentials/password-limits.ts";
import { newTenantBootstrapper } from "#core/directory/tenants/bootstrapper.ts";
import { testTable } from "#tests/support/engine.ts";
import { type Guard, startGuard } from "#tests/support/guard.ts";
import { plan } from "../../../stacks/plan.ts";
import { statementsOf } from "../../../stacks/statements.ts";

let guard: Guard | undefined;
afterAll(() => guard?.close());

const request = { username: "admin", password: "a-password-for-the-test" };

test("retries until IAM applies the rights, then creates the tenant once", async () => {
  const { endpoint, client, reopen } = await testTable();
  let asked = 0;
  guard = await startGuard(endpoint, () => {
    asked += 1;
    return asked > 1 ? statementsOf(plan.bootstrap) : [];
  });
  const found = newTenantBootstrapper(
    reopen({ client: { ...client, endpoint: guard.endpointOf("bootstrap") } }),
    defaultPasswordLimits,
  );
  expect(await found(request)).toEqual({ founded: true });
  expect(guard.refusals).toHaveLength(1);
  expect(await found(request)).toEqual({ founded: false });
});
