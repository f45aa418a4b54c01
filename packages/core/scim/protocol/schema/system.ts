/** The system extension of users: the account state, and further attributes of WSO2 Identity Server. */
import { type Attribute, attribute, type Characteristics, type Schema, VALUELESS } from "./attribute.ts";

const requests = alike(
  { type: "boolean" },
  {
    askPassword: "Asks a new user to choose a password.",
    verifyEmail: "Asks the user to verify the e-mail address.",
    verifyMobile: "Asks the user to verify the mobile number.",
    tenantAdminAskPassword: "Asks the administrator of a new tenant to choose a password.",
    forcePasswordReset: "Asks the user to choose a new password.",
  },
);

const flags: readonly Attribute[] = [
  ...alike(
    { type: "boolean" },
    {
      accountLocked: "Whether the account is locked: its user cannot sign in.",
      accountDisabled: "Whether the account is disabled.",
    },
  ),
  ...alike(
    { type: "boolean", guarded: true },
    {
      emailVerified: "Whether the user has verified the e-mail address.",
      phoneVerified: "Whether the user has verified the telephone number.",
      emailOTPDisabled: "Whether one-time passwords by e-mail are switched off for the user.",
      smsOTPDisabled: "Whether one-time passwords by text message are switched off for the user.",
    },
  ),
  ...alike({ type: "boolean" }, { isLiteUser: "Whether the user registered with an e-mail address alone." }),
];

const shownOnly = alike(
  { mutability: "readOnly" },
  {
    accountState: `The state of the account, such as LOCKED or PENDING_AP. ${VALUELESS}`,
    lockedReason: `Why the account is locked. ${VALUELESS}`,
    lastLoginTime: `When the user last signed in. ${VALUELESS}`,
    lastLogonTime: `When the user last signed in, as a directory stores it. ${VALUELESS}`,
    lastPasswordUpdateTime: `When the password was last changed. ${VALUELESS}`,
    managedOrg: `The organization that manages the user. ${VALUELESS}`,
    sharedType: `How the user is shared with other organizations. ${VALUELESS}`,
  },
);

const shownOnRequest: readonly Attribute[] = [
  ...alike(
    { type: "boolean", mutability: "readOnly", returned: "request" },
    { isReadOnlyUser: "Whether the user store of the user is read-only." },
  ),
  ...alike(
    { mutability: "readOnly", returned: "request" },
    {
      oneTimePassword: `The one-time password that was last issued. ${VALUELESS}`,
      passwordExpiryTime: `When the password expires. ${VALUELESS}`,
    },
  ),
];

/** Attributes that users may change at `/Me`. */
const profile: readonly Attribute[] = [
  attribute("preferredChannel", "How the user wants to be notified.", {
    canonicalValues: ["EMAIL", "SMS"],
    selfService: true,
    guarded: true,
  }),
  attribute("dateOfBirth", "The date of birth (YYYY-MM-DD).", {
    format: "date",
    // Test clients that generate values take one of these; another generated text would not be a date.
    canonicalValues: ["1970-01-01"],
    selfService: true,
  }),
  attribute("country", "The country the user lives in.", { selfService: true }),
  ...alike(
    { multiValued: true, selfService: true, guarded: true },
    { emailAddresses: "All e-mail addresses of the user.", mobileNumbers: "All mobile numbers of the user." },
  ),
];

const settings: readonly Attribute[] = [
  attribute("unlockTime", "When a locked account unlocks itself."),
  ...alike({ guarded: true }, { pendingMobileNumber: "A new mobile number that the user has not verified yet." }),
  attribute("userSourceId", "The id of the source of the user."),
  ...alike(
    { guarded: true },
    {
      enabledAuthenticators: "The authenticators that the user has enrolled for.",
      preferredMFAOption: "The second factor that the user prefers.",
      totpEnabled: "Whether time-based one-time passwords are set up, as a string.",
      backupCodeEnabled: "Whether backup codes are set up, as a string.",
    },
  ),
  ...alike(
    { multiValued: true, guarded: true },
    {
      verifiedEmailAddresses: "The e-mail addresses that the user has verified.",
      verifiedMobileNumbers: "The mobile numbers that the user has verified.",
    },
  ),
  attribute("pendingEmails", "New e-mail addresses that the user has not verified yet.", {
    type: "complex",
    multiValued: true,
    guarded: true,
    subAttributes: [attribute("value", "The e-mail address."), attribute("type", "The purpose of the e-mail address.")],
  }),
];

const counters: readonly Attribute[] = [
  ...alike(
    { type: "integer" },
    {
      failedLoginAttempts: "Failed attempts to sign in since the last one that succeeded.",
      failedLoginAttemptsBeforeSuccess: "Failed attempts to sign in before the last one that succeeded.",
      failedLoginLockoutCount: "How often failed attempts have locked the account.",
      failedPasswordRecoveryAttempts: "Failed attempts to recover the password.",
      failedEmailOTPAttempts: "Failed attempts with one-time passwords by e-mail.",
      failedSMSOTPAttempts: "Failed attempts with one-time passwords by text message.",
      failedTOTPAttempts: "Failed attempts with time-based one-time passwords.",
      failedBackupCodeAttempts: "Failed attempts with backup codes.",
    },
  ),
  ...alike(
    { type: "integer", mutability: "readOnly" },
    { failedPushAuthAttempts: `Failed attempts with push notifications. ${VALUELESS}` },
  ),
];

export const systemSchema: Schema = {
  id: "urn:scim:wso2:schema",
  name: "SystemUser",
  description: "State and settings of a user account",
  attributes: [...profile, ...settings, ...requests, ...flags, ...shownOnly, ...shownOnRequest, ...counters],
};

/** Attributes with the same characteristics, by name and description. */
function alike(characteristics: Characteristics, described: Readonly<Record<string, string>>): readonly Attribute[] {
  return Object.entries(described).map(([name, description]) => attribute(name, description, characteristics));
}
