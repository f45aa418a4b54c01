/** The section `[[user_store]]` of deployment.toml: the user stores besides PRIMARY, which always exists. */

import type { DirectorySettings } from "../../directory/ldap/model.ts";
import { isReservedStore, PRIMARY, STORE_NAME } from "../../kernel/domain/username.ts";
import * as z from "../../kernel/zod.ts";
import { directoryFaults, directoryKeys, directoryOf } from "./directory.ts";
import { section } from "./section.ts";
import { isTable, parsing, reasonOf, table } from "./shared.ts";

export interface SecondaryStore {
  /** In upper case. User names of the store begin with it and a slash. */
  readonly domain: string;
  readonly description: string;
  /** `undefined`: the users are stored in the table. */
  readonly directory: DirectorySettings | undefined;
}

const STORES_MAX = 20;
const TEXT_MAX = 1_000;

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
  const parsed = shapes[given.kind === "ldap" ? "ldap" : "dynamodb"].safeParse(given, parsing);
  if (parsed.success) {
    const { domain, description, ...store } = parsed.data;
    return { domain, description, directory: store.kind === "ldap" ? directoryOf({ domain, ...store }) : undefined };
  }
  for (const issue of parsed.error.issues) {
    context.addIssue({ code: "custom", path: [...issue.path], message: reasonOf(issue), input: issue.input });
  }
  return z.NEVER;
});

/** The declared stores, in the order of the file. */
const UserStores = z
  .array(
    z.lazy(() => Store),
    {
      error: "must be written as [[user_store]], with double brackets, for each store except PRIMARY",
    },
  )
  .max(STORES_MAX)
  .superRefine((stores, context) => {
    for (const [index, { domain }] of stores.entries()) {
      if (stores.findIndex((other) => other.domain === domain) === index) continue;
      context.addIssue({ code: "custom", path: [index, "domain"], message: `"${domain}" is used twice; rename one` });
    }
  })
  .default([]);

/** The user stores besides PRIMARY. */
export const userStoreSection = section(
  { user_store: UserStores },
  ({ user_store: userStores }): { readonly userStores: readonly SecondaryStore[] } => ({ userStores }),
);

/**
 * The user stores of a tenant in the order of lists: PRIMARY, other stores of the table, directories. A directory
 * belongs to one tenant and does not exist for others.
 */
export type UserStoreNames = (tenant: string | undefined) => readonly string[];

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
  if (name === PRIMARY) return "PRIMARY always exists; choose another name";
  if (isReservedStore(name)) return `"${name}" is reserved; choose another name`;
  return STORE_NAME.test(name)
    ? undefined
    : "must be up to 50 letters, digits and . _ -, with a letter or digit at both ends";
}

/** Problems with the kind of a store, each with the key to change. */
function* faultsOf(given: Given): Generator<readonly [string, string], void> {
  const { kind } = given;
  if (kind === undefined) yield ["kind", "is required"];
  else if (kind !== "dynamodb" && kind !== "ldap") yield ["kind", 'must be "dynamodb" or "ldap"'];
  if (kind !== "dynamodb") return;
  // A clearer message than "unknown key".
  for (const key of Object.keys(given).filter((each) => Object.hasOwn(directoryKeys, each))) {
    yield [key, 'is for kind = "ldap" only; delete it, or change the kind'];
  }
}
