/** Builds an application from the settings of a file: a new one, or one that replaces an existing application. */

import type { RoleStore } from "../../directory/roles/store.ts";
import { Fault } from "../../kernel/faults.ts";
import { shownAddress } from "../protocols/addresses.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import { passiveSts, wsTrust } from "../protocols/configure.ts";
import { customKindOf, customSettings } from "../protocols/custom.ts";
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { type CustomSettings, type InboundProtocols, type OidcClient, ownerOf } from "../protocols/model.ts";
import { checkOidc, oidcClient } from "../protocols/oidc.ts";
import { keptCallbacks } from "../protocols/oidc-addresses.ts";
import { samlServiceProvider } from "../protocols/saml.ts";
import { type Application, freshApplication, mergeApplication } from "../registry/model.ts";
import { checkApplication, checkBody } from "../registry/rules.ts";
import { type Notice, noticesOf } from "./notices.ts";
import { IMPORT_MESSAGE } from "./read-xml.ts";
import { findRoles } from "./roles.ts";
import { importedSecrets } from "./secrets.ts";
import { writeServiceProvider } from "./service-provider.ts";
import { type Settings, settingsOf } from "./settings.ts";
import type { Element } from "./tree.ts";
import { unmappedOf } from "./unmapped.ts";

/** Where an import writes to. */
export interface ImportTarget {
  readonly tenant: string;
  /** The user that becomes the owner. `undefined` when the caller is an application: then the owner does not change. */
  readonly ownerId: string | undefined;
  readonly applicationId: string;
}

/** The result of an import. */
export interface Imported {
  readonly application: Application;
  /** Elements of the file that have no effect in this service. */
  readonly notices: readonly Notice[];
}

type Client = NonNullable<NonNullable<Settings["inboundProtocolConfiguration"]>["oidc"]>;

/**
 * Translates faults of the protocols into those of an import: `application.invalid`, or `application.key_taken` for a
 * conflict.
 */
export function asImportFault(error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const { fault, description, row } = error;
  const options = { message: IMPORT_MESSAGE };
  if (row.status === 400 && /^(client|saml|cors|request)\./.test(fault)) {
    return new Fault("application.invalid", description, options);
  }
  if (fault === "client.taken" || fault === "saml.issuer_taken" || fault === "application.key_taken") {
    return new Fault("application.key_taken", description, options);
  }
  return error;
}

/**
 * Runs the asynchronous checks. Returns a function that builds the application over the existing one, if there is one.
 * Both throw `application.invalid` and the faults of the protocols.
 */
export async function prepareImport(
  root: Element,
  settings: Settings,
  { tenant, ownerId, applicationId: id }: ImportTarget,
  { roles, ...support }: ProtocolSupport & { readonly roles: Pick<RoleStore, "findMany" | "all"> },
): Promise<(before: Application | undefined) => Imported> {
  const {
    isManagementApp = false,
    isB2BSelfServiceApp,
    inboundProtocolConfiguration: protocols = {},
    otherEntries = [],
    associatedRoles: _,
    ...plain
  } = settings;
  checkBody(plain);
  const associatedRoles = await findRoles(settings, tenant, id, roles);
  const owner = ownerOf(tenant, id);
  const { seal, customKinds } = support;
  if (protocols.oidc) await checkOidc(protocols.oidc, support.limits, "file");
  const unused = (await keptCallbacks(protocols.oidc?.callbackURLs)).map((callback) => ({
    element: "oAuthAppDO/callbackUrl",
    reason: `No answer goes to '${shownAddress(callback)}': others on the way can read http. Register an https address.`,
  }));
  const customs: CustomSettings[] = [];
  for (const each of protocols.custom ?? []) {
    const kind = withoutRequiredSecrets(customKindOf(each.name, customKinds));
    customs.push((await customSettings(kind, each, seal, owner))(undefined));
  }
  const customNames = new Set(customKinds.map(({ name }) => name));

  return (before) => {
    const manual = protocols.saml?.manualConfiguration;
    const inbound: InboundProtocols = {
      ...(protocols.oidc && { oidc: clientOf(protocols.oidc, before?.inbound.oidc, support, owner) }),
      ...(manual && { saml: samlServiceProvider(manual, before?.inbound.saml, true) }),
      ...(protocols.passiveSts && { passiveSts: passiveSts(protocols.passiveSts, undefined) }),
      ...(protocols.wsTrust && { wsTrust: wsTrust(protocols.wsTrust, undefined) }),
      ...(customs.length > 0 && {
        custom: Object.fromEntries(
          customs.map((each) => [each.name, withFormerSecrets(each, before?.inbound.custom?.[each.name])]),
        ),
      }),
      ...(otherEntries.length > 0 && { others: otherEntries }),
    };
    const fresh = freshApplication(
      id,
      plain.name,
      ownerId ?? before?.ownerId ?? "",
      before?.isManagementApp ?? isManagementApp,
    );
    const merged = mergeApplication(
      {
        ...fresh,
        ...(before?.logoutReturnUrl !== undefined && { logoutReturnUrl: before.logoutReturnUrl }),
        ...((before ? before.isB2BSelfServiceApp : isB2BSelfServiceApp) && { isB2BSelfServiceApp: true }),
        inbound,
      },
      { ...plain, ...(associatedRoles && { associatedRoles }) },
    );
    const base = writeServiceProvider(settingsOf(merged, (sealed) => seal.open(sealed, owner)));
    const unmapped = unmappedOf(base, root, customNames);
    const kept = unmapped && { kept: seal.seal(JSON.stringify(unmapped), owner) };
    const application: Application = { ...merged, ...kept };
    checkApplication(application, tenant, IMPORT_MESSAGE);
    return { application, notices: noticesOf(unmapped, [...unused, ...noticesOn(settings, merged, customKinds)]) };
  };
}

/** A file may lack confidential values: exports omit them by default. */
function withoutRequiredSecrets(kind: CustomProtocolKind): CustomProtocolKind {
  return {
    ...kind,
    properties: kind.properties.map((each) => (each.isConfidential ? { ...each, required: false } : each)),
  };
}

/**
 * The client of a file. If the application already has this client, its secrets and origins stay unless the file has
 * its own. A revoked client stays revoked: only a new secret activates it again.
 */
function clientOf(given: Client, before: OidcClient | undefined, support: ProtocolSupport, owner: string): OidcClient {
  const {
    state = "ACTIVE",
    clientSecret,
    clientSecretExpiresAt,
    clientSecretDescription,
    additionalClientSecrets,
    ...rest
  } = given;
  const former = before?.clientId === rest.clientId ? before : undefined;
  const origins = rest.allowedOrigins ?? former?.allowedOrigins;
  const body = { ...rest, ...(origins && { allowedOrigins: origins }) };
  const client = oidcClient(body, undefined, support, owner);
  const secrets = {
    clientSecret,
    clientSecretExpiresAt,
    clientSecretDescription,
    additionalClientSecrets,
  };
  return {
    ...client,
    ...importedSecrets(secrets, former, { clientId: rest.clientId, owner, support }),
    state: former?.state === "REVOKED" ? "REVOKED" : state,
  };
}

/** Adds the confidential values that the file lacks, from the existing application. */
function withFormerSecrets(settings: CustomSettings, before: CustomSettings | undefined): CustomSettings {
  const given = new Set(settings.properties.map(({ key }) => key));
  const former = before?.properties.filter(({ key, isSealed }) => isSealed && !given.has(key)) ?? [];
  return former.length > 0 ? { ...settings, properties: [...settings.properties, ...former] } : settings;
}

function noticesOn(settings: Settings, application: Application, kinds: readonly CustomProtocolKind[]): Notice[] {
  const { inbound } = application;
  const notices: Notice[] = (inbound.others ?? []).map(({ type }) => ({
    element: `InboundAuthenticationConfig/${type.slice(0, 100)}`,
    reason: "This service has no settings for the entry. An export contains it again; users cannot sign in with it.",
  }));
  if (settings.isManagementApp !== undefined && settings.isManagementApp !== application.isManagementApp) {
    notices.push({ element: "IsManagementApp", reason: "Cannot change after the application was created." });
  }
  const state = settings.inboundProtocolConfiguration?.oidc?.state;
  if (state !== undefined && state !== inbound.oidc?.state) {
    notices.push({ element: "oAuthAppDO/state", reason: "The client stays revoked until you regenerate its secret." });
  }
  for (const { name, properties } of Object.values(inbound.custom ?? {})) {
    const required = kinds.find((kind) => kind.name === name)?.properties.filter((each) => each.required) ?? [];
    for (const missing of required.filter((each) => !properties.some(({ key }) => key === each.name))) {
      const reason = `The file lacks the confidential value of '${missing.name}'. Set it before you use the protocol.`;
      notices.push({ element: `InboundAuthenticationConfig/${name}`, reason });
    }
  }
  return notices;
}
