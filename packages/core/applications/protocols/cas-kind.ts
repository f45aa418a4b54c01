/**
 * The engine of CAS, as a declaration in deployment.toml names it: its properties have fixed names and types, and the
 * declaration says which of them there are, with their defaults. Pure.
 */
import type { CustomProperty } from "./custom-kind.ts";

/** Which claims an application gets. */
export const releases = ["none", "requested", "all"] as const;
export type Release = (typeof releases)[number];

/** How long a ticket counts where the declaration has no such property. */
export const TICKET_SECONDS = 10;
const TICKET_SECONDS_MAX = 300;

/** The properties, each with its type. */
const properties: ReadonlyMap<string, CustomProperty["type"]> = new Map([
  ["serviceURL", "STRING"],
  ["logoutURL", "STRING"],
  ["attributeRelease", "STRING"],
  ["allowProxyTickets", "BOOLEAN"],
  ["serviceTicketLifetime", "INTEGER"],
]);

/** Their names. */
export const casProperties: readonly string[] = [...properties.keys()];

type Declared = Pick<
  CustomProperty,
  "name" | "type" | "required" | "availableValues" | "defaultValue" | "isConfidential"
>;

/** Why a declaration cannot be one of CAS; `undefined` where it can. */
export function problemOfCasKind(declared: readonly Declared[]): string | undefined {
  const named = (name: string) => declared.find((each) => each.name === name);
  const unknown = declared.find(({ name }) => !properties.has(name));
  if (unknown) return `has no property "${unknown.name}" that it knows; it knows ${casProperties.join(", ")}`;
  const wrong = declared.find(({ name, type }) => properties.get(name) !== type);
  if (wrong) return `needs the property "${wrong.name}" to be of type ${properties.get(wrong.name)}`;
  const sealed = declared.find(({ isConfidential }) => isConfidential);
  if (sealed) return `needs the property "${sealed.name}" not to be confidential`;
  if (!named("serviceURL")?.required) return 'needs a required property "serviceURL"';
  const { availableValues } = named("attributeRelease") ?? { availableValues: [...releases] };
  const known: readonly string[] = releases;
  if (availableValues.length === 0 || !availableValues.every((each) => known.includes(each))) {
    return `needs the available_values of "attributeRelease" to be among ${releases.join(", ")}`;
  }
  const lifetime = named("serviceTicketLifetime")?.defaultValue;
  const problem = lifetime === undefined ? undefined : problemOfLifetime(lifetime);
  return problem && `has a default_value of "serviceTicketLifetime" that ${problem}`;
}

/** What is wrong with a number of seconds: the end of a sentence. */
export function problemOfLifetime(value: string): string | undefined {
  const seconds = Number(value);
  return seconds >= 1 && seconds <= TICKET_SECONDS_MAX ? undefined : `must be from 1 to ${TICKET_SECONDS_MAX}`;
}
