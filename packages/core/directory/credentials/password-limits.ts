/** What an operator decides about new passwords (decisions 0148 and 0185). */

/** How long new passwords are, in code points of Unicode, and which former ones they may not be. */
export interface PasswordLimits {
  readonly lengthMin: number;
  readonly lengthMax: number;
  /** How many of the last passwords of a user, with the present one, cannot be set again. */
  readonly history: number;
}

export const defaultPasswordLimits: PasswordLimits = { lengthMin: 8, lengthMax: 100, history: 0 };

/** The least length that an operator can set, and the greatest: 1,024 bytes hold it in any script. */
export const PASSWORD_LENGTH_LEAST = 8;
export const PASSWORD_LENGTH_MOST = 256;
/** As many as PCI DSS and others ask for, and more: each is 43 bytes in the row of the credential. */
export const PASSWORD_HISTORY_MOST = 24;
