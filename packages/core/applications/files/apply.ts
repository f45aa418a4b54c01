/** From the settings of a file to an application: new, or in the place of the one that has its name. */

import { Fault } from "../../platform/faults.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import { passiveSts, wsTrust } from "../protocols/configure.ts";
import { customKindOf, customSettings } from "../protocols/custom.ts";
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { type CustomSettings, type InboundProtocols, type OidcClient, ownerOf } from "../protocols/model.ts";
import { checkOidc, oidcClient, sameText } from "../protocols/oidc.ts";
import { samlServiceProvider } from "../protocols/saml.ts";
import { type Application, freshApplication, mergeApplication } from "../registry/model.ts";
import { checkApplication } from "../registry/rules.ts";
import { keep } from "./keep.ts";
import { type Notice, noticesOf } from "./notices.ts";
import { IMPORT_MESSAGE } from "./read-xml.ts";
import { writeServiceProvider } from "./service-provider.ts";
import { type Settings, settingsOf } from "./settings.ts";
import type { Element } from "./tree.ts";

/** Who imports, and under which id. */
export interface Importer {
  readonly tenant: string;
  /** The user who becomes the owner; `undefined` for an application that imports, which leaves an owner as there is. */
  readonly ownerId: string | undefined;
  readonly applicationId: string;
}

/** What an import makes. */
export interface Imported {
  readonly application: Application;
  /** What the file says and this service does not do. */
  readonly notices: readonly Notice[];
}

type Client = NonNullable<NonNullable<Settings["inboundProtocolConfiguration"]>["oidc"]>;

/** Faults of a protocol's own operations, as upstream tells them of an import: one code for all that is wrong, one for taken keys. */
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
 * Judges what needs time, and answers a function that makes the application out of the one that is there, if one is.
 * Both throw `application.invalid`, and what the rules of the protocols throw.
 */
export async function prepareImport(
  root: Element,
  settings: Settings,
  { tenant, ownerId, applicationId: id }: Importer,
  support: ProtocolSupport,
): Promise<(before: Application | undefined) => Imported> {
  const {
    isManagementApp = false,
    inboundProtocolConfiguration: protocols = {},
    otherEntries = [],
    ...plain
  } = settings;
  const owner = ownerOf(tenant, id);
  const { seal, customKinds } = support;
  if (protocols.oidc) await checkOidc(protocols.oidc);
  const customs: CustomSettings[] = [];
  for (const each of protocols.custom ?? []) {
    const kind = withoutRequiredSecrets(customKindOf(each.name, customKinds));
    customs.push(await customSettings(kind, each, seal, owner));
  }
  const customNames = new Set(customKinds.map(({ name }) => name));

  return (before) => {
    const manual = protocols.saml?.manualConfiguration;
    const inbound: InboundProtocols = {
      ...(protocols.oidc && { oidc: clientOf(protocols.oidc, before?.inbound.oidc, support, owner) }),
      ...(manual && { saml: samlServiceProvider(manual, before?.inbound.saml) }),
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
    const made = mergeApplication(
      { ...fresh, ...(before?.logoutReturnUrl !== undefined && { logoutReturnUrl: before.logoutReturnUrl }), inbound },
      plain,
    );
    const base = writeServiceProvider(settingsOf(made, (sealed) => seal.open(sealed, owner)));
    const kept = keep(base, root, customNames);
    const application: Application = { ...made, ...(kept && { kept: seal.seal(JSON.stringify(kept), owner) }) };
    checkApplication(application, tenant, IMPORT_MESSAGE);
    return { application, notices: noticesOf(kept, noticesOn(settings, made, customKinds)) };
  };
}

/** A confidential value may be missing in a file: exports leave them out unless they are asked for. */
function withoutRequiredSecrets(kind: CustomProtocolKind): CustomProtocolKind {
  return {
    ...kind,
    properties: kind.properties.map((each) => (each.isConfidential ? { ...each, required: false } : each)),
  };
}

/**
 * The client of a file. A client that the application has already keeps its secret and its origins where the file has
 * none, and stays revoked: only a regenerated secret makes it active again.
 */
function clientOf(given: Client, before: OidcClient | undefined, { seal }: ProtocolSupport, owner: string): OidcClient {
  const { state = "ACTIVE", ...body } = given;
  const former = before?.clientId === body.clientId ? before : undefined;
  const origins = body.allowedOrigins ?? former?.allowedOrigins;
  const client = oidcClient({ ...body, ...(origins && { allowedOrigins: origins }) }, undefined, seal, owner);
  // The same secret sealed anew would look like another one, which ends the client's tokens.
  const { clientSecret: secret } = body;
  const isKept = former && (secret === undefined || sameText(secret, seal.open(former.sealedSecret, owner)));
  return {
    ...client,
    ...(isKept && { sealedSecret: former.sealedSecret }),
    state: former?.state === "REVOKED" ? "REVOKED" : state,
  };
}

/** The confidential values that a file left out, from the application that it is laid over. */
function withFormerSecrets(settings: CustomSettings, before: CustomSettings | undefined): CustomSettings {
  const given = new Set(settings.properties.map(({ key }) => key));
  const former = before?.properties.filter(({ key, isSealed }) => isSealed && !given.has(key)) ?? [];
  return former.length > 0 ? { ...settings, properties: [...settings.properties, ...former] } : settings;
}

function noticesOn(settings: Settings, application: Application, kinds: readonly CustomProtocolKind[]): Notice[] {
  const { inbound } = application;
  const notices: Notice[] = (inbound.others ?? []).map(({ type }) => ({
    element: `InboundAuthenticationConfig/${type.slice(0, 100)}`,
    reason:
      "The entry has no settings that this service knows: it is kept and exported again, and nobody signs in by it.",
  }));
  if (settings.isManagementApp !== undefined && settings.isManagementApp !== application.isManagementApp) {
    notices.push({ element: "IsManagementApp", reason: "Decided when an application is created; it stays as it is." });
  }
  const state = settings.inboundProtocolConfiguration?.oidc?.state;
  if (state !== undefined && state !== inbound.oidc?.state) {
    notices.push({ element: "oAuthAppDO/state", reason: "The client stays revoked until its secret is regenerated." });
  }
  for (const { name, properties } of Object.values(inbound.custom ?? {})) {
    const required = kinds.find((kind) => kind.name === name)?.properties.filter((each) => each.required) ?? [];
    for (const missing of required.filter((each) => !properties.some(({ key }) => key === each.name))) {
      const reason = `The file does not hold the confidential value of '${missing.name}': set it before the protocol is used.`;
      notices.push({ element: `InboundAuthenticationConfig/${name}`, reason });
    }
  }
  return notices;
}
