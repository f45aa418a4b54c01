/** What SAML metadata said, in the folder of a tenant: the service keeps it where a file is silent. */
import { expect, test } from "vitest";
import { normalisedProtocols, shownProtocols } from "#cli/tenant/kinds/protocols.ts";
import { samlSettings } from "#tests/support/inbound-settings.ts";

const deployment = { customKinds: [], limits: {} as never };
const imported = {
  validUntil: "2030-01-01T00:00:00.000Z",
  assertionConsumerServices: [{ binding: "HTTP-POST", location: "https://sp.example/acs", index: 3 }],
};
const service = {
  ...samlSettings("https://sp.example"),
  assertionConsumerUrls: ["https://sp.example/acs"],
  defaultAssertionConsumerUrl: "https://sp.example/acs",
  imported,
};
const shown = shownProtocols({ saml: JSON.parse(JSON.stringify(service)) }, "app", deployment, false);
const file = { issuer: "https://sp.example", assertionConsumerUrls: ["https://sp.example/acs"] };
const after = (saml: object) => normalisedProtocols({ saml: saml as typeof file }, shown, deployment).saml;

test("it is in the folder, and the folder of a tenant equals the tenant", () => {
  expect(shown.saml).toEqual({ ...file, imported });
  expect(after(shown.saml as typeof file)).toEqual(shown.saml);
});

test("a file without it changes nothing, unless it has another issuer; an empty one forgets it", () => {
  expect(after(file)).toEqual(shown.saml);
  expect(after({ ...file, issuer: "https://other.example" })).not.toHaveProperty("imported");
  expect(after({ ...file, imported: {} })).toEqual(file);
});
