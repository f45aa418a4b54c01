/**
 * Sign-in to the pages of the own account (decision 0190). The service asks for it itself, as an application that no
 * tenant stores: what comes of it is a session alone, without a code, and a client that cannot be registered.
 */

import { LOCAL_IDP } from "../../applications/registry/authenticators.ts";
import type { Client } from "../../applications/registry/client-store.ts";
import { type Application, freshApplication } from "../../applications/registry/model.ts";
import type { Language } from "../pages/language.ts";
import { languages } from "../pages/messages.ts";
import { tokenlessClient } from "./protocols/tokenless-client.ts";

/** The pages below `/account` that a sign-in can lead to. */
export const accountPages = ["profile", "deletion"] as const;
/** What a person can change on the way: an authenticator app, a passkey, or the password. */
export const accountTasks = ["app", "passkey", "password"] as const;

/** What a sign-in to the own account is for. */
export interface AccountVisit {
  /** Absent for the page of the account itself. */
  readonly page?: (typeof accountPages)[number] | undefined;
  readonly task?: (typeof accountTasks)[number] | undefined;
  /** What has been done on the way. */
  readonly done?: "password" | undefined;
}

/** The id of the application and of its client: those of tenants are of printable characters of ASCII. */
export const ACCOUNT_ID = "·account";

/** Where the pages are, below the path of the tenant. */
export const ACCOUNT_PATH = "/account";

/** The path that a visit leads to, below that of the tenant. */
export function pathOfVisit({ page, done }: AccountVisit): string {
  return `${ACCOUNT_PATH}${page === undefined ? "" : `/${page}`}${done === undefined ? "" : `?done=${done}`}`;
}

/** A person with a passkey needs no password. */
const ways = ["BasicAuthenticator", "FIDOAuthenticator"];
const steps = [{ id: 1, options: ways.map((authenticator) => ({ idp: LOCAL_IDP, authenticator })) }];

/** The application of the own account, with its client. It asks for no consent. */
export function accountApplication(tenant: string, language: Language): AccountApplication {
  const fresh = freshApplication(ACCOUNT_ID, languages[language].accountTitle, "", false);
  return {
    application: {
      ...fresh,
      authenticationSequence: { ...fresh.authenticationSequence, type: "USER_DEFINED", steps },
      advancedConfigurations: { skipLoginConsent: true },
    },
    client: tokenlessClient({ clientId: ACCOUNT_ID, tenant, applicationId: ACCOUNT_ID }),
  };
}

interface AccountApplication {
  readonly application: Application;
  readonly client: Client;
}
