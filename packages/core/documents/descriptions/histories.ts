/** What the operations on the past of a resource say in the document: histories, versions and their restores. */

/** One kind of resource that has a history. */
interface Past {
  readonly list: string;
  readonly version: string;
  /** Webhooks have a history, and nothing of it is restored. */
  readonly restore?: string;
  /** The resource, with its article. */
  readonly resource: string;
  /** What is in the list besides the changes of the resource itself; empty or a sentence. */
  readonly listed: string;
  /** What a version shows that is not of its time; empty or a sentence. */
  readonly shown: string;
  /** What a restore leaves as it is. */
  readonly kept: string;
}

const pasts: readonly Past[] = [
  {
    list: "listApplicationHistory",
    version: "getApplicationVersion",
    restore: "restoreApplicationVersion",
    resource: "an application",
    listed: "Changes of its inbound protocols are listed too; those of its authorized APIs have a list of their own.",
    shown: "Secrets are left out.",
    kept: "All protocols become what they were as well. Secrets, the revocation of the client, the owner and the authorized APIs stay; a client that was deleted since gets a new secret.",
  },
  {
    list: "listInboundProtocolHistory",
    version: "getInboundProtocolVersion",
    restore: "restoreInboundProtocolVersion",
    resource: "an inbound protocol of an application",
    listed: "The protocol is named by `saml`, `oidc`, `passive-sts`, `ws-trust` or the name of a custom one.",
    shown:
      "The version may also be one of its application. Secrets are left out; where the application did not have the protocol then, the answer is 404.",
    kept: "A protocol that the application did not have then is removed. Secrets stay.",
  },
  {
    list: "listAuthorizedApisHistory",
    version: "getAuthorizedApisVersion",
    restore: "restoreAuthorizedApisVersion",
    resource: "the authorized APIs of an application",
    listed: "Each record names the APIs and scopes that were added and removed.",
    shown: "Names of APIs and scopes are those of today; APIs and scopes that do not exist any more are left out.",
    kept: "APIs and scopes that do not exist any more are left out. Tokens with a scope that the application loses end.",
  },
  {
    list: "listResidentApplicationHistory",
    version: "getResidentApplicationVersion",
    restore: "restoreResidentApplicationVersion",
    resource: "the resident application",
    listed: "Before its first change a tenant has the defaults, of which there is no record.",
    shown: "It has the same form as the resident application itself.",
    kept: "All of its settings become what they were.",
  },
  {
    list: "listApplicationTemplateHistory",
    version: "getApplicationTemplateVersion",
    restore: "restoreApplicationTemplateVersion",
    resource: "an application template of the tenant",
    listed: "Starter templates never change and have no history.",
    shown: "Secrets are in no template and so in no version.",
    kept: "All of its settings become what they were.",
  },
  {
    list: "listApiResourceHistory",
    version: "getApiResourceVersion",
    restore: "restoreApiResourceVersion",
    resource: "an API resource of the tenant",
    listed: "Changes of its scopes are listed too. The APIs of this service never change and have no history.",
    shown: "Its scopes are those of that time.",
    kept: "Scopes come back with their ids, so that authorizations of them count again. The identifier stays.",
  },
  {
    list: "listTenantHistory",
    version: "getTenantVersion",
    restore: "restoreTenantVersion",
    resource: "a tenant",
    listed: "Only callers of the super tenant may read it; changes inside of the tenant are in the tenant's own list.",
    shown: "Only callers of the super tenant may read it.",
    kept: "That is only whether the tenant is active; its domain never changes. All tokens of a tenant that becomes inactive stop working.",
  },
  {
    list: "listUserHistory",
    version: "getUserVersion",
    restore: "restoreUserVersion",
    resource: "a user",
    listed: "A changed password is named without its value. Changes of groups and roles are in the histories of these.",
    shown:
      "Groups and roles are those of today, and a user of an LDAP directory shows the attributes that the directory has now.",
    kept: "The password, the groups and the roles stay. A user who becomes inactive by it loses all tokens.",
  },
  {
    list: "listGroupHistory",
    version: "getGroupVersion",
    restore: "restoreGroupVersion",
    resource: "a group",
    listed: "Members who were added or removed are named by their ids; a member who was deleted has no record here.",
    shown: "Members who do not exist any more are left out; roles and names of members are those of today.",
    kept: "Members who do not exist any more are left out. The roles of the group stay, and users who leave it lose tokens that depend on these.",
  },
  {
    list: "listRoleHistory",
    version: "getRoleVersion",
    restore: "restoreRoleVersion",
    resource: "a role",
    listed: "Users and groups that got or lost the role are named by their ids.",
    shown: "Users and groups that do not exist any more are left out; names are those of today.",
    kept: "Permissions, users and groups that do not exist any more are left out, and the audience stays. The caller must have the permissions that come back; tokens that depend on the role end.",
  },
  {
    list: "listWebhookHistory",
    version: "getWebhookVersion",
    resource: "a webhook",
    listed: "Deliveries are no changes and are not listed.",
    shown: "The secret is left out, and `delivery` says how far the delivery is now.",
    kept: "",
  },
];

const described = ({ list, version, restore, resource, listed, shown, kept }: Past) => ({
  [list]: `Each record says when ${resource} was changed, by which caller and from what to what, as a JSON Patch with the value before. ${listed} A page has 50 records by default and at most 1,000; \`next\` leads to the next page. The address and the name of the caller are shown only with \`internal_audit_view\`.`,
  [version]: `Shows ${resource} as reading it returned right after one of its changes; the ids of versions are in its history. ${shown}`,
  ...(restore !== undefined && {
    [restore]: `Makes ${resource} what it was right after one of its changes. It is a change like any other: it follows the rules and needs the scopes of an update of today, and has a record of its own. ${kept}`,
  }),
});

/** The descriptions by the ids of the operations. */
export const historyDescriptions: Readonly<Record<string, string>> = Object.assign({}, ...pasts.map(described));
