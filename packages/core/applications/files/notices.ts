/** Reports the elements of an imported file that have no effect in this service (decision 0041). Pure. */
import type { Element } from "./tree.ts";
import type { Unmapped } from "./unmapped.ts";

/** One element without effect. */
export interface Notice {
  /** Its path: the names of the elements, separated by slashes. */
  readonly element: string;
  readonly reason: string;
}

const NOTICES_MAX = 100;
const SHOWN_MAX = 80;

/** Labels, versions and artefacts of older serialisers: nothing depends on them. */
const LABELS: ReadonlySet<string> = new Set([
  ...["DisplayName", "friendlyName", "claimId", "IsEnabled", "enabled", "DefinedBy", "Tags", "applicationName"],
  ...["ApplicationVersion", "oauthVersion", "InboundConfigType", "InboundAuthKey", "DisplayOrder", "Required"],
  ...["IsAdvanced", "IsConfidential", "IsPrimary", "IsFederationHub", "THUMB_PRINT", "CERT_VALUE"],
  ...["JSON_ARRAY_IDENTIFIER", "EMPTY_JSON_ARRAY", "AuthenticationStepForSubject", "AuthenticationStepForAttributes"],
  ...["FederatedAuthenticatorConfigs", "DefaultAuthenticatorConfig", "IdentityProviderDescription"],
]);

/** Elements for which this service treats several texts as equal. */
const SYNONYMS: ReadonlySet<string> = new Set([
  ...["AuthenticationType", "grantTypes", "idTokenEncryptionAlgorithm", "idTokenEncryptionMethod"],
  ...["enableAttributeProfile", "attributeConsumingServiceIndex", "issuer", "nameIDFormat", "callbackUrl"],
]);

const NOTHING: ReadonlySet<string> = new Set(["", "false", "null", "0"]);

/** The notices in the order of the file: at most 100, of which the last counts the rest. */
export function noticesOf(unmapped: Unmapped | undefined, further: readonly Notice[]): readonly Notice[] {
  const found = [...further, ...(unmapped ? noticesIn(unmapped, []) : [])];
  if (found.length <= NOTICES_MAX) return found;
  const more = found.length - NOTICES_MAX + 1;
  return [
    ...found.slice(0, NOTICES_MAX - 1),
    { element: "ServiceProvider", reason: `${more} more elements have no effect in this service.` },
  ];
}

function noticesIn(unmapped: Unmapped, path: readonly string[]): readonly Notice[] {
  const { element, text, inside = [] } = unmapped;
  const place = path.join("/");
  if (element) {
    const reason = "Has no effect in this service. An export contains it again.";
    return isEmpty(element) ? [] : [{ element: place, reason }];
  }
  const name = path.at(-1) ?? "";
  const isOther = text && !LABELS.has(name) && !SYNONYMS.has(name);
  const differs = isOther && !sameWord(text.theirs, text.base) && !sameNumber(text.theirs, text.base);
  return [
    ...(differs ? [{ element: place, reason: differenceOf(name, text) }] : []),
    ...inside.flatMap((each) => noticesIn(each, [...path, nameOf(each.at)])),
  ];
}

function isEmpty({ name, text, children }: Element): boolean {
  return LABELS.has(name) || (NOTHING.has(wordOf(text)) && children.every(isEmpty));
}

function sameWord(a: string, b: string): boolean {
  return wordOf(a) === wordOf(b);
}

/** An empty number or 0 means the default of the service. */
function sameNumber(a: string, b: string): boolean {
  return NOTHING.has(wordOf(a)) && /^\d+$/.test(b);
}

function wordOf(text: string): string {
  return text.trim().toLowerCase();
}

function differenceOf(name: string, { base, theirs }: NonNullable<Unmapped["text"]>): string {
  // Values of properties may be secret.
  return name === "Value"
    ? "This service uses another value than the file."
    : `The file has '${theirs.trim().slice(0, SHOWN_MAX)}'; this service uses '${base.slice(0, SHOWN_MAX)}'.`;
}

function nameOf(at: string): string {
  return at.split(" ", 1)[0] ?? "";
}
