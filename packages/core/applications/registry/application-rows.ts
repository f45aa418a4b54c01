/**
 * The rows of applications. An application is one deep map: members that code relies on are checked when it is read,
 * the rest is passed on as stored. A list entry holds no more than lists are filtered and ordered by, so that all
 * entries of a tenant are one cheap range (decision 0004).
 */

import { keys } from "../../database/table/keys.ts";
import { type NamedKind, type Versioned, version } from "../../database/table/named-items.ts";
import { as, type Field, misfit, number, optional, rowCodec, text } from "../../database/table/row.ts";
import type { Value } from "../../database/table/table.ts";
import { isObject } from "../../kernel/json.ts";
import type { SecretFacts } from "../protocols/client-secrets.ts";
import { samlKey } from "../protocols/kinds.ts";
import type { InboundProtocols } from "../protocols/model.ts";
import { packedId, packId } from "./entry-id.ts";
import { type Application, noProvisioning, type ProvisioningSettings } from "./model.ts";

/** The attributes by which lists are filtered and ordered. */
export interface ApplicationEntry {
  readonly id: string;
  readonly name: string;
  /** The version of the application when the entry was written: shows which copies of the application are old. */
  readonly version: number;
  readonly clientId?: string;
  readonly issuer?: string;
}

type Check = (stored: unknown) => boolean;
type Checks<T> = { readonly [Name in keyof T]-?: Check };

const isText: Check = (stored) => typeof stored === "string";
const isNumber: Check = Number.isFinite;
const isBool: Check = (stored) => typeof stored === "boolean";
const areTexts = each(isText);
const isFlag = maybe(isBool);
const isOptionalText = maybe(isText);
const isOptionalNumber = maybe(isNumber);
const isState: Check = (stored) => stored === "ACTIVE" || stored === "REVOKED";

const secretFacts: Checks<SecretFacts> = {
  secretId: isText,
  createdAtSeconds: isNumber,
  expiresAtSeconds: isOptionalNumber,
  description: isOptionalText,
};

const isCustom = having({
  ...all(isText, "name", "configName"),
  engine: maybe((stored) => stored === "cas"),
  properties: each(having({ key: isText, value: isText, isSealed: isFlag })),
});

const inbound: Checks<InboundProtocols> = {
  oidc: maybe(
    having({
      ...all(isText, "clientId", "sealedSecret"),
      latestSecret: having(secretFacts),
      formerSecrets: maybe(each(having({ ...secretFacts, sealedSecret: isText }))),
      ...all(areTexts, "grantTypes", "callbackURLs", "allowedOrigins", "scopeValidators"),
      ...all(isObject, "pkce", "logout"),
      state: isState,
      publicClient: isBool,
      accessToken: having({
        ...all(isNumber, "userAccessTokenExpiryInSeconds", "applicationAccessTokenExpiryInSeconds"),
        type: isText,
        accessTokenAttributes: areTexts,
      }),
      refreshToken: having({ expiryInSeconds: isNumber, renewRefreshToken: isFlag }),
      idToken: having({ expiryInSeconds: isNumber, audience: areTexts, encryption: isObject }),
      subjectToken: maybe(isObject),
      clientAuthentication: maybe(
        having({
          ...all(isOptionalText, "tokenEndpointAuthMethod", "tokenEndpointAuthSigningAlg", "tlsClientAuthSubjectDn"),
          tokenEndpointAllowReusePvtKeyJwt: isBool,
        }),
      ),
    }),
  ),
  saml: maybe(
    having({
      ...all(isText, "issuer", "defaultAssertionConsumerUrl"),
      ...all(isObject, "attributeProfile", "requestValidation", "responseSigning"),
      serviceProviderQualifier: isOptionalText,
      assertionConsumerUrls: areTexts,
      singleSignOnProfile: having({
        bindings: areTexts,
        attributeConsumingServiceIndex: isText,
        assertion: having({ audiences: areTexts, recipients: areTexts, encryption: isObject }),
      }),
      singleLogoutProfile: having({ idpInitiatedSingleLogout: having({ returnToUrls: areTexts }) }),
      imported: maybe(
        having({
          validUntil: isOptionalText,
          assertionConsumerServices: maybe(each(having({ binding: isText, location: isText }))),
          singleLogoutServices: maybe(each(having({ binding: isText, location: isText }))),
          keys: maybe(each(having({ use: isOptionalText, certificate: isText }))),
        }),
      ),
    }),
  ),
  passiveSts: maybe(having({ realm: isText, replyTo: isText, replyToLogout: isOptionalText })),
  wsTrust: maybe(having({ audience: isText, certificateAlias: isText })),
  custom: maybe((stored) => isObject(stored) && Object.values(stored).every(isCustom)),
  others: maybe(each(having({ type: isText, key: isText }))),
};

const provisioning: Checks<ProvisioningSettings> = {
  inboundProvisioning: maybe(isObject),
  outboundProvisioningIdps: each(having({ idp: isText, connector: isText })),
};

/** Every member of an application. */
const application: Checks<Application> = {
  id: isText,
  name: isText,
  description: isOptionalText,
  imageUrl: isOptionalText,
  accessUrl: isOptionalText,
  logoutReturnUrl: isOptionalText,
  templateId: isOptionalText,
  templateVersion: isOptionalText,
  isManagementApp: isBool,
  isB2BSelfServiceApp: isFlag,
  applicationEnabled: isBool,
  enhancedOrgAuthenticationEnabled: isFlag,
  associatedRoles: maybe(having({ allowedAudience: isText, roles: maybe(each(having({ id: isText }))) })),
  claimConfiguration: having({
    dialect: isText,
    claimMappings: each(having({ applicationClaim: isText, localClaim: isObject })),
    requestedClaims: each(having({ claim: isObject, mandatory: isFlag })),
    subject: isObject,
    role: having({ mappings: maybe(each(having({ localRole: isText, applicationRole: isText }))) }),
  }),
  authenticationSequence: having({
    type: isText,
    steps: each(having({ id: isNumber, options: each(having({ idp: isText, authenticator: isText })) })),
    requestPathAuthenticators: areTexts,
    script: isOptionalText,
    subjectStepId: isNumber,
    attributeStepId: isNumber,
  }),
  advancedConfigurations: having({ certificate: maybe(having({ type: isText, value: isText })) }),
  provisioningConfigurations: having(provisioning),
  inbound: having(inbound),
  kept: isOptionalText,
  ownerId: isText,
};

const isComplete = having(application);
const isProvisioningMap = having(provisioning);

const storedApplication: Field<Application> = {
  expects: "an application, each member of its kind",
  parse: (stored) => (isApplication(stored) ? stored : misfit),
  write: asMap,
};

/**
 * How applications are stored as named items. Entries past the first 2,000 are read at half the price (decision 0004).
 */
export const applicationKind: NamedKind<Application, ApplicationEntry> = {
  item: rowCodec<Versioned<Application>>("application", {
    version,
    value: as("application", storedApplication),
  }),
  entry: rowCodec<ApplicationEntry>("application entry", {
    id: as("i", packedId),
    name: as("SK", text),
    version: as("v", number),
    clientId: as("c", optional(text)),
    issuer: as("s", optional(text)),
  }),
  itemKey: keys.application,
  entryKey: keys.applicationEntry,
  entries: keys.applicationEntries,
  nameOf: ({ name }) => name,
  entryOf: ({ id, name, inbound: { oidc, saml } }, at) => ({
    id,
    name,
    version: at,
    ...(oidc && { clientId: oidc.clientId }),
    ...(saml && { issuer: samlKey(saml) }),
  }),
  owner: (id) => ({ i: packId(id) }),
  readStrongly: 2_000,
};

/** The settings of a tenant's resident application. */
export const residentRow = rowCodec<Versioned<ProvisioningSettings>>("resident application", {
  version,
  value: as("settings", {
    expects: "provisioning settings",
    parse: (stored) => (isProvisioning(stored) ? stored : misfit),
    write: asMap,
  }),
});

/** What is read where no row of the resident application exists. */
export const noResident: Versioned<ProvisioningSettings> = { version: 0, value: noProvisioning };

function isProvisioning(stored: unknown): stored is ProvisioningSettings {
  return isProvisioningMap(stored);
}

function isApplication(stored: unknown): stored is Application {
  return isComplete(stored);
}

/** Whether a value is a map whose named members pass their checks. */
function having(members: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(members);
  return (stored) => {
    return isObject(stored) && checks.every(([name, check]) => check(stored[name]));
  };
}

function all(check: Check, ...names: readonly string[]): Record<string, Check> {
  return Object.fromEntries(names.map((name) => [name, check]));
}

function each(check: Check): Check {
  return (stored) => Array.isArray(stored) && stored.every(check);
}

function maybe(check: Check): Check {
  return (stored) => stored === undefined || check(stored);
}

/** Stored as it is; the table leaves `undefined` members out. */
function asMap<T extends object>(value: T): Value {
  return value as Value;
}
