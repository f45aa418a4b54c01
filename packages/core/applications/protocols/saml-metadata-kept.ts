/** What is stored of the metadata of a SAML service provider (decision 0199), and what another reading changes. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { checkTogether } from "../../kernel/together.ts";
import { readAddress, shownAddress, storedAddress } from "./addresses.ts";
import type { SamlServiceProvider } from "./model.ts";
import { bindingOf, derOf, type Imported, logoutBindings } from "./saml-imported.ts";
import { SamlManual } from "./shapes.ts";

type Manual = z.output<typeof SamlManual>;

/** What is stored of checked metadata: it stays while the issuer does, unless there is other metadata. */
export function importedAfter(
  { issuer, imported }: Pick<Manual, "issuer" | "imported">,
  before: SamlServiceProvider | undefined,
): Imported | undefined {
  if (!imported) return before?.issuer === issuer ? before.imported : undefined;
  const stored = (address: string) => storedAddress(address, "message");
  const { assertionConsumerServices, singleLogoutServices, keys, ...rest } = imported;
  const after: Imported = {
    ...rest,
    ...(assertionConsumerServices && {
      assertionConsumerServices: assertionConsumerServices.map((each) => ({
        ...each,
        location: stored(each.location),
      })),
    }),
    ...(singleLogoutServices && {
      singleLogoutServices: singleLogoutServices.map(({ responseLocation, ...each }) => ({
        ...each,
        location: stored(each.location),
        ...(responseLocation !== undefined && { responseLocation: stored(responseLocation) }),
      })),
    }),
    ...(keys && { keys: keys.map((key) => ({ ...key, certificate: derOf(key.certificate) ?? "" })) }),
  };
  const isEmpty = Object.values(after).every((value) => value === undefined || value.length === 0);
  return isEmpty ? undefined : after;
}

/** Refuses what could not be used: addresses, indexes that two have (SAML Metadata 2.0 section 2.2.3), keys. */
export function checkImported({ imported }: Pick<Manual, "imported">): void {
  const { assertionConsumerServices: consumers = [], singleLogoutServices: logouts = [], ...rest } = { ...imported };
  const addresses = [
    ...consumers.map(({ location }) => ["assertionConsumerServices", location] as const),
    ...logouts.flatMap(({ location, responseLocation = location }) =>
      [location, responseLocation].map((each) => ["singleLogoutServices", each] as const),
    ),
    ...(rest.metadataURL === undefined ? [] : [["metadataURL", rest.metadataURL] as const]),
  ];
  const indexes = consumers.flatMap(({ index }) => index ?? []);
  checkTogether(
    ...addresses.map(([member, address]) => () => {
      const read = readAddress(address, "message");
      // A password in it must not be shown.
      const shown = address.includes("@") ? "" : `'${shownAddress(address)}' `;
      if ("problem" in read) throw refuse(`imported.${member}: ${shown}${read.problem}.`);
    }),
    () => checkDifferent("assertionConsumerServices", indexes),
    () => checkDifferent("attributeConsumingServiceIndexes", rest.attributeConsumingServiceIndexes ?? []),
    ...(rest.keys ?? []).map(({ certificate }, at) => () => {
      if (derOf(certificate) === undefined) throw refuse(`imported.keys[${at}].certificate is not a certificate.`);
    }),
  );
}

function checkDifferent(member: string, indexes: readonly number[]): void {
  const twice = indexes.find((index, at) => indexes.indexOf(index) !== at);
  if (twice !== undefined) throw refuse(`imported.${member}: the index ${twice} is there twice. Each needs its own.`);
}

/**
 * How requests of logout travel: as the settings say, else as the metadata says of their address. Throws `saml.invalid`
 * where both differ: an address for browsers takes no SOAP.
 */
export function logoutMethodOf({ singleLogoutProfile }: Manual, imported: Imported | undefined): string {
  const { logoutMethod, logoutRequestUrl } = singleLogoutProfile ?? {};
  const services = imported?.singleLogoutServices?.filter(({ location }) => location === logoutRequestUrl) ?? [];
  const methods = Object.entries(logoutBindings).flatMap(([method, binding]) =>
    services.some((service) => service.binding === binding) ? [method] : [],
  );
  const [usual = "BACKCHANNEL"] = methods;
  const method = logoutMethod ?? usual;
  if (services.length === 0 || methods.includes(method)) return method;
  throw refuse(
    `singleLogoutProfile.logoutMethod: ${method} sends ${bindingOf(method)}, but the metadata of the application has ` +
      `another binding for '${shownAddress(logoutRequestUrl ?? "")}'. Choose ${[...methods, "another address"].join(" or ")}.`,
  );
}

/**
 * Metadata that is read again where it was read before: it decides what it says of addresses, keys and indexes, and can
 * ask for signed requests. What else was set stays.
 */
export function readAgain(read: Manual, before: SamlServiceProvider): Manual {
  const { singleSignOnProfile: profile, requestValidation } = before;
  const { attributeConsumingServiceIndex: index } = read.singleSignOnProfile ?? {};
  return SamlManual.parse({
    ...before,
    ...read,
    singleSignOnProfile: { ...profile, ...(index && { attributeConsumingServiceIndex: index }) },
    attributeProfile: before.attributeProfile,
    singleLogoutProfile: logoutAgain(read, before),
    requestValidation: {
      ...requestValidation,
      ...read.requestValidation,
      // Another file does not switch a check off.
      enableSignatureValidation:
        requestValidation.enableSignatureValidation || read.requestValidation?.enableSignatureValidation,
    },
    responseSigning: before.responseSigning,
  });
}

/**
 * The service of the chosen method, where the metadata has it still. Where it has no service any more, neither have the
 * settings; where it never had one, they stay.
 */
function logoutAgain({ singleLogoutProfile: usual, imported }: Manual, before: SamlServiceProvider) {
  const { logoutRequestUrl: _, logoutResponseUrl: __, ...logout } = before.singleLogoutProfile;
  const hadServices = (before.imported?.singleLogoutServices ?? []).length > 0;
  if (!usual) return hadServices ? { ...logout, enabled: false } : before.singleLogoutProfile;
  const enabled = hadServices ? logout.enabled : true;
  const binding = bindingOf(logout.logoutMethod);
  const same = imported?.singleLogoutServices?.find((service) => service.binding === binding);
  if (!same) return { ...logout, ...usual, enabled };
  const { location: logoutRequestUrl, responseLocation } = same;
  return { ...logout, enabled, logoutRequestUrl, ...(responseLocation && { logoutResponseUrl: responseLocation }) };
}

function refuse(description: string): Fault {
  return new Fault("saml.invalid", description);
}
