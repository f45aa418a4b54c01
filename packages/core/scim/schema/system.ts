/** The system extension of users: the state of an account and what WSO2 Identity Server adds (reference scim.md section 7.4). */
import { type Attribute, attribute, type Schema } from "./attribute.ts";

type Characteristics = Parameters<typeof attribute>[2];

const requests = alike(
  { type: "boolean" },
  {
    askPassword: "Asks the user to choose a password: the account is made without one.",
    verifyEmail: "Asks the user to prove the e-mail address.",
    verifyMobile: "Asks the user to prove the mobile number.",
    tenantAdminAskPassword: "Asks the administrator of a new tenant to choose a password.",
    forcePasswordReset: "Asks the user to choose another password.",
  },
);

const flags = alike(
  { type: "boolean" },
  {
    accountLocked: "Whether the account is locked: the user cannot sign in until it is unlocked.",
    accountDisabled: "Whether the account is disabled.",
    emailVerified: "Whether the user has proved the e-mail address.",
    phoneVerified: "Whether the user has proved the telephone number.",
    emailOTPDisabled: "Whether one-time passwords by e-mail are switched off for the user.",
    smsOTPDisabled: "Whether one-time passwords by text message are switched off for the user.",
    isLiteUser: "Whether the user registered with an e-mail address alone.",
  },
);

const shownOnly = alike(
  { mutability: "readOnly" },
  {
    accountState: "The state of the account, such as LOCKED or PENDING_AP.",
    lockedReason: "Why the account is locked.",
    lastLoginTime: "When the user signed in last.",
    lastLogonTime: "When the user signed in last, as a directory keeps it.",
    lastPasswordUpdateTime: "When the password was changed last.",
    managedOrg: "The organization that manages the user.",
    sharedType: "How the user is shared with other organizations.",
  },
);

const shownOnRequest: readonly Attribute[] = [
  ...alike(
    { type: "boolean", mutability: "readOnly", returned: "request" },
    { isReadOnlyUser: "Whether the user lies in a store that cannot be written." },
  ),
  ...alike(
    { mutability: "readOnly", returned: "request" },
    {
      oneTimePassword: "The one-time password that was issued last.",
      passwordExpiryTime: "When the password expires.",
    },
  ),
];

/** What users may change of themselves. */
const profile: readonly Attribute[] = [
  attribute("preferredChannel", "How the user wants to be notified.", {
    canonicalValues: ["EMAIL", "SMS"],
    selfService: true,
  }),
  attribute("dateOfBirth", "The date of birth (YYYY-MM-DD).", {
    format: "date",
    // Clients that make up values for a test take one of these; any other text is no date.
    canonicalValues: ["1970-01-01"],
    selfService: true,
  }),
  attribute("country", "The country the user lives in.", { selfService: true }),
  ...alike(
    { multiValued: true, selfService: true },
    { emailAddresses: "All e-mail addresses of the user.", mobileNumbers: "All mobile numbers of the user." },
  ),
];

const settings: readonly Attribute[] = [
  ...alike(
    {},
    {
      unlockTime: "When a locked account unlocks itself.",
      pendingMobileNumber: "A new mobile number that the user has not proved yet.",
      userSourceId: "The id of the source that the user came from.",
      enabledAuthenticators: "The authenticators that the user has enrolled for.",
      preferredMFAOption: "The second factor that the user prefers.",
      totpEnabled: "Whether time-based one-time passwords are set up, as a text.",
      backupCodeEnabled: "Whether backup codes are set up, as a text.",
    },
  ),
  ...alike(
    { multiValued: true },
    {
      verifiedEmailAddresses: "The e-mail addresses that the user has proved.",
      verifiedMobileNumbers: "The mobile numbers that the user has proved.",
    },
  ),
  attribute("pendingEmails", "New e-mail addresses that the user has not proved yet.", {
    type: "complex",
    multiValued: true,
    subAttributes: [attribute("value", "The e-mail address."), attribute("type", "What the e-mail address is for.")],
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
    { failedPushAuthAttempts: "Failed attempts with push notifications." },
  ),
];

/** The state of an account. */
export const systemSchema: Schema = {
  id: "urn:scim:wso2:schema",
  name: "SystemUser",
  description: "State and settings of a user account",
  attributes: [...profile, ...settings, ...requests, ...flags, ...shownOnly, ...shownOnRequest, ...counters],
};

/** Several attributes of the same characteristics, by name and description. */
function alike(characteristics: Characteristics, described: Readonly<Record<string, string>>): readonly Attribute[] {
  return Object.entries(described).map(([name, description]) => attribute(name, description, characteristics));
}
