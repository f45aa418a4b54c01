/**
 * Reads what the metadata of a SAML service provider says beyond the settings of WSO2 Identity Server (decision 0199),
 * together with the settings. Pure.
 */
import { X509Certificate } from "node:crypto";
import type * as z from "zod";
import { canTakeForms } from "./answer-addresses.ts";
import type { SamlServiceProvider } from "./model.ts";
import type { SamlImported } from "./shapes-imported.ts";

/** What metadata says. */
export type Imported = z.output<typeof SamlImported>;

/** The bindings that a logout can travel by. */
export type LogoutBinding = "HTTP-Redirect" | "HTTP-POST" | "SOAP" | "HTTP-Artifact";

/** Where a service provider takes part in a logout. */
export interface LogoutService {
  readonly binding: LogoutBinding;
  /** Where requests go. */
  readonly location: string;
  /** Where answers to its own requests go. */
  readonly responseLocation: string;
}

/** The bindings of an answer. */
export const POST = "HTTP-POST";
export const ARTIFACT = "HTTP-Artifact";

/** The bindings of the values of `logoutMethod`, the preferred one first. */
export const logoutBindings = {
  BACKCHANNEL: "SOAP",
  FRONTCHANNEL_HTTP_POST: POST,
  FRONTCHANNEL_HTTP_REDIRECT: "HTTP-Redirect",
} as const satisfies Readonly<Record<string, LogoutBinding>>;

/**
 * The services of logout: that of the settings first, then those of the metadata for bindings that the settings do not
 * name. Empty where the settings switch logout off.
 */
export function logoutServicesOf({ singleLogoutProfile, imported }: SamlServiceProvider): readonly LogoutService[] {
  const { enabled, logoutMethod, logoutRequestUrl, logoutResponseUrl } = singleLogoutProfile;
  if (!enabled) return [];
  const chosen = bindingOf(logoutMethod);
  // One address is that of requests and answers (SAML Metadata 2.0 section 2.2.2).
  const location = logoutRequestUrl || logoutResponseUrl;
  const named = location ? [{ binding: chosen, location, responseLocation: logoutResponseUrl || location }] : [];
  const others = (imported?.singleLogoutServices ?? []).flatMap(
    ({ binding, location: requests, responseLocation = requests }): LogoutService[] =>
      isLogoutBinding(binding) && !named.some((each) => each.binding === binding)
        ? [{ binding, location: requests, responseLocation }]
        : [],
  );
  const isChosen = (service: LogoutService) => service.binding === chosen;
  return [...named, ...others.filter(isChosen), ...others.filter((service) => !isChosen(service))];
}

/** The services by which a provider can be told, the preferred one first. */
export function tellingServices(saml: SamlServiceProvider): readonly LogoutService[] {
  return logoutServicesOf(saml).filter(
    ({ binding, location }) => binding === "SOAP" || (binding !== "HTTP-Artifact" && canTakeForms(location)),
  );
}

/** The binding of a `logoutMethod`. */
export function bindingOf(logoutMethod: string): LogoutBinding {
  const found = Object.entries(logoutBindings).find(([method]) => method === logoutMethod);
  return found?.[1] ?? logoutBindings.BACKCHANNEL;
}

function isLogoutBinding(binding: string): binding is LogoutBinding {
  return binding === "HTTP-Artifact" || Object.values(logoutBindings).some((each) => each === binding);
}

/**
 * The address that an `AssertionConsumerServiceIndex` names: by the indexes of the metadata, or by its place in the
 * settings where there are none.
 */
export function consumerAt(
  index: number,
  provider: Pick<SamlServiceProvider, "assertionConsumerUrls" | "singleSignOnProfile" | "imported">,
): string | undefined {
  const { assertionConsumerUrls, imported } = provider;
  const indexed = imported?.assertionConsumerServices?.filter((service) => service.index !== undefined) ?? [];
  if (indexed.length === 0) return assertionConsumerUrls[index];
  // What answers do not travel by is no answer's address.
  return indexed.find((service) => service.index === index && isAnswering(service.binding, provider))?.location;
}

/** Whether answers can go to an address: metadata says by which bindings it takes them. */
export function takesAnswers(
  address: string,
  provider: Pick<SamlServiceProvider, "singleSignOnProfile" | "imported">,
): boolean {
  const { assertionConsumerServices = [] } = provider.imported ?? {};
  const services = assertionConsumerServices.filter(({ location }) => location === address);
  return services.length === 0 || services.some(({ binding }) => isAnswering(binding, provider));
}

function isAnswering(
  binding: string,
  { singleSignOnProfile: { bindings } }: Pick<SamlServiceProvider, "singleSignOnProfile">,
): boolean {
  return binding === POST || (binding === ARTIFACT && bindings.includes("ARTIFACT"));
}

/** A certificate in Base64, as the Base64 of its DER; `undefined` for what is none. */
export function derOf(base64: string): string | undefined {
  try {
    // Node would take a PEM, too, and Buffer skips what is no Base64.
    const certificate = new X509Certificate(Buffer.from(base64, "base64"));
    return certificate.publicKey && certificate.raw.toString("base64");
  } catch {
    return undefined;
  }
}

/** The certificates of metadata for one use; those without a use are for both. */
export function importedCertificates(
  { imported }: Pick<SamlServiceProvider, "imported">,
  use: "signing" | "encryption",
): readonly X509Certificate[] {
  const keys = imported?.keys?.filter((key) => key.use === undefined || key.use === use) ?? [];
  return keys.map(({ certificate }) => new X509Certificate(Buffer.from(certificate, "base64")));
}
