/**
 * Maps the secrets of a client between a file and the settings (decision 0079). Pure.
 *
 * | element of oAuthAppDO | member of the client's settings |
 * | --- | --- |
 * | oauthConsumerSecret, oauthConsumerSecretExpiryTime | the latest secret: clientSecret, clientSecretExpiresAt |
 * | additionalOauthConsumerSecrets/additionalOauthConsumerSecret: secretValue, expiryTime | additionalClientSecrets, the newest first |
 *
 * Times are milliseconds in a file and seconds in the settings; an absent one means never.
 */

import { Fault } from "../../kernel/faults.ts";
import * as z from "../../kernel/zod.ts";
import {
  type ClientSecret,
  isExpired,
  newSecret,
  type StoredSecrets,
  secretsOf,
  secretWithText,
  storedSecrets,
} from "../protocols/client-secrets.ts";
import { CLIENT_SECRETS_CEILING } from "../protocols/limits.ts";
import type { OidcClient } from "../protocols/model.ts";
import { type ClientSupport, checkChosenSecret } from "../protocols/oidc.ts";
import { all, at, type Codec, field, filled, type Json, listed, type Part, put, seconds } from "./parts.ts";
import { refuseFile } from "./read-xml.ts";
import { childrenOf, element, find } from "./tree.ts";

const LIST = "additionalOauthConsumerSecrets";
const ITEM = "additionalOauthConsumerSecret";
const MEMBER = "additionalClientSecrets";
const MS = 1_000;

/** A time in milliseconds, which is a time in seconds here. What is less than a second is long past, not never. */
const expiry: Codec = {
  is: "number",
  read(given, name) {
    const ms = seconds.read(given, name) as number | undefined;
    return ms === undefined || ms === 0 ? undefined : Math.max(1, Math.floor(ms / MS));
  },
  write: (value) => (value === undefined || value === 0 ? undefined : String(Number(value) * MS)),
};

const itemParts = all(field("secretValue", "secretValue", filled()), field("expiryTime", "expiresAt", expiry));

const additional: Part = {
  declares: listed(LIST, ITEM, { is: "group", inside: itemParts.declares }),
  read(parent) {
    const list = find(parent, LIST);
    const items = list ? childrenOf(list, ITEM).map((item) => itemParts.read(item)) : [];
    return items.length > 0 ? put([MEMBER], items) : {};
  },
  write(settings) {
    const items = (at(settings, [MEMBER]) ?? []) as readonly Json[];
    return items.length > 0
      ? [
          element(
            LIST,
            items.map((item) => element(ITEM, itemParts.write(item))),
          ),
        ]
      : [];
  },
};

/** The latest secret and its expiry. */
export const latestSecretParts: Part = all(
  field("oauthConsumerSecret", "clientSecret", filled()),
  field("oauthConsumerSecretExpiryTime", "clientSecretExpiresAt", expiry),
);

/** The other secrets. */
export const additionalSecretParts: Part = additional;

/** The format has no element for it: it is among the exact settings. */
const description = z
  .string()
  .max(255)
  .regex(/^\P{Cc}*$/u)
  .optional();

/** The members of a file that the body of a client does not have, or allows other values of. */
export const fileSecrets = {
  clientSecretExpiresAt: z.int().min(0).optional(),
  clientSecretDescription: description,
  [MEMBER]: z
    .array(
      z.object({
        secretValue: z.string().min(1).max(1_024),
        expiresAt: z.int().min(0).optional(),
        description,
      }),
    )
    .max(CLIENT_SECRETS_CEILING)
    .optional(),
} as const;

/** The secrets in the settings of a file. */
interface FileSecrets {
  readonly clientSecret?: string | undefined;
  readonly clientSecretExpiresAt?: number | undefined;
  readonly clientSecretDescription?: string | undefined;
  readonly additionalClientSecrets?: readonly FileSecret[] | undefined;
}

/** A secret of a file. */
interface FileSecret {
  readonly secretValue: string;
  readonly expiresAt?: number | undefined;
  readonly description?: string | undefined;
}

/** What an import needs besides the secrets. */
interface ImportedClient {
  readonly clientId: string | undefined;
  readonly owner: string;
  readonly support: ClientSupport;
}

/** The secrets of a client in the settings of a file; none where `open` does not open them. */
export function fileSecretsOf(client: OidcClient, open: (sealed: string) => string | undefined): FileSecrets {
  const [latest, ...former] = secretsOf(client);
  const clientSecret = open(latest.sealedSecret);
  if (clientSecret === undefined) return {};
  const additionalClientSecrets = former.flatMap((secret) => {
    const secretValue = open(secret.sealedSecret);
    const { expiresAtSeconds: expiresAt, description: about } = secret;
    return secretValue === undefined ? [] : [{ secretValue, expiresAt, description: about }];
  });
  return {
    clientSecret,
    clientSecretExpiresAt: latest.expiresAtSeconds,
    clientSecretDescription: latest.description,
    ...(additionalClientSecrets.length > 0 && { additionalClientSecrets }),
  };
}

/**
 * The secrets of an imported client, expired ones too. A file without secrets keeps those of the former client, if
 * there is one; otherwise those of the file replace them, and the ones that are equal keep what they are known by.
 * Throws `application.invalid`, `client.invalid` and `client.secrets_full`.
 */
export function importedSecrets(
  given: FileSecrets,
  former: OidcClient | undefined,
  target: ImportedClient,
): StoredSecrets | undefined {
  const { clientSecret, additionalClientSecrets = [] } = given;
  if (clientSecret === undefined) {
    if (additionalClientSecrets.length > 0) {
      throw refuseFile(`${LIST}: the file lacks oauthConsumerSecret, the latest secret. Add it, or remove the list.`);
    }
    return former && storedSecrets(secretsOf(former));
  }
  const existing = former ? secretsOf(former) : [];
  const items = [
    {
      secretValue: clientSecret,
      expiresAt: given.clientSecretExpiresAt,
      description: given.clientSecretDescription,
    },
    ...additionalClientSecrets,
  ];
  if (new Set(items.map(({ secretValue }) => secretValue)).size < items.length) {
    throw refuseFile(`${LIST}: a secret of the client is there twice.`);
  }
  const secrets = items.map((item) => imported(item, existing, target));
  const isFurther = secrets.some(({ sealedSecret }) => !existing.some((each) => each.sealedSecret === sealedSecret));
  const { clientSecretsMax } = target.support.limits;
  const nowMs = target.support.clock.now();
  const valid = secrets.filter((secret) => !isExpired(secret, nowMs)).length;
  if (isFurther && (valid > clientSecretsMax || secrets.length > CLIENT_SECRETS_CEILING)) {
    throw new Fault(
      "client.secrets_full",
      `The file has ${secrets.length} secrets of the client, ${valid} of which have not expired. The max_client_secrets of this server is ${clientSecretsMax}, and with expired ones there can be ${CLIENT_SECRETS_CEILING}. Remove some of additionalOauthConsumerSecrets.`,
    );
  }
  const [latest, ...others] = secrets;
  return latest && storedSecrets([latest, ...others]);
}

/** One secret. Sealing the same text again gives another one, which would look like a new secret and end tokens. */
function imported(
  { secretValue: text, expiresAt: expiresAtSeconds, description: about }: FileSecret,
  existing: readonly ClientSecret[],
  { clientId, owner, support: { seal, limits, clock } }: ImportedClient,
): ClientSecret {
  const same = secretWithText(existing, text, seal, owner);
  if (!same) {
    checkChosenSecret(text, clientId, limits);
    const createdAtSeconds = Math.floor(clock.now() / MS);
    return newSecret({ text, expiresAtSeconds, createdAtSeconds, description: about }, seal, owner);
  }
  const { expiresAtSeconds: _, ...kept } = same;
  return {
    ...kept,
    ...(expiresAtSeconds !== undefined && expiresAtSeconds > 0 && { expiresAtSeconds }),
    ...(about !== undefined && { description: about }),
  };
}
