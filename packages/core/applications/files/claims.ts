/**
 * Maps claims, roles and provisioning between a file and the settings. Pure.
 *
 * | element | member |
 * | --- | --- |
 * | ClaimConfig/LocalClaimDialect | claimConfiguration.dialect: true is LOCAL, false is CUSTOM |
 * | ClaimConfig/ClaimMappings/ClaimMapping/RemoteClaim/ClaimUri | claimMappings.applicationClaim (the local claim if absent) |
 * | .../LocalClaim/ClaimUri | claimMappings.localClaim.uri |
 * | .../RequestClaim, MandatoryClaim | requestedClaims: the mapping's application claim, and whether it is mandatory |
 * | ClaimConfig/RoleClaimURI | role.claim.uri |
 * | ClaimConfig/AlwaysSendMappedLocalSubjectId, MappedLocalSubjectMandatory | subject.useMappedLocalSubject, mappedLocalSubjectMandatory |
 * | PermissionAndRoleConfig/RoleMappings/RoleMapping/localRole/LocalRoleName, remoteRole | role.mappings |
 * | InboundProvisioningConfig/ProvisioningUserStore, IsDumbModeEnabled | inboundProvisioning.provisioningUserstoreDomain, proxyMode |
 * | OutboundProvisioningConfig/ProvisioningIdentityProviders/IdentityProvider | outboundProvisioningIdps |
 * | .../DefaultProvisioningConnectorConfig/name, blocking, rulesEnabled | connector, blocking, rules |
 * | .../JustInTimeProvisioningConfig/IsProvisioningEnabled | jit |
 */
import {
  all,
  at,
  constant,
  field,
  filled,
  flag,
  flagsNamed,
  group,
  grouped,
  isTrue,
  type Json,
  listed,
  merged,
  nonDefaultFlag,
  type Part,
  put,
  textsNamed,
} from "./parts.ts";
import { childrenOf, type Element, element, find, textAt } from "./tree.ts";

const CLAIMS = "claimConfiguration";

interface Ref {
  readonly uri?: string;
  readonly id?: string;
}
interface Mapping {
  readonly applicationClaim: string;
  readonly localClaim: Ref;
}
interface Requested {
  readonly claim: Ref;
  readonly mandatory?: boolean;
}

const mappingsPart: Part = {
  declares: listed("ClaimMappings", "ClaimMapping", {
    is: "group",
    inside: {
      ...grouped("LocalClaim", textsNamed("ClaimUri")),
      ...grouped("RemoteClaim", textsNamed("ClaimUri")),
      ...flagsNamed("RequestClaim", "MandatoryClaim"),
    },
  }),
  read(parent) {
    const mappings = childrenOf(find(parent, "ClaimMappings"), "ClaimMapping").map((each) => {
      const local = textAt(each, "LocalClaim", "ClaimUri") ?? "";
      return { each, applicationClaim: textAt(each, "RemoteClaim", "ClaimUri") || local, localClaim: { uri: local } };
    });
    const requested = mappings.filter(({ each }) => isTrue(each, "RequestClaim"));
    return {
      [CLAIMS]: {
        claimMappings: mappings.map(({ applicationClaim, localClaim }) => ({ applicationClaim, localClaim })),
        requestedClaims: requested.map(({ each, applicationClaim }) => ({
          claim: { uri: applicationClaim },
          ...(isTrue(each, "MandatoryClaim") && { mandatory: true }),
        })),
      },
    };
  },
  write(settings) {
    const mappings = (at(settings, [CLAIMS, "claimMappings"]) ?? []) as readonly Mapping[];
    const requested = (at(settings, [CLAIMS, "requestedClaims"]) ?? []) as readonly Requested[];
    // Of several requests of one claim, the first counts.
    const requests = new Map(requested.toReversed().map((each) => [uriOf(each.claim), each]));
    return [
      element(
        "ClaimMappings",
        mappings.map((mapping) => writeMapping(mapping, requests.get(mapping.applicationClaim))),
      ),
    ];
  },
};

const dialectPart: Part = {
  declares: flagsNamed("LocalClaimDialect"),
  read: (parent) =>
    put(
      [CLAIMS, "dialect"],
      flag(true).read(textAt(parent, "LocalClaimDialect") ?? "", "LocalClaimDialect") ? "LOCAL" : "CUSTOM",
    ),
  write: (settings) => [element("LocalClaimDialect", String(at(settings, [CLAIMS, "dialect"]) !== "CUSTOM"))],
};

/** `ClaimConfig`. */
export const claimsPart: Part = group(
  "ClaimConfig",
  claimField("RoleClaimURI", "claimConfiguration.role.claim", "always"),
  dialectPart,
  constant("IdpClaim", ""),
  mappingsPart,
  field("AlwaysSendMappedLocalSubjectId", "claimConfiguration.subject.useMappedLocalSubject", nonDefaultFlag()),
  field("MappedLocalSubjectMandatory", "claimConfiguration.subject.mappedLocalSubjectMandatory", nonDefaultFlag()),
  constant("SPClaimDialects", ""),
);

interface RoleMapping {
  readonly localRole: string;
  readonly applicationRole: string;
}

const roleMappings: Part = {
  declares: listed("RoleMappings", "RoleMapping", {
    is: "group",
    inside: { ...grouped("localRole", textsNamed("LocalRoleName")), ...textsNamed("remoteRole") },
  }),
  read(parent) {
    const mappings = childrenOf(find(parent, "RoleMappings"), "RoleMapping").map((each) => ({
      localRole: textAt(each, "localRole", "LocalRoleName") ?? "",
      applicationRole: textAt(each, "remoteRole") ?? "",
    }));
    return mappings.length > 0 ? put([CLAIMS, "role", "mappings"], mappings) : {};
  },
  write(settings) {
    const mappings = (at(settings, [CLAIMS, "role", "mappings"]) ?? []) as readonly RoleMapping[];
    return [
      element(
        "RoleMappings",
        mappings.map(({ localRole, applicationRole }) =>
          element("RoleMapping", [
            element("localRole", [element("LocalRoleName", localRole)]),
            element("remoteRole", applicationRole),
          ]),
        ),
      ),
    ];
  },
};

/** `PermissionAndRoleConfig`. */
export const rolesPart: Part = group(
  "PermissionAndRoleConfig",
  constant("Permissions", ""),
  roleMappings,
  constant("IdpRoles", ""),
);

const INBOUND = ["provisioningConfigurations", "inboundProvisioning"];
const OUTBOUND = ["provisioningConfigurations", "outboundProvisioningIdps"];

/** `InboundProvisioningConfig`. No user store and no proxy mode means no settings. */
const inboundProvisioning: Part = {
  declares: grouped("InboundProvisioningConfig", {
    ...textsNamed("ProvisioningUserStore"),
    ...flagsNamed("IsDumbModeEnabled"),
  }),
  read(parent) {
    const config = find(parent, "InboundProvisioningConfig");
    const domain = filled().read(textAt(config, "ProvisioningUserStore") ?? "", "ProvisioningUserStore");
    const isProxy = isTrue(config, "IsDumbModeEnabled");
    return merged(
      domain === undefined ? {} : put([...INBOUND, "provisioningUserstoreDomain"], domain),
      isProxy ? put([...INBOUND, "proxyMode"], true) : {},
    );
  },
  write(settings) {
    const domain = at(settings, [...INBOUND, "provisioningUserstoreDomain"]) as string | undefined;
    return [
      element("InboundProvisioningConfig", [
        element("ProvisioningUserStore", domain ?? ""),
        element("IsProvisioningEnabled", String(Boolean(domain))),
        element("IsDumbModeEnabled", String(at(settings, [...INBOUND, "proxyMode"]) ?? false)),
      ]),
    ];
  },
};

const connectorParts = all(
  field("name", "connector", filled("always")),
  constant("enabled", "true"),
  field("blocking", "blocking", nonDefaultFlag()),
  field("rulesEnabled", "rules", nonDefaultFlag()),
);

/** `OutboundProvisioningConfig`. */
const outboundProvisioning: Part = {
  declares: grouped(
    "OutboundProvisioningConfig",
    listed("ProvisioningIdentityProviders", "IdentityProvider", {
      is: "group",
      inside: {
        ...textsNamed("IdentityProviderName"),
        ...grouped("DefaultProvisioningConnectorConfig", connectorParts.declares),
        ...grouped("JustInTimeProvisioningConfig", flagsNamed("IsProvisioningEnabled")),
      },
    }),
  ),
  read(parent) {
    const list = find(parent, "OutboundProvisioningConfig", "ProvisioningIdentityProviders");
    return list ? put(OUTBOUND, childrenOf(list, "IdentityProvider").map(readProvider)) : {};
  },
  write(settings) {
    const providers = (at(settings, OUTBOUND) ?? []) as readonly Json[];
    return [
      element("OutboundProvisioningConfig", [element("ProvisioningIdentityProviders", providers.map(writeProvider))]),
    ];
  },
};

/** Both directions of provisioning. */
export const provisioningPart: Part = all(inboundProvisioning, outboundProvisioning);

/** An element whose text is the URI of a claim. `always` writes the element even without a claim. */
export function claimField(name: string, member: string, always?: "always"): Part {
  const path = member.split(".");
  const codec = filled(always);
  return {
    declares: textsNamed(name),
    read(parent) {
      const uri = codec.read(textAt(parent, name) ?? "", name);
      return uri === undefined ? {} : put(path, { uri });
    },
    write(settings) {
      const ref = at(settings, path) as Ref | undefined;
      const uri = codec.write(ref && uriOf(ref));
      return uri === undefined ? [] : [element(name, uri)];
    },
  };
}

function uriOf({ uri, id }: Ref): string {
  return uri ?? id ?? "";
}

function writeMapping({ applicationClaim, localClaim }: Mapping, request: Requested | undefined): Element {
  return element("ClaimMapping", [
    claim("LocalClaim", uriOf(localClaim)),
    claim("RemoteClaim", applicationClaim),
    element("RequestClaim", String(request !== undefined)),
    element("MandatoryClaim", String(request?.mandatory ?? false)),
  ]);
}

function claim(name: string, uri: string): Element {
  return element(name, [element("ClaimUri", uri), element("claimId", "0")]);
}

function readProvider(provider: Element): Json {
  const connector = find(provider, "DefaultProvisioningConnectorConfig");
  return merged(
    { idp: textAt(provider, "IdentityProviderName") ?? "", connector: "" },
    connector ? connectorParts.read(connector) : {},
    isTrue(find(provider, "JustInTimeProvisioningConfig"), "IsProvisioningEnabled") ? { jit: true } : {},
  );
}

function writeProvider(provider: Json): Element {
  return element("IdentityProvider", [
    element("IdentityProviderName", String(provider.idp)),
    element("DefaultProvisioningConnectorConfig", connectorParts.write(provider)),
    element("JustInTimeProvisioningConfig", [element("IsProvisioningEnabled", String(provider.jit ?? false))]),
  ]);
}
