/** Applications with their protocols and the APIs that they may call. */
import type { Api } from "#client/client.ts";
import { wrongInput } from "../../frame/errors.ts";
import { type Document, isDocument, isSame, plainData, type Value } from "../document.ts";
import type { Deployment, FolderKind, Found, Names, Step, Work } from "../kind.ts";
import {
  DEFAULT_SEQUENCE,
  looseParts,
  named,
  part,
  presentedOf,
  shortened,
  withObjects,
  withParts,
} from "./application-document.ts";
import { authorizationSteps } from "./authorizations.ts";
import {
  normalisedProtocols,
  protocolBodies,
  protocolSteps,
  readProtocols,
  shownProtocols,
  uniqueKeys,
} from "./protocols.ts";
import { eachOf, roleKey, sending, texts, unique } from "./simple.ts";

const APPLICATIONS = "/api/server/v1/applications";
/** Members that only a new application can be given. */
const fixedMembers = ["isManagementApp", "isB2BSelfServiceApp"] as const;
/** Texts: an empty one is none. */
const textMembers = [
  ...["description", "imageUrl", "accessUrl"],
  ...["logoutReturnUrl", "templateId", "templateVersion"],
] as const;

/** `keepsIds` writes client ids into the documents. */
export function applicationsKind(keepsIds: boolean): FolderKind {
  return {
    name: "applications",
    keyOf: ({ name }) => String(name),
    uniques: ({ name, protocols }) => [
      unique("name of an application", name),
      ...(isDocument(protocols) ? uniqueKeys(protocols) : []),
    ],
    async read(api, deployment, names, onEach) {
      const listed = await api.applications.list({ limit: 100 }).all();
      return eachOf(listed, ({ id, name }) => {
        onEach();
        return readOne(api, { id, name }, deployment, names, keepsIds);
      });
    },
    normalised: (document, current, deployment) => normalised(document, current?.kept ?? {}, deployment),
    create: creation,
    update: changesOf,
    delete: ({ id }) => [sending("DELETE", `${APPLICATIONS}/${encodeURIComponent(id)}`)],
  };
}

async function readOne(
  api: Api,
  { id, name }: { readonly id: string; readonly name: string },
  deployment: Deployment,
  names: Names,
  keepsIds: boolean,
): Promise<Found> {
  const shown = await api.applications.get(id);
  const kept = await readProtocols(api, id, shown.inboundProtocols, deployment);
  const authorized = await api
    .list("GET /api/server/v1/applications/{applicationId}/authorized-apis", { params: { applicationId: id } })
    .all();
  const protocols = shownProtocols(kept, name, deployment, keepsIds);
  const authorizedApis = authorized.map(({ identifier = "", policyId = "RBAC", authorizedScopes }) => ({
    identifier,
    policy: policyId,
    scopes: authorizedScopes.map((scope) => scope.name),
  }));
  const document = withParts(shortened(named(plainData(shown), names)), protocols, authorizedApis);
  return { id, document, kept: { ...kept, ...idsOf(authorized) } };
}

function idsOf(authorized: readonly { readonly id: string; readonly identifier?: string | undefined }[]): Document {
  return { apis: Object.fromEntries(authorized.map(({ id, identifier = "" }) => [identifier, id])) };
}

function normalised(document: Document, kept: Document, deployment: Deployment): Document {
  const { protocols, authorizedApis, ...main } = document;
  const own = isDocument(protocols) ? normalisedProtocols(protocols, kept, deployment) : {};
  return withParts(shortened(presentedOf(main)), own, authorizedApis ?? []);
}

/** The body that sets these members, in whatever state the application is. */
function patchOf(document: Document, before: Document, names: readonly string[], { ids }: Work): Document {
  const whole = withObjects(presentedOf(document));
  const { claimConfiguration, advancedConfigurations, authenticationSequence, provisioningConfigurations } = whole;
  const advanced = isDocument(advancedConfigurations) ? advancedConfigurations : {};
  const { additionalSpProperties: _, discoverableGroups, ...switches } = advanced;
  const provisioning = isDocument(provisioningConfigurations) ? provisioningConfigurations : {};
  const body: Record<string, Value> = {
    ...Object.fromEntries(textMembers.map((name) => [name, whole[name] ?? ""])),
    ...whole,
    claimConfiguration: claimsOf(part(claimConfiguration), part(before.claimConfiguration)),
    authenticationSequence: sequenceOf(isDocument(authenticationSequence) ? authenticationSequence : {}),
    advancedConfigurations: {
      ...Object.fromEntries(looseParts.map((name) => [name, {}])),
      ...switches,
      discoverableGroups: withGroupIds(discoverableGroups, ids),
    },
    provisioningConfigurations: {
      ...provisioning,
      inboundProvisioning: {
        proxyMode: false,
        provisioningUserstoreDomain: "",
        ...(isDocument(provisioning.inboundProvisioning) && provisioning.inboundProvisioning),
      },
    },
    associatedRoles: withRoleIds(document, ids),
  };
  return Object.fromEntries(names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

function claimsOf(claims: Document, before: Document): Document {
  const { useMappedLocalSubject, ...subject } = part(claims.subject);
  // `false` is refused next to `mappedLocalSubjectMandatory`, so it is said only where it changes something.
  const isSaid = useMappedLocalSubject === true || part(before.subject).useMappedLocalSubject === true;
  // An empty address removes a claim.
  return {
    ...claims,
    subject: {
      claim: { uri: "" },
      ...subject,
      ...(isSaid && { useMappedLocalSubject: useMappedLocalSubject ?? false }),
    },
    role: { claim: { uri: "" }, mappings: [], ...part(claims.role) },
  };
}

function sequenceOf(sequence: Document): Document {
  const { type, requestPathAuthenticators = [], script } = sequence;
  if (type !== DEFAULT_SEQUENCE) return sequence;
  return { type, requestPathAuthenticators, ...(script !== undefined && { script }) };
}

function withGroupIds(stores: Value | undefined, ids: Work["ids"]): Value {
  return (Array.isArray(stores) ? stores.filter(isDocument) : []).map(({ userStore = "PRIMARY", groups }) => ({
    userStore,
    groups: (Array.isArray(groups) ? groups.filter(isDocument) : []).map(({ name = "" }) => ({
      id: ids.get("groups", String(name)),
    })),
  }));
}

function withRoleIds({ name, associatedRoles }: Document, ids: Work["ids"]): Document {
  const { allowedAudience = "ORGANIZATION", roles } = isDocument(associatedRoles) ? associatedRoles : {};
  const idOf = (role: string) => {
    const own = ids.find("roles", roleKey(role, String(name)));
    return own !== undefined && allowedAudience === "APPLICATION"
      ? own
      : (ids.find("roles", role) ?? own ?? ids.get("roles", role));
  };
  return {
    allowedAudience,
    ...(roles !== undefined && { roles: texts(roles).map((role) => ({ id: idOf(role) })) }),
  };
}

/** Members that a PATCH sets. */
const patched = [
  ...textMembers,
  ...["applicationEnabled", "enhancedOrgAuthenticationEnabled", "claimConfiguration", "authenticationSequence"],
  ...["advancedConfigurations", "provisioningConfigurations", "associatedRoles"],
] as const;

function creation(document: Document): readonly Step[] {
  const { name, protocols, associatedRoles, authorizedApis, ...rest } = document;
  const members = Object.keys(rest).filter((member) => (patched as readonly string[]).includes(member));
  const post: Step = {
    async run(work) {
      const { api, ids, dryRun } = work;
      const switches = Object.fromEntries(
        fixedMembers.flatMap((one) => (rest[one] === undefined ? [] : [[one, rest[one]]])),
      );
      const body = {
        name,
        ...patchOf(document, {}, members, work),
        ...switches,
        ...(isDocument(protocols) && { inboundProtocolConfiguration: await protocolBodies(protocols, work) }),
      };
      const { id } = await api.send("POST", APPLICATIONS, { body, dryRun });
      if (!dryRun) ids.set("applications", String(name), id);
    },
  };
  const later = (run: (id: string, work: Work) => Promise<void>): Step => ({
    isLater: true,
    run: (work) => run(work.ids.get("applications", String(name)), work),
  });
  const roles = later(async (id, work) => {
    const body = { associatedRoles: withRoleIds(document, work.ids) };
    await work.api.send("PATCH", `${APPLICATIONS}/${encodeURIComponent(id)}`, { body, ifMatch: "*" });
  });
  const apis = later(async (id, work) => {
    for (const step of authorizationSteps(id, [], authorizedApis ?? [], {})) await step.run(work);
  });
  return [post, ...(associatedRoles === undefined ? [] : [roles]), ...(authorizedApis === undefined ? [] : [apis])];
}

function changesOf(document: Document, { id, document: before, kept = {} }: Found): readonly Step[] {
  for (const member of fixedMembers) {
    if (isSame(document[member], before[member])) continue;
    throw wrongInput(`${document.name}: ${member} cannot change.`, "Delete the application, and apply again.");
  }
  const certificateIn = ({ advancedConfigurations: part }: Document) =>
    isDocument(part) ? part.certificate : undefined;
  if (certificateIn(before) !== undefined && certificateIn(document) === undefined) {
    throw wrongInput(
      `${document.name}: the service cannot remove a certificate from an application.`,
      "Keep it in the file, or delete the application and apply again.",
    );
  }
  const path = `${APPLICATIONS}/${encodeURIComponent(id)}` as const;
  const members = patched.filter((member) => !isSame(document[member], before[member]));
  const patch: Step = {
    async run(work) {
      await work.api.send("PATCH", path, {
        body: patchOf(document, before, members, work),
        dryRun: work.dryRun,
        ifMatch: "*",
      });
    },
  };
  const scriptIn = ({ authenticationSequence: part }: Document) => (isDocument(part) ? part.script : undefined);
  const losesScript = scriptIn(before) !== undefined && scriptIn(document) === undefined;
  return [
    ...(losesScript ? [sending("PUT", `${path}/authenticationSequence/script`, { script: "" })] : []),
    ...(members.length > 0 ? [patch] : []),
    ...protocolSteps(id, part(before.protocols), part(document.protocols)),
    ...authorizationSteps(id, before.authorizedApis ?? [], document.authorizedApis ?? [], part(kept.apis)),
  ];
}
