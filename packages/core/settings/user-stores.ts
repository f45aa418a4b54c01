/** The section `[[user_store]]` of deployment.toml: the user stores beside PRIMARY, which is always there. */
import * as z from "zod";
import { isReservedStore, PRIMARY, STORE_NAME } from "../domain/username.ts";
import type { DirectorySettings } from "../ldap/model.ts";
import { directoryFaults, directoryKeys, directoryOf } from "./directory.ts";
import { nearest } from "./nearest.ts";
import { isTable, table } from "./table.ts";

/** A user store beside PRIMARY. */
export interface SecondaryStore {
  /** In upper case: what stands before the slash of its users' names. */
  readonly domain: string;
  readonly description: string;
  /** Where its users are kept; `undefined`: in the table. */
  readonly directory: DirectorySettings | undefined;
}

const STORES_MAX = 20;
const TEXT_MAX = 1_000;

const kinds: readonly string[] = ["dynamodb", "ldap"];

const Domain = z
  .string()
  .max(TEXT_MAX)
  .superRefine((domain, context) => {
    const message = domainFault(domain);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .transform((domain) => domain.toUpperCase());

const common = { domain: Domain, description: z.string().trim().max(TEXT_MAX).default("") };

const shapes = {
  dynamodb: table({ ...common, kind: z.literal("dynamodb") }),
  ldap: table({ ...common, kind: z.literal("ldap"), ...directoryKeys }).superRefine((store, context) => {
    for (const [key, message] of directoryFaults(store)) context.addIssue({ code: "custom", path: [key], message });
  }),
} as const;

type Given = Readonly<Record<string, unknown>>;

const Store = z.custom<Given>(isTable, "expected a table").transform((given, context): SecondaryStore => {
  const faults = [...faultsOf(given)];
  for (const [key, message] of faults) context.addIssue({ code: "custom", path: [key], message });
  if (faults.length > 0) return z.NEVER;
  const parsed = shapes[given.kind === "ldap" ? "ldap" : "dynamodb"].safeParse(given, { reportInput: true });
  if (parsed.success) {
    const { domain, description, ...store } = parsed.data;
    return { domain, description, directory: store.kind === "ldap" ? directoryOf({ domain, ...store }) : undefined };
  }
  for (const { path, message, code, input } of parsed.error.issues) {
    const isMissing = code === "invalid_type" && input === undefined;
    context.addIssue({ code: "custom", path: [...path], message: isMissing ? "is required" : message, input });
  }
  return z.NEVER;
});

/** The declared stores, in the order of the file. */
export const UserStores = z
  .array(Store, {
    error: "expected one or more [[user_store]], each with two brackets at both ends; PRIMARY is not declared",
  })
  .max(STORES_MAX)
  .superRefine((stores, context) => {
    for (const [index, { domain }] of stores.entries()) {
      if (stores.findIndex((other) => other.domain === domain) === index) continue;
      context.addIssue({ code: "custom", path: [index, "domain"], message: `"${domain}" is used twice` });
    }
  })
  .default([]);

/**
 * The names of the user stores of a tenant, in the order in which they are listed: PRIMARY, then those of the table, then
 * directories. A directory is of one tenant; no other can name it.
 */
export type UserStoreNames = (tenant: string | undefined) => readonly string[];

/** Reads who has which user stores. */
export function userStoreNames(declared: readonly SecondaryStore[]): UserStoreNames {
  const inTable = [PRIMARY, ...declared.filter(({ directory }) => !directory).map(({ domain }) => domain)];
  const byTenant = new Map<string, readonly string[]>();
  for (const { domain, directory } of declared) {
    if (directory) byTenant.set(directory.tenant, [...(byTenant.get(directory.tenant) ?? inTable), domain]);
  }
  return (tenant) => byTenant.get(tenant ?? "") ?? inTable;
}

function domainFault(domain: string): string | undefined {
  const name = domain.toUpperCase();
  if (name === PRIMARY) return "PRIMARY is always there and is not declared; name the store otherwise";
  if (isReservedStore(name)) return `"${name}" marks roles and internal things; name the store otherwise`;
  return STORE_NAME.test(name)
    ? undefined
    : "expected up to 50 letters, digits and . _ - only, with a letter or digit at both ends";
}

/** What is wrong with a store before its keys are looked at, by the key to change. */
function* faultsOf(given: Given): Generator<readonly [string, string], void> {
  const { kind } = given;
  if (kind === undefined) yield ["kind", "is required"];
  else if (kind !== "dynamodb" && kind !== "ldap") yield ["kind", kindFault(kind)];
  if (kind !== "dynamodb") return;
  // Told as what they are: as unknown keys they would look like slips.
  for (const key of Object.keys(given).filter((each) => Object.hasOwn(directoryKeys, each))) {
    yield [key, 'is a key of kind = "ldap", and this store is of kind = "dynamodb"'];
  }
}

function kindFault(given: unknown): string {
  const meant = typeof given === "string" ? nearest(given, kinds) : undefined;
  return `expected ${kinds.map((kind) => `"${kind}"`).join(" or ")}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}
