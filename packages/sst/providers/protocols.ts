/** The inbound protocols of an application, each with settings of its own. */
import { type Api, isFault } from "../../client/client.ts";
import type { ApplicationInputs } from "../declarations.ts";
import { type Change, isObject, type Members, membersOf, merged, type Part, present } from "./declared.ts";

/** The settings of a protocol as the service shows them. */
export interface ProtocolNow {
  readonly body: Members | undefined;
  readonly etag: string | undefined;
}

const segments: Readonly<Record<string, string>> = {
  oidc: "oidc",
  saml: "saml",
  passiveSts: "passive-sts",
  wsTrust: "ws-trust",
};
const CUSTOM = "custom:";

/** What the service shows and does not take, or takes only if it stays. */
const shownOnly = [
  "state",
  "clientId",
  "clientSecret",
  "clientSecretExpiresAt",
  "multipleClientSecretsConfigured",
] as const;

/** The declared protocols by key: custom ones are told apart by their names. */
function declaredOf({ inboundProtocolConfiguration }: Partial<ApplicationInputs>): ReadonlyMap<string, Members> {
  const { custom = [], ...others } = (inboundProtocolConfiguration ?? {}) as Members & { custom?: readonly Members[] };
  return new Map([
    ...Object.entries(others).map(([key, value]): [string, Members] => [key, value as Members]),
    ...custom.map((each): [string, Members] => [`${CUSTOM}${each.name}`, each]),
  ]);
}

function pathOf(application: `/${string}`, key: string): `/${string}` {
  const segment = segments[key] ?? encodeURIComponent(key.slice(CUSTOM.length));
  return `${application}/inbound-protocols/${segment}`;
}

/** Reads the protocols that are or were declared, and OpenID Connect, which has the client id. */
export async function protocolsNow(
  api: Api,
  application: `/${string}`,
  inputs: ApplicationInputs,
  before: Partial<ApplicationInputs>,
): Promise<ReadonlyMap<string, ProtocolNow>> {
  const keys = [...new Set(["oidc", ...declaredOf(inputs).keys(), ...declaredOf(before).keys()])];
  return new Map(
    await Promise.all(
      keys.map(async (key): Promise<[string, ProtocolNow]> => {
        try {
          const { body, etag } = await api.send("GET", pathOf(application, key));
          return [key, { body: membersOf(body), etag }];
        } catch (error) {
          if (isFault(error, "notFound")) return [key, { body: undefined, etag: undefined }];
          throw error;
        }
      }),
    ),
  );
}

export function protocolParts(
  now: ReadonlyMap<string, ProtocolNow>,
  inputs: ApplicationInputs,
  before: Partial<ApplicationInputs>,
): readonly Part[] {
  const earlier = declaredOf(before);
  return [...declaredOf(inputs)].map(([key, declared]) => {
    const shown = inFormOf(key, now.get(key)?.body);
    return {
      key,
      declared,
      before: earlier.get(key),
      now: shown,
      // Metadata is shown as the settings that it led to. A secret is not remembered, not even as a fingerprint.
      ...(isMetadata(declared) && { seen: shown }),
      ...("clientSecret" in declared && { seen: { ...shown, clientSecret: undefined } }),
    };
  });
}

export function protocolChanges(
  application: `/${string}`,
  now: ReadonlyMap<string, ProtocolNow>,
  differing: readonly Part[],
  inputs: ApplicationInputs,
  before: Partial<ApplicationInputs>,
): readonly Change[] {
  const declared = declaredOf(inputs);
  const puts = differing.flatMap((part): Change[] => {
    const { key } = part;
    if (!declared.has(key)) return [];
    const { etag } = now.get(key) ?? {};
    return [{ keys: [key], method: "PUT", path: pathOf(application, key), body: bodyOf(part), ifMatch: etag }];
  });
  const dropped = [...declaredOf(before).keys()].filter((key) => !declared.has(key) && now.get(key)?.body);
  return [
    ...puts,
    ...dropped.map(
      (key): Change => ({
        keys: [key],
        method: "DELETE",
        path: pathOf(application, key),
        ifMatch: now.get(key)?.etag,
      }),
    ),
  ];
}

/** Members of a declaration from its parts: protocols go back to their place. */
export function withProtocols(values: ReadonlyMap<string, unknown>): Members {
  const plain: [string, unknown][] = [];
  const protocols: [string, unknown][] = [];
  const custom: unknown[] = [];
  for (const [key, value] of values) {
    if (key.startsWith(CUSTOM)) custom.push(value);
    else if (key in segments) protocols.push([key, value]);
    else plain.push([key, value]);
  }
  if (custom.length > 0) protocols.push(["custom", custom]);
  const inboundProtocolConfiguration = Object.fromEntries(protocols);
  return { ...Object.fromEntries(plain), ...(protocols.length > 0 && { inboundProtocolConfiguration }) };
}

/** PUT replaces all settings, so it repeats those that are not declared. */
function bodyOf({ key, declared, before, now }: Part): unknown {
  if (!isObject(now) || isMetadata(declared) || key.startsWith(CUSTOM)) return declared;
  const kept = Object.fromEntries(
    Object.entries(now).filter(([name]) => !(shownOnly as readonly string[]).includes(name)),
  );
  return present(merged(kept, declared, before));
}

/** The settings of SAML have another form in a body. */
function inFormOf(key: string, body: Members | undefined): Members | undefined {
  return key === "saml" && body ? { manualConfiguration: body } : body;
}

function isMetadata(declared: unknown): boolean {
  return isObject(declared) && ("metadataFile" in declared || "metadataURL" in declared);
}
