/** What the operations on applications say in the document, besides their summaries. */

const protocol = (name: string, title: string, shown: string, replaced: string, removed = "") => ({
  [`get${name}Configuration`]: shown,
  [`update${name}Configuration`]: replaced,
  [`delete${name}Configuration`]: `The application and its other protocols stay, and ${title} is not offered any more. Removing what is not there is 204 too.${removed}`,
});

/** The descriptions by the ids of the operations. */
export const applicationDescriptions: Readonly<Record<string, string>> = {
  listApplications:
    "Returns one page of the applications of the tenant: 30 by default, at most 100, with the total and relative links to the neighbouring pages. An item shows the id, the name and the access; `attributes` adds further members to it. `sortBy` and `sortOrder` are refused with 501.",
  createApplication:
    "Creates the application with all protocols of the body in one transaction: completely or not at all. The answer has no body; `Location` names the new application. The caller becomes the owner, a client id and a secret are created where the body has none, and `template` names a template that the body is merged over.",
  getApplication:
    "Shows all settings, and the inbound protocols as references; each protocol has a resource of its own with its settings. Secrets are never part of it.",
  patchApplication:
    "Changes the members that the body names; a member that it does not name stays, and an object in it is changed member by member. Lists are replaced as a whole. A change that opens an application, such as a new sign-in step or certificate, needs the scopes that the application is authorized for. Disabling ends all tokens of its client.",
  deleteApplication:
    "Ends all tokens of its client at once and frees its name, client id and issuer. It is put aside for 30 days, unless the operator chose otherwise, and can be restored. Deleting an application that does not exist is 204 too.",
  changeApplicationOwner:
    "The new owner is a user of the same tenant, named by id. The ownership is shown and gives no right: what callers may do follows from their scopes.",
  getApplicationAuthenticators:
    "Lists, for each step of the authentication sequence, the local and the federated authenticators that it offers. An application without steps of its own has the default one.",
  updateAuthenticationScript:
    "Replaces the script alone, at most 100,000 characters; a blank text removes it. Other software runs the script, this service stores it. In an application that is authorized for scopes of this service, the caller must have these scopes.",
  listDiscoverableGroups:
    "Returns id and name of the groups of one user store, ordered by name and cut at 1,000. `filter` takes `name co` with a text and nothing else.",
  getResidentApplication:
    "The resident application stands for the tenant itself. It has provisioning settings only; before the first change these are the defaults.",
  updateResidentApplication:
    "Replaces the settings that the body has, and keeps the others. The settings are stored and shown; this service provisions no users to other systems.",
  importApplication:
    "Reads a file of `exportApplication`, `exportApplicationFile` or WSO2 Identity Server in XML, YAML or JSON, as the part `file` of at most 4 MiB, and creates the application in one transaction. `notHonoured` of the answer lists elements that have no effect here; an export contains them again. A name, client id or issuer that is in use is 409.",
  updateApplicationFromFile:
    "Finds the application by the name in the file and replaces everything that files contain. Its id, authorized APIs, origins and logout address stay, and so do secrets that the file does not have; the caller becomes the owner. An unknown name is 404: nothing is created.",
  exportApplication:
    "Returns an attachment that `importApplication` reads, also in another tenant or in WSO2 Identity Server. The id, the owner and the authorized APIs are not in the file, and secrets only with `exportSecrets` and a scope that may see them.",
  exportApplicationFile:
    "`Accept` chooses the format: XML, YAML or JSON, all with the same content as `exportApplication`. Secrets are in the file only with `exportSecrets` and a scope that may see them.",
  listInboundProtocols:
    "Returns type, name and the relative address of each protocol that the application has, in one list without pages. An application without protocols has an empty list.",
  ...protocol(
    "Saml",
    "SAML2",
    "Shows the settings, also those that came from a metadata file or address. An application without SAML2 is 404.",
    "Takes exactly one of `metadataFile`, `metadataURL` and `manualConfiguration`; an address is fetched once, now, and must be public. Settings that the body leaves out get their defaults. The issuer is unique in the tenant: one that another application has is 409.",
  ),
  ...protocol(
    "Oidc",
    "OpenID Connect",
    "Shows the settings, the client id, the state and the latest secret; the operator can limit secrets to callers with `internal_application_mgt_client_secret_view`. An application without OIDC is 404.",
    "Replaces all settings: what the body leaves out gets its default. The client id of an existing client never changes, and its secret stays unless the body has another one. `state` does not reactivate a revoked client. Newly allowed grants, addresses or methods need the scopes that the application is authorized for.",
    " The client id and the secrets are gone, and all tokens of the client end.",
  ),
  regenerateClientSecret:
    "Replaces all secrets of the client by one new secret, ends all of its tokens, and makes a revoked client active. The answer shows the settings with the new secret. To rotate a secret without a gap, create a further one instead.",
  revokeClient:
    "Ends all tokens of the client; its secrets authenticate it no longer, and `state` is `REVOKED`. The settings stay. Only regenerating the secret makes it active again. Revoking it twice is no error.",
  ...protocol(
    "PassiveSts",
    "Passive STS",
    "Shows realm and reply address. An application without Passive STS is 404.",
    "Replaces all settings; `realm` and `replyTo` are required. A realm that another application of the tenant has is 409.",
  ),
  ...protocol(
    "WsTrust",
    "WS-Trust",
    "Shows the audience and the alias of the certificate. An application without WS-Trust is 404.",
    "Replaces all settings; `audience` and `certificateAlias` are required. An audience that another application of the tenant has is 409.",
  ),
  ...protocol(
    "Custom",
    "the custom protocol",
    "The protocol is one that the operator declared, named by its URL-encoded name. Confidential values are shown only to callers who may see client secrets.",
    "The path names a protocol that the operator declared; its properties are checked against the declaration. Values of properties that the body leaves out get their defaults, and a confidential value that is sent back without its text stays.",
  ),
  listClientSecrets:
    "Shows every secret with its value, state and last day of use; expired ones stay in the list and count. The list has no pages: a client has at most 10 secrets, and 2 where the operator chose nothing.",
  createClientSecret:
    "Adds a secret that the server makes; the former ones stay valid, and no token ends. `expiresAt` and `description` are optional. A client that has as many secrets as the operator allows (2 by default) gets 409; expired ones count.",
  getClientSecret: "Shows the value, the state, the time of expiry and the last day of use of one secret.",
  deleteClientSecret:
    "The secret stops working at once; tokens that were issued with it stay valid. The latest secret cannot be deleted (409): create another one first, or regenerate it.",
  listAuthorizedApis:
    "Names each API with the scopes that the application may get tokens for, in one list without pages: at most 100 APIs. Deleted APIs and scopes are left out. An unknown application has an empty list.",
  authorizeApi:
    "Lets the application request tokens with scopes of one API. The caller must have the scopes of this service that it gives. The policy is `RBAC` (a user's role must give the scope too) or `No Policy`. An API that is authorized already is 409, and an application has at most 100.",
  patchAuthorizedApi:
    "Adds scopes by name, then removes scopes by name; unknown names among the removed ones are ignored. Access tokens with a removed scope end. The caller must have the scopes of this service that it adds.",
  deleteAuthorizedApi:
    "Access tokens of the application with a scope of the API end; refresh tokens return what remains. Removing what is not authorized is 204 too.",
  listApplicationTemplates:
    "Returns the starter templates, which are the same in every tenant, and then those of the tenant, without their `application`: 30 by default, at most 100. There is no total: a page that is shorter than its limit is the last one.",
  addApplicationTemplate:
    "Stores a template of the tenant under a name that no other template of the tenant has. The application in it is checked when one is created from it. Client secrets and confidential values in it are dropped.",
  getApplicationTemplate: "Shows the template with its `application`, which has the form of a new application.",
  updateApplicationTemplate:
    "Replaces the whole template; what the body leaves out is removed. Applications that were created from it do not change. A starter template is 404, as is an unknown id.",
  deleteApplicationTemplate:
    "Applications that were created from it stay. It can be restored for 30 days, unless the operator chose otherwise. A starter template is 404.",
  listSupportedProtocols:
    "Names the protocols that the operator declared and then the built-in ones that have metadata. `customOnly` leaves out the built-in ones. It is the same in every tenant.",
  getSamlMetadata:
    "Lists the values that SAML2 settings accept: bindings, algorithms, name id formats and certificate aliases, each with its default.",
  getOidcMetadata:
    "Lists the values that OIDC settings accept, such as grants, token types and methods of client authentication, with the default lifetimes in seconds.",
  getWsTrustMetadata: "Lists the certificate aliases that WS-Trust settings accept, with the default.",
  getCustomProtocolMetadata:
    "Describes each property of a protocol that the operator declared: type, default, allowed values and order. The id is the URL-encoded name of the protocol.",
  getAdaptiveAuthTemplates:
    "Returns a JSON text of categories with sample scripts, as consoles of WSO2 Identity Server read it. The scripts are run by other software.",
};
