/** The handlers of the operations on inbound protocols. */

import { Fault } from "../../kernel/faults.ts";
import type { ScopedContext } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { type ProtocolSupport, passiveSts, wsTrust } from "../protocols/configure.ts";
import { seesClientSecret, seesSecrets } from "../protocols/contract-secrets.ts";
import { customKindOf, customSettings, presentCustom } from "../protocols/custom.ts";
import { protocolKinds, protocolRefs, withoutOthers } from "../protocols/kinds.ts";
import { type InboundProtocols, ownerOf } from "../protocols/model.ts";
import { checkOidc, oidcClient, presentOidc, regenerated, revoked } from "../protocols/oidc.ts";
import { readSaml, samlAfter } from "../protocols/saml.ts";
import { type Application, withCertificate } from "../registry/model.ts";
import { selfOf } from "../registry/present.ts";
import { checkApplication, notFound } from "../registry/rules.ts";
import { type ApplicationStore, TAKES_ONLY } from "../registry/store.ts";
import type { protocolOperations } from "./contract.ts";

/** The dependencies of these handlers. */
export interface ProtocolStores {
  readonly applications: ApplicationStore;
  readonly protocols: ProtocolSupport;
}

export const protocolHandlers: Handlers<typeof protocolOperations, ProtocolStores> = {
  async listInboundProtocols({ params }, { tenant, applications }) {
    const { id, inbound } = await read(applications, tenant, params.applicationId);
    return protocolRefs(inbound, selfOf(tenant, id));
  },

  getSamlConfiguration: ({ params }, context) => settingsOf(context, context.tenant, params.applicationId, "saml"),

  async updateSamlConfiguration({ params, body }, context) {
    const { tenant, protocols } = context;
    await read(context.applications, tenant, params.applicationId);
    const source = await readSaml(body, tenant, protocols);
    return change(
      context,
      tenant,
      params.applicationId,
      ({ inbound }) => ({ saml: samlAfter(source, inbound.saml) }),
      source.certificate,
    );
  },

  deleteSamlConfiguration: ({ params }, context) =>
    drop(context, context.tenant, params.applicationId, withoutMember("saml")),

  async getOidcConfiguration({ params }, context) {
    const client = await settingsOf(context, context.tenant, params.applicationId, "oidc");
    return presentOidc(client, clientOpener(context, params.applicationId));
  },

  async updateOidcConfiguration({ params, body }, context) {
    const { tenant, protocols } = context;
    await checkOidc(body, protocols.limits);
    const owner = ownerOf(tenant, params.applicationId);
    return change(context, tenant, params.applicationId, ({ inbound }) => ({
      oidc: oidcClient(body, inbound.oidc, protocols, owner),
    }));
  },

  deleteOidcConfiguration: ({ params }, context) =>
    drop(context, context.tenant, params.applicationId, withoutMember("oidc")),

  async regenerateClientSecret({ params }, context) {
    const { tenant, protocols } = context;
    const owner = ownerOf(tenant, params.applicationId);
    let client: InboundProtocols["oidc"];
    const renewed = ({ id, inbound }: Application) => {
      if (!inbound.oidc) throw unset(id, "oidc");
      client = regenerated(inbound.oidc, protocols, owner);
      return { oidc: client };
    };
    await change(context, tenant, params.applicationId, renewed);
    if (!client) throw unset(params.applicationId, "oidc");
    return presentOidc(client, clientOpener(context, params.applicationId));
  },

  revokeClient: ({ params }, context) =>
    change({ ...context, scopes: TAKES_ONLY }, context.tenant, params.applicationId, ({ id, inbound }) => {
      if (!inbound.oidc) throw unset(id, "oidc");
      return { oidc: revoked(inbound.oidc) };
    }),

  getPassiveStsConfiguration: ({ params }, context) =>
    settingsOf(context, context.tenant, params.applicationId, "passiveSts"),

  updatePassiveStsConfiguration: ({ params, body }, context) =>
    change(context, context.tenant, params.applicationId, ({ inbound }) => ({
      passiveSts: passiveSts(body, inbound.passiveSts),
    })),

  deletePassiveStsConfiguration: ({ params }, context) =>
    drop(context, context.tenant, params.applicationId, withoutMember("passiveSts")),

  getWsTrustConfiguration: ({ params }, context) =>
    settingsOf(context, context.tenant, params.applicationId, "wsTrust"),

  updateWsTrustConfiguration: ({ params, body }, context) =>
    change({ ...context, scopes: TAKES_ONLY }, context.tenant, params.applicationId, ({ inbound }) => ({
      wsTrust: wsTrust(body, inbound.wsTrust),
    })),

  deleteWsTrustConfiguration: ({ params }, context) =>
    drop(context, context.tenant, params.applicationId, withoutMember("wsTrust")),

  async getCustomConfiguration({ params }, context) {
    const { tenant, scopes, protocols, applications } = context;
    const { id, inbound } = await read(applications, tenant, params.applicationId);
    const { name } = customKindOf(customName(params.inboundProtocolId), protocols.customKinds);
    const settings = inbound.custom?.[name];
    if (!settings) throw unset(id, name);
    const isShown = seesSecrets(protocols.clientSecretsShownTo, scopes);
    return presentCustom(settings, protocols.customKinds, isShown ? opener(context, id) : undefined);
  },

  async updateCustomConfiguration({ params, body }, context) {
    const { tenant, protocols } = context;
    const kind = customKindOf(customName(params.inboundProtocolId), protocols.customKinds);
    const settings = await customSettings(kind, body, protocols.seal, ownerOf(tenant, params.applicationId));
    return change({ ...context, scopes: TAKES_ONLY }, tenant, params.applicationId, ({ inbound }) => ({
      custom: { ...inbound.custom, [kind.name]: settings(inbound.custom?.[kind.name]) },
    }));
  },

  deleteCustomConfiguration: ({ params }, context) =>
    drop(context, context.tenant, params.applicationId, withoutCustom(customName(params.inboundProtocolId))),
};

type Asked = ProtocolStores & Pick<ScopedContext, "tenant" | "scopes">;

/** Opens the secrets of an application. */
function opener({ tenant, protocols }: Asked, id: string): (sealed: string) => string {
  return (sealed) => protocols.seal.open(sealed, ownerOf(tenant, id));
}

/** Opens the client secret, if the caller sees it. */
function clientOpener(context: Asked, id: string): ((sealed: string) => string) | undefined {
  const { scopes, protocols } = context;
  return seesClientSecret(protocols.clientSecretsShownTo, scopes) ? opener(context, id) : undefined;
}

/** The settings of one protocol. Throws `application.not_found` and `application.protocol_unset`. */
async function settingsOf<Name extends keyof InboundProtocols>(
  { applications }: ProtocolStores,
  tenant: string,
  id: string,
  name: Name,
): Promise<NonNullable<InboundProtocols[Name]>> {
  const settings = (await read(applications, tenant, id)).inbound[name];
  if (settings === undefined) throw unset(id, name);
  return settings;
}

async function read(applications: ApplicationStore, tenant: string, id: string): Promise<Application> {
  const application = await applications.find(tenant, id);
  if (!application) throw notFound(id, tenant);
  return application;
}

/** Changes the protocols of an application, and checks the whole application afterwards. */
async function change(
  { applications, scopes }: ProtocolStores & Pick<ScopedContext, "scopes">,
  tenant: string,
  id: string,
  settings: (before: Application) => Partial<InboundProtocols>,
  certificate?: string,
): Promise<undefined> {
  const changed = (before: Application): Application => {
    const inbound = withoutOthers({ ...before.inbound, ...settings(before) });
    const after = withCertificate({ ...before, inbound }, certificate);
    checkApplication(after, tenant, `Error updating application with id: ${id}`);
    return after;
  };
  await applications.update(tenant, id, scopes, changed);
  return undefined;
}

/** Removes a protocol. Idempotent: an unknown application or protocol is no error. */
async function drop(
  { applications }: ProtocolStores,
  tenant: string,
  id: string,
  without: (inbound: InboundProtocols) => InboundProtocols,
): Promise<undefined> {
  try {
    await applications.update(tenant, id, TAKES_ONLY, (before) => {
      const inbound = without(before.inbound);
      return inbound === before.inbound ? before : { ...before, inbound };
    });
  } catch (error) {
    if (!(error instanceof Fault && error.fault === "application.not_found")) throw error;
  }
  return undefined;
}

function withoutMember(name: keyof typeof protocolKinds) {
  return (given: InboundProtocols): InboundProtocols => {
    const inbound = withoutOthers(given, protocolKinds[name].type);
    if (inbound[name] === undefined) return inbound;
    const { [name]: _, ...rest } = inbound;
    return rest;
  };
}

function unset(id: string, what: string): Fault {
  return new Fault("application.protocol_unset", `The application ${id} has no ${what} settings.`);
}

/** Clients write a blank in a name as `+` in paths too. */
function customName(segment: string): string {
  return segment.replaceAll("+", " ");
}

function withoutCustom(name: string) {
  return (given: InboundProtocols): InboundProtocols => {
    const inbound = withoutOthers(given, name);
    if (!inbound.custom || !Object.hasOwn(inbound.custom, name)) return inbound;
    const { [name]: _, ...custom } = inbound.custom;
    return { ...inbound, custom };
  };
}
