/**
 * People register by a page (decision 0183): a mail shows that the person reads the address, and its link creates the
 * user. Nothing is stored of somebody who has not used the link, but for the link.
 */
import type { Step } from "../../database/table/table.ts";
import { passwordProblem } from "../../directory/credentials/password-rules.ts";
import { createUser } from "../../directory/provisioning/users.ts";
import { phoneForm } from "../../directory/users/identifiers.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { foldName } from "../../kernel/fold.ts";
import { newId } from "../../kernel/ids.ts";
import { domainOf, readAddress } from "../../kernel/mail-address.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import {
  type AddressClaim,
  addressClaim,
  type FoundLink,
  findLink,
  LinkEnded,
  usingLink,
} from "../../tokens/mail-link-store.ts";
import { countMail } from "../../tokens/mail-store.ts";
import { countSource, queueMail } from "../mails/ask.ts";
import type { RecoveryPage } from "../pages/recovery-pages.ts";
import { donePage, linkEndedPage } from "../pages/recovery-pages.ts";
import {
  askedToRegisterPage,
  type RegistrationForm,
  registerPage,
  registrationPage,
} from "../pages/registration-pages.ts";
import type { RecoveryContext, Registration } from "./context.ts";
import { pageOf, type RecoveryHeaders, refuseForeign } from "./forms.ts";
import { isAddressTaken } from "./taken.ts";
import { recoveringTenant } from "./tenant.ts";

const SYSTEM_SCHEMA = "urn:scim:wso2:schema";

/** What a person enters at the page of the link. */
export interface RegistrationBody {
  readonly code?: string | undefined;
  readonly username?: string | undefined;
  readonly given?: string | undefined;
  readonly family?: string | undefined;
  readonly password?: string | undefined;
  readonly repeated?: string | undefined;
  readonly terms?: string | undefined;
}

export async function showRegister(headers: RecoveryHeaders, context: RecoveryContext): Promise<PageResult> {
  await registeringTenant(context);
  return registerPage(pageOf(headers, context));
}

/** Queues the mail, and says so in words that are true for every address. */
export async function takeRegister(
  { address: entered }: { readonly address?: string | undefined },
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  refuseForeign(headers);
  const { tenant, registration } = await registeringTenant(context);
  const shown = pageOf(headers, context);
  const about = (entered ?? "").trim();
  const read = readAddress(about);
  if ("problem" in read) return registerPage({ ...shown, address: about, problem: "registerAddress" });
  if (!isAllowed(read.address, registration)) {
    return registerPage({ ...shown, address: about, problem: "registerDomain" });
  }
  // Before the tenant: one source must not use up what a tenant may ask for.
  await countSource(context);
  await countTenant(tenant, registration, context);
  await queueMail({ kind: "registration", tenant, about: read.address, language: shown.language }, context);
  return askedToRegisterPage(shown);
}

/** The page of a link. To open it creates nothing. */
export async function showRegistration(
  code: string | undefined,
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  const { shown, link, registration } = await opened(code, headers, context);
  return link ? registrationPage(formOf({ code }, link, { shown, registration }, context)) : linkEndedPage(shown);
}

/** Creates the user and uses the link up, in one transaction. */
export async function takeRegistration(
  body: RegistrationBody,
  headers: RecoveryHeaders,
  context: RecoveryContext,
): Promise<PageResult> {
  refuseForeign(headers);
  const { shown, link, claim, registration } = await opened(body.code, headers, context);
  // With a link, somebody could ask for one name after the other.
  await countSource(context);
  if (!link || !claim) return linkEndedPage(shown);
  const again = (problem: RegistrationForm["problem"]) =>
    registrationPage({ ...formOf(body, link, { shown, registration }, context), problem });
  const problem = problemIn(body, link, registration, context);
  if (problem) return again(problem);
  if (await isReadAsAddress(body, link, context)) return again("registerNameTaken");
  try {
    await register(body, link, claim, context);
  } catch (error) {
    if (error instanceof LinkEnded) return linkEndedPage(shown);
    if (!(error instanceof Fault)) throw error;
    if (error.fault === "scim.unique") return again("registerNameTaken");
    if (error.fault === "request.invalid") return again("registerNameRefused");
    throw error;
  }
  return donePage(shown, "ready");
}

/** The tenant of a request, if people may register in it. Throws as `recoveringTenant` does. One round trip. */
async function registeringTenant(context: RecoveryContext) {
  const tenant = await recoveringTenant(context);
  const registration = context.tools.registrationOf(tenant);
  if (!registration) throw new Fault("route.not_found", "People cannot register here. Ask an administrator.");
  return { tenant, registration };
}

/** Counts what strangers ask of a tenant. Throws `recovery.throttled` beyond its limit. One round trip. */
async function countTenant(
  tenant: string,
  { hourMax }: Registration,
  { table, now }: Pick<RecoveryContext, "table" | "now">,
): Promise<void> {
  if ((await countMail(table, { tenant, kind: "tenant", value: "registration" }, now)) <= hourMax) return;
  throw new Fault("recovery.throttled", "Too many people have asked for an account. Wait an hour, then try again.");
}

function isAllowed(address: string, { emailDomains }: Registration): boolean {
  const domain = domainOf(address.slice(address.lastIndexOf("@") + 1)) ?? "";
  return emailDomains.length === 0 || emailDomains.includes(domain);
}

/** The link of a request, if it counts: the address may still register, and no user has it. Up to five round trips. */
async function opened(code: string | undefined, headers: RecoveryHeaders, context: RecoveryContext) {
  const { tenant, registration } = await registeringTenant(context);
  const { table, now, users } = context;
  const link =
    code === undefined ? undefined : await findLink(table, code, { purposes: ["registration"], tenant }, now);
  const shown = pageOf(headers, context);
  if (link?.registers === undefined || !isAllowed(link.registers, registration)) return { registration, shown };
  const claim = await addressClaim(table, link, now);
  if (await isAddressTaken(users, tenant, link.registers)) return { registration, shown };
  return { registration, shown, link, claim };
}

function problemIn(
  { username = "", password = "", repeated = "", terms }: RegistrationBody,
  { tenant, registers = "" }: FoundLink,
  { termsUrl }: Registration,
  { tools }: RecoveryContext,
): RegistrationForm["problem"] {
  const name = username.trim();
  if (name === "") return "registerNameMissing";
  // What is before a slash would be a user store.
  if (name.includes("/") || isIdentifierOfOthers(name, registers)) return "registerNameRefused";
  if (password === "") return "passwordMissing";
  if (password !== repeated) return "passwordsDiffer";
  if (termsUrl !== undefined && terms === undefined) return "registerTerms";
  return passwordProblem(password, { tenant, userStore: PRIMARY, name }, tools.passwords);
}

/**
 * Whether a name is an address or a number, which may be those of another person: a user name counts before them
 * (decision 0186), so it would take that person's way to sign in.
 */
function isIdentifierOfOthers(name: string, ownAddress: string): boolean {
  if (name.includes("@")) return foldName(name) !== foldName(ownAddress);
  return phoneForm(name) !== undefined;
}

/**
 * Whether sign-ins would read the address of another user as this name: in the tenant acme.com, `kim@acme.com` is the
 * user `kim`.
 */
function isReadAsAddress(
  { username = "" }: RegistrationBody,
  { tenant, registers = "" }: FoundLink,
  { users }: RecoveryContext,
): Promise<boolean> {
  const address = `${username.trim()}@${tenant}`;
  return foldName(address) === foldName(registers) ? Promise.resolve(false) : isAddressTaken(users, tenant, address);
}

async function register(
  body: RegistrationBody,
  link: FoundLink,
  claim: AddressClaim,
  context: RecoveryContext,
): Promise<void> {
  const { username = "", password = "", given = "", family = "" } = body;
  const { tenant, registers: value = "" } = link;
  const userName = username.trim();
  const id = newId();
  const stores = context.identitiesAs({ kind: "user", tenant, subject: id, username: userName, userStore: PRIMARY });
  const name = { givenName: given.trim(), familyName: family.trim() };
  const entered = Object.entries(name).filter(([, part]) => part !== "");
  const resource = {
    ...{ userName, password, emails: [{ value, primary: true }] },
    ...(entered.length > 0 && { name: Object.fromEntries(entered) }),
    [SYSTEM_SCHEMA]: { emailVerified: true, verifiedEmailAddresses: [value] },
  };
  const also: readonly Step[] = [usingLink(link), claim.step(id)];
  await createUser(stores, { tenant, now: context.now }, resource, { needsPassword: true, id, also });
}

function formOf(
  { code = "", username, given, family }: RegistrationBody,
  link: FoundLink,
  { shown, registration }: { readonly shown: RecoveryPage; readonly registration: Registration },
  { tools }: RecoveryContext,
): RegistrationForm {
  const { termsUrl } = registration;
  const address = link.registers ?? "";
  return { ...shown, code, address, userName: username ?? address, given, family, termsUrl, limits: tools.passwords };
}
