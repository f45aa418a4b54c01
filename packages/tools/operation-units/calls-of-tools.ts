/** How the operations that tools of WSO2 Identity Server need are called on the data set. */
import type { Fixture } from "./fixture.ts";

const base64url = (text: string): string => Buffer.from(text).toString("base64url");

/** Those that change nothing. */
export const toolReads = ({ tenant, owner }: Fixture) =>
  [
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
