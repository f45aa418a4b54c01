/** The largest applications that can be stored: each fits a file that can be uploaded, and survives a round trip. */
import { describe, expect, test } from "vitest";
import { prepareImport } from "#core/applications/files/apply.ts";
import { fileOf, readFile } from "#core/applications/files/file.ts";
import { defaultClientLimits } from "#core/applications/protocols/limits.ts";
import { type Application, freshApplication, mergeApplication } from "#core/applications/registry/model.ts";
import { presentApplication } from "#core/applications/registry/present.ts";
import { checkApplication } from "#core/applications/registry/rules.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newSeal } from "#core/kernel/seal.ts";

const UPLOAD_BYTES_MAX = 4_194_304;
const ANSWER_BYTES_MAX = 5_000_000;
const TENANT = "carbon.super";
const support = {
  seal: newSeal(new Uint8Array(32)),
  limits: defaultClientLimits,
  clock: systemClock,
  customKinds: [],
  clientSecretsShownTo: "viewers" as const,
  metadataExempt: new Set<string>(),
};
const fresh = freshApplication("00000000-0000-7000-8000-000000000000", "extreme", "owner", false);
const steps = (count: number, option: object) => ({
  type: "USER_DEFINED" as const,
  steps: Array.from({ length: 100 }, (_, at) => ({ id: at + 1, options: Array(count).fill(option) })),
});
const many = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

const extremes: [string, Parameters<typeof mergeApplication>[1]][] = [
  ["9,200 options of providers", { authenticationSequence: steps(92, { idp: "a", authenticator: "b" }) }],
  ["7,000 local options", { authenticationSequence: steps(70, { idp: "LOCAL", authenticator: "fido" }) }],
  [
    "options that the format puts in another order",
    {
      authenticationSequence: {
        type: "USER_DEFINED",
        steps: many(100, (at) => ({
          id: at + 1,
          options: many(70, (nth) => ({ idp: nth % 2 ? "a" : "LOCAL", authenticator: "totp" })),
        })),
      },
    },
  ],
  [
    "1,000 claims of signs that XML escapes",
    {
      claimConfiguration: {
        dialect: "CUSTOM",
        claimMappings: many(1_000, (at) => ({ applicationClaim: `${"&".repeat(120)}${at}`, localClaim: { id: "x" } })),
        requestedClaims: many(1_000, (at) => ({ claim: { uri: `${"&".repeat(75)}${at}` }, mandatory: false })),
      },
    },
  ],
  [
    "a script that XML cannot hold",
    {
      authenticationSequence: {
        type: "USER_DEFINED",
        script: "\u0001".repeat(49_000),
        steps: steps(1, { idp: "a", authenticator: "b" }).steps,
      },
    },
  ],
  [
    "1,000 provisioning providers",
    {
      provisioningConfigurations: {
        outboundProvisioningIdps: many(1_000, () => ({ idp: "&".repeat(140), connector: "<".repeat(110) })),
      },
    },
  ],
];

const noRoles = { findMany: async () => [], all: async () => [] };

describe.each(extremes)("%s", (_, body) => {
  test.each(["xml", "xml-inline", "yaml", "json"] as const)("survives %s", { timeout: 60_000 }, async (format) => {
    const application = mergeApplication(fresh, body);
    checkApplication(application, TENANT, "too large for this test");
    expect(JSON.stringify(application).length).toBeGreaterThan(225_000);
    const file = await fileOf(application, TENANT, support, "included", format);
    expect(Buffer.byteLength(file)).toBeLessThan(Math.min(UPLOAD_BYTES_MAX, ANSWER_BYTES_MAX) - 1_000);
    const { root, settings } = await readFile(Buffer.from(file), format, []);
    const importer = { tenant: TENANT, ownerId: "owner", applicationId: application.id };
    const importOver = await prepareImport(root, settings, importer, { ...support, roles: noRoles });
    const again: Application = importOver(undefined).application;
    expect(presentApplication(TENANT, again)).toEqual(presentApplication(TENANT, application));
    expect(again.kept).toBeUndefined();
  });
});
