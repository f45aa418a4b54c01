/** Which answers of SAML go by artifact: settings, requests and metadata say so together. */
import { expect, test } from "vitest";
import { goesByArtifact } from "#core/sign-in/saml/authn-request.ts";
import { samlSettings } from "#tests/support/inbound-settings.ts";

const base = samlSettings("https://sp.example");
const ACS = "https://sp.example/acs";
const BINDINGS = "urn:oasis:names:tc:SAML:2.0:bindings:";
type Service = readonly [binding: string, index?: number, location?: string];
const goes = (
  bindings: readonly string[],
  asked?: { readonly binding?: string; readonly index?: string },
  ...services: readonly Service[]
) => {
  const assertionConsumerServices = services.map(([binding, index, location = ACS]) => ({
    binding,
    location,
    ...(index !== undefined && { index }),
  }));
  const singleSignOnProfile = { ...base.singleSignOnProfile, bindings: [...bindings] };
  const named = asked?.binding === undefined ? asked : { ...asked, binding: `${BINDINGS}${asked.binding}` };
  return goesByArtifact(ACS, { ...base, singleSignOnProfile, imported: { assertionConsumerServices } }, named);
};
const all = ["HTTP_POST", "HTTP_REDIRECT", "ARTIFACT"];

test("none goes by artifact where the settings do not include it, whatever the request and the metadata say", () => {
  expect(goes(["HTTP_POST", "HTTP_REDIRECT"], { binding: "HTTP-Artifact" }, ["HTTP-Artifact", 0])).toBe(false);
  expect(goes(["HTTP_REDIRECT"])).toBe(false);
});
test("the binding of the request decides", () => {
  expect(goes(all, { binding: "HTTP-Artifact" }, ["HTTP-POST", 0])).toBe(true);
  expect(goes(all, { binding: "HTTP-POST" }, ["HTTP-Artifact", 0], ["HTTP-POST", 1])).toBe(false);
  // Nothing is posted to an address of another binding.
  expect(goes(all, { binding: "HTTP-POST" }, ["HTTP-Artifact", 0])).toBe(true);
});
test("without it the metadata decides: for the address, and for the index of the request", () => {
  expect(goes(all, {}, ["HTTP-Artifact", 0])).toBe(true);
  expect(goes(all, {}, ["HTTP-Artifact", 0], ["PAOS", 1])).toBe(true);
  expect(goes(all, {}, ["HTTP-Artifact", 0], ["HTTP-POST", 1])).toBe(false);
  expect(goes(all, { index: "0" }, ["HTTP-Artifact", 0], ["HTTP-POST", 1])).toBe(true);
  expect(goes(all, { index: "1" }, ["HTTP-Artifact", 0], ["HTTP-POST", 1])).toBe(false);
  expect(goes(all, {}, ["HTTP-Artifact", 0, "https://sp.example/other"])).toBe(false);
});
test("without metadata, answers go by form where the settings include it", () => {
  expect(goes(all)).toBe(false);
  expect(goes(["HTTP_REDIRECT", "ARTIFACT"])).toBe(true);
});
