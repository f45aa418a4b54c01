/** `intermediate_cert_validation.enable = false`: a client certificate is not a credential (AC-025). */
import { expect, test } from "vitest";
import { meByCertificate } from "#tests/support/user-stores.ts";
import { world } from "#tests/support/world.ts";

const off = world({ hasMtls: true, deployment: "[intermediate_cert_validation]\nenable = false\n" });
const leftOut = world({ hasMtls: true, deployment: "" });

test.each([
  ["false", off],
  ["left out", leftOut],
])("returns 401 to a caller with a certificate alone where enable is %s", async (_, api) => {
  expect((await meByCertificate(api, "admin")).status).toBe(401);
  expect((await api.ask("GET", "/scim2/Me")).status).toBe(200);
});
