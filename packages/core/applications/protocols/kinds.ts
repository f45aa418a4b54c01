/**
 * What the rest must know about the standard protocols: their names in paths, bodies and lists, and the key by which an
 * application is found through them. Another protocol is one more row here, its shapes, its operations and their handlers.
 */
import { Fault } from "../../platform/faults.ts";
import type { InboundProtocols } from "./model.ts";

/** The kinds of keys that belong to one application at a time. */
export type KeyKind = "OIDC" | "SAML" | "STS" | "WSTRUST";

/** A key that an application claims through one of its protocols. */
export interface InboundKey {
  readonly kind: KeyKind;
  readonly value: string;
  /** The fault when another application has it. */
  readonly taken: (tenant: string) => Fault;
}

/** One standard protocol. */
export interface ProtocolKind<Name extends keyof InboundProtocols = keyof InboundProtocols> {
  /** The member of `inboundProtocolConfiguration`. */
  readonly member: Name;
  /** The last segment of its path. */
  readonly segment: string;
  /** `type` in an application's list of protocols. */
  readonly type: string;
  readonly keyOf: (settings: NonNullable<InboundProtocols[Name]>) => InboundKey;
}

export const protocolKinds = {
  saml: kind({
    member: "saml",
    segment: "saml",
    type: "samlsso",
    keyOf: (saml) => ({
      kind: "SAML",
      value: samlKey(saml),
      taken: (tenant) =>
        new Fault(
          "saml.issuer_taken",
          `An application with the SAML issuer: ${saml.issuer} already exists in tenantDomain: ${tenant}`,
        ),
    }),
  }),
  oidc: kind({
    member: "oidc",
    segment: "oidc",
    type: "oauth2",
    keyOf: ({ clientId }) => ({
      kind: "OIDC",
      value: clientId,
      taken: () => clientTaken(`Error when adding the application. A client with the id ${clientId} already exists.`),
    }),
  }),
  passiveSts: kind({
    member: "passiveSts",
    segment: "passive-sts",
    type: "passivests",
    keyOf: ({ realm }) => ({ kind: "STS", value: realm, taken: () => inUse(realm, "passivests") }),
  }),
  wsTrust: kind({
    member: "wsTrust",
    segment: "ws-trust",
    type: "wstrust",
    keyOf: ({ audience }) => ({ kind: "WSTRUST", value: audience, taken: () => inUse(audience, "wstrust") }),
  }),
} as const;

/** One row of an application's list of protocols. */
export interface ProtocolRef {
  readonly type: string;
  readonly name: string;
  readonly self: string;
}

/** The key under which a SAML issuer is unique: a qualifier makes another service provider of the same issuer. */
export function samlKey({ issuer, serviceProviderQualifier }: NonNullable<InboundProtocols["saml"]>): string {
  return serviceProviderQualifier ? `${issuer}:urn:sp:qualifier:${serviceProviderQualifier}` : issuer;
}

/** The fault of a client whose id, or whose application's name, belongs to another. */
export function clientTaken(description: string): Fault {
  return new Fault("client.taken", description);
}

/** The keys that an application claims through all its protocols. */
export function keysOf({ saml, oidc, passiveSts, wsTrust }: InboundProtocols): readonly InboundKey[] {
  return [
    ...(saml ? [protocolKinds.saml.keyOf(saml)] : []),
    ...(oidc ? [protocolKinds.oidc.keyOf(oidc)] : []),
    ...(passiveSts ? [protocolKinds.passiveSts.keyOf(passiveSts)] : []),
    ...(wsTrust ? [protocolKinds.wsTrust.keyOf(wsTrust)] : []),
  ];
}

/** The protocols without entries of a file that say nothing more: those of these types, or of protocols that are configured. */
export function withoutOthers(inbound: InboundProtocols, ...types: readonly string[]): InboundProtocols {
  const settled = new Set([...types, ...configuredTypes(inbound)]);
  const { others = [], ...rest } = inbound;
  const left = others.filter(({ type }) => !settled.has(type));
  if (left.length === others.length) return inbound;
  return left.length > 0 ? { ...rest, others: left } : rest;
}

/** What an application's protocols are called and where they lie, given the application's own path. */
export function protocolRefs(inbound: InboundProtocols, applicationPath: string): ProtocolRef[] {
  const segmentOf = (name: string): string =>
    Object.values(protocolKinds).find(({ type }) => type === name)?.segment ??
    encodeURIComponent(name).replaceAll("%20", "+");
  const types = new Set([...configuredTypes(inbound), ...(inbound.others ?? []).map(({ type }) => type)]);
  return [...types].map((type) => ({
    type,
    name: type,
    self: `${applicationPath}/inbound-protocols/${segmentOf(type)}`,
  }));
}

/** The types of the protocols that an application is configured for. */
function configuredTypes(inbound: InboundProtocols): readonly string[] {
  return [
    ...Object.values(protocolKinds)
      .filter(({ member }) => inbound[member] !== undefined)
      .map(({ type }) => type),
    ...Object.keys(inbound.custom ?? {}),
  ];
}

/** Keeps the tie between a member and what it holds. */
function kind<Name extends keyof InboundProtocols>(declaration: ProtocolKind<Name>): ProtocolKind<Name> {
  return declaration;
}

function inUse(value: string, type: string): Fault {
  return new Fault(
    "application.key_taken",
    `Inbound key: '${value}' of inbound auth type: '${type}' is already configured for another application.`,
  );
}
