/** Application files and SAML metadata at their largest. */
import { createHash } from "node:crypto";
import { prepareImport } from "#core/applications/files/apply.ts";
import { fileOf, readFile } from "#core/applications/files/file.ts";
import type { FileFormat } from "#core/applications/files/tree.ts";
import { defaultClientLimits } from "#core/applications/protocols/limits.ts";
import { readSamlMetadata } from "#core/applications/protocols/saml-metadata.ts";
import type { Application } from "#core/applications/registry/model.ts";
import { freshApplication } from "#core/applications/registry/model.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { newSeal } from "#core/kernel/seal.ts";
import { many, type SizedCase, sized } from "./sized.ts";

const FILE_BYTES = 4_194_304;
const METADATA_BYTES = 786_432;

const support = {
  seal: newSeal(Buffer.alloc(32, 1)),
  customKinds: [],
  limits: defaultClientLimits,
  clock: systemClock,
  clientSecretsShownTo: "viewers" as const,
  metadataExempt: new Set<string>(),
};
const target = { tenant: "carbon.super", ownerId: "owner", applicationId: "0198" };

const fileWith = (inside: string): Uint8Array =>
  Buffer.from(`<ServiceProvider><ApplicationName>a</ApplicationName>${inside}</ServiceProvider>`);
const exact = (entries: readonly object[]): string =>
  `<ExactSettings>${JSON.stringify(entries).replaceAll("<", "&lt;")}</ExactSettings>`;
const fingerprint = (read: unknown): string =>
  createHash("sha256")
    .update(JSON.stringify(read) ?? "")
    .digest("base64url")
    .slice(0, 22);

const noRoles = { findMany: async () => [], all: async () => [] };

/** Everything that an import does before it writes. */
const importFile = async (bytes: Uint8Array, format: FileFormat = "xml"): Promise<Application> => {
  const { root, settings } = await readFile(bytes, format, []);
  return (await prepareImport(root, settings, target, { ...support, roles: noRoles }))(undefined).application;
};
const imported = (name: string, largest: number, input: (size: number) => string, outcome?: RegExp): SizedCase =>
  sized({
    name: `import: ${name}`,
    largest: Math.floor(largest),
    input: (size) => fileWith(input(size)),
    run: importFile,
    ...(outcome && { outcome }),
  });

const claims = (count: number): string =>
  `<ClaimConfig><ClaimMappings>${many(
    count,
    (at) =>
      `<ClaimMapping><LocalClaim><ClaimUri>http://wso2.org/claims/c${at}</ClaimUri></LocalClaim><RemoteClaim><ClaimUri>r${at}</ClaimUri></RemoteClaim><RequestClaim>true</RequestClaim></ClaimMapping>`,
  ).join("")}</ClaimMappings></ClaimConfig>`;
const inClaims = (inside: string): string => claims(1_000).replace("</ClaimMappings>", `${inside}</ClaimMappings>`);
/** 1,000 characters, and strong enough. */
const SECRET = "Vq7rT2mZx9Lw4KcHs8Ny3PbJd6Gf5ReA".repeat(32).slice(0, 1_000);

const client = (inside: string): string =>
  `<InboundAuthenticationConfig><InboundAuthenticationRequestConfigs><InboundAuthenticationRequestConfig><InboundAuthKey>k</InboundAuthKey><InboundAuthType>oauth2</InboundAuthType><inboundConfiguration><![CDATA[<oAuthAppDO><oauthConsumerKey>k</oauthConsumerKey><oauthConsumerSecret>${SECRET}</oauthConsumerSecret><grantTypes>password</grantTypes>${inside}</oAuthAppDO>]]></inboundConfiguration></InboundAuthenticationRequestConfig></InboundAuthenticationRequestConfigs></InboundAuthenticationConfig>`;

const largestApplication = (size: number): Application => ({
  ...freshApplication("0198", "a", "owner", false),
  claimConfiguration: {
    dialect: "CUSTOM",
    claimMappings: many(size, (at) => ({
      applicationClaim: `r${at}\u0001`,
      localClaim: { uri: `l${at}`, id: `i${at}` },
    })),
    requestedClaims: many(size, (at) => ({ claim: { uri: `r${at}\u0001` }, mandatory: true })),
    subject: {},
    role: {},
  },
});

const metadata = (root: string, inside: string): Uint8Array =>
  Buffer.from(
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="e" ${root}><SPSSODescriptor>${inside}</SPSSODescriptor></EntityDescriptor>`,
  );
const consumer = `<AssertionConsumerService Location="https://a.example"/>`;

export const cases: readonly SizedCase[] = [
  imported("elements", 74_000, (size) => "<a/>".repeat(size), /bytes; at most/),
  imported("texts", 70_000, (size) => "<a>some text of an element</a>".repeat(size), /bytes; at most/),
  imported("levels", 29, (size) => `${"<a>".repeat(size)}${"</a>".repeat(size)}`),
  imported("attributes", 400_000, (size) => `<a ${many(size, (at) => `a${at}=""`).join(" ")}/>`, /attributes/),
  imported(
    "text of entities",
    FILE_BYTES / 5 - 100,
    (size) => `<Description>${"&amp;".repeat(size)}</Description>`,
    /description must have at most/,
  ),
  imported("comments", FILE_BYTES / 7 - 100, (size) => "<!---->".repeat(size)),
  imported("open comments", FILE_BYTES / 4 - 100, (size) => "<!--".repeat(size), /missing/),
  imported("sections of CDATA", FILE_BYTES / 12 - 100, (size) => "<![CDATA[]]>".repeat(size)),
  imported("blanks", FILE_BYTES - 200, (size) => " ".repeat(size)),
  imported("line ends", FILE_BYTES / 2 - 200, (size) => "\r\n".repeat(size)),
  imported("a word repeated before the root", FILE_BYTES / 9 - 100, (size) => `<!--${"encoding ".repeat(size)}-->`),
  imported("mappings of claims", 1_000, claims),
  imported("too many mappings of claims", 9_000, claims, /claimMappings/),
  imported("unknown items in a list", 60_000, (size) => inClaims("<b/>".repeat(size)), /bytes; at most/),
  imported(
    "companions of a secret",
    9_000,
    (size) => client("<additionalOauthConsumerSecrets/>".repeat(size)),
    /is there \d+ times/,
  ),
  imported(
    "audiences",
    9_000,
    (size) => client(`<audiences>${many(size, (at) => `<audience>${at}</audience>`).join("")}</audiences>`),
    /audience/,
  ),
  imported(
    "entries of protocols",
    18_000,
    (size) =>
      `<InboundAuthenticationConfig><InboundAuthenticationRequestConfigs>${many(size, (at) => `<InboundAuthenticationRequestConfig><InboundAuthKey>${at}</InboundAuthKey><InboundAuthType>openid</InboundAuthType></InboundAuthenticationRequestConfig>`).join("")}</InboundAuthenticationRequestConfigs></InboundAuthenticationConfig>`,
    /otherEntries/,
  ),
  imported(
    "steps",
    18_000,
    (size) =>
      `<LocalAndOutBoundAuthenticationConfig><AuthenticationType>flow</AuthenticationType><AuthenticationSteps>${many(size, (at) => `<AuthenticationStep><StepOrder>${at}</StepOrder></AuthenticationStep>`).join("")}</AuthenticationSteps></LocalAndOutBoundAuthenticationConfig>`,
    /steps/,
  ),
  imported(
    "thumbprints",
    500_000,
    (size) => `<TrustedAppMetadata><AndroidThumbprints>${"a,".repeat(size)}</AndroidThumbprints></TrustedAppMetadata>`,
    /androidThumbprints/,
  ),
  imported(
    "exact settings of one path",
    10_000,
    (size) => claims(1_000) + exact(many(size, () => ({ at: ["claimConfiguration"], read: "x", value: 1 }))),
    /damaged/,
  ),
  imported(
    "exact settings of many paths",
    10_000,
    (size) =>
      claims(1_000) +
      exact(
        many(size, (at) => ({
          at: ["claimConfiguration", "claimMappings", at, "localClaim"],
          read: "x",
          value: { uri: "a" },
        })),
      ),
  ),
  imported("exact settings of absent members", 10_000, (size) =>
    exact(many(size, (at) => ({ at: [`m${at}`, "a"], read: fingerprint(undefined), value: at }))),
  ),
  imported(
    "an exact setting of great depth",
    1_000_000,
    (size) => exact([]).replace("[]", `[{"at":["x"],"read":"","value":${"[".repeat(size)}${"]".repeat(size)}}]`),
    /damaged/,
  ),
  imported(
    "exact settings of paths that continue each other",
    10_000,
    (size) => exact(many(size, (at) => ({ at: many(1 + (at % 12), () => "a"), read: "x", value: 1 }))),
    /damaged/,
  ),
  sized({
    name: "export: an application that the format cannot hold",
    largest: 1_000,
    input: largestApplication,
    run: (application) => fileOf(application, "carbon.super", support, "included", "xml"),
  }),
  sized({
    name: "metadata: namespaces at the root",
    largest: 40_000,
    input: (size) => metadata(many(size, (at) => `xmlns:n${at}=""`).join(" "), consumer + "<a/>".repeat(4_900)),
    run: (bytes: Uint8Array) => readSamlMetadata(bytes, 0),
    outcome: /attributes/,
  }),
  sized({
    name: "metadata: endpoints",
    largest: 4_900,
    input: (size) => metadata("", consumer.repeat(size)),
    run: (bytes: Uint8Array) => readSamlMetadata(bytes, 0),
    outcome: /assertionConsumerUrls/,
  }),
  sized({
    name: "metadata: a certificate",
    largest: METADATA_BYTES - 1_000,
    input: (size) =>
      metadata(
        "",
        `<KeyDescriptor><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${"A".repeat(size)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>${consumer}`,
      ),
    run: (bytes: Uint8Array) => readSamlMetadata(bytes, 0),
    outcome: /not a certificate/,
  }),
];
