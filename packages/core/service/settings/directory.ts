/** The keys of a `[[user_store]]` of the kind `ldap`. */

import {
  DEFAULT_TENANT,
  type DirectorySettings,
  defaultAttributes,
  listAttributes,
  singleAttributes,
} from "../../directory/ldap/model.ts";
import * as z from "../../kernel/zod.ts";
import { hint, isTable, pem } from "./shared.ts";

const TEXT_MAX = 1_000;
const PEM_MAX = 65_536;
const LIST_MAX = 20;

/** The name of an attribute or an object class (RFC 4512 section 1.4), without options. */
const Descriptor = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, "must be the name of an attribute or class: a letter, then letters, digits and -");

/** Only the format is checked: the directory is not read at the start. */
const DistinguishedName = z
  .string()
  .trim()
  .max(TEXT_MAX)
  .regex(/^[A-Za-z0-9.-]+ *=[^=].*$/s, "must be a distinguished name such as ou=people,dc=example,dc=com")
  .refine((text) => !/\p{Cc}/u.test(text), "must not contain control characters");

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
      error: "must be ldaps://host[:port] or ldap://host[:port]",
    },
  );

const mappable = [...singleAttributes, ...listAttributes];

const Attributes = z
  .custom<Readonly<Record<string, string>>>(isTable, "must be a table")
  .superRefine((map, context) => {
    for (const [name, attribute] of Object.entries(map)) {
      const message = attributeFault(name, attribute);
      if (message !== undefined) context.addIssue({ code: "custom", message, continue: false });
    }
  });

/** The keys, besides those of every user store. */
export const directoryKeys = {
  tenant: z.string().trim().toLowerCase().min(1).max(255).default(DEFAULT_TENANT),
  url: Url,
  start_tls: z.boolean().default(false),
  ca_certificate: pem(PEM_MAX).optional(),
  bind_dn: DistinguishedName,
  password_env: z
    .string()
    .max(100)
    // No variable of the service itself matches.
    .regex(
      /^(?!ADMIN_)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_PASSWORD$/,
      "must be the name of an environment variable in capitals with _PASSWORD at its end",
    ),
  base_dn: DistinguishedName,
  user_object_classes: z.array(Descriptor).min(1).max(LIST_MAX).default(["inetOrgPerson"]),
  username_attribute: Descriptor.default("uid"),
  id_attribute: Descriptor.default("entryUUID"),
  attributes: Attributes.default({}),
  password_write: z.enum(["modify-password", "attribute"]).default("modify-password"),
  // A sign-in needs three operations in sequence, and the authorizer has 10 seconds in all.
  connect_timeout_ms: milliseconds(1_500),
  timeout_ms: milliseconds(2_500),
  page_size: z.int().min(1).max(1_000).default(500),
  read_only: z.boolean().default(false),
} as const;

type Declared = z.output<z.ZodObject<typeof directoryKeys>>;

/** Hosts whose traffic does not leave the machine. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/** Contradictions between the keys, each with the key to change. */
export function* directoryFaults(store: Declared): Generator<readonly [keyof Declared, string], void> {
  const { protocol, hostname } = new URL(store.url);
  const isTls = protocol === "ldaps:";
  if (isTls && store.start_tls)
    yield ["start_tls", "is for ldap:// only; delete it, because ldaps:// is encrypted already"];
  // Node does not normalise the host of an ldap: URL.
  if (!isTls && !store.start_tls && !LOOPBACK.test(hostname)) {
    yield ["url", "would send passwords unencrypted; use ldaps://, or set start_tls = true"];
  }
  if (!isTls && !store.start_tls && store.ca_certificate !== undefined) {
    yield ["ca_certificate", "needs an encrypted connection; set start_tls = true, or delete it"];
  }
  const reserved = [store.username_attribute, store.id_attribute, "userPassword", "objectClass"];
  const seen = new Set(reserved.map((name) => name.toLowerCase()));
  for (const [name, attribute] of Object.entries(attributesOf(store))) {
    if (seen.has(attribute.toLowerCase())) {
      yield ["attributes", `"${name}" must not be ${attribute}, which has another use`];
    }
    seen.add(attribute.toLowerCase());
  }
}

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

/** The default attributes, replaced or removed by those of the deployment. */
function attributesOf({ attributes }: Declared): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries({ ...defaultAttributes, ...attributes }).filter(([, name]) => name !== ""));
}

function attributeFault(name: string, attribute: unknown): string | undefined {
  if (!mappable.includes(name)) {
    return `"${name.slice(0, 100)}" is not an attribute that a directory can hold (${hint(name, mappable)})`;
  }
  if (attribute === "" || Descriptor.safeParse(attribute).success) return undefined;
  return `"${name}" must be the name of an attribute, or "" for none`;
}

function milliseconds(fallback: number) {
  return z.int().min(100).max(3_000).default(fallback);
}
