/** The sentences of the pages, in each language. A language is one table: TypeScript finds what it lacks. */

const english = {
  signInTitle: "Sign in",
  signInTo: (application: string) => `Sign in to ${application}`,
  userName: "User name",
  password: "Password",
  signIn: "Sign in",
  wrong: "The user name or the password is wrong, or the user may not sign in.",
  locked: "Too many wrong passwords. Wait some minutes, then try again.",
  incomplete: "Enter a user name and a password.",
  consentTitle: "Give access",
  consentTo: (application: string) => `${application} asks for access to`,
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  allow: "Allow",
  deny: "Do not allow",
  otherUser: "Use another account",
  signOutTitle: "Sign out?",
  signOutAdvice: "You will have to enter your password again at every application. Close this page to stay signed in.",
  signOut: "Sign out",
  signedOutTitle: "You are signed out",
  signedOutAdvice: "You can close this page.",
  errorTitle: "This does not work",
  errorCause: "The application sent a request that cannot be answered:",
  errorAdvice: "Go back to the application and try again. If it happens again, tell its makers what this page says.",
  traceId: (id: string) => `Reference: ${id}`,
  expired:
    "The page was open for too long, or was opened in another browser. Go back to the application and sign in again.",
  continueTitle: "One moment",
  continueTo: "Continue to the application",
  scopeOf: (name: string) => name,
};

/** The sentences of a language. */
export type Messages = typeof english;

const german: Messages = {
  signInTitle: "Anmelden",
  signInTo: (application) => `Bei ${application} anmelden`,
  userName: "Benutzername",
  password: "Passwort",
  signIn: "Anmelden",
  wrong: "Der Benutzername oder das Passwort ist falsch, oder die Anmeldung ist nicht erlaubt.",
  locked: "Zu viele falsche Passwörter. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.",
  incomplete: "Geben Sie einen Benutzernamen und ein Passwort ein.",
  consentTitle: "Zugriff erlauben",
  consentTo: (application) => `${application} bittet um Zugriff auf`,
  signedInAs: (name) => `Sie sind als ${name} angemeldet.`,
  allow: "Erlauben",
  deny: "Nicht erlauben",
  otherUser: "Ein anderes Konto verwenden",
  signOutTitle: "Abmelden?",
  signOutAdvice:
    "Sie müssen dann bei jeder Anwendung das Passwort neu eingeben. Schließen Sie diese Seite, um angemeldet zu bleiben.",
  signOut: "Abmelden",
  signedOutTitle: "Sie sind abgemeldet",
  signedOutAdvice: "Sie können diese Seite schließen.",
  errorTitle: "Das geht so nicht",
  errorCause: "Die Anwendung hat eine Anfrage gesendet, die nicht beantwortet werden kann:",
  errorAdvice:
    "Gehen Sie zur Anwendung zurück und versuchen Sie es noch einmal. Geschieht es wieder, sagen Sie ihren Betreibern, was auf dieser Seite steht.",
  traceId: (id) => `Kennung: ${id}`,
  expired:
    "Die Seite war zu lange offen oder wurde in einem anderen Browser geöffnet. Gehen Sie zur Anwendung zurück und melden Sie sich noch einmal an.",
  continueTitle: "Einen Augenblick",
  continueTo: "Weiter zur Anwendung",
  scopeOf: (name) => name,
};

/** The languages, by their tags (RFC 5646). The first is the default. */
export const languages = { en: english, de: german } as const;
export type Language = keyof typeof languages;

/** Tags that are looked at: a header can have hundreds. */
const TAGS_MAX = 20;

/** The first known language of `ui_locales`, then of `Accept-Language`; otherwise the default. */
export function languageOf(locales: string | undefined, acceptLanguage: string | undefined): Language {
  const asked = (locales ?? "").split(" ").slice(0, TAGS_MAX);
  const accepted = (acceptLanguage ?? "")
    .split(",")
    .slice(0, TAGS_MAX)
    .map((entry) => {
      const [tag = "", quality = ""] = entry.trim().split(";");
      return { tag, weight: Number(/^\s*q=([0-9.]{1,5})$/.exec(quality)?.[1] ?? 1) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  const known = Object.keys(languages) as Language[];
  const found = [...asked, ...accepted].map((tag) => known.find((each) => each === tag.slice(0, 2).toLowerCase()));
  return found.find((each) => each !== undefined) ?? "en";
}
