/**
 * The claims of WSO2 Identity Server, as data: the local claims that applications refer to, and what other dialects map
 * to them. They are those of a new deployment of Identity Server, oddities included, so that a tool that compares two
 * servers finds what it knows. Nothing here decides what this service stores of users.
 */

/** A local claim: the end of its URI, its display name, the attribute, and `R`equired, `S`upported, read-`O`nly. */
type LocalRow = readonly [name: string, displayName: string, attribute: string, flags?: string];

/** The dialect of local claims. */
export const LOCAL_DIALECT = "http://wso2.org/claims";

/** What begins the names of claims about the state of an account. */
export const IDENTITY = "identity/";

const SCIM1 = "urn:scim:schemas:core:1.0";
const SCIM2 = "urn:ietf:params:scim:schemas:core:2.0";
const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const SYSTEM = "urn:scim:wso2:schema";

export const localRows: readonly LocalRow[] = [
  ["givenname", "First Name", "givenName", "RS"],
  ["lastname", "Last Name", "sn", "RS"],
  ["emailaddress", "Email", "mail", "RS"],
  ["country", "Country", "country", "S"],
  ["streetaddress", "Street", "streetAddress", "S"],
  ["telephone", "Telephone", "telephoneNumber", "S"],
  ["mobile", "Mobile", "mobile", "S"],
  ["url", "URL", "url", "S"],
  ["roles", "Roles", "roles", "SO"],
  ["groups", "Groups", "groups", "SO"],
  ["department", "Department", "departmentNumber", "SO"],
  ["role", "Role", "role", "O"],
  ["organization", "Organization", "organizationName"],
  ["im", "IM", "im"],
  ["gender", "Gender", "gender"],
  ["title", "Title", "title"],
  ["postalcode", "Postal Code", "postalcode"],
  ["locality", "Locality", "localityAddress"],
  ["region", "Region", "region"],
  ["dob", "Birth Date", "dateOfBirth"],
  ["nickname", "Nick Name", "nickName"],
  ["stateorprovince", "State or Province", "stateOrProvinceName"],
  ["otherphone", "Other Phone", "otherPhone"],
  ["fullname", "Full Name", "cn"],
  ["username", "Username", "uid"],
  ["userprincipal", "User Principal", "uid"],
  ["userid", "User ID", "scimId", "O"],
  ["externalid", "External ID", "externalId", "O"],
  ["created", "Created Time", "createdDate", "O"],
  ["modified", "Last Modified Time", "lastModifiedDate", "O"],
  ["metadata.version", "Metadata Version", "meta.version", "O"],
  ["location", "Location", "location"],
  ["formattedName", "Name - Formatted Name", "formattedName"],
  ["middleName", "Middle Name", "middleName"],
  ["honorificPrefix", "Honorific Prefix", "honoricPrefix"],
  ["honorificSuffix", "Honorific Suffix", "honoricSuffix"],
  ["resourceType", "Resource Type", "resourceType"],
  ["userType", "User Type", "userType"],
  ["preferredLanguage", "Preferred Language", "preferredLanguage"],
  ["local", "Locale", "local"],
  ["timeZone", "Time Zone", "timeZone"],
  ["displayName", "Display Name", "displayName"],
  ["active", "Active", "active"],
  ["emails.work", "Emails - Work", "workEmail"],
  ["emails.home", "Emails - Home", "homeEmail"],
  ["emails.other", "Emails - Other", "otherEmail"],
  ["phoneNumbers", "Phone Numbers", "phoneNumbers"],
  ["phoneNumbers.home", "Phone Numbers - Home", "homePhone"],
  ["phoneNumbers.work", "Phone Numbers - Work", "workPhone"],
  ["phoneNumbers.fax", "Phone Numbers - Fax", "fax"],
  ["phoneNumbers.pager", "Phone Numbers - Pager", "pager"],
  ["phoneNumbers.other", "Phone Numbers - Other", "otherPhoneNumber"],
  ["gtalk", "IM - Gtalk", "imGtalk"],
  ["skype", "IM - Skype", "imSkype"],
  ["photos", "Photos", "photos"],
  ["photourl", "Photo URL", "photoUrl"],
  ["thumbnail", "Photo - Thumbnail", "thumbnail"],
  ["websiteurl", "Website URL", "websiteUrl"],
  ["addresses", "Address", "addresses"],
  ["addresses.formatted", "Address - Formatted", "formattedAddress"],
  ["addresses.locality", "Address - Locality", "localityAddress"],
  ["entitlements", "Entitlements", "entitlements"],
  ["x509Certificates", "X509 Certificates", "x509Certificates"],
  ["costCenter", "Cost Center", "costCenter"],
  ["extendedRef", "Extended Ref", "extendedRef"],
  ["extendedDisplayName", "Extended Display Name", "extendedDisplayName"],
  ["extendedExternalId", "Extended External Id", "extendedExternalId"],
  ["oneTimePassword", "One Time Password", "oneTimePassword"],
  ["challengeQuestion1", "Challenge Question 1", "challengeQuestion1"],
  ["challengeQuestion2", "Challenge Question 2", "challengeQuestion2"],
  ["challengeQuestionUris", "Challenge Question URIs", "challengeQuestionUris"],
  ["emailAddresses", "Email Addresses", "emailAddresses"],
  ["verifiedEmailAddresses", "Verified Email Addresses", "verifiedEmailAddresses"],
  ["mobileNumbers", "Mobile Numbers", "mobileNumbers"],
  ["verifiedMobileNumbers", "Verified Mobile Numbers", "verifiedMobileNumbers"],
  ["identity/accountLocked", "Account Locked", "accountLock"],
  ["identity/accountDisabled", "Account Disabled", "accountDisabled"],
  ["identity/accountState", "Account State", "accountState", "O"],
  ["identity/lockedReason", "Locked Reason", "lockedReason"],
  ["identity/unlockTime", "Unlock Time", "unlockTime"],
  ["identity/emailVerified", "Email Verified", "emailVerified"],
  ["identity/phoneVerified", "Phone Verified", "phoneVerified"],
  ["identity/preferredChannel", "Preferred Channel", "preferredChannel"],
  ["identity/accountConfirmedTime", "Account Confirmed Time", "confirmedTime"],
  ["identity/failedLoginAttempts", "Failed Login Attempts", "failedLoginAttempts"],
  [
    "identity/failedLoginAttemptsBeforeSuccess",
    "Failed Login Attempts Before Success",
    "failedLoginAttemptsBeforeSuccess",
  ],
  ["identity/failedLoginLockoutCount", "Failed Login Lockout Count", "failedLockoutCount"],
  ["identity/failedPasswordRecoveryAttempts", "Failed Password Recovery Attempts", "failedRecoveryAttempts"],
  ["identity/lastLoginTime", "Last Login Time", "lastLoginTime"],
  ["identity/lastLogonTime", "Last Logon Time", "lastLogonTime"],
  ["identity/lastPasswordUpdateTime", "Last Password Update Time", "lastPasswordUpdate"],
  ["identity/verifyEmail", "Verify Email", "verifyEmail"],
  ["identity/verifyMobile", "Verify Mobile", "verifyMobile"],
  ["identity/askPassword", "Ask Password", "askPassword"],
  ["identity/tenantAdminAskPassword", "Tenant Admin Ask Password", "tenantAdminAskPassword"],
  ["identity/adminForcedPasswordReset", "Admin Forced Password Reset", "forcePasswordReset"],
  ["identity/emailaddress.pendingValue", "Verification Pending Email", "pendingEmailAddress", "O"],
  ["identity/mobileNumber.pendingValue", "Verification Pending Mobile Number", "pendingMobileNumber", "O"],
  ["identity/isLiteUser", "Is Lite User", "isLiteUser"],
  ["identity/isReadOnlyUser", "Is Read Only User", "isReadOnlyUser"],
  ["identity/userSourceId", "User Source ID", "userSourceId"],
  ["identity/totpEnabled", "TOTP Enabled", "totpEnabled"],
  ["identity/enabledAuthenticators", "Enabled Authenticators", "enabledAuthenticators"],
];

/** Claims with several values. */
export const multiValued: ReadonlySet<string> = new Set([
  ...["roles", "groups", "emailAddresses", "verifiedEmailAddresses", "mobileNumbers", "verifiedMobileNumbers"],
]);

/** Names of claims of a dialect, each with the local claim that it is mapped to. */
type Mapping = Readonly<Record<string, string>>;

/** Names of OpenID Connect (OpenID Connect Core 1.0 section 5.1), with those that Identity Server adds. */
export const oidcClaims: Mapping = {
  sub: "username",
  name: "fullname",
  given_name: "givenname",
  family_name: "lastname",
  middle_name: "middleName",
  nickname: "nickname",
  preferred_username: "displayName",
  profile: "url",
  picture: "photourl",
  website: "websiteurl",
  email: "emailaddress",
  email_verified: "identity/emailVerified",
  gender: "gender",
  birthdate: "dob",
  zoneinfo: "timeZone",
  locale: "local",
  phone_number: "telephone",
  phone_number_verified: "identity/phoneVerified",
  address: "addresses",
  street_address: "streetaddress",
  locality: "locality",
  region: "region",
  postal_code: "postalcode",
  country: "country",
  formatted: "addresses.formatted",
  updated_at: "modified",
  groups: "groups",
  roles: "roles",
  upn: "username",
};

const core: Mapping = {
  id: "userid",
  externalId: "externalid",
  "meta.created": "created",
  "meta.lastModified": "modified",
  "meta.location": "location",
  "meta.resourceType": "resourceType",
  "meta.version": "metadata.version",
};

const user: Mapping = {
  userName: "username",
  "name.givenName": "givenname",
  "name.familyName": "lastname",
  "name.formatted": "formattedName",
  "name.middleName": "middleName",
  "name.honorificPrefix": "honorificPrefix",
  "name.honorificSuffix": "honorificSuffix",
  displayName: "displayName",
  nickName: "nickname",
  profileUrl: "url",
  title: "title",
  userType: "userType",
  preferredLanguage: "preferredLanguage",
  locale: "local",
  timezone: "timeZone",
  active: "active",
  emails: "emailaddress",
  "emails.work": "emails.work",
  "emails.home": "emails.home",
  "emails.other": "emails.other",
  phoneNumbers: "phoneNumbers",
  "phoneNumbers.mobile": "mobile",
  "phoneNumbers.home": "phoneNumbers.home",
  "phoneNumbers.work": "phoneNumbers.work",
  "phoneNumbers.other": "phoneNumbers.other",
  "phoneNumbers.fax": "phoneNumbers.fax",
  "phoneNumbers.pager": "phoneNumbers.pager",
  "ims.gtalk": "gtalk",
  "ims.skype": "skype",
  photos: "photos",
  "photos.photo": "photourl",
  "photos.thumbnail": "thumbnail",
  addresses: "addresses",
  "addresses.home": "addresses.locality",
  "addresses.work": "region",
  groups: "groups",
  entitlements: "entitlements",
  "roles.default": "roles",
  x509Certificates: "x509Certificates",
};

const enterprise: Mapping = {
  employeeNumber: "extendedExternalId",
  costCenter: "costCenter",
  organization: "organization",
  department: "department",
  division: "stateorprovince",
  "manager.value": "gender",
  "manager.$ref": "extendedRef",
  "manager.displayName": "extendedDisplayName",
};

const system: Mapping = {
  country: "country",
  dateOfBirth: "dob",
  accountLocked: "identity/accountLocked",
  accountDisabled: "identity/accountDisabled",
  accountState: "identity/accountState",
  askPassword: "identity/askPassword",
  verifyEmail: "identity/verifyEmail",
  verifyMobile: "identity/verifyMobile",
  preferredChannel: "identity/preferredChannel",
  emailVerified: "identity/emailVerified",
  phoneVerified: "identity/phoneVerified",
  "emails.pendingValue": "identity/emailaddress.pendingValue",
  emailAddresses: "emailAddresses",
  verifiedEmailAddresses: "verifiedEmailAddresses",
  mobileNumbers: "mobileNumbers",
  verifiedMobileNumbers: "verifiedMobileNumbers",
};

/** The local claims of the attributes of users, by the names that directories are declared with. */
export const attributeClaims: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ id: "userid", ...user }),
  ...Object.entries(enterprise).map(([name, claim]) => [`${ENTERPRISE}:${name}`, claim] as const),
]);

/** A dialect other than the local one: what stands between its URI and the names of its claims, and its claims. */
export interface Dialect {
  readonly uri: string;
  /** The beginning of the URIs of its claims. Those of OpenID Connect are names only. */
  readonly prefix: string;
  readonly claims: Mapping;
}

export const dialects: readonly Dialect[] = [
  { uri: "http://wso2.org/oidc/claim", prefix: "", claims: oidcClaims },
  { uri: SCIM1, prefix: `${SCIM1}:`, claims: { ...core, ...user } },
  { uri: SCIM2, prefix: `${SCIM2}:`, claims: core },
  { uri: USER, prefix: `${USER}:`, claims: user },
  { uri: ENTERPRISE, prefix: `${ENTERPRISE}:`, claims: enterprise },
  { uri: SYSTEM, prefix: `${SYSTEM}:`, claims: system },
];
