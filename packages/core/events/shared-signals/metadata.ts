/** The addresses of the transmitter of a tenant, and its metadata (SSF 1.0 section 7.1). Pure. */
import type * as z from "zod";
import { SUPER_TENANT } from "../../kernel/domain/tenant.ts";
import { issuerAt } from "../../tokens/jwt.ts";
import { POLL, PUSH } from "./model.ts";
import type { TransmitterMetadata } from "./shapes.ts";

/** The transmitter of a tenant. */
export interface Transmitter {
  /** The issuer of the tenant's tokens and events. */
  readonly issuer: string;
  /** The start of the addresses of its streams, without a slash at the end. */
  readonly base: string;
}

export function transmitterOf(tenant: string, origin: string): Transmitter {
  return {
    issuer: issuerAt(origin).issuerOf(tenant),
    base: `${origin}${tenant === SUPER_TENANT ? "" : `/t/${tenant}`}/ssf`,
  };
}

export function transmitterMetadata(tenant: string, origin: string): z.input<typeof TransmitterMetadata> {
  const { issuer, base } = transmitterOf(tenant, origin);
  return {
    spec_version: "1_0",
    issuer,
    jwks_uri: `${base}/jwks`,
    delivery_methods_supported: [PUSH, POLL],
    configuration_endpoint: `${base}/streams`,
    status_endpoint: `${base}/status`,
    add_subject_endpoint: `${base}/subjects/add`,
    remove_subject_endpoint: `${base}/subjects/remove`,
    verification_endpoint: `${base}/verification`,
    authorization_schemes: [{ spec_urn: "urn:ietf:rfc:6749" }],
    default_subjects: "ALL",
  };
}
