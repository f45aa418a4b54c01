/** Faults of protocols are told with those of other members. */
import { expect, test } from "vitest";
import { NewApplicationBody } from "#core/applications/registry/shapes.ts";
import { parsePart } from "#core/kernel/parse.ts";

const told = (body: unknown): string => {
  try {
    parsePart("body", NewApplicationBody, body);
    return "";
  } catch (error) {
    return (error as { description: string }).description;
  }
};

test("all faults of a new application are told at once", () => {
  const description = told({
    name: 5,
    imageUrl: 3,
    inboundProtocolConfiguration: {
      oidc: { grantTypes: "code", callbackURLs: [7], publicClient: "yes", clientSecretExpiresAt: 1.5 },
      passiveSts: { realm: 1 },
      custom: [{ name: false }],
    },
  });
  for (const sentence of [
    "body.name must be a string, not a number.",
    "body.imageUrl must be a string, not a number.",
    "body.inboundProtocolConfiguration.oidc.grantTypes must be a list, not a string.",
    "body.inboundProtocolConfiguration.oidc.callbackURLs[0] must be a string, not a number.",
    "body.inboundProtocolConfiguration.oidc.publicClient must be true or false, not a string.",
    "body.inboundProtocolConfiguration.oidc.clientSecretExpiresAt must be a whole number.",
    "body.inboundProtocolConfiguration.passiveSts.realm must be a string, not a number.",
    "body.inboundProtocolConfiguration.custom[0].name must be a string, not true or false.",
  ]) {
    expect(description).toContain(sentence);
  }
});

test("what a template may have can be absent", () => {
  expect(told({ name: "x", inboundProtocolConfiguration: { oidc: {}, passiveSts: {}, saml: {}, other: 1 } })).toBe("");
});
