/** The sentences of the pages of account recovery, in each language. */
import type { Language } from "./language.ts";

const english = {
  forgotTitle: "Forgot your password?",
  forgotAdvice: "Enter your user name or your e-mail address. You get a mail with a link to choose a new password.",
  forgotName: "User name or e-mail address",
  forgotSend: "Send me the mail",
  forgotMissing: "Enter your user name or your e-mail address.",
  askedTitle: "Look at your mail",
  askedAdvice:
    "If there is an account with this name or address, and we know an e-mail address for it, a mail is on its way. Its link works once, for half an hour.",
  askedNothing:
    "If no mail comes within some minutes, look into the folder for spam. Otherwise ask your administrator: not every account can be recovered by mail.",
  askedAgain: "Try another name",
  resetTitle: "Choose a new password",
  resetFor: (name: string) => `For your account ${name}. You are signed out everywhere then.`,
  firstTitle: "Choose a password",
  firstFor: (name: string) => `For your account ${name}.`,
  readyTitle: "Your account is ready",
  readyAdvice: "Go to the application and sign in with your user name and the password.",
  confirmTitle: "Confirm your e-mail address",
  confirmFor: (address: string, name: string) => `${address} is to be the e-mail address of the account ${name}.`,
  confirmSend: "Confirm the address",
  confirmedTitle: "Your e-mail address is confirmed",
  confirmedAdvice: "Mails about your account go to it from now on. You can close this page.",
  endedTitle: "This link does not work any more",
  endedAdvice: "It was used before, its time has passed, or your account has changed since the mail was sent.",
  checkEndedAdvice:
    "It was used before, its time has passed, or your account has changed since the mail was sent. Ask your administrator for another mail.",
  endedAgain: "Ask for a new mail",
  changedTitle: "Your password is changed",
  changedAdvice: "You are signed out everywhere. Go back to the application and sign in with the new password.",
  registerTitle: "Create an account",
  registerAdvice: "Enter your e-mail address. You get a mail with a link to create the account.",
  registerLabel: "E-mail address",
  registerSend: "Send me the mail",
  registerAddress: "Enter an e-mail address, as in kim@example.com.",
  registerDomain: "People with this e-mail address cannot register here. Use the address of your organization.",
  registerAsked:
    "A mail is on its way to the address. If it has an account already, the mail names it. Otherwise its link creates one. If no mail comes within some minutes, look into the folder for spam.",
  registerAgain: "Enter another address",
  registerFor: (address: string) => `For the e-mail address ${address}, which is confirmed by this link.`,
  registerName: "User name",
  registerGiven: "Given name (optional)",
  registerFamily: "Family name (optional)",
  registerAccept: "I accept the terms.",
  registerRead: "Read the terms",
  registerCreate: "Create the account",
  registerNameMissing: "Enter a user name.",
  registerNameTaken: "This user name is in use. Choose another one.",
  registerNameRefused: "This cannot be a user name here. Choose another one, or use your e-mail address.",
  registerTerms: "Accept the terms to create the account.",
};

/** What the pages of one language say. */
export type RecoveryMessages = typeof english;

const german: RecoveryMessages = {
  forgotTitle: "Passwort vergessen?",
  forgotAdvice:
    "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein. Sie bekommen eine E-Mail mit einem Link, um ein neues Passwort zu wählen.",
  forgotName: "Benutzername oder E-Mail-Adresse",
  forgotSend: "E-Mail anfordern",
  forgotMissing: "Geben Sie Ihren Benutzernamen oder Ihre E-Mail-Adresse ein.",
  askedTitle: "Sehen Sie in Ihr Postfach",
  askedAdvice:
    "Wenn es ein Konto mit diesem Namen oder dieser Adresse gibt und wir eine E-Mail-Adresse dafür kennen, ist eine E-Mail unterwegs. Ihr Link gilt einmal und eine halbe Stunde lang.",
  askedNothing:
    "Wenn in einigen Minuten keine E-Mail kommt, sehen Sie im Ordner für Spam nach. Fragen Sie sonst Ihren Administrator: Nicht für jedes Konto geht das per E-Mail.",
  askedAgain: "Einen anderen Namen versuchen",
  resetTitle: "Ein neues Passwort wählen",
  resetFor: (name) => `Für Ihr Konto ${name}. Sie werden dabei überall abgemeldet.`,
  firstTitle: "Ein Passwort wählen",
  firstFor: (name) => `Für Ihr Konto ${name}.`,
  readyTitle: "Ihr Konto ist bereit",
  readyAdvice: "Gehen Sie zur Anwendung und melden Sie sich mit Ihrem Benutzernamen und dem Passwort an.",
  confirmTitle: "Ihre E-Mail-Adresse bestätigen",
  confirmFor: (address, name) => `${address} soll die E-Mail-Adresse des Kontos ${name} sein.`,
  confirmSend: "Adresse bestätigen",
  confirmedTitle: "Ihre E-Mail-Adresse ist bestätigt",
  confirmedAdvice: "E-Mails über Ihr Konto gehen ab jetzt dorthin. Sie können diese Seite schließen.",
  endedTitle: "Dieser Link gilt nicht mehr",
  endedAdvice:
    "Er wurde schon benutzt, seine Zeit ist vorbei, oder Ihr Konto hat sich geändert, seit die E-Mail gesendet wurde.",
  checkEndedAdvice:
    "Er wurde schon benutzt, seine Zeit ist vorbei, oder Ihr Konto hat sich geändert, seit die E-Mail gesendet wurde. Bitten Sie Ihren Administrator um eine neue E-Mail.",
  endedAgain: "Eine neue E-Mail anfordern",
  changedTitle: "Ihr Passwort ist geändert",
  changedAdvice:
    "Sie sind überall abgemeldet. Gehen Sie zur Anwendung zurück und melden Sie sich mit dem neuen Passwort an.",
  registerTitle: "Konto anlegen",
  registerAdvice: "Geben Sie Ihre E-Mail-Adresse ein. Sie bekommen eine E-Mail mit einem Link, der das Konto anlegt.",
  registerLabel: "E-Mail-Adresse",
  registerSend: "E-Mail anfordern",
  registerAddress: "Geben Sie eine E-Mail-Adresse ein, wie kim@example.com.",
  registerDomain: "Mit dieser E-Mail-Adresse kann sich hier niemand registrieren. Nehmen Sie die Ihrer Organisation.",
  registerAsked:
    "Eine E-Mail ist unterwegs. Wenn es zu der Adresse schon ein Konto gibt, nennt die E-Mail es. Sonst legt ihr Link eines an. Wenn in einigen Minuten keine E-Mail kommt, sehen Sie im Ordner für Spam nach.",
  registerAgain: "Eine andere Adresse eingeben",
  registerFor: (address) => `Für die E-Mail-Adresse ${address}, die mit diesem Link bestätigt ist.`,
  registerName: "Benutzername",
  registerGiven: "Vorname (freiwillig)",
  registerFamily: "Nachname (freiwillig)",
  registerAccept: "Ich nehme die Bedingungen an.",
  registerRead: "Bedingungen lesen",
  registerCreate: "Konto anlegen",
  registerNameMissing: "Geben Sie einen Benutzernamen ein.",
  registerNameTaken: "Dieser Benutzername ist vergeben. Wählen Sie einen anderen.",
  registerNameRefused:
    "Das kann hier kein Benutzername sein. Wählen Sie einen anderen, oder nehmen Sie Ihre E-Mail-Adresse.",
  registerTerms: "Nehmen Sie die Bedingungen an, um das Konto anzulegen.",
};

/** The sentences by the tags of their languages. */
export const recoveryMessages: Readonly<Record<Language, RecoveryMessages>> = { en: english, de: german };
