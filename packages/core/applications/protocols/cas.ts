/** The settings of an application that is a service of CAS. Pure. */
import { Fault } from "../../kernel/faults.ts";
import { problemOfLifetime, type Release, releases, TICKET_SECONDS } from "./cas-kind.ts";
import type { CustomSettings, InboundProtocols } from "./model.ts";
import { readServicePattern, readServiceUrl } from "./service-urls.ts";

/** What an application says about its services. */
export interface CasService {
  /** The name of the kind. */
  readonly kind: string;
  /** The services: see service-urls.ts. */
  readonly claim: string;
  /** Where it is told that a session has ended; absent for the service itself. */
  readonly logoutUrl?: string | undefined;
  readonly attributeRelease: Release;
  readonly allowsProxyTickets: boolean;
  readonly ticketSeconds: number;
}

/** Checks a property of an application. Throws `application.invalid`. */
export function checkCasProperty(name: string, value: string): void {
  const problem = problemOf(name, value);
  if (problem !== undefined) throw new Fault("application.invalid", `The property '${name}' ${problem}.`);
}

function problemOf(name: string, value: string): string | undefined {
  if (name === "serviceURL") {
    const read = readServicePattern(value);
    return "problem" in read ? read.problem : undefined;
  }
  if (name === "logoutURL") {
    const read = readServiceUrl(value);
    return "problem" in read ? read.problem : undefined;
  }
  return name === "serviceTicketLifetime" ? problemOfLifetime(value) : undefined;
}

/** The CAS settings of an application, of one kind or of any; `undefined` where it has none. */
export function casOf({ custom = {} }: Pick<InboundProtocols, "custom">, kind?: string): CasService | undefined {
  return casServices({ custom }).find((each) => kind === undefined || each.kind === kind);
}

/** The same of all kinds: a deployment can have given its kind another name. */
export function casServices({ custom = {} }: Pick<InboundProtocols, "custom">): readonly CasService[] {
  return Object.values(custom).flatMap((each) => serviceOf(each) ?? []);
}

function serviceOf({ name, engine, properties: stored }: CustomSettings): CasService | undefined {
  const settingOf = (key: string) => stored.find((each) => each.key === key)?.value;
  const read = readServicePattern(settingOf("serviceURL") ?? "");
  if (engine !== "cas" || "problem" in read) return undefined;
  const release = settingOf("attributeRelease");
  return {
    kind: name,
    claim: read.claim,
    logoutUrl: settingOf("logoutURL"),
    attributeRelease: releases.find((each) => each === release) ?? "requested",
    allowsProxyTickets: settingOf("allowProxyTickets") === "true",
    ticketSeconds: Number(settingOf("serviceTicketLifetime") ?? TICKET_SECONDS),
  };
}
