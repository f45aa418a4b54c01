/** The sentences of the pages, in each language. A language is one table: TypeScript finds what it lacks. */
import type { Language } from "./language.ts";

const english = {
  signInTitle: "Sign in",
  signInTo: (application: string) => `Sign in to ${application}`,
  userName: "User name",
  userNameOrEmail: "User name or e-mail address",
  userNameOrPhone: "User name or telephone number",
  userNameEmailOrPhone: "User name, e-mail address or telephone number",
  password: "Password",
  signIn: "Sign in",
  forgot: "Forgot your password?",
  register: "Create an account",
  wrong: "The user name or the password is wrong, or the user may not sign in.",
  locked: "Too many wrong passwords. Wait some minutes, then try again.",
  throttled:
    "Sign-ins with too many different names have failed from your network. Wait a quarter of an hour, then try again.",
  incomplete: "Enter a user name and a password.",
  used: "This page was used before. Sign in again.",
  late: "More than five minutes have passed since you entered your password. Enter it again.",
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
  newPasswordWeak:
    "The password that you have is easy to guess. It stays valid; another one protects your account better. If you change it, you are signed out everywhere else.",
  newPasswordLater: "Not now",
  newPasswordOwn: "You are signed out everywhere else when you change it.",
  newPassword: "New password",
  newPasswordAgain: "New password again",
  newPasswordAdvice: (least: number, most: number) =>
    `${least} to ${most} characters, blanks too. A long one that you use nowhere else is best.`,
  newPasswordSend: "Change the password",
  passwordMissing: "Enter a new password, twice.",
  passwordsDiffer: "The two passwords are not the same.",
  passwordLength: (least: number, most: number) => `The password must have ${least} to ${most} characters.`,
  passwordCharacters: "The password contains a tab, a line end or another control character. Leave it out.",
  passwordCommon: "This is one of the most common passwords, which attackers try first. Choose another one.",
  passwordOwnName: "The password must not be your user name. Choose another one.",
  passwordSame: "This is the password that you have now. Choose another one.",
  passwordFormer: "You have used this password before. Choose one that you have not had lately.",
  passwordRefused: "The directory does not accept this password. Choose another one, or ask your administrator.",
  passwordElsewhere:
    "Your password must be changed, and it cannot be changed here: it belongs to a directory that this service only reads. Change it there, then ask your administrator to let you sign in again.",
  passwordElsewhereOwn:
    "Your password belongs to a directory that this service only reads. Change it there, or ask your administrator.",
  consentTitle: "Give access",
  consentTo: (application: string) => `${application} asks for access to`,
  consentOwnAccount: "Your account: it can see and change your data, your password, your sessions and your consents",
  signedInAs: (name: string) => `You are signed in as ${name}.`,
  consentRemembered: "If you allow it, you are not asked again for the same access.",
  consentTakenBack: "You can take it back in your account.",
  allow: "Allow",
  deny: "Do not allow",
  otherUser: "Use another account",
  cancel: "Cancel",
  noAccessTitle: "No access",
  noAccess: (name: string, application: string) =>
    `You are signed in as ${name}, and this account may not use ${application}.`,
  noAccessAdvice: (tenant: string, application: string) =>
    `Ask an administrator of ${tenant} to give you access to ${application}. Then sign in to it again.`,
  backToApplication: "Back to the application",
  signOutTitle: "Sign out?",
  signOutAdvice: "You will have to enter your password again at every application. Close this page to stay signed in.",
  signOut: "Sign out",
  signedOutTitle: "You are signed out",
  signedOutAdvice: "You can close this page.",
  errorTitle: "This does not work",
  errorByApplication:
    "The application sent you here with a request that cannot be answered. Go back to it and try again. If it happens again, give its makers the reference below.",
  errorBusy: "This cannot be done at the moment. Wait a minute, then load the page again.",
  errorHere:
    "Something went wrong here, and it is not your fault. Go back to the application and try again in a few minutes. If it happens again, give your administrator the reference below.",
  errorDetails: "For the makers of the application",
  traceId: (id: string) => `Reference: ${id}`,
  expired:
    "The page was open for too long, or was opened in another browser. Go back to the application and start again.",
  changedMeanwhile: "The application was changed meanwhile. Go back to it and sign in again.",
  answeredBefore: "This request was answered before. Go back to the application and start again.",
  sessionEnded: "The session has just ended. Go back to the application and sign in again.",
  formAddress:
    "This address belongs to a page of a sign-in and cannot be opened by itself. Go back to the application and sign in again.",
  accountTitle: "My account",
  accountBack: "Back to your account",
  continueTitle: "One moment",
  continueTo: "Continue to the application",
};

/** The sentences of a language. */
export type Messages = typeof english;

const german: Messages = {
  signInTitle: "Anmelden",
  signInTo: (application) => `Bei ${application} anmelden`,
  userName: "Benutzername",
  userNameOrEmail: "Benutzername oder E-Mail-Adresse",
  userNameOrPhone: "Benutzername oder Telefonnummer",
  userNameEmailOrPhone: "Benutzername, E-Mail-Adresse oder Telefonnummer",
  password: "Passwort",
  signIn: "Anmelden",
  forgot: "Passwort vergessen?",
  register: "Konto anlegen",
  wrong: "Der Benutzername oder das Passwort ist falsch, oder die Anmeldung ist nicht erlaubt.",
  locked: "Zu viele falsche Passwörter. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.",
  throttled:
    "Aus Ihrem Netz sind Anmeldungen mit zu vielen verschiedenen Namen fehlgeschlagen. Warten Sie eine Viertelstunde und versuchen Sie es dann noch einmal.",
  incomplete: "Geben Sie einen Benutzernamen und ein Passwort ein.",
  used: "Diese Seite wurde schon verwendet. Melden Sie sich noch einmal an.",
  late: "Seit der Eingabe Ihres Passworts sind mehr als fünf Minuten vergangen. Geben Sie es noch einmal ein.",
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
  newPasswordWeak:
    "Ihr jetziges Passwort ist leicht zu erraten. Es bleibt gültig; ein anderes schützt Ihr Konto besser. Wenn Sie es ändern, werden Sie überall sonst abgemeldet.",
  newPasswordLater: "Nicht jetzt",
  newPasswordOwn: "Wenn Sie es ändern, werden Sie überall sonst abgemeldet.",
  newPassword: "Neues Passwort",
  newPasswordAgain: "Neues Passwort noch einmal",
  newPasswordAdvice: (least, most) =>
    `${least} bis ${most} Zeichen, auch Leerzeichen. Am besten ein langes, das Sie sonst nirgends benutzen.`,
  newPasswordSend: "Passwort ändern",
  passwordMissing: "Geben Sie zweimal ein neues Passwort ein.",
  passwordsDiffer: "Die beiden Passwörter sind nicht gleich.",
  passwordLength: (least, most) => `Das Passwort muss ${least} bis ${most} Zeichen haben.`,
  passwordCharacters: "Das Passwort enthält ein Tabulator-, Zeilenend- oder anderes Steuerzeichen. Lassen Sie es weg.",
  passwordCommon: "Das ist eines der häufigsten Passwörter, die Angreifer zuerst versuchen. Wählen Sie ein anderes.",
  passwordOwnName: "Das Passwort darf nicht Ihr Benutzername sein. Wählen Sie ein anderes.",
  passwordSame: "Das ist Ihr jetziges Passwort. Wählen Sie ein anderes.",
  passwordFormer: "Dieses Passwort hatten Sie schon. Wählen Sie eines, das Sie in letzter Zeit nicht hatten.",
  passwordRefused:
    "Das Verzeichnis nimmt dieses Passwort nicht an. Wählen Sie ein anderes, oder fragen Sie Ihren Administrator.",
  passwordElsewhere:
    "Ihr Passwort muss geändert werden, und das geht hier nicht: Es gehört zu einem Verzeichnis, das dieser Dienst nur liest. Ändern Sie es dort und bitten Sie dann Ihren Administrator, Sie wieder anmelden zu lassen.",
  passwordElsewhereOwn:
    "Ihr Passwort gehört zu einem Verzeichnis, das dieser Dienst nur liest. Ändern Sie es dort, oder fragen Sie Ihren Administrator.",
  consentTitle: "Zugriff erlauben",
  consentTo: (application) => `${application} bittet um Zugriff auf`,
  consentOwnAccount:
    "Ihr Konto: Ihre Daten, Ihr Passwort, Ihre Sitzungen und Ihre Zustimmungen können gesehen und geändert werden",
  signedInAs: (name) => `Sie sind als ${name} angemeldet.`,
  consentRemembered: "Wenn Sie es erlauben, werden Sie für denselben Zugriff nicht noch einmal gefragt.",
  consentTakenBack: "Sie können es in Ihrem Konto zurücknehmen.",
  allow: "Erlauben",
  deny: "Nicht erlauben",
  otherUser: "Ein anderes Konto verwenden",
  cancel: "Abbrechen",
  noAccessTitle: "Kein Zugang",
  noAccess: (name, application) =>
    `Sie sind als ${name} angemeldet, und mit diesem Konto dürfen Sie ${application} nicht benutzen.`,
  noAccessAdvice: (tenant, application) =>
    `Bitten Sie eine Administratorin oder einen Administrator von ${tenant} um Zugang zu ${application}. Melden Sie sich danach dort noch einmal an.`,
  backToApplication: "Zurück zur Anwendung",
  signOutTitle: "Abmelden?",
  signOutAdvice:
    "Sie müssen dann bei jeder Anwendung das Passwort neu eingeben. Schließen Sie diese Seite, um angemeldet zu bleiben.",
  signOut: "Abmelden",
  signedOutTitle: "Sie sind abgemeldet",
  signedOutAdvice: "Sie können diese Seite schließen.",
  errorTitle: "Das geht so nicht",
  errorByApplication:
    "Die Anwendung hat Sie mit einer Anfrage hierher geschickt, die nicht beantwortet werden kann. Gehen Sie zu ihr zurück und versuchen Sie es noch einmal. Geschieht es wieder, nennen Sie ihren Betreibern die Kennung unten.",
  errorBusy: "Das geht im Augenblick nicht. Warten Sie eine Minute und laden Sie die Seite dann neu.",
  errorHere:
    "Hier ist etwas schiefgegangen, und es liegt nicht an Ihnen. Gehen Sie zur Anwendung zurück und versuchen Sie es in einigen Minuten noch einmal. Geschieht es wieder, nennen Sie Ihrem Administrator die Kennung unten.",
  errorDetails: "Für die Betreiber der Anwendung",
  traceId: (id) => `Kennung: ${id}`,
  expired:
    "Die Seite war zu lange offen oder wurde in einem anderen Browser geöffnet. Gehen Sie zur Anwendung zurück und beginnen Sie noch einmal.",
  changedMeanwhile:
    "Die Anwendung wurde inzwischen geändert. Gehen Sie zu ihr zurück und melden Sie sich noch einmal an.",
  answeredBefore: "Diese Anfrage wurde schon beantwortet. Gehen Sie zur Anwendung zurück und beginnen Sie noch einmal.",
  sessionEnded:
    "Die Sitzung ist gerade zu Ende gegangen. Gehen Sie zur Anwendung zurück und melden Sie sich noch einmal an.",
  formAddress:
    "Diese Adresse gehört zu einer Seite der Anmeldung und lässt sich nicht allein öffnen. Gehen Sie zur Anwendung zurück und melden Sie sich noch einmal an.",
  accountTitle: "Mein Konto",
  accountBack: "Zurück zu Ihrem Konto",
  continueTitle: "Einen Augenblick",
  continueTo: "Weiter zur Anwendung",
};

/** The sentences by the tags of their languages. */
export const languages: Readonly<Record<Language, Messages>> = { en: english, de: german };
