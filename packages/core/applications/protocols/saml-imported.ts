/**
 * What the metadata of a SAML service provider says beyond the settings of WSO2 Identity Server (decision 0199): every
 * endpoint with its binding and index, every key with its use, and how long all of it counts. Pure.
 */
import * as z from "../../kernel/zod.ts";
import type { SamlServiceProvider } from "./model.ts";

const BINDING = "urn:oasis:names:tc:SAML:2.0:bindings:";
const SERVICES_MAX = 100;
const KEYS_MAX = 10;
const INDEX_MAX = 65_535;

const address = z.string().min(1).max(2_048);
const binding = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: `What its URI has after ${BINDING}, such as HTTP-POST, or another URI` });
const index = z.int().min(0).max(INDEX_MAX);

/** The member `imported` of the settings, in bodies and responses. */
export const SamlImported = z
  .object({
    metadataURL: address.optional().meta({ description: "Where it was read. PUT with it reads it again" }),
    validUntil: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the metadata ends. Sign-ins go on, and the log says so" }),
    cacheDuration: z.string().max(60).optional().meta({ description: "After how long to read it again, by its owner" }),
    assertionConsumerServices: z
      .array(z.object({ binding, location: address, index: index.optional() }))
      .max(SERVICES_MAX)
      .optional()
      .meta({ description: "What an AssertionConsumerServiceIndex chooses from: assertionConsumerUrls allow it" }),
    singleLogoutServices: z
      .array(z.object({ binding, location: address, responseLocation: address.optional() }))
      .max(SERVICES_MAX)
      .optional(),
    attributeConsumingServiceIndexes: z.array(index).max(SERVICES_MAX).optional(),
    keys: z
      .array(
        z.object({
          use: z
            .enum(["signing", "encryption"])
            .optional()
            .meta({ description: "signing: it verifies requests. encryption: assertions are for it. Absent: both" }),
          certificate: z.string().max(16_384).meta({ description: "DER as Base64" }),
        }),
      )
      .max(KEYS_MAX)
      .optional(),
  })
  .meta({ id: "SAML2Imported" });

/** The same as data. */
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

/** The values of `logoutMethod`. */
export const logoutBindings: Readonly<Record<string, LogoutBinding>> = {
  BACKCHANNEL: "SOAP",
  FRONTCHANNEL_HTTP_POST: "HTTP-POST",
  FRONTCHANNEL_HTTP_REDIRECT: "HTTP-Redirect",
};
const LOGOUT_BINDINGS: readonly string[] = [...Object.values(logoutBindings), "HTTP-Artifact"];

/**
 * The services of logout: that of the settings first, then those of the metadata for bindings that the settings do not
 * name. Empty where the settings switch logout off.
 */
export function logoutServicesOf({ singleLogoutProfile, imported }: SamlServiceProvider): readonly LogoutService[] {
  const { enabled, logoutMethod, logoutRequestUrl, logoutResponseUrl } = singleLogoutProfile;
  if (!enabled) return [];
  const chosen = logoutBindings[logoutMethod] ?? "SOAP";
  // One address is that of requests and answers (SAML Metadata 2.0 section 2.2.2).
  const location = logoutRequestUrl || logoutResponseUrl;
  const named = location ? [{ binding: chosen, location, responseLocation: logoutResponseUrl || location }] : [];
  const others = (imported?.singleLogoutServices ?? []).flatMap((service): LogoutService[] => {
    const known = LOGOUT_BINDINGS.find((each) => each === service.binding) as LogoutBinding | undefined;
    if (known === undefined || named.some((each) => each.binding === known)) return [];
    return [
      { binding: known, location: service.location, responseLocation: service.responseLocation ?? service.location },
    ];
  });
  const isChosen = (service: LogoutService) => service.binding === chosen;
  return [...named, ...others.filter(isChosen), ...others.filter((service) => !isChosen(service))];
}
