/** Where a logout reaches a service provider: its settings, and the services of its metadata. */
import { expect, test } from "vitest";
import { logoutServicesOf } from "#core/applications/protocols/saml-imported.ts";
import { samlSettings } from "#tests/support/inbound-settings.ts";

const base = samlSettings("https://sp.example");
const shibboleth = {
  singleLogoutServices: ["SOAP", "HTTP-Redirect", "HTTP-POST", "HTTP-Artifact", "PAOS"].map((binding) => ({
    binding,
    location: `https://sp.example/${binding}`,
  })),
};
const services = (profile: object, imported?: typeof shibboleth) =>
  logoutServicesOf({
    ...base,
    singleLogoutProfile: { ...base.singleLogoutProfile, enabled: true, ...profile },
    ...(imported && { imported }),
  });
const shown = (...given: Parameters<typeof services>) =>
  services(...given).map(({ binding, location, responseLocation }) => [binding, location, responseLocation]);

test("without metadata it is the service of the settings, by the binding of logoutMethod", () => {
  const logoutRequestUrl = "https://sp.example/slo";
  const both = { logoutRequestUrl, logoutResponseUrl: "https://sp.example/done" };
  expect(shown({ logoutMethod: "BACKCHANNEL", ...both })).toEqual([["SOAP", logoutRequestUrl, both.logoutResponseUrl]]);
  expect(shown({ logoutMethod: "FRONTCHANNEL_HTTP_POST", logoutRequestUrl })).toEqual([
    ["HTTP-POST", logoutRequestUrl, logoutRequestUrl],
  ]);
  expect(
    shown({ logoutMethod: "FRONTCHANNEL_HTTP_REDIRECT", logoutRequestUrl: "", logoutResponseUrl: "https://a" }),
  ).toEqual([["HTTP-Redirect", "https://a", "https://a"]]);
  expect(shown({})).toEqual([]);
});

test("all bindings of the metadata are kept, the chosen one first; what no logout travels by is left out", () => {
  expect(shown({ logoutMethod: "FRONTCHANNEL_HTTP_POST" }, shibboleth).map(([binding]) => binding)).toEqual([
    "HTTP-POST",
    "SOAP",
    "HTTP-Redirect",
    "HTTP-Artifact",
  ]);
});

test("the settings replace the services of their binding, and keep those of the others", () => {
  const own = { logoutMethod: "BACKCHANNEL", logoutRequestUrl: "https://sp.example/new" };
  expect(shown(own, shibboleth).map(([, location]) => location)).toEqual([
    "https://sp.example/new",
    "https://sp.example/HTTP-Redirect",
    "https://sp.example/HTTP-POST",
    "https://sp.example/HTTP-Artifact",
  ]);
});

test("answers go to the ResponseLocation of their service", () => {
  const responseLocation = "https://sp.example/answers";
  const service = { binding: "HTTP-POST", location: "https://sp.example/slo", responseLocation };
  expect(services({}, { singleLogoutServices: [service] })[0]).toEqual(service);
});

test("a logout that is switched off has no services", () => {
  expect(shown({ enabled: false, logoutRequestUrl: "https://sp.example/slo" }, shibboleth)).toEqual([]);
});
