/** The handlers of the metadata operations. They need no database. */

import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import type { OpenableContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { assertionAlgorithms } from "../../tokens/assertion-algorithms.ts";
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { type ClientLimits, defaultLifetimes } from "../protocols/limits.ts";
import {
  cibaChannels,
  clientAuthenticationMethods,
  fapiOptions,
  grantTypes,
  oidcOptions,
  publicGrants,
  RS256_ALIAS,
  SERVER_CERTIFICATE_ALIAS,
  samlOptions,
} from "../protocols/options.ts";
import type { metadataOperations } from "./contract.ts";

/** The dependencies of these handlers. */
export interface MetadataStores {
  /** The custom protocols of the deployment. */
  readonly customProtocols: readonly CustomProtocolKind[];
  readonly limits: ClientLimits;
}

/** Passive STS is not among them: it has no metadata. */
const standardProtocols = [
  { name: "saml", displayName: "SAML2 Web SSO Configuration" },
  { name: "oidc", displayName: "OAuth/OpenID Connect Configuration" },
  { name: "ws-trust", displayName: "WS-Trust Security Token Service Configuration" },
] as const;

export const metadataHandlers: Handlers<typeof metadataOperations, MetadataStores> = {
  async listSupportedProtocols({ query }, { customProtocols }) {
    const custom = customProtocols.map(({ name, displayName }) => ({ name, displayName }));
    return query.customOnly ? custom : [...custom, ...standardProtocols];
  },

  async getSamlMetadata(_, context) {
    const alias = certificateAliasFor(context);
    return {
      defaultNameIdFormat: samlOptions.defaultNameIdFormat,
      certificateAlias: { options: [alias], defaultValue: alias },
      responseSigningAlgorithm: listed(samlOptions.responseSigningAlgorithm),
      responseDigestAlgorithm: listed(samlOptions.responseDigestAlgorithm),
      assertionEncryptionAlgorithm: listed(samlOptions.assertionEncryptionAlgorithm),
      keyEncryptionAlgorithm: listed(samlOptions.keyEncryptionAlgorithm),
    };
  },

  async getOidcMetadata(_, context) {
    const { limits, origin } = context;
    const tenant = tenantOf(context);
    const defaults = defaultLifetimes(limits);
    return {
      allowedGrantTypes: {
        options: grantTypes.map((grant) => ({ ...grant, publicClientAllowed: publicGrants.has(grant.name) })),
      },
      defaultUserAccessTokenExpiryTime: String(defaults.userAccessTokenSeconds),
      defaultApplicationAccessTokenExpiryTime: String(defaults.applicationAccessTokenSeconds),
      defaultRefreshTokenExpiryTime: String(defaults.refreshTokenSeconds),
      defaultIdTokenExpiryTime: String(defaults.idTokenSeconds),
      idTokenEncryptionAlgorithm: listed(oidcOptions.idTokenEncryptionAlgorithm),
      idTokenEncryptionMethod: listed(oidcOptions.idTokenEncryptionMethod),
      scopeValidators: listed(oidcOptions.scopeValidators),
      accessTokenType: listed(oidcOptions.accessTokenType),
      accessTokenBindingType: listed(oidcOptions.accessTokenBindingType),
      tokenEndpointAuthMethod: {
        options: [{ name: "", displayName: "Select Option" }, ...clientAuthenticationMethods],
      },
      tokenEndpointSignatureAlgorithm: { options: [...assertionAlgorithms, RS256_ALIAS] },
      tokenEndpointAllowReusePvtKeyJwt: false,
      idTokenSignatureAlgorithm: listed(oidcOptions.idTokenSignatureAlgorithm),
      requestObjectSignatureAlgorithm: listed(oidcOptions.requestObjectSignatureAlgorithm),
      requestObjectEncryptionAlgorithm: listed(oidcOptions.requestObjectEncryptionAlgorithm),
      requestObjectEncryptionMethod: listed(oidcOptions.requestObjectEncryptionMethod),
      subjectType: listed(oidcOptions.subjectType),
      fapiMetadata: {
        fapiProfiles: { options: [...fapiOptions.profiles] },
        allowedSignatureAlgorithms: { options: [...fapiOptions.signatureAlgorithms] },
        allowedEncryptionAlgorithms: { options: [...fapiOptions.encryptionAlgorithms] },
        tokenEndpointAuthMethod: { options: [...fapiOptions.authenticationMethods] },
      },
      cibaMetadata: { supportedNotificationChannels: [...cibaChannels] },
      allowedIssuers: [`${origin}${tenant === SUPER_TENANT ? "" : `/t/${tenant}`}/oauth2/token`],
    };
  },

  async getWsTrustMetadata(_, context) {
    return { certificateAlias: { options: [certificateAliasFor(context)] } };
  },

  async getCustomProtocolMetadata({ params }, { customProtocols }) {
    const name = nameFrom(params.inboundProtocolId);
    const kind = customProtocols.find((candidate) => candidate.name === name);
    if (!kind) {
      throw new Fault("metadata.protocol_unknown", `No custom inbound protocol has the name ${name.slice(0, 100)}.`);
    }
    const { displayName, configName, properties } = kind;
    return {
      displayName,
      configName,
      properties: properties.map((property) => ({ ...property, availableValues: [...property.availableValues] })),
    };
  },

  async getAdaptiveAuthTemplates() {
    // A chunk of its own, loaded when it is first needed.
    const templates = await import("./adaptive-templates.json", { with: { type: "json" } });
    return { templatesJSON: JSON.stringify(templates.default) };
  },
};

/**
 * The alias of a tenant's certificate is its domain; the super tenant uses the server's certificate. Without a
 * credential it is that of the tenant in the path, whether there is such a tenant or not.
 */
function certificateAliasFor(context: OpenableContext): string {
  const tenant = tenantOf(context);
  return tenant === SUPER_TENANT ? SERVER_CERTIFICATE_ALIAS : tenant;
}

/** The tenant of the caller; without a credential, that of the path, whether there is such a tenant or not. */
function tenantOf({ tenant: own, pathTenant }: OpenableContext): string {
  return own ?? pathTenant?.toLowerCase() ?? SUPER_TENANT;
}

/** Copies the options: the contract's arrays are mutable. */
function listed({ options, ...rest }: { readonly options: readonly string[]; readonly defaultValue?: string }) {
  return { ...rest, options: [...options] };
}

/** Clients write a blank as `+` in paths too; no name contains a plus sign. */
function nameFrom(pathValue: string): string {
  return pathValue.replaceAll("+", " ");
}
