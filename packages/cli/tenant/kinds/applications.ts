/** Applications with their protocols, the APIs that they may call, and the groups and roles that may use them. */
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
import { assignmentSteps, readAssignments, roleIdOf } from "./assignments.ts";
import {
  normalisedProtocols,
  protocolBodies,
  protocolSteps,
  readProtocols,
  shownProtocols,
  uniqueKeys,
} from "./protocols.ts";
import { eachOf, sending, texts, unique } from "./simple.ts";

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
  const assigned = await readAssignments(api, id);
  const main = shortened(named(plainData(shown), names));
  const document = withParts(main, protocols, { authorizedApis, assignments: assigned.assignments });
  return { id, document, kept: { ...kept, ...idsOf(authorized), ...assigned.kept } };
}

function idsOf(authorized: readonly { readonly id: string; readonly identifier?: string | undefined }[]): Document {
  return { apis: Object.fromEntries(authorized.map(({ id, identifier = "" }) => [identifier, id])) };
}

function normalised(document: Document, kept: Document, deployment: Deployment): Document {
  const { protocols, authorizedApis, assignments, ...main } = document;
  const own = isDocument(protocols) ? normalisedProtocols(protocols, kept, deployment) : {};
  return withParts(shortened(presentedOf(main)), own, { authorizedApis, assignments });
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
  const isOwn = allowedAudience === "APPLICATION";
  return {
    allowedAudience,
    ...(roles !== undefined && {
      roles: texts(roles).map((role) => ({ id: roleIdOf(role, String(name), ids, isOwn) })),
    }),
  };
}

/** Members that a PATCH sets. */
const patched = [
  ...["name", ...textMembers],
  ...["applicationEnabled", "enhancedOrgAuthenticationEnabled", "claimConfiguration", "authenticationSequence"],
  ...["advancedConfigurations", "provisioningConfigurations", "associatedRoles"],
] as const;

function creation(document: Document): readonly Step[] {
  const { name, protocols, associatedRoles, authorizedApis, assignments, ...rest } = document;
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
  const assigned = later(async (id, work) => {
    for (const step of assignmentSteps(id, String(name), { before: [], after: assignments ?? [] }, {})) {
      await step.run(work);
    }
  });
  return [
    post,
    ...(associatedRoles === undefined ? [] : [roles]),
    ...(authorizedApis === undefined ? [] : [apis]),
    ...(assignments === undefined ? [] : [assigned]),
  ];
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
    ...assignmentSteps(
      id,
      String(document.name),
      { before: before.assignments ?? [], after: document.assignments ?? [] },
      part(kept.assignments),
    ),
  ];
}

/** The requests that authorise an application for these APIs, and no other. `apiIds` has the ids of those it has. */
function authorizationSteps(id: string, before: Value, after: Value, apiIds: Document): readonly Step[] {
  const path = `${APPLICATIONS}/${encodeURIComponent(id)}/authorized-apis` as const;
  const list = (value: Value) => (Array.isArray(value) ? value.filter(isDocument) : []);
  const removed = list(before).filter((old) => !list(after).some(({ identifier }) => identifier === old.identifier));
  const one = (identifier: Value) => `${path}/${encodeURIComponent(String(apiIds[String(identifier)] ?? ""))}` as const;
  const kept = list(after).flatMap((next): readonly Step[] => {
    const old = list(before).find(({ identifier }) => identifier === next.identifier);
    if (isSame(old, next)) return [];
    const scopes = texts(next.scopes ?? []);
    if (old && isSame(old.policy, next.policy)) {
      const had = texts(old.scopes ?? []);
      const addedScopes = scopes.filter((scope) => !had.includes(scope));
      const removedScopes = had.filter((scope) => !scopes.includes(scope));
      return [sending("PATCH", one(next.identifier ?? ""), { addedScopes, removedScopes })];
    }
    const post: Step = {
      async run({ api, ids, dryRun }) {
        const apiId = apiIds[String(next.identifier)] ?? (await apiIdOf(api, ids, String(next.identifier)));
        const body = { id: apiId, policyIdentifier: next.policy ?? "RBAC", scopes };
        await api.send("POST", path, { body, dryRun });
      },
    };
    return old ? [sending("DELETE", one(next.identifier ?? "")), { ...post, isLater: true }] : [post];
  });
  return [...removed.map(({ identifier = "" }) => sending("DELETE", one(identifier))), ...kept];
}

/** The id of an API of the tenant or of the service. */
async function apiIdOf(api: Api, ids: Work["ids"], identifier: string): Promise<string> {
  const known = ids.find("api-resources", identifier);
  if (known !== undefined) return known;
  const found = await api.apiResources.list({ filter: `identifier eq ${identifier}` }).all();
  const id = found.find((one) => one.identifier === identifier)?.id;
  if (id === undefined) return ids.get("api-resources", identifier);
  ids.set("api-resources", identifier, id);
  return id;
}
