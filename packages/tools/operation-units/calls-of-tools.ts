/** How the operations that tools of WSO2 Identity Server need are called on the data set. */
import type { Fixture } from "./fixture.ts";

const base64url = (text: string): string => Buffer.from(text).toString("base64url");

/** Those that change nothing. */
export const toolReads = ({ tenant, owner, role, application }: Fixture) =>
  [
    ["exportApplicationFile", { params: { applicationId: application } }],
    ["listRolesV1", {}],
    ["getRoleV1", { params: { id: role } }],
    ["listRolesV3", {}],
    ["searchRolesV3", { body: { filter: 'displayName eq "Viewers"' } }],
    ["getRoleV3", { params: { id: role } }],
    ["listClaimDialects", {}],
    ["getClaimDialect", { params: { dialectId: "local" } }],
    ["listLocalClaims", {}],
    ["getLocalClaim", { params: { claimId: base64url("http://wso2.org/claims/emailaddress") } }],
    ["listExternalClaims", { params: { dialectId: base64url("http://wso2.org/oidc/claim") } }],
    [
      "getExternalClaim",
      { params: { dialectId: base64url("http://wso2.org/oidc/claim"), claimId: base64url("email") } },
    ],
    ["listUserStores", {}],
    ["getUserStore", { params: { userStoreId: base64url("PRIMARY") } }],
    ["testUserStoreConnection", { body: { connectionURL: "ldaps://directory.example" } }],
    ["listOidcScopes", {}],
    ["getOidcScope", { params: { scopeName: "email" } }],
    ["listDiscoverableGroups", {}],
    ["listScopes", {}],
    ["getOwnOrganization", {}],
    ["listOrganizations", {}],
    ["listIdentityProviders", {}],
    ["listApiResourceCollections", {}],
    ["getApiResourceCollection", { params: { collectionId: base64url("applications") } }],
    ["getTenantOwner", { params: { tenantId: tenant, ownerId: owner } }],
  ] as const;

/** Those that change something, in their order. */
export const toolChanges = [
  ["createOidcScope", { body: { name: "badge", displayName: "Badge", claims: ["given_name"] } }],
  ["updateOidcScope", { params: { scopeName: "phone" }, body: { displayName: "Telephone", claims: ["phone_number"] } }],
  ["deleteOidcScope", { params: { scopeName: "badge" } }],
] as const;

/** Changes of the tenant, until it is inactive. */
export const tenantChanges = ({ tenant, owner }: Fixture) =>
  [
    [
      "updateTenantOwner",
      {
        params: { tenantId: tenant, ownerId: owner },
        body: { email: "boss@taxi.example", firstname: "Robin", lastname: "Field" },
      },
    ],
    ["updateTenantStatus", { params: { tenantId: tenant }, body: { activated: false } }],
    ["deleteTenantMetadata", { params: { tenantId: tenant } }],
  ] as const;

/** Changes of a scope of the second API by its id. */
export const scopesById = ({ apis, scope }: Fixture) =>
  [
    [
      "patchApiResourceScopeById",
      { params: { apiResourceId: apis[1] ?? "", scopeId: scope }, body: { displayName: "Read" } },
    ],
    ["deleteApiResourceScopeById", { params: { apiResourceId: apis[1] ?? "", scopeId: scope } }],
  ] as const;

/** Changes of the parts of a role. */
export const roleParts = ({ role, spareRole, users, groups }: Fixture) => {
  const target = { params: { id: role } };
  const [user, other] = [[{ value: users[1] ?? "" }], [{ value: users[2] ?? "" }]];
  const [group, otherGroup] = [[{ value: groups[1] ?? "" }], [{ value: groups[0] ?? "" }]];
  const adding = (value: readonly object[]) => ({ Operations: [{ op: "add", value }] });
  return [
    ["createRoleV3", { body: { displayName: "Parts" } }],
    ["replaceRoleV3", { ...target, body: { displayName: "Viewers in parts" } }],
    ["patchRoleV3", { ...target, body: { Operations: [{ op: "replace", value: { displayName: "Viewers" } }] } }],
    ["replaceRoleUsers", { ...target, body: user }],
    ["patchRoleUsers", { ...target, body: adding(other) }],
    ["replaceRoleGroups", { ...target, body: group }],
    ["patchRoleGroups", { ...target, body: adding(otherGroup) }],
    ["deleteRoleV3", { params: { id: spareRole } }],
  ] as const;
};
