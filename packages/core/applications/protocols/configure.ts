/** From the protocols of a body to the settings of an application. */
import type * as z from "zod";
import { Fault } from "../../platform/faults.ts";
import type { Exempt } from "../../platform/public-fetch.ts";
import type { ClientSecretsShownTo } from "./contract-secrets.ts";
import { customKindOf, customSettings } from "./custom.ts";
import type { CustomProtocolKind } from "./custom-kind.ts";
import { type InboundProtocols, ownerOf } from "./model.ts";
import { type ClientSupport, checkOidc, oidcClient } from "./oidc.ts";
import { readSaml, samlServiceProvider } from "./saml.ts";
import type { InboundProtocolsBody, PassiveStsBody, WsTrustBody } from "./shapes.ts";
import { isRunnable } from "./urls.ts";

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
  checkReplies(body);
  return body;
}

function checkReplies({ replyTo, replyToLogout = "" }: z.output<typeof PassiveStsBody>): void {
  const wrong = [replyTo, replyToLogout].find(isRunnable);
  if (wrong !== undefined) {
    throw new Fault("application.invalid", `The address '${wrong.slice(0, 100)}' has a scheme that is not allowed.`);
  }
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
  const { seal, customKinds, metadataExempt } = support;
  const owner = ownerOf(tenant, applicationId);
  const custom: Record<string, NonNullable<InboundProtocols["custom"]>[string]> = {};
  for (const each of body.custom ?? []) {
    const kind = customKindOf(each.name, customKinds);
    if (custom[kind.name]) throw new Fault("application.invalid", `The protocol '${kind.name}' is given twice.`);
    custom[kind.name] = (await customSettings(kind, each, seal, owner))(undefined);
  }
  if (body.oidc) await checkOidc(body.oidc, support.limits);
  const saml = body.saml && (await readSaml(body.saml, tenant, metadataExempt));
  return {
    inbound: {
      ...(body.oidc && { oidc: oidcClient(body.oidc, undefined, support, owner) }),
      ...(saml && { saml: samlServiceProvider(saml.manual, undefined) }),
      ...(body.passiveSts && { passiveSts: passiveSts(body.passiveSts, undefined) }),
      ...(body.wsTrust && { wsTrust: body.wsTrust }),
      ...(Object.keys(custom).length > 0 && { custom }),
    },
    ...(saml?.certificate !== undefined && { certificate: saml.certificate }),
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
