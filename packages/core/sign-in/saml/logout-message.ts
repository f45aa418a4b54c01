/** Messages of logout as they are sent (SAML Core 2.0 section 3.7). Pure. */

import { type Canonical, element, text, together } from "../../kernel/canonical-xml.ts";
import type { SamlName } from "../../tokens/logout-model.ts";
import { nameIdFormats } from "../flow/saml/claims.ts";
import { code, enveloped, iso, issuerElement } from "./response.ts";
import type { Signer } from "./sign.ts";
import { status } from "./status.ts";
import { namespaces } from "./tree.ts";

/** How long a logout request counts. */
const LIFE_MS = 5 * 60_000;
const SOAP = "http://schemas.xmlsoap.org/soap/envelope/";

/** What every message of logout has. */
export interface LogoutMessage {
  readonly id: string;
  /** The entity id of this identity provider. */
  readonly issuer: string;
  /** Absent in an answer by SOAP. */
  readonly destination: string | undefined;
  readonly nowMs: number;
}

/** A request to end the session of a user. `signer`: absent where the binding signs. */
export function logoutRequest(
  message: LogoutMessage,
  { format, value, index }: SamlName,
  provider: string,
  signer?: Signer,
): Canonical {
  const isQualified = format === nameIdFormats.persistent || format === nameIdFormats.transient;
  const attributes = {
    "xmlns:saml": namespaces.assertion,
    Format: format,
    ...(isQualified && { NameQualifier: message.issuer, SPNameQualifier: provider }),
  };
  const content = together(
    element("saml:NameID", attributes, text(value)),
    element("samlp:SessionIndex", {}, text(index)),
  );
  const more = { NotOnOrAfter: iso(message.nowMs + LIFE_MS) };
  return messageOf("LogoutRequest", message, more, content, signer);
}

/** The answer to one. `isPartial`: not every other participant of the session has confirmed. */
export function logoutResponse(
  message: LogoutMessage,
  { inResponseTo, isPartial }: { readonly inResponseTo: string; readonly isPartial: boolean },
  signer?: Signer,
): Canonical {
  const said = element("samlp:Status", {}, code(status.success, isPartial ? code(status.partial) : undefined));
  return messageOf("LogoutResponse", message, { InResponseTo: inResponseTo }, said, signer);
}

/** A message in an envelope (SAML Bindings 2.0 section 3.2). */
export function soapOf(message: Canonical): string {
  const body = element("soap:Body", {}, message);
  return `<?xml version="1.0" encoding="UTF-8"?>${element("soap:Envelope", { "xmlns:soap": SOAP }, body)}`;
}

function messageOf(
  name: string,
  { id, issuer, destination, nowMs }: LogoutMessage,
  more: Readonly<Record<string, string>>,
  content: Canonical,
  signer: Signer | undefined,
): Canonical {
  const attributes = {
    "xmlns:samlp": namespaces.protocol,
    Destination: destination,
    ID: id,
    IssueInstant: iso(nowMs),
    Version: "2.0",
    ...more,
  };
  return enveloped(`samlp:${name}`, attributes, issuerElement(issuer, true), content, signer);
}
