/** The pages of the own account (decision 0190). The session of the browser authenticates, and forms have a handle. */
import { operation, PUBLIC } from "../../kernel/operation/operation.ts";
import * as z from "../../kernel/zod.ts";
import { PageHeaders } from "../flow/contract.ts";

const FORM_BYTES_MAX = 65_536;
const TEXT_MAX = 1_024;
/** Addresses and numbers of one person that the form takes. */
export const LISTED_MAX = 20;

const page = {
  service: "account",
  scope: PUBLIC,
  headers: PageHeaders,
  source: "decision 0190",
  success: { status: 200, page: true, redirects: true },
  failures: [400],
} as const;

const form = {
  ...page,
  method: "POST",
  media: "form",
  limits: { bytes: FORM_BYTES_MAX },
  changesNothing: true,
} as const;

const request = z.string().meta({ description: "The hidden field of the page" });
const text = z.string().max(TEXT_MAX).optional();
const texts = z.array(z.string().max(TEXT_MAX)).max(LISTED_MAX).optional();

/** What the account page can say that has been done. */
export const notices = ["profile", "password", "session", "consent"] as const;

/** The texts of the profile that the form has, by their names in the schema. */
export const profileTexts = ["displayName", "nickName", "title", "preferredLanguage", "locale", "timezone"] as const;

export const accountOperations = {
  showAccount: operation({
    ...page,
    method: "GET",
    path: "/account",
    summary: "Show the own account, or lead to a sign-in",
    query: z.object({ done: z.enum(notices).optional().meta({ description: "What the person has just done" }) }),
  }),
  showAccountProfile: operation({
    ...page,
    method: "GET",
    path: "/account/profile",
    summary: "Show the form for the own profile, after a fresh sign-in",
  }),
  changeAccountProfile: operation({
    ...form,
    path: "/account/profile",
    summary: "Take the form for the own profile",
    body: z
      .object({
        request,
        givenName: text.meta({ description: "The first name" }),
        familyName: text.meta({ description: "The last name" }),
        displayName: text.meta({ description: "The name that others see" }),
        nickName: text.meta({ description: "The nickname" }),
        title: text.meta({ description: "The title" }),
        preferredLanguage: text.meta({ description: "The preferred language" }),
        locale: text.meta({ description: "The format of numbers and dates" }),
        timezone: text.meta({ description: "The time zone" }),
        email: texts.meta({ description: "The e-mail addresses, in their order; empty to remove one" }),
        phone: texts.meta({ description: "The phone numbers, in their order; empty to remove one" }),
      })
      .meta({ id: "AccountProfileForm" }),
    repeated: ["email", "phone"],
  }),
  endAccountSession: operation({
    ...form,
    path: "/account/sessions",
    summary: "End one of the own sessions, or all of them",
    body: z
      .object({ request, session: text.meta({ description: "The id of the session; absent for all" }) })
      .meta({ id: "AccountSessionForm" }),
  }),
  takeAccountConsentBack: operation({
    ...form,
    path: "/account/consents",
    summary: "Take the access of an application to the own account back",
    body: z
      .object({ request, application: z.string().max(TEXT_MAX).meta({ description: "The id of the application" }) })
      .meta({ id: "AccountConsentForm" }),
  }),
  removeAccountFactor: operation({
    ...form,
    path: "/account/factors",
    summary: "Take the own one-time codes or passkeys away, after a fresh sign-in with one of them",
    source: "decision 0191",
    body: z
      .object({ request, factor: z.enum(["codes", "passkeys"]).meta({ description: "What is taken away" }) })
      .meta({ id: "AccountFactorForm" }),
  }),
  exportAccount: operation({
    ...page,
    method: "GET",
    path: "/account/data",
    summary: "Download what the service stores of the own account, as JSON",
    success: { ...page.success, pageMedia: "application/json" },
  }),
  showAccountDeletion: operation({
    ...page,
    method: "GET",
    path: "/account/deletion",
    summary: "Ask whether the own account is to be deleted, after a fresh sign-in",
    source: "decision 0192",
  }),
  deleteAccount: operation({
    ...form,
    path: "/account/deletion",
    summary: "Delete the own account, where the operator allows it",
    source: "decision 0192",
    body: z
      .object({ request, sure: z.literal("yes").optional().meta({ description: "The person has ticked the box" }) })
      .meta({ id: "AccountDeletionForm" }),
  }),
} as const;
