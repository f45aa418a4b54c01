/** An application as the settings that a file carries: secrets opened or left out, switches that were never set shown. Pure. */
import type * as z from "zod";
import type { OidcClient, SamlServiceProvider } from "../protocols/model.ts";
import type { Application } from "../registry/model.ts";
import type { Json } from "./parts.ts";
import type { FileSettings } from "./shapes.ts";

/** The settings that a file carries, judged. */
export type Settings = z.output<typeof FileSettings>;

/** Opens what is sealed, or leaves it out. */
type OpenSecret = (sealed: string) => string | undefined;

/** The settings of an application. Its id, owner, tenant and authorized APIs are not among them. */
export function settingsOf(application: Application, open: OpenSecret): Json {
  const { id: _, ownerId: __, kept: ___, advancedConfigurations: ____, inbound, ...plain } = application;
  return {
    ...plain,
    claimConfiguration: claimsOf(application),
    ...member("advancedConfigurations", unusual(application.advancedConfigurations)),
    provisioningConfigurations: provisioningOf(application),
    inboundProtocolConfiguration: protocolsOf(application, open),
    otherEntries: inbound.others ?? [],
  };
}

function claimsOf({ claimConfiguration: { subject, role, requestedClaims, ...claims } }: Application): Json {
  return {
    ...claims,
    requestedClaims: requestedClaims.map((each) => unusual(each)),
    ...member("subject", unusual(subject)),
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
    outboundProvisioningIdps: settings.outboundProvisioningIdps.map((each) => unusual(each)),
  };
}

/** The switches without those that stand as they do by themselves. */
function unusual(switches: object): Json {
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

function clientOf({ sealedSecret, allowedOrigins, logout, ...client }: OidcClient, open: OpenSecret): Json {
  const { enabled, algorithm, method } = client.idToken.encryption;
  return {
    ...client,
    clientSecret: open(sealedSecret),
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
    // A file says nothing of origins, which is how it says that there are none.
    ...(allowedOrigins.length > 0 && { allowedOrigins }),
  };
}

/** A member, unless there is nothing in it. */
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
