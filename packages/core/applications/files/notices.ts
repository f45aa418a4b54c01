/** What of a file has no effect in this service, told to whoever imports it (decision 0041). Pure. */
import type { Kept } from "./keep.ts";
import type { Element } from "./tree.ts";

/** One thing that a file says and this service does not do. */
export interface Notice {
  /** The names of the elements that lead to it. */
  readonly element: string;
  readonly reason: string;
}

const NOTICES_MAX = 100;
const SHOWN_MAX = 80;

/** Labels, versions and what older serializers let slip: nothing depends on them. */
const LABELS: ReadonlySet<string> = new Set([
  ...["DisplayName", "friendlyName", "claimId", "IsEnabled", "enabled", "DefinedBy", "Tags", "applicationName"],
  ...["ApplicationVersion", "oauthVersion", "InboundConfigType", "InboundAuthKey", "DisplayOrder", "Required"],
  ...["IsAdvanced", "IsConfidential", "IsPrimary", "IsFederationHub", "THUMB_PRINT", "CERT_VALUE"],
  ...["JSON_ARRAY_IDENTIFIER", "EMPTY_JSON_ARRAY", "AuthenticationStepForSubject", "AuthenticationStepForAttributes"],
  ...["FederatedAuthenticatorConfigs", "DefaultAuthenticatorConfig", "IdentityProviderDescription"],
]);

/** Elements whose other text means the same to this service. */
const SYNONYMS: ReadonlySet<string> = new Set([
  ...["AuthenticationType", "grantTypes", "idTokenEncryptionAlgorithm", "idTokenEncryptionMethod"],
  ...["enableAttributeProfile", "attributeConsumingServiceIndex", "issuer", "nameIDFormat", "callbackUrl"],
]);

const NOTHING: ReadonlySet<string> = new Set(["", "false", "null", "0"]);

/** What a file says in vain, in the order of the file; at most 100 notices, the last of which says how many more there are. */
export function noticesOf(kept: Kept | undefined, further: readonly Notice[]): readonly Notice[] {
  const found = [...further, ...(kept ? noticesIn(kept, []) : [])];
  if (found.length <= NOTICES_MAX) return found;
  const more = found.length - NOTICES_MAX + 1;
  return [
    ...found.slice(0, NOTICES_MAX - 1),
    { element: "ServiceProvider", reason: `${more} more elements of this kind.` },
  ];
}

function noticesIn(kept: Kept, path: readonly string[]): readonly Notice[] {
  const { element, text, inside = [] } = kept;
  const place = path.join("/");
  if (element) {
    const reason = "Kept, and exported again; it has no effect in this service.";
    return saysNothing(element) ? [] : [{ element: place, reason }];
  }
  const name = path.at(-1) ?? "";
  const isOther = text && !LABELS.has(name) && !SYNONYMS.has(name);
  const differs = isOther && !sameWord(text.theirs, text.base) && !sameNumber(text.theirs, text.base);
  return [
    ...(differs ? [{ element: place, reason: said(name, text) }] : []),
    ...inside.flatMap((each) => noticesIn(each, [...path, nameOf(each.at)])),
  ];
}

function saysNothing({ name, text, children }: Element): boolean {
  return LABELS.has(name) || (NOTHING.has(wordOf(text)) && children.every(saysNothing));
}

function sameWord(a: string, b: string): boolean {
  return wordOf(a) === wordOf(b);
}

/** A number of nothing stands for the one that the service uses by itself. */
function sameNumber(a: string, b: string): boolean {
  return NOTHING.has(wordOf(a)) && /^\d+$/.test(b);
}

function wordOf(text: string): string {
  return text.trim().toLowerCase();
}

function said(name: string, { base, theirs }: NonNullable<Kept["text"]>): string {
  // Values of properties may be secret.
  return name === "Value"
    ? "The file says something else than this service uses."
    : `The file says '${theirs.trim().slice(0, SHOWN_MAX)}'; this service uses '${base.slice(0, SHOWN_MAX)}'.`;
}

function nameOf(at: string): string {
  return at.split(" ", 1)[0] ?? "";
}
