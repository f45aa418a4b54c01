/** What letters say, in each language. A language is one table: TypeScript finds what it lacks. */

import type { DeviceWords } from "../../sign-in/account/device.ts";
import type { Language } from "../../sign-in/pages/language.ts";
import type { NoticeKind } from "../../tokens/mail-model.ts";
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
  readonly registration: (about: { readonly service: string; readonly link: string; readonly hours: number }) => Letter;
  readonly invitation: (account: Account & { readonly link: string; readonly hours: number }) => Letter;
  readonly addressCheck: (account: Account & { readonly link: string; readonly hours: number }) => Letter;
  readonly signInCode: (account: Account & { readonly code: string; readonly minutes: number }) => Letter;
  readonly signInLink: (account: Account & { readonly link: string; readonly minutes: number }) => Letter;
  readonly notice: (notice: Notice) => Letter;
  readonly device: DeviceWords;
}

/** What a notice names: what happened when, and where a person who did not do it chooses another password. */
export interface Notice extends Account {
  readonly kind: NoticeKind;
  readonly time: string;
  /** The address in the internet of the person who did it, or of somebody who acts as the person. */
  readonly sourceIp?: string | undefined;
  readonly device: string;
  readonly link: string;
}

/** What a kind of notices says in one language. */
interface NoticeText {
  readonly subject: (service: string) => string;
  /** Follows the time. */
  readonly what: (service: string) => string;
  readonly more?: string;
  /** What a person does who did not do it. */
  readonly advice: string;
}

const ANOTHER_PASSWORD = "If it was not you, choose another password at once, and tell your administrator.";
const englishNotices: Readonly<Record<NoticeKind, NoticeText>> = {
  "password-changed": {
    subject: (service) => `Your password for ${service} was changed`,
    what: (service) => `the password of your account at ${service} was changed.`,
    more: "All devices were signed out.",
    advice: "If it was not you, secure your mailbox first, then choose another password, and tell your administrator.",
  },
  "address-changed": {
    subject: (service) => `Your e-mail address at ${service} was changed`,
    what: (service) => `the e-mail address of your account at ${service} was changed.`,
    more: "Mails about the account go to another address from now on, or once that one is confirmed.",
    advice: "If it was not you, tell your administrator at once, and choose another password.",
  },
  "codes-added": {
    subject: (service) => `One-time codes were set up for ${service}`,
    what: (service) => `an app for one-time codes was set up for your account at ${service}.`,
    advice: ANOTHER_PASSWORD,
  },
  "codes-removed": {
    subject: (service) => `One-time codes were removed from ${service}`,
    what: (service) => `the app for one-time codes was removed from your account at ${service}.`,
    more: "All devices were signed out.",
    advice: ANOTHER_PASSWORD,
  },
  "passkey-added": {
    subject: (service) => `A passkey was set up for ${service}`,
    what: (service) => `a passkey was set up for your account at ${service}.`,
    advice: ANOTHER_PASSWORD,
  },
  "passkeys-removed": {
    subject: (service) => `Your passkeys were removed from ${service}`,
    what: (service) => `the passkeys of your account at ${service} were removed.`,
    more: "All devices were signed out.",
    advice: ANOTHER_PASSWORD,
  },
  renamed: {
    subject: (service) => `Your user name at ${service} was changed`,
    what: (service) => `the user name of your account at ${service} was changed.`,
    more: "Use the new name when you sign in.",
    advice: "If you did not expect it, ask your administrator.",
  },
  deleted: {
    subject: (service) => `Your account at ${service} was deleted`,
    what: (service) => `your account at ${service} was deleted.`,
    advice:
      "If it was not you and you did not expect it, tell your administrator at once: it may be possible to restore it.",
  },
  "new-device": {
    subject: (service) => `New sign-in to ${service}`,
    what: (service) =>
      `somebody signed in to your account at ${service} in a browser that is new, or was signed out since.`,
    advice: ANOTHER_PASSWORD,
  },
};

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
  registration: ({ service, link, hours }) => ({
    subject: `Create your account at ${service}`,
    parts: [
      `Somebody asked for an account at ${service} with this e-mail address.`,
      "If it was you, choose your user name and password:",
      { label: "Create the account", link },
      `The link works once, within ${hours} hours. Do not share it.`,
      "If it was not you, you need not do anything: there is no account until the link is used.",
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
  signInCode: ({ service, userName, code, minutes }) => ({
    subject: `Your code for ${service}`,
    parts: [
      `Somebody wants to sign in at ${service} with this account:`,
      { list: [userName] },
      "If it is you, enter this code on the page that asks for it:",
      { list: [code] },
      `The code works once, within ${minutes} minutes. Do not tell it to anybody: we never ask for it by telephone.`,
      "If it is not you, you need not do anything: the code is needed to get in.",
    ],
  }),
  signInLink: ({ service, userName, link, minutes }) => ({
    subject: `Sign in to ${service}`,
    parts: [
      `Somebody wants to sign in at ${service} with this account:`,
      { list: [userName] },
      "If it is you, open this link in the browser in which you asked for it:",
      { label: "Sign in", link },
      `The link works once, within ${minutes} minutes, and in that browser alone.`,
      "If it is not you, do not open the link.",
    ],
  }),
  notice: ({ kind, service, userName, time, sourceIp, device, link }) => {
    const { subject, what, more, advice } = englishNotices[kind];
    return {
      subject: subject(service),
      parts: [
        `At ${time} ${what(service)} Its user name is:`,
        { list: [userName] },
        ...(kind === "new-device" ? [`The browser: ${device}.`] : []),
        ...(sourceIp === undefined ? [] : [`The request came from the internet address ${sourceIp}.`]),
        ...(more === undefined ? [] : [more]),
        `If it was you, you need not do anything. ${advice}`,
        ...(kind === "deleted" ? [] : [{ label: "Choose another password", link }]),
      ],
    };
  },
  device: { unknown: "unknown", named: (browser, system) => `${browser} on ${system}` },
};

const ANDERES_PASSWORT =
  "Wenn Sie das nicht waren, wählen Sie sofort ein anderes Passwort, und sagen Sie es Ihrem Administrator.";
const germanNotices: Readonly<Record<NoticeKind, NoticeText>> = {
  "password-changed": {
    subject: (service) => `Ihr Passwort für ${service} wurde geändert`,
    what: (service) => `wurde das Passwort Ihres Kontos bei ${service} geändert.`,
    more: "Alle Geräte wurden abgemeldet.",
    advice:
      "Wenn Sie das nicht waren, sichern Sie zuerst Ihr Postfach, wählen Sie dann ein anderes Passwort, und sagen Sie es Ihrem Administrator.",
  },
  "address-changed": {
    subject: (service) => `Ihre E-Mail-Adresse bei ${service} wurde geändert`,
    what: (service) => `wurde die E-Mail-Adresse Ihres Kontos bei ${service} geändert.`,
    more: "E-Mails über das Konto gehen ab jetzt an eine andere Adresse, oder sobald diese bestätigt ist.",
    advice: "Wenn Sie das nicht waren, sagen Sie es sofort Ihrem Administrator, und wählen Sie ein anderes Passwort.",
  },
  "codes-added": {
    subject: (service) => `Einmalcodes für ${service} wurden eingerichtet`,
    what: (service) => `wurde eine App für Einmalcodes für Ihr Konto bei ${service} eingerichtet.`,
    advice: ANDERES_PASSWORT,
  },
  "codes-removed": {
    subject: (service) => `Einmalcodes für ${service} wurden entfernt`,
    what: (service) => `wurde die App für Einmalcodes aus Ihrem Konto bei ${service} entfernt.`,
    more: "Alle Geräte wurden abgemeldet.",
    advice: ANDERES_PASSWORT,
  },
  "passkey-added": {
    subject: (service) => `Ein Passkey für ${service} wurde eingerichtet`,
    what: (service) => `wurde ein Passkey für Ihr Konto bei ${service} eingerichtet.`,
    advice: ANDERES_PASSWORT,
  },
  "passkeys-removed": {
    subject: (service) => `Ihre Passkeys für ${service} wurden entfernt`,
    what: (service) => `wurden die Passkeys Ihres Kontos bei ${service} entfernt.`,
    more: "Alle Geräte wurden abgemeldet.",
    advice: ANDERES_PASSWORT,
  },
  renamed: {
    subject: (service) => `Ihr Benutzername bei ${service} wurde geändert`,
    what: (service) => `wurde der Benutzername Ihres Kontos bei ${service} geändert.`,
    more: "Melden Sie sich mit dem neuen Namen an.",
    advice: "Wenn Sie das nicht erwartet haben, fragen Sie Ihren Administrator.",
  },
  deleted: {
    subject: (service) => `Ihr Konto bei ${service} wurde gelöscht`,
    what: (service) => `wurde Ihr Konto bei ${service} gelöscht.`,
    advice:
      "Wenn Sie das nicht waren und nicht erwartet haben, sagen Sie es sofort Ihrem Administrator: Vielleicht lässt es sich wiederherstellen.",
  },
  "new-device": {
    subject: (service) => `Neue Anmeldung bei ${service}`,
    what: (service) =>
      `hat sich jemand mit Ihrem Konto bei ${service} in einem Browser angemeldet, der neu ist oder seither abgemeldet wurde.`,
    advice: ANDERES_PASSWORT,
  },
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
  registration: ({ service, link, hours }) => ({
    subject: `Ihr neues Konto bei ${service}`,
    parts: [
      `Jemand hat mit dieser E-Mail-Adresse ein Konto bei ${service} angefordert.`,
      "Wenn Sie das waren, wählen Sie Ihren Benutzernamen und Ihr Passwort:",
      { label: "Konto anlegen", link },
      `Der Link gilt einmal und ${hours} Stunden lang. Geben Sie ihn nicht weiter.`,
      "Wenn Sie das nicht waren, müssen Sie nichts tun: Ohne den Link gibt es kein Konto.",
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
  signInCode: ({ service, userName, code, minutes }) => ({
    subject: `Ihr Code für ${service}`,
    parts: [
      `Jemand möchte sich bei ${service} mit diesem Konto anmelden:`,
      { list: [userName] },
      "Wenn Sie es sind, geben Sie diesen Code auf der Seite ein, die danach fragt:",
      { list: [code] },
      `Der Code gilt einmal und ${minutes} Minuten lang. Sagen Sie ihn niemandem: Wir fragen nie am Telefon danach.`,
      "Wenn Sie es nicht sind, brauchen Sie nichts zu tun: Ohne den Code kommt niemand hinein.",
    ],
  }),
  signInLink: ({ service, userName, link, minutes }) => ({
    subject: `Bei ${service} anmelden`,
    parts: [
      `Jemand möchte sich bei ${service} mit diesem Konto anmelden:`,
      { list: [userName] },
      "Wenn Sie es sind, öffnen Sie diesen Link in dem Browser, in dem Sie ihn angefordert haben:",
      { label: "Anmelden", link },
      `Der Link gilt einmal, ${minutes} Minuten lang und nur in diesem Browser.`,
      "Wenn Sie es nicht sind, öffnen Sie den Link nicht.",
    ],
  }),
  notice: ({ kind, service, userName, time, sourceIp, device, link }) => {
    const { subject, what, more, advice } = germanNotices[kind];
    return {
      subject: subject(service),
      parts: [
        `Um ${time} ${what(service)} Der Benutzername ist:`,
        { list: [userName] },
        ...(kind === "new-device" ? [`Der Browser: ${device}.`] : []),
        ...(sourceIp === undefined ? [] : [`Die Anfrage kam von der Internetadresse ${sourceIp}.`]),
        ...(more === undefined ? [] : [more]),
        `Wenn Sie das waren, müssen Sie nichts tun. ${advice}`,
        ...(kind === "deleted" ? [] : [{ label: "Ein anderes Passwort wählen", link }]),
      ],
    };
  },
  device: { unknown: "unbekannt", named: (browser, system) => `${browser} unter ${system}` },
};

/** The letters by the tags of their languages. */
export const letters: Readonly<Record<Language, Texts>> = { en: english, de: german };
