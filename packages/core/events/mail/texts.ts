/** What letters say, in each language. A language is one table: TypeScript finds what it lacks. */
import type { Language } from "../../sign-in/pages/language.ts";
import type { Letter } from "./model.ts";

/** What a letter about an account names. */
interface Account {
  /** What the tenant calls itself. */
  readonly service: string;
  readonly userName: string;
}

interface Texts {
  readonly passwordLink: (account: Account & { readonly link: string; readonly minutes: number }) => Letter;
  readonly userNames: (account: { readonly service: string; readonly userNames: readonly string[] }) => Letter;
  readonly invitation: (account: Account & { readonly link: string; readonly hours: number }) => Letter;
  readonly addressCheck: (account: Account & { readonly link: string; readonly hours: number }) => Letter;
  readonly passwordChanged: Told;
  readonly addressChanged: Told;
  readonly codesAdded: Told;
  readonly passkeyAdded: Told;
}

/** What a notice names: when it happened, and where a person who did not do it chooses another password. */
type Told = (account: Account & { readonly time: string; readonly link: string }) => Letter;
/** The letters that tell what was changed. */
export type Notice = "passwordChanged" | "addressChanged" | "codesAdded" | "passkeyAdded";

const english: Texts = {
  passwordLink: ({ service, userName, link, minutes }) => ({
    subject: `Choose a new password for ${service}`,
    parts: [
      `Somebody asked for a new password for your account at ${service}. Your user name is:`,
      { list: [userName] },
      { label: "Choose a new password", link },
      `The link works once, within ${minutes} minutes. When you use it, you are signed out everywhere.`,
      "If you did not ask for it, you need not do anything: your password stays as it is. Do not share the link.",
    ],
  }),
  userNames: ({ service, userNames }) => ({
    subject: `Your user name at ${service}`,
    parts: [
      `Somebody asked for the user names that have this e-mail address at ${service}:`,
      { list: userNames },
      "If you did not ask for it, you need not do anything.",
    ],
  }),
  invitation: ({ service, userName, link, hours }) => ({
    subject: `Your account at ${service}`,
    parts: [
      `An administrator has created an account for you at ${service}. Your user name is:`,
      { list: [userName] },
      "Choose your password, and the account is ready:",
      { label: "Choose a password", link },
      `The link works once, within ${hours} hours. Do not share it.`,
      "If you do not know what this is about, you need not do anything.",
    ],
  }),
  addressCheck: ({ service, userName, link, hours }) => ({
    subject: `Confirm your e-mail address for ${service}`,
    parts: [
      `This e-mail address was entered for an account at ${service} with this user name:`,
      { list: [userName] },
      "If it is your account, confirm that you read this address:",
      { label: "Confirm the address", link },
      `The link works once, within ${hours} hours.`,
      "If it is not your account, do not use the link: the address does not count for it then.",
    ],
  }),
  passwordChanged: ({ service, userName, time, link }) => ({
    subject: `Your password for ${service} was changed`,
    parts: [
      `At ${time} the password of your account at ${service} was changed. Its user name is:`,
      { list: [userName] },
      "All devices were signed out. If it was you, you need not do anything.",
      "If it was not you, secure your mailbox first, then choose another password, and tell your administrator.",
      { label: "Choose another password", link },
    ],
  }),
  addressChanged: ({ service, userName, time, link }) => ({
    subject: `Your e-mail address at ${service} was changed`,
    parts: [
      `At ${time} the e-mail address of your account at ${service} was changed. Its user name is:`,
      { list: [userName] },
      "Mails about the account go to another address from now on, or once that one is confirmed.",
      "If it was you, you need not do anything. If it was not you, tell your administrator at once, and choose another password.",
      { label: "Choose another password", link },
    ],
  }),
  codesAdded: ({ service, userName, time, link }) => ({
    subject: `One-time codes were set up for ${service}`,
    parts: [
      `At ${time} an app for one-time codes was set up for your account at ${service} with this user name:`,
      { list: [userName] },
      "If it was you, you need not do anything. If it was not you, choose another password at once, and tell your administrator.",
      { label: "Choose another password", link },
    ],
  }),
  passkeyAdded: ({ service, userName, time, link }) => ({
    subject: `A passkey was set up for ${service}`,
    parts: [
      `At ${time} a passkey was set up for your account at ${service} with this user name:`,
      { list: [userName] },
      "If it was you, you need not do anything. If it was not you, choose another password at once, and tell your administrator.",
      { label: "Choose another password", link },
    ],
  }),
};

const german: Texts = {
  passwordLink: ({ service, userName, link, minutes }) => ({
    subject: `Neues Passwort für ${service} wählen`,
    parts: [
      `Jemand hat ein neues Passwort für Ihr Konto bei ${service} angefordert. Ihr Benutzername ist:`,
      { list: [userName] },
      { label: "Neues Passwort wählen", link },
      `Der Link gilt einmal und ${minutes} Minuten lang. Wenn Sie ihn benutzen, werden Sie überall abgemeldet.`,
      "Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist. Geben Sie den Link nicht weiter.",
    ],
  }),
  userNames: ({ service, userNames }) => ({
    subject: `Ihr Benutzername bei ${service}`,
    parts: [
      `Jemand hat nach den Benutzernamen gefragt, die bei ${service} diese E-Mail-Adresse haben:`,
      { list: userNames },
      "Wenn Sie das nicht waren, müssen Sie nichts tun.",
    ],
  }),
  invitation: ({ service, userName, link, hours }) => ({
    subject: `Ihr Konto bei ${service}`,
    parts: [
      `Ein Administrator hat bei ${service} ein Konto für Sie angelegt. Ihr Benutzername ist:`,
      { list: [userName] },
      "Wählen Sie Ihr Passwort, dann ist das Konto bereit:",
      { label: "Passwort wählen", link },
      `Der Link gilt einmal und ${hours} Stunden lang. Geben Sie ihn nicht weiter.`,
      "Wenn Sie nicht wissen, worum es geht, müssen Sie nichts tun.",
    ],
  }),
  addressCheck: ({ service, userName, link, hours }) => ({
    subject: `Ihre E-Mail-Adresse für ${service} bestätigen`,
    parts: [
      `Diese E-Mail-Adresse wurde bei ${service} für ein Konto mit diesem Benutzernamen eingetragen:`,
      { list: [userName] },
      "Wenn es Ihr Konto ist, bestätigen Sie, dass Sie diese Adresse lesen:",
      { label: "Adresse bestätigen", link },
      `Der Link gilt einmal und ${hours} Stunden lang.`,
      "Wenn es nicht Ihr Konto ist, benutzen Sie den Link nicht: Dann zählt die Adresse dafür nicht.",
    ],
  }),
  passwordChanged: ({ service, userName, time, link }) => ({
    subject: `Ihr Passwort für ${service} wurde geändert`,
    parts: [
      `Um ${time} wurde das Passwort Ihres Kontos bei ${service} geändert. Ihr Benutzername ist:`,
      { list: [userName] },
      "Alle Geräte wurden abgemeldet. Wenn Sie das waren, müssen Sie nichts tun.",
      "Wenn Sie das nicht waren, sichern Sie zuerst Ihr Postfach, wählen Sie dann ein anderes Passwort, und sagen Sie es Ihrem Administrator.",
      { label: "Ein anderes Passwort wählen", link },
    ],
  }),
  addressChanged: ({ service, userName, time, link }) => ({
    subject: `Ihre E-Mail-Adresse bei ${service} wurde geändert`,
    parts: [
      `Um ${time} wurde die E-Mail-Adresse Ihres Kontos bei ${service} geändert. Ihr Benutzername ist:`,
      { list: [userName] },
      "E-Mails über das Konto gehen ab jetzt an eine andere Adresse, oder sobald diese bestätigt ist.",
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, sagen Sie es sofort Ihrem Administrator, und wählen Sie ein anderes Passwort.",
      { label: "Ein anderes Passwort wählen", link },
    ],
  }),
  codesAdded: ({ service, userName, time, link }) => ({
    subject: `Einmalcodes für ${service} wurden eingerichtet`,
    parts: [
      `Um ${time} wurde eine App für Einmalcodes für Ihr Konto bei ${service} mit diesem Benutzernamen eingerichtet:`,
      { list: [userName] },
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, wählen Sie sofort ein anderes Passwort, und sagen Sie es Ihrem Administrator.",
      { label: "Ein anderes Passwort wählen", link },
    ],
  }),
  passkeyAdded: ({ service, userName, time, link }) => ({
    subject: `Ein Passkey für ${service} wurde eingerichtet`,
    parts: [
      `Um ${time} wurde ein Passkey für Ihr Konto bei ${service} mit diesem Benutzernamen eingerichtet:`,
      { list: [userName] },
      "Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, wählen Sie sofort ein anderes Passwort, und sagen Sie es Ihrem Administrator.",
      { label: "Ein anderes Passwort wählen", link },
    ],
  }),
};

/** The letters by the tags of their languages. */
export const letters: Readonly<Record<Language, Texts>> = { en: english, de: german };
