/** The sentences of the pages of a sign-in by mail, in each language. */
import type { Language } from "./language.ts";

const english = {
  mailCodeTitle: "Enter the code of the e-mail",
  mailCodeAdvice:
    "If there is an account with this name that has an e-mail address, we have sent a code of eight digits to it. It counts for ten minutes, on this page.",
  mailCodeFirst: "Have a code sent to the e-mail address of your account, then enter it here.",
  mailLinkFirst: "Have a link sent to the e-mail address of your account, then open it in this browser.",
  mailCodeAgain: "Send another code",
  mailCodeMissing: "Enter the eight digits of the code.",
  mailCodeWrong: "The code is wrong, has expired or was used before.",
  mailCodeSpent: "Too many wrong codes. Have another code sent.",
  mailLinkTitle: "Open the link of the e-mail",
  mailLinkAdvice:
    "If there is an account with this name that has an e-mail address, we have sent a link to it. Open it in this browser within ten minutes.",
  mailLinkAgain: "Send another link",
  mailMissing: "No e-mail? Look for it among unwanted mails, or ask your administrator which address your account has.",
  linkOpened: "Press the button to sign in.",
  linkSpent: "The link was used before, has ended, or is not complete. Sign in again to have another one sent.",
  linkElsewhere: "Open the link in the browser in which you asked for it.",
};

export type MailedMessages = typeof english;

const german: MailedMessages = {
  mailCodeTitle: "Code aus der E-Mail eingeben",
  mailCodeAdvice:
    "Wenn es ein Konto mit diesem Namen gibt, das eine E-Mail-Adresse hat, haben wir einen Code mit acht Ziffern dorthin gesendet. Er gilt zehn Minuten, auf dieser Seite.",
  mailCodeFirst: "Lassen Sie sich einen Code an die E-Mail-Adresse Ihres Kontos senden und geben Sie ihn hier ein.",
  mailLinkFirst:
    "Lassen Sie sich einen Link an die E-Mail-Adresse Ihres Kontos senden und öffnen Sie ihn in diesem Browser.",
  mailCodeAgain: "Einen anderen Code senden",
  mailCodeMissing: "Geben Sie die acht Ziffern des Codes ein.",
  mailCodeWrong: "Der Code ist falsch, abgelaufen oder wurde schon verwendet.",
  mailCodeSpent: "Zu viele falsche Codes. Lassen Sie sich einen anderen Code senden.",
  mailLinkTitle: "Link aus der E-Mail öffnen",
  mailLinkAdvice:
    "Wenn es ein Konto mit diesem Namen gibt, das eine E-Mail-Adresse hat, haben wir einen Link dorthin gesendet. Öffnen Sie ihn in diesem Browser innerhalb von zehn Minuten.",
  mailLinkAgain: "Einen anderen Link senden",
  mailMissing:
    "Keine E-Mail? Sehen Sie bei den unerwünschten E-Mails nach, oder fragen Sie Ihre Administration, welche Adresse Ihr Konto hat.",
  linkOpened: "Drücken Sie den Knopf, um sich anzumelden.",
  linkSpent:
    "Der Link wurde schon verwendet, ist abgelaufen oder nicht vollständig. Melden Sie sich noch einmal an, um einen anderen zu bekommen.",
  linkElsewhere: "Öffnen Sie den Link in dem Browser, in dem Sie ihn angefordert haben.",
};

export const mailedLanguages: Readonly<Record<Language, MailedMessages>> = { en: english, de: german };
