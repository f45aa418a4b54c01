/** The keys of a `[[user_store]]` of the kind `ldap`. */
import { X509Certificate } from "node:crypto";
import * as z from "zod";
import {
  DEFAULT_TENANT,
  type DirectorySettings,
  defaultAttributes,
  listAttributes,
  singleAttributes,
} from "../ldap/model.ts";
import { nearest } from "./nearest.ts";
import { isTable } from "./table.ts";

const TEXT_MAX = 1_000;
const PEM_MAX = 65_536;
const LIST_MAX = 20;

/** The name of an attribute or of an object class (RFC 4512 section 1.4): a word, never an option and never an expression. */
const Descriptor = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, "expected the name of an attribute or class: letters, digits and - only");

/** Checked by its form alone: the directory says whether it is there. */
const DistinguishedName = z
  .string()
  .trim()
  .max(TEXT_MAX)
  .regex(/^[A-Za-z0-9.-]+ *=[^=].*$/s, "expected a distinguished name such as ou=people,dc=example,dc=com")
  .refine((text) => !/\p{Cc}/u.test(text), "holds a control character");

const Url = z
  .string()
  .max(TEXT_MAX)
  .refine(
    (text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
      const isBare = username === "" && password === "" && ["", "/"].includes(pathname) && search === "" && hash === "";
      return (protocol === "ldaps:" || protocol === "ldap:") && hostname !== "" && isBare;
    },
    {
      abort: true,
      error: "expected ldaps://host or ldap://host, with a port where it is not 636 or 389, and nothing behind it",
    },
  );

const mappable = [...singleAttributes, ...listAttributes];

const Attributes = z
  .custom<Readonly<Record<string, string>>>(isTable, "expected a table")
  .superRefine((map, context) => {
    for (const [name, attribute] of Object.entries(map)) {
      const message = attributeFault(name, attribute);
      if (message !== undefined) context.addIssue({ code: "custom", message, continue: false });
    }
  });

/** The keys, beside those that every user store has. */
export const directoryKeys = {
  tenant: z.string().trim().toLowerCase().min(1).max(255).default(DEFAULT_TENANT),
  url: Url,
  start_tls: z.boolean().default(false),
  ca_certificate: z
    .string()
    .max(PEM_MAX)
    .refine((text) => !certificateFault(text), "expected a certificate in PEM")
    .optional(),
  bind_dn: DistinguishedName,
  password_env: z
    .string()
    .max(100)
    // Apart from the variables that the service has for itself.
    .regex(
      /^(?!ADMIN_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_PASSWORD$/,
      "expected the name of an environment variable such as DIRECTORY_PASSWORD, in capitals, with _PASSWORD at its end",
    ),
  base_dn: DistinguishedName,
  user_object_classes: z.array(Descriptor).min(1).max(LIST_MAX).default(["inetOrgPerson"]),
  username_attribute: Descriptor.default("uid"),
  id_attribute: Descriptor.default("entryUUID"),
  attributes: Attributes.default({}),
  password_write: z.enum(["modify-password", "attribute"]).default("modify-password"),
  // A sign-in asks three things one after the other, and the authorizer has ten seconds for all it does.
  connect_timeout_ms: milliseconds(100, 3_000, 1_500),
  timeout_ms: milliseconds(100, 3_000, 2_500),
  page_size: z.int().min(1).max(1_000).default(500),
  read_only: z.boolean().default(false),
} as const;

type Declared = z.output<z.ZodObject<typeof directoryKeys>>;

/** The names of this machine, whose traffic nobody else sees. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** What the keys say against each other, by the key to change. */
export function* directoryFaults(store: Declared): Generator<readonly [keyof Declared, string], void> {
  const { protocol, hostname } = new URL(store.url);
  const isTls = protocol === "ldaps:";
  if (isTls && store.start_tls) yield ["start_tls", "is for ldap://; an ldaps:// connection is encrypted already"];
  // Node parses hosts of unknown schemes as they are written.
  if (!isTls && !store.start_tls && !LOOPBACK.test(hostname)) {
    yield ["url", "would send passwords in the clear: use ldaps://, or start_tls = true"];
  }
  if (!isTls && !store.start_tls && store.ca_certificate !== undefined) {
    yield ["ca_certificate", "is for an encrypted connection, which this is not"];
  }
  const taken = [store.username_attribute, store.id_attribute, "userPassword", "objectClass"];
  const seen = new Set(taken.map((name) => name.toLowerCase()));
  for (const [name, attribute] of Object.entries(attributesOf(store))) {
    if (seen.has(attribute.toLowerCase())) {
      yield ["attributes", `"${name}" cannot be ${attribute}, which is something else already`];
    }
    seen.add(attribute.toLowerCase());
  }
}

/** The settings of a directory. */
export function directoryOf(store: Declared & { readonly domain: string }): DirectorySettings {
  return {
    domain: store.domain,
    tenant: store.tenant,
    url: store.url,
    startTls: store.start_tls,
    caCertificate: store.ca_certificate,
    bindDn: store.bind_dn,
    passwordEnv: store.password_env,
    baseDn: store.base_dn,
    objectClasses: store.user_object_classes,
    usernameAttribute: store.username_attribute,
    idAttribute: store.id_attribute,
    attributes: attributesOf(store),
    passwordWrite: store.password_write,
    connectTimeoutMs: store.connect_timeout_ms,
    timeoutMs: store.timeout_ms,
    pageSize: store.page_size,
    isReadOnly: store.read_only,
  };
}

/** The directory's attributes behind SCIM's: the usual ones but for those that the deployment names. */
function attributesOf({ attributes }: Declared): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries({ ...defaultAttributes, ...attributes }).filter(([, name]) => name !== ""));
}

function attributeFault(name: string, attribute: unknown): string | undefined {
  if (!mappable.includes(name)) {
    const meant = nearest(name, mappable);
    const hint = meant === undefined ? `known: ${mappable.join(", ")}` : `did you mean "${meant}"?`;
    return `"${name.slice(0, 100)}" is nothing that a directory can hold (${hint})`;
  }
  if (attribute === "" || Descriptor.safeParse(attribute).success) return undefined;
  return `"${name}": expected the name of an attribute, or "" for none`;
}

function certificateFault(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length === 0;
  } catch {
    // No certificate is the answer, not a failure.
    return true;
  }
}

function milliseconds(least: number, most: number, fallback: number) {
  return z.int().min(least).max(most).default(fallback);
}
