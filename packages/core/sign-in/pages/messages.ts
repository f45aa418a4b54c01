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
  signingInAs: (name: string) => `You are signing in as ${name}.`,
  codeTitle: "Enter your code",
  codeAdvice: "Open your authenticator app and enter the six digits that it shows for this account.",
  code: "Code",
  codeSend: "Go on",
  codeReplace: "Go on and set up another app",
  codeMissing: "Enter the six digits of the code.",
  codeWrong: "The code is wrong, has expired or was used before. Wait for the next one, then enter it.",
  codeLocked: "Too many wrong codes. Try again in some hours, or ask your administrator to reset your codes.",
  recoveryUse: "I do not have my app",
  recoveryCode: "Recovery code",
  recoverySend: "Go on with a recovery code",
  recoveryReplace: "Go on and set up another app with a recovery code",
  recoveryTitle: "Save your recovery codes",
  recoveryAdvice:
    "If you lose your app, each of these codes signs you in once in its place. Keep them where you keep your passwords. They are not shown again.",
  recoverySaved: "I have saved them",
  setupTitle: "Set up one-time codes",
  setupWhy: (application: string) => `${application} needs a code of an authenticator app besides your password.`,
  setupApp: "Open an authenticator app on your phone, or a password manager that makes one-time codes.",
  setupScan: "Scan this code with it.",
  setupCode: "QR code with the secret for your app. The same secret is below as text.",
  setupByHand: "Or enter this secret by hand:",
  setupHere: "Open an app on this device",
  setupAdvice: "Then enter the six digits that the app shows.",
  setupSend: "Confirm",
  setupWrong:
    "The code does not fit the secret. Check that the clock of your device is right, then enter the next code.",
  setupByPasskey: "Use a passkey instead",
  codeAddPasskey: "Go on and add a passkey",
  codeByPasskey: "Use a passkey instead",
  passkeyTitle: "Use your passkey",
  passkeyAdvice:
    "Press the button, then do what your device asks for: your fingerprint, your face, its PIN, or a touch of your security key.",
  passkeyUse: "Use a passkey",
  passkeyAdd: "Use a passkey and add another one",
  passkeyAddCodes: "Use a passkey and set up one-time codes",
  passkeyByCode: "Use a one-time code instead",
  passkeySetupTitle: "Create a passkey",
  passkeySetupWhy: (application: string) =>
    `${application} needs a passkey besides your password. Your device, your password manager or a security key keeps it, and only you can use it.`,
  passkeyMore: "Create the passkey on another device or security key than those that have one.",
  passkeyCreate: "Create a passkey",
  passkeySetupByCode: "Use an authenticator app instead",
  passkeySkip: "Go on without another passkey",
  passkeyNeedsScript:
    "Passkeys need JavaScript. Allow it for this page and load the page again, or use another browser.",
  passkeyMissing:
    "Your browser sent no passkey. Allow JavaScript for this page and load the page again, or use another browser.",
  passkeyUnsupported: "This browser has no passkeys. Use another browser or another device.",
  passkeyNoAnswer: "No passkey was used. Press the button to try again.",
  passkeyHere: "This device has a passkey for your account already. Use another device or security key.",
  passkeyAddress: "Passkeys do not work at this address. Go back to the application and sign in again.",
  passkeyWrong: "This passkey does not count for your account. Try again, or use another one.",
  passkeyStale: "Another page was faster. Press the button again.",
  passkeyLocked: "Too many attempts. Try again in some hours, or ask your administrator to reset your passkeys.",
  passkeyNotCreated: "The passkey could not be saved. Try again, or use another device or security key.",
  passkeyKnown: "This passkey is saved already. Use another device or security key.",
  newPasswordTitle: "Choose a new password",
  newPasswordWhy: "Your password must be changed before you can go on. You are signed out everywhere else.",
  newPassword: "New password",
  newPasswordAgain: "New password again",
  newPasswordAdvice: "5 to 100 characters, without spaces. A long one that you use nowhere else is best.",
  newPasswordSend: "Change the password",
  passwordMissing: "Enter a new password, twice.",
  passwordsDiffer: "The two passwords are not the same.",
  passwordRules: "The password must have 5 to 100 characters, without spaces and control characters.",
  passwordSame: "This is the password that you have now. Choose another one.",
  passwordRefused: "The directory does not accept this password. Choose another one, or ask your administrator.",
  passwordElsewhere:
    "Your password must be changed, and it cannot be changed here: it belongs to a directory that this service only reads. Change it there, then ask your administrator to let you sign in again.",
  consentTitle: "Give access",
  consentTo: (application: string) => `${application} asks for access to`,
  consentOwnAccount: "Your account: it can see and change your data, your password, your sessions and your consents",
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  consentRemembered:
    "If you allow it, you are not asked again for the same access. You can take it back in the list of your applications, or ask an administrator to do it.",
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
  signingInAs: (name) => `Sie melden sich als ${name} an.`,
  codeTitle: "Code eingeben",
  codeAdvice: "Öffnen Sie Ihre Authenticator-App und geben Sie die sechs Ziffern ein, die sie für dieses Konto zeigt.",
  code: "Code",
  codeSend: "Weiter",
  codeReplace: "Weiter und eine andere App einrichten",
  codeMissing: "Geben Sie die sechs Ziffern des Codes ein.",
  codeWrong:
    "Der Code ist falsch, abgelaufen oder schon benutzt. Warten Sie auf den nächsten und geben Sie diesen ein.",
  codeLocked:
    "Zu viele falsche Codes. Versuchen Sie es in einigen Stunden noch einmal, oder bitten Sie Ihren Administrator, Ihre Codes zurückzusetzen.",
  recoveryUse: "Ich habe meine App nicht zur Hand",
  recoveryCode: "Wiederherstellungscode",
  recoverySend: "Weiter mit einem Wiederherstellungscode",
  recoveryReplace: "Weiter und mit einem Wiederherstellungscode eine andere App einrichten",
  recoveryTitle: "Wiederherstellungscodes aufbewahren",
  recoveryAdvice:
    "Wenn Sie Ihre App verlieren, meldet jeder dieser Codes Sie einmal an. Bewahren Sie sie dort auf, wo Sie Ihre Passwörter aufbewahren. Sie werden nicht noch einmal gezeigt.",
  recoverySaved: "Ich habe sie aufbewahrt",
  setupTitle: "Einmalcodes einrichten",
  setupWhy: (application) => `${application} braucht außer Ihrem Passwort einen Code einer Authenticator-App.`,
  setupApp:
    "Öffnen Sie eine Authenticator-App auf Ihrem Telefon oder eine Passwortverwaltung, die Einmalcodes erzeugt.",
  setupScan: "Lesen Sie damit diesen Code ein.",
  setupCode: "QR-Code mit dem Schlüssel für Ihre App. Derselbe Schlüssel steht darunter als Text.",
  setupByHand: "Oder geben Sie diesen Schlüssel von Hand ein:",
  setupHere: "Eine App auf diesem Gerät öffnen",
  setupAdvice: "Geben Sie dann die sechs Ziffern ein, die die App zeigt.",
  setupSend: "Bestätigen",
  setupWrong:
    "Der Code passt nicht zum Schlüssel. Prüfen Sie, ob die Uhr Ihres Geräts stimmt, und geben Sie den nächsten Code ein.",
  setupByPasskey: "Stattdessen einen Passkey verwenden",
  codeAddPasskey: "Weiter und einen Passkey hinzufügen",
  codeByPasskey: "Stattdessen einen Passkey verwenden",
  passkeyTitle: "Passkey verwenden",
  passkeyAdvice:
    "Drücken Sie den Knopf und folgen Sie dann Ihrem Gerät: Fingerabdruck, Gesicht, PIN oder eine Berührung Ihres Sicherheitsschlüssels.",
  passkeyUse: "Passkey verwenden",
  passkeyAdd: "Passkey verwenden und einen weiteren hinzufügen",
  passkeyAddCodes: "Passkey verwenden und Einmalcodes einrichten",
  passkeyByCode: "Stattdessen einen Einmalcode verwenden",
  passkeySetupTitle: "Passkey erstellen",
  passkeySetupWhy: (application) =>
    `${application} braucht außer Ihrem Passwort einen Passkey. Ihr Gerät, Ihre Passwortverwaltung oder ein Sicherheitsschlüssel bewahrt ihn auf, und nur Sie können ihn verwenden.`,
  passkeyMore:
    "Erstellen Sie den Passkey auf einem anderen Gerät oder Sicherheitsschlüssel als denen, die schon einen haben.",
  passkeyCreate: "Passkey erstellen",
  passkeySetupByCode: "Stattdessen eine Authenticator-App verwenden",
  passkeySkip: "Weiter ohne weiteren Passkey",
  passkeyNeedsScript:
    "Passkeys brauchen JavaScript. Erlauben Sie es für diese Seite und laden Sie die Seite neu, oder verwenden Sie einen anderen Browser.",
  passkeyMissing:
    "Ihr Browser hat keinen Passkey gesendet. Erlauben Sie JavaScript für diese Seite und laden Sie die Seite neu, oder verwenden Sie einen anderen Browser.",
  passkeyUnsupported:
    "Dieser Browser kennt keine Passkeys. Verwenden Sie einen anderen Browser oder ein anderes Gerät.",
  passkeyNoAnswer: "Es wurde kein Passkey verwendet. Drücken Sie den Knopf, um es noch einmal zu versuchen.",
  passkeyHere:
    "Dieses Gerät hat schon einen Passkey für Ihr Konto. Verwenden Sie ein anderes Gerät oder einen Sicherheitsschlüssel.",
  passkeyAddress:
    "Passkeys funktionieren unter dieser Adresse nicht. Gehen Sie zur Anwendung zurück und melden Sie sich noch einmal an.",
  passkeyWrong: "Dieser Passkey zählt nicht für Ihr Konto. Versuchen Sie es noch einmal oder mit einem anderen.",
  passkeyStale: "Eine andere Seite war schneller. Drücken Sie den Knopf noch einmal.",
  passkeyLocked:
    "Zu viele Versuche. Versuchen Sie es in einigen Stunden noch einmal, oder bitten Sie Ihren Administrator, Ihre Passkeys zurückzusetzen.",
  passkeyNotCreated:
    "Der Passkey konnte nicht gespeichert werden. Versuchen Sie es noch einmal, oder verwenden Sie ein anderes Gerät oder einen Sicherheitsschlüssel.",
  passkeyKnown:
    "Dieser Passkey ist schon gespeichert. Verwenden Sie ein anderes Gerät oder einen Sicherheitsschlüssel.",
  newPasswordTitle: "Ein neues Passwort wählen",
  newPasswordWhy: "Ihr Passwort muss geändert werden, bevor es weitergeht. Überall sonst werden Sie dabei abgemeldet.",
  newPassword: "Neues Passwort",
  newPasswordAgain: "Neues Passwort noch einmal",
  newPasswordAdvice: "5 bis 100 Zeichen, ohne Leerzeichen. Am besten ein langes, das Sie sonst nirgends benutzen.",
  newPasswordSend: "Passwort ändern",
  passwordMissing: "Geben Sie zweimal ein neues Passwort ein.",
  passwordsDiffer: "Die beiden Passwörter sind nicht gleich.",
  passwordRules: "Das Passwort muss 5 bis 100 Zeichen haben, ohne Leerzeichen und Steuerzeichen.",
  passwordSame: "Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.",
  passwordRefused:
    "Das Verzeichnis nimmt dieses Passwort nicht an. Wählen Sie ein anderes, oder fragen Sie Ihren Administrator.",
  passwordElsewhere:
    "Ihr Passwort muss geändert werden, und das geht hier nicht: Es gehört zu einem Verzeichnis, das dieser Dienst nur liest. Ändern Sie es dort und bitten Sie dann Ihren Administrator, Sie wieder anmelden zu lassen.",
  consentTitle: "Zugriff erlauben",
  consentTo: (application) => `${application} bittet um Zugriff auf`,
  consentOwnAccount:
    "Ihr Konto: Ihre Daten, Ihr Passwort, Ihre Sitzungen und Ihre Zustimmungen können gesehen und geändert werden",
  signedInAs: (name) => `Sie sind als ${name} angemeldet.`,
  consentRemembered:
    "Wenn Sie es erlauben, werden Sie für denselben Zugriff nicht noch einmal gefragt. Sie können es in der Liste Ihrer Anwendungen zurücknehmen oder einen Administrator darum bitten.",
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
