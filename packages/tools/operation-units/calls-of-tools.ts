/** How the operations that tools of WSO2 Identity Server need are called on the data set. */

const base64url = (text: string): string => Buffer.from(text).toString("base64url");

/** Those that change nothing. */
export const toolReads = [
  ["listClaimDialects", {}],
  ["getClaimDialect", { params: { dialectId: "local" } }],
  ["listLocalClaims", {}],
  ["getLocalClaim", { params: { claimId: base64url("http://wso2.org/claims/emailaddress") } }],
  ["listExternalClaims", { params: { dialectId: base64url("http://wso2.org/oidc/claim") } }],
  ["getExternalClaim", { params: { dialectId: base64url("http://wso2.org/oidc/claim"), claimId: base64url("email") } }],
  ["listUserStores", {}],
  ["getUserStore", { params: { userStoreId: base64url("PRIMARY") } }],
  ["testUserStoreConnection", { body: { connectionURL: "ldaps://directory.example" } }],
  ["listOidcScopes", {}],
  ["getOidcScope", { params: { scopeName: "email" } }],
  ["listDiscoverableGroups", {}],
  ["listScopes", {}],
  ["listApiResourceCollections", {}],
  ["getApiResourceCollection", { params: { collectionId: base64url("applications") } }],
] as const;

/** Those that change something, in their order. */
export const toolChanges = [
  ["createOidcScope", { body: { name: "badge", displayName: "Badge", claims: ["given_name"] } }],
  ["updateOidcScope", { params: { scopeName: "badge" }, body: { displayName: "Badges", claims: ["given_name"] } }],
  ["deleteOidcScope", { params: { scopeName: "badge" } }],
] as const;
