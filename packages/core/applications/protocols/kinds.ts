/**
 * The standard protocols: their names in paths, bodies and lists, and the key that identifies an application in each. A
 * new protocol is one more row here, with its shapes, operations and handlers.
 */
import { Fault } from "../../kernel/faults.ts";
import { casServices } from "./cas.ts";
import type { InboundProtocols } from "./model.ts";

/** The kinds of keys that are unique to one application. */
export type KeyKind = "OIDC" | "SAML" | "STS" | "WSTRUST" | "CAS";

/** A key that an application claims through one of its protocols. */
export interface InboundKey {
  readonly kind: KeyKind;
  readonly value: string;
  /** The fault for a key that another application has. */
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

/** A protocol in the list of an application. */
export interface ProtocolRef {
  readonly type: string;
  readonly name: string;
  readonly self: string;
}

/** The unique key of a SAML service provider: its issuer, with its qualifier if it has one. */
export function samlKey({
  issuer,
  serviceProviderQualifier,
}: Pick<NonNullable<InboundProtocols["saml"]>, "issuer" | "serviceProviderQualifier">): string {
  return serviceProviderQualifier ? `${issuer}:urn:sp:qualifier:${serviceProviderQualifier}` : issuer;
}

/** The fault for a client id, or for the name of a client's application, that is in use. */
export function clientTaken(description: string): Fault {
  return new Fault("client.taken", description);
}

/** The keys of all protocols of an application. */
export function keysOf({ saml, oidc, passiveSts, wsTrust, custom }: InboundProtocols): readonly InboundKey[] {
  return [
    // Two kinds of one application can have one address: it is claimed once.
    ...new Map(
      casServices({ custom }).map(({ kind, claim }): [string, InboundKey] => [
        claim,
        { kind: "CAS", value: claim, taken: () => inUse(claim, kind) },
      ]),
    ).values(),
    ...(saml ? [protocolKinds.saml.keyOf(saml)] : []),
    ...(oidc ? [protocolKinds.oidc.keyOf(oidc)] : []),
    ...(passiveSts ? [protocolKinds.passiveSts.keyOf(passiveSts)] : []),
    ...(wsTrust ? [protocolKinds.wsTrust.keyOf(wsTrust)] : []),
  ];
}

/** Removes `others` entries of the given types, and of types that are configured now. */
export function withoutOthers(inbound: InboundProtocols, ...types: readonly string[]): InboundProtocols {
  const settled = new Set([...types, ...configuredTypes(inbound)]);
  const { others = [], ...rest } = inbound;
  const left = others.filter(({ type }) => !settled.has(type));
  if (left.length === others.length) return inbound;
  return left.length > 0 ? { ...rest, others: left } : rest;
}

/** The list of an application's protocols, given the path of the application. */
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

function configuredTypes(inbound: InboundProtocols): readonly string[] {
  return [
    ...Object.values(protocolKinds)
      .filter(({ member }) => inbound[member] !== undefined)
      .map(({ type }) => type),
    ...Object.keys(inbound.custom ?? {}),
  ];
}

/** Infers the relation between a member and its settings. */
function kind<Name extends keyof InboundProtocols>(declaration: ProtocolKind<Name>): ProtocolKind<Name> {
  return declaration;
}

function inUse(value: string, type: string): Fault {
  return new Fault(
    "application.key_taken",
    `Inbound key: '${value}' of inbound auth type: '${type}' is already configured for another application.`,
  );
}
