/** What all messages of service providers have in common: who sends them, and what counts of them. */
import type { KeyObject } from "node:crypto";
import { samlKey } from "../../applications/protocols/kinds.ts";
import { findInbound } from "../../applications/registry/inbound-store.ts";
import type { Application } from "../../applications/registry/model.ts";
import { Fault } from "../../kernel/faults.ts";
import { type SamlContext, tenantOf } from "./context.ts";
import type { Binding } from "./message.ts";
import { checkMessage, checkRedirect, type MessageParameter } from "./request-signature.ts";
import { readTree, type XmlNode } from "./tree.ts";

/** The parameters of a message (SAML Bindings 2.0 sections 3.4.3 and 3.5.3), and those of WSO2 Identity Server. */
export interface SamlParameters {
  readonly SAMLRequest?: string | undefined;
  readonly SAMLResponse?: string | undefined;
  readonly SAMLEncoding?: string | undefined;
  readonly RelayState?: string | undefined;
  readonly spEntityID?: string | undefined;
  readonly spQualifier?: string | undefined;
  readonly acs?: string | undefined;
  readonly slo?: string | undefined;
  readonly returnTo?: string | undefined;
}

/** The headers of pages. */
export interface Headers {
  readonly "accept-language"?: string | undefined;
}

/** A message as it came, before it is verified. */
export interface Message {
  readonly parameter: MessageParameter;
  readonly xml: string;
  readonly root: XmlNode;
}

/**
 * The application of a service provider, whether or not people can sign in to it. Two round trips. Throws
 * `request.invalid` where there is none.
 */
export async function providerOf(
  issuer: string,
  { spQualifier }: Pick<SamlParameters, "spQualifier">,
  context: SamlContext,
): Promise<Application> {
  const tenant = tenantOf(context);
  const key = samlKey({ issuer, serviceProviderQualifier: spQualifier });
  const [id, owner] = await Promise.all([
    findInbound(context.table, tenant, "SAML", key),
    context.tenants.find(tenant),
  ]);
  const application = id === undefined ? undefined : await context.applications.find(tenant, id);
  const saml = application?.inbound.saml;
  if (!owner?.active || !saml || samlKey(saml) !== key) throw unknownProvider();
  return application;
}

/** What counts of a message: all of it without keys, and what the signature covers with them. */
export async function verifiedRoot(
  { parameter, xml, root }: Message,
  binding: Binding,
  keys: readonly KeyObject[] | undefined,
  { rawQuery }: Pick<SamlContext, "rawQuery">,
): Promise<XmlNode> {
  if (!keys) return root;
  if (binding !== "HTTP_REDIRECT") return readTree(await checkMessage(xml, keys));
  checkRedirect(rawQuery, parameter, keys);
  return root;
}

/** What is thrown where no application has the issuer of a message. */
export function unknownProvider(): Fault {
  return new Fault("request.invalid", "There is no application here with the issuer of the request.");
}
