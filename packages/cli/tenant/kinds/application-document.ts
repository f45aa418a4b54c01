/** Applications as documents: the form in which equal settings are equal, with names in place of ids. */
import { freshApplication, mergeApplication } from "#core/applications/registry/model.ts";
import { presentApplication } from "#core/applications/registry/present.ts";
import { ApplicationPatch } from "#core/applications/registry/shapes.ts";
import {
  type Document,
  isDocument,
  isEmpty,
  plainData,
  type Value,
  withoutDefaults,
  withoutEmpty,
} from "../document.ts";
import type { KindName, Names } from "../kind.ts";
import { compare, texts } from "./simple.ts";

/** Members that the service computes, or that belong to others. */
const ofService = ["id", "clientId", "issuer", "realm", "applicationVersion", "inboundProtocols", "access", "inbound"];
/** Parts in which `false`, an empty text and an empty list mean "not set". */
export const looseParts = ["trustedAppConfiguration", "attestationMetaData"] as const;
export const DEFAULT_SEQUENCE = "DEFAULT";

const usual = presentedWithout(plainData(presentApplication("", freshApplication("", "", "", false))));

/** In documents of files, ids are names. */
const ownNames: Names = { of: (_, id) => id };

/** The application that the service showed, with names in place of ids. */
export function named(shown: Document, names: Names): Document {
  const { associatedRoles, advancedConfigurations, ...rest } = shown;
  const { discoverableGroups, ...advanced } = isDocument(advancedConfigurations) ? advancedConfigurations : {};
  const { allowedAudience = "ORGANIZATION", roles } = isDocument(associatedRoles) ? associatedRoles : {};
  const namesIn = (kind: KindName, list: Value | undefined) =>
    [...new Set(objects(list).flatMap(({ id = "" }) => names.of(kind, String(id)) ?? []))].sort(compare);
  const stores = objects(discoverableGroups).flatMap(({ userStore = "PRIMARY", groups }) => {
    const found = namesIn("groups", groups);
    return found.length > 0 ? [{ userStore, groups: found }] : [];
  });
  return {
    ...rest,
    associatedRoles: { allowedAudience, ...(roles !== undefined && { roles: namesIn("roles", roles) }) },
    advancedConfigurations: { ...advanced, ...(stores.length > 0 && { discoverableGroups: stores }) },
  };
}

export function objects(list: Value | undefined): readonly Document[] {
  return Array.isArray(list) ? list.filter(isDocument) : [];
}

/** What the core reads: objects with ids in place of names. */
export function withObjects(document: Document): Document {
  const { associatedRoles, advancedConfigurations, ...rest } = document;
  const withIds = (list: Value | undefined) => texts(list ?? []).map((name) => ({ id: name, name }));
  const advanced = isDocument(advancedConfigurations) ? advancedConfigurations : undefined;
  const stores = Array.isArray(advanced?.discoverableGroups)
    ? advanced.discoverableGroups.filter(isDocument)
    : undefined;
  return {
    ...rest,
    ...(isDocument(associatedRoles) && {
      associatedRoles: {
        allowedAudience: associatedRoles.allowedAudience ?? "ORGANIZATION",
        ...(associatedRoles.roles !== undefined && { roles: withIds(associatedRoles.roles) }),
      },
    }),
    ...(advanced && {
      advancedConfigurations: {
        ...advanced,
        ...(stores && {
          discoverableGroups: stores.map(({ userStore = "PRIMARY", groups }) => ({
            userStore,
            groups: withIds(groups),
          })),
        }),
      },
    }),
  };
}

/** What the service shows of an application, without what is usual. */
export function shortened(presented: Document): Document {
  const whole = presentedWithout(presented);
  const short = withoutDefaults(whole, { ...usual, name: null });
  const { claimConfiguration: claims } = short;
  if (!isDocument(claims) || claims.requestedClaims === undefined || claims.claimMappings !== undefined) return short;
  // Requested claims without mappings would be mapped to themselves.
  return { ...short, claimConfiguration: { ...claims, claimMappings: [] } };
}

/** An application with what belongs to it. */
export function withParts(
  main: Document,
  protocols: Document,
  {
    authorizedApis = [],
    assignments = [],
  }: { readonly authorizedApis?: Value | undefined; readonly assignments?: Value | undefined },
): Document {
  const apis = (Array.isArray(authorizedApis) ? authorizedApis.filter(isDocument) : [])
    .map(({ identifier = "", policy = "RBAC", scopes = [] }) => ({
      identifier,
      ...(policy !== "RBAC" && { policy }),
      ...(!isEmpty(scopes) && { scopes: [...texts(scopes)].sort(compare) }),
    }))
    .sort((one, other) => compare(String(one.identifier), String(other.identifier)));
  const assigned = (Array.isArray(assignments) ? assignments.filter(isDocument) : [])
    .map(({ type = "", name = "" }) => ({ type, name }))
    .sort((one, other) => compare(`${one.type} ${one.name}`, `${other.type} ${other.name}`));
  return {
    ...main,
    ...(Object.keys(protocols).length > 0 && { protocols }),
    ...(apis.length > 0 && { authorizedApis: apis }),
    ...(assigned.length > 0 && { assignments: assigned }),
  };
}

/** The application as the service would show it. */
export function presentedOf(main: Document): Document {
  const { isManagementApp = false, isB2BSelfServiceApp = false } = main;
  const fresh = freshApplication("", String(main.name), "", isManagementApp === true);
  const merged = mergeApplication(fresh, ApplicationPatch.parse(withObjects(main)));
  return named(plainData({ ...presentApplication("", merged), isB2BSelfServiceApp }), ownNames);
}

/** Without what the service computes, and with one form for "not set". */
function presentedWithout(presented: Document): Document {
  const { authenticationSequence, advancedConfigurations, provisioningConfigurations, associatedRoles, ...rest } =
    presented;
  const kept = Object.entries(rest).filter(([name, value]) => !ofService.includes(name) && value !== "");
  const sequence = isDocument(authenticationSequence) ? authenticationSequence : {};
  const { type, script, requestPathAuthenticators = [] } = sequence;
  const advanced = isDocument(advancedConfigurations) ? advancedConfigurations : {};
  const parts = looseParts.map((name): [string, Value] => [
    name,
    withoutEmpty(isDocument(advanced[name]) ? advanced[name] : {}),
  ]);
  const provisioning = isDocument(provisioningConfigurations) ? provisioningConfigurations : {};
  const { inboundProvisioning } = provisioning;
  const { roles, ...audience } = isDocument(associatedRoles) ? associatedRoles : {};
  return {
    ...Object.fromEntries(kept),
    associatedRoles: { ...audience, ...(roles !== undefined && !isEmpty(roles) && { roles }) },
    // The steps of the default sequence are those of the service.
    authenticationSequence:
      type === DEFAULT_SEQUENCE
        ? { type, requestPathAuthenticators, ...(script !== undefined && { script }) }
        : sequence,
    advancedConfigurations: Object.fromEntries(
      [...Object.entries(advanced), ...parts].filter(
        ([name, value]) => name !== "additionalSpProperties" && !isEmpty(value),
      ),
    ),
    provisioningConfigurations: {
      ...provisioning,
      inboundProvisioning: withoutEmpty(isDocument(inboundProvisioning) ? inboundProvisioning : {}),
    },
  };
}

export function part(value: Value | undefined): Document {
  return isDocument(value) ? value : {};
}
