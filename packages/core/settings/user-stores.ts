/** The section `[[user_store]]` of deployment.toml: the user stores beside PRIMARY, which is always there. */
import * as z from "zod";
import { isReservedStore, PRIMARY, STORE_NAME } from "../users/username.ts";
import { nearest } from "./nearest.ts";
import { table } from "./table.ts";

/** A user store beside PRIMARY. */
export interface SecondaryStore {
  /** In upper case: what stands before the slash of its users' names. */
  readonly domain: string;
  /** Where its users are kept. */
  readonly kind: "dynamodb";
  readonly description: string;
}

const STORES_MAX = 20;
const TEXT_MAX = 1_000;

const kinds: readonly string[] = ["dynamodb"];

const domainFault = (domain: string): string | undefined => {
  const name = domain.toUpperCase();
  if (name === PRIMARY) return "PRIMARY is always there and is not declared; name the store otherwise";
  if (isReservedStore(name)) return `"${name}" marks roles and internal things; name the store otherwise`;
  return STORE_NAME.test(name)
    ? undefined
    : "expected up to 50 letters, digits and . _ - only, with a letter or digit at both ends";
};

const Domain = z
  .string()
  .max(TEXT_MAX)
  .superRefine((domain, context) => {
    const message = domainFault(domain);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  })
  .transform((domain) => domain.toUpperCase());

const kindFault = (given: unknown): string => {
  const meant = typeof given === "string" ? nearest(given, kinds) : undefined;
  return `expected ${kinds.map((kind) => `"${kind}"`).join(" or ")}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
};

const Store = table({
  domain: Domain,
  kind: z.literal("dynamodb", { error: ({ input }) => (input === undefined ? "is required" : kindFault(input)) }),
  description: z.string().trim().max(TEXT_MAX).default(""),
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

/** The names of all user stores, PRIMARY first, in the order in which they are listed. */
export const userStoreNames = (declared: readonly Pick<SecondaryStore, "domain">[]): readonly string[] => [
  PRIMARY,
  ...declared.map(({ domain }) => domain),
];
