/** From the protocols of a body to the settings of an application. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import type { Exempt } from "../../kernel/public-fetch.ts";
import { checkTogether, checkTogetherLater } from "../../kernel/together.ts";
import { type AddressKind, readAddress, shownAddress, storedAddress } from "./addresses.ts";
import type { ClientSecretsShownTo } from "./contract-secrets.ts";
import { customKindOf, customSettings } from "./custom.ts";
import type { CustomProtocolKind } from "./custom-kind.ts";
import { type InboundProtocols, ownerOf } from "./model.ts";
import { type ClientSupport, checkOidc, oidcClient } from "./oidc.ts";
import { readSaml, samlAfter } from "./saml.ts";
import type { InboundProtocolsBody, PassiveStsBody, WsTrustBody } from "./shapes.ts";

/** What protocol settings need in addition to their body. */
export interface ProtocolSupport extends ClientSupport {
  readonly customKinds: readonly CustomProtocolKind[];
  readonly clientSecretsShownTo: ClientSecretsShownTo;
  /** Addresses from which metadata may be fetched although they are not public; for tests and closed networks. */
  readonly metadataExempt: Exempt;
}

/** The settings, and the certificate of SAML metadata. */
export interface Configured {
  readonly inbound: InboundProtocols;
  /** Base64 of a PEM. */
  readonly certificate?: string;
}

/** A relying party of WS-Federation after a body. Its realm cannot change. */
export function passiveSts(body: z.output<typeof PassiveStsBody>, before: InboundProtocols["passiveSts"]) {
  checkUnchanged("realm", before?.realm, body.realm);
  const { replyTo, replyToLogout = "" } = body;
  checkTogether(
    () => checkReply("replyTo", replyTo),
    () => replyToLogout.trim() !== "" && checkReply("replyToLogout", replyToLogout),
  );
  return {
    ...body,
    replyTo: storedAddress(replyTo, REPLY),
    ...(body.replyToLogout !== undefined && { replyToLogout: storedAddress(replyToLogout, REPLY) }),
  };
}

const REPLY: AddressKind = "message";

function checkReply(member: string, address: string): void {
  const read = readAddress(address, REPLY);
  if ("address" in read) return;
  throw new Fault("application.invalid", `${member}: '${shownAddress(address)}' ${read.problem}.`);
}

/** A relying party of the security token service after a body. Its audience cannot change. */
export function wsTrust(body: z.output<typeof WsTrustBody>, before: InboundProtocols["wsTrust"]) {
  checkUnchanged("audience", before?.audience, body.audience);
  return body;
}

/** All protocols of a new application. Throws the faults of each protocol. */
export async function configureNew(
  body: z.output<typeof InboundProtocolsBody>,
  tenant: string,
  applicationId: string,
  support: ProtocolSupport,
): Promise<Configured> {
  const { seal, customKinds } = support;
  const owner = ownerOf(tenant, applicationId);
  const custom: Record<string, NonNullable<InboundProtocols["custom"]>[string]> = {};
  const inbound: { -readonly [Name in keyof InboundProtocols]: InboundProtocols[Name] } = {};
  let certificate: string | undefined;
  await checkTogetherLater(
    ...(body.custom ?? []).map((each) => async () => {
      const kind = customKindOf(each.name, customKinds);
      if (custom[kind.name]) throw new Fault("application.invalid", `The protocol '${kind.name}' is given twice.`);
      custom[kind.name] = (await customSettings(kind, each, seal, owner))(undefined);
    }),
    () => body.oidc && checkOidc(body.oidc, support.limits),
    () => {
      if (body.oidc) inbound.oidc = oidcClient(body.oidc, undefined, support, owner);
    },
    async () => {
      if (!body.saml) return;
      const saml = await readSaml(body.saml, tenant, support);
      inbound.saml = samlAfter(saml, undefined);
      certificate = saml.certificate;
    },
    () => {
      if (body.passiveSts) inbound.passiveSts = passiveSts(body.passiveSts, undefined);
    },
  );
  return {
    inbound: {
      ...inbound,
      ...(body.wsTrust && { wsTrust: body.wsTrust }),
      ...(Object.keys(custom).length > 0 && { custom }),
    },
    ...(certificate !== undefined && { certificate }),
  };
}

function checkUnchanged(what: string, before: string | undefined, after: string): void {
  if (before !== undefined && before !== after) {
    throw new Fault(
      "application.invalid",
      `Invalid ${what} value provided for update. Delete the protocol to change it.`,
    );
  }
}
