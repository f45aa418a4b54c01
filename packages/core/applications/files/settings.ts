/** Converts an application to the settings of a file. Pure. */
import type * as z from "zod";
import type { OidcClient, SamlServiceProvider } from "../protocols/model.ts";
import type { Application } from "../registry/model.ts";
import type { Json } from "./parts.ts";
import { fileSecretsOf } from "./secrets.ts";
import type { FileSettings } from "./shapes.ts";

/** The validated settings of a file. */
export type Settings = z.output<typeof FileSettings>;

/** Opens a sealed secret, or returns `undefined` to omit it. */
type OpenSecret = (sealed: string) => string | undefined;

/** The settings of an application, without its id, owner, tenant and authorized APIs. */
export function settingsOf(application: Application, open: OpenSecret): Json {
  const { id: _, ownerId: __, kept: ___, advancedConfigurations: ____, inbound, ...plain } = application;
  const { enhancedOrgAuthenticationEnabled } = plain;
  return {
    ...plain,
    enhancedOrgAuthenticationEnabled: enhancedOrgAuthenticationEnabled || undefined,
    claimConfiguration: claimsOf(application),
    ...member("advancedConfigurations", withoutDefaults(application.advancedConfigurations)),
    provisioningConfigurations: provisioningOf(application),
    inboundProtocolConfiguration: protocolsOf(application, open),
    otherEntries: inbound.others ?? [],
  };
}

function claimsOf({ claimConfiguration: { subject, role, requestedClaims, ...claims } }: Application): Json {
  return {
    ...claims,
    requestedClaims: requestedClaims.map((each) => withoutDefaults(each)),
    ...member("subject", withoutDefaults(subject)),
    ...member("role", {
      ...(role.includeUserDomain === false && { includeUserDomain: false }),
      ...(role.claim && { claim: role.claim }),
      ...(role.mappings?.length && { mappings: role.mappings }),
    }),
  };
}

function provisioningOf({ provisioningConfigurations: settings }: Application): Json {
  return {
    ...settings,
    outboundProvisioningIdps: settings.outboundProvisioningIdps.map((each) => withoutDefaults(each)),
  };
}

/** Flags without those that have their default, false. */
function withoutDefaults(switches: object): Json {
  return Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== false && value !== undefined));
}

function protocolsOf({ inbound }: Application, open: OpenSecret): Json {
  const { oidc, saml, passiveSts, wsTrust, custom = {} } = inbound;
  const customs = Object.values(custom).map(({ name, configName, properties }) => ({
    name,
    configName,
    properties: properties.flatMap(({ key, value, isSealed }) => {
      const opened = isSealed ? open(value) : value;
      return opened === undefined ? [] : [{ key, value: opened, isConfidential: isSealed === true }];
    }),
  }));
  return {
    ...(oidc && { oidc: clientOf(oidc, open) }),
    ...(saml && { saml: { manualConfiguration: manualOf(saml) } }),
    ...(passiveSts && { passiveSts }),
    ...(wsTrust && { wsTrust }),
    ...(customs.length > 0 && { custom: customs }),
  };
}

function clientOf(given: OidcClient, open: OpenSecret): Json {
  const { sealedSecret: _, latestSecret: __, formerSecrets: ___, allowedOrigins, logout, ...client } = given;
  const { enabled, algorithm, method } = client.idToken.encryption;
  return {
    ...client,
    ...fileSecretsOf(given, open),
    accessToken: {
      ...client.accessToken,
      accessTokenAttributes: client.accessToken.accessTokenAttributes.length
        ? client.accessToken.accessTokenAttributes
        : undefined,
    },
    idToken: {
      ...client.idToken,
      encryption: { enabled, algorithm: algorithm || undefined, method: method || undefined },
    },
    ...member("logout", logout),
    // The file format has no origins: an import reads an absent member as none.
    ...(allowedOrigins.length > 0 && { allowedOrigins }),
  };
}

/** An object with the member, or without it if the value is empty. */
function member(name: string, value: Json): Json {
  return Object.keys(value).length > 0 ? { [name]: value } : {};
}

function manualOf(saml: SamlServiceProvider): Json {
  const { attributeConsumingServiceIndex: index, ...profile } = saml.singleSignOnProfile;
  return {
    ...saml,
    singleSignOnProfile: { ...profile, ...(index !== "" && { attributeConsumingServiceIndex: index }) },
  };
}
