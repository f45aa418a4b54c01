/** What the operations on APIs, claims, tenants and user stores say in the document, besides their summaries. */

/** The descriptions by the ids of the operations. */
export const administrationDescriptions: Readonly<Record<string, string>> = {
  listApiResources:
    "Pages are 10 by default and at most 100 long; `after` and `before` are cursors, and the links of the answer contain them. `filter` takes name, identifier and type. Scopes are not listed: each API alone shows them.",
  createApiResource:
    "The identifier and the names of the scopes are unique in the tenant and cannot be changed later; at most 90 scopes. Names that begin with `internal_` or `console:` and those of OpenID Connect are reserved. A name that is in use is 409.",
  getApiResource: "Shows the API with all of its scopes. Ids of the APIs of this service are the same in every tenant.",
  patchApiResource:
    "Changes the name and the description where the body has them, and adds the scopes of `addedScopes`. Nothing is removed: `removedScopes` is 501. The APIs of this service cannot be changed (403).",
  deleteApiResource:
    "Authorizations of it end in every application, and access tokens with its scopes too. It can be restored for 30 days, unless the operator chose otherwise. The APIs of this service cannot be deleted (403); an unknown id is 204.",
  getApiResourceScopes: "Returns id, name, display name and description of each scope: at most 90, without pages.",
  replaceApiResourceScopes:
    "The body is the complete list. Scopes whose names stay keep their ids and authorizations; the others are removed, which ends access tokens with them.",
  patchApiResourceScope: "The name itself cannot be changed, because tokens and authorizations contain it.",
  patchApiResourceScopeById:
    "Does what changing a scope by its name does, for tools that store ids. The name itself cannot be changed.",
  deleteApiResourceScopeById:
    "Does what deleting a scope by its name does, for tools that store ids. Access tokens with the scope end.",
  deleteApiResourceScope:
    "Applications are no longer authorized for it, and access tokens with it end. A new scope of the same name is another one, which must be authorized again. An unknown name is 204.",
  listScopes:
    "Returns the scopes of all APIs in one list without pages: those of the tenant's APIs, then those of this service. More than 5,000 scopes, or 500 APIs, are 400 with a sentence that says how to ask for fewer. `filter` takes `name`.",
  listApiResourceCollections:
    "Groups the APIs of this service by what they administer, as consoles show them. Collections are made from the APIs and cannot be changed.",
  getApiResourceCollection:
    "Shows the APIs of one collection with their scopes, split into those that read and those that write. The id is the Base64url of its name.",
  listOidcScopes:
    "Returns all scopes of OpenID Connect of the tenant without pages: at most 200. They are data for tools and consoles: tokens of this service have scopes of APIs.",
  createOidcScope:
    "Adds a scope with the claims that it stands for. The name is unique in the tenant and cannot begin like a scope of this service. A tenant has at most 200.",
  getOidcScope: "Shows the display name, the description and the claims of one scope.",
  updateOidcScope: "Replaces display name, description and claims as a whole; the name stays.",
  deleteOidcScope:
    "Default scopes can be deleted too; scopes of APIs still cannot have their names. No token changes by it. Its deletion is in the list of changes and cannot be undone by one call.",
  listClaimDialects:
    "Returns the dialects of a new Identity Server, the same in every tenant. They cannot be changed: attributes of users are those of SCIM here. `sort`, `filter`, `limit` and `offset` are 501.",
  getClaimDialect: "The id is `local` or the Base64url of the URI of the dialect.",
  listLocalClaims:
    "Returns each local claim with its attribute, its display name and its properties, without pages. `sort`, `filter`, `limit` and `offset` are 501.",
  getLocalClaim: "The id is the Base64url of the URI of the claim.",
  listExternalClaims:
    "Returns the claims of a dialect other than the local one, each with the local claim that it stands for, without pages.",
  getExternalClaim: "Both ids are Base64url: the one of the URI of the dialect, the other of the URI of the claim.",
  listUserStores:
    "Returns the user stores that the deployment declares for the tenant: those in the table and LDAP directories. `PRIMARY` is read by its id. Nothing creates or changes a user store by the API.",
  getUserStore:
    "Shows the kind of the store and, of a directory, its address, account, base and attributes by upstream's names. The password is never shown.",
  testUserStoreConnection:
    "Opens a connection of its own to a directory that is declared for the tenant, with the declared account, and says yes or no. Other addresses and accounts get no without a connection; a password in the body is 400.",
  getOwnOrganization: "An organization is a tenant here: the answer has its id, its name and its state.",
  listOrganizations: "Always an empty list, so that tools that ask for organizations go on.",
  listIdentityProviders:
    "Always an empty page with a total of 0, so that tools that ask for identity providers go on. Applications name their identity providers without registering them.",
  listTenants:
    "Only callers of the super tenant get an answer; others get 403. Pages are 10 by default and at most 100 long. Tenants whose metadata was deleted are left out.",
  createTenant:
    "One transaction creates the tenant, its roles `admin` and `everyone`, and its first administrator with the password of the body. The domain cannot be changed later. The service sends no mail: invitations are 400. A domain that is in use is 409.",
  getTenant: "Shows domain, owners and state. Only callers of the super tenant get an answer; others get 403.",
  getTenantByDomain: "Shows what reading the tenant by its id shows. HEAD is 200 or 404 without a body.",
  listTenantOwners: "A tenant has one owner: the administrator who was created with it.",
  getTenantOwner:
    "Shows the address and the name of the owner, and the claims that `additionalClaims` names. It needs the right to view users besides that of tenants.",
  updateTenantOwner:
    "Changes what the body names in one transaction. A new password needs a caller who could set the password of the administrator of the super tenant, and ends all tokens of the owner.",
  deleteTenantMetadata:
    "The tenant keeps its data and its domain, and is found by its id and domain; only the list leaves it out. An active tenant is 400.",
  updateTenantStatus:
    "While a tenant is inactive, its users and applications are not authenticated and its tokens do not count. Its data stays. The super tenant cannot be deactivated.",
  listDeletedResources:
    "Users, groups, roles, applications, templates and API resources stay here for 30 days after their deletion, unless the operator chose otherwise. Pages are 30 by default and at most 100 long; `next` is the cursor of the next one. A page may be shorter, also empty, where some can no longer be restored: continue until `next` is missing.",
  getDeletedResource: "Shows type, name, when and by whom it was deleted, and until when it can be restored.",
  restoreDeletedResource:
    "The resource comes back under its id with its memberships, settings and secrets; ended tokens stay ended. What was deleted meanwhile is left out and counted in `leftOut`. A name that is in use by now is 409: send another one in the body. Very large memberships may need a repeat, which goes on.",
  removeDeletedResource:
    "Removes it with all of its data, a user's password included. It cannot be restored after that; its changes stay in the list of changes.",
};
