/**
 * Decides who gets a mail, and what it says. All that depends on whether an account exists happens here, after the
 * request that asked for the mail was answered (decision 0181).
 */
import { randomInt } from "node:crypto";
import { waitsForPassword } from "../../directory/provisioning/mails.ts";
import { addressesIn, asSent, mailAddressOf, sinceMs } from "../../directory/users/address.ts";
import { maySignIn, qualifiedName, type User } from "../../directory/users/model.ts";
import { foldName } from "../../kernel/fold.ts";
import { readAddress } from "../../kernel/mail-address.ts";
import { knownDeviceOf } from "../../sign-in/account/device.ts";
import { nameIn } from "../../sign-in/authentication/sign-in.ts";
import { type Language, languageOf } from "../../sign-in/pages/language.ts";
import { MAIL_LINK_PATH, pathOf, recoveryPaths } from "../../sign-in/pages/paths.ts";
import { isAddressTaken } from "../../sign-in/recovery/taken.ts";
import {
  addingLink,
  addressDigest,
  codeHandle,
  LINK_SECONDS,
  type LinkPurpose,
  linkTimes,
  type MailLink,
} from "../../tokens/mail-link-store.ts";
import { isNotice, type Mail, type MailKind, type NoticeKind } from "../../tokens/mail-model.ts";
import { digestOf } from "../../tokens/opaque.ts";
import type { MailDeps } from "./deps.ts";
import type { Letter } from "./model.ts";
import { letters } from "./texts.ts";

/** A letter with the address that it goes to. `ready` stores what its link is for, before it is sent. */
export interface Addressed {
  readonly to: string;
  readonly letter: Letter;
  readonly language: Language;
  /** From when on the address is that of the user: what became of earlier mails says nothing of it. */
  readonly sinceMs: number;
  readonly ready?: () => Promise<void>;
}

const CODE_DIGITS = 8;
/** The most users with one address that are looked at. */
const SHARED_MAX = 20;
/** An address of no user has no administrator who lifts its mark. */
const STRANGER_MARKED_MS = 30 * 24 * 60 * 60_000;

/** The letter of a mail; `undefined` where no mail is due. At most four round trips. */
export async function addressed(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const tenant = await deps.tenants.find(mail.tenant);
  if (!tenant?.active) return undefined;
  const { kind } = mail;
  return isNotice(kind) ? notice(kind, mail, deps) : writers[kind](mail, deps);
}

type Writer = (mail: Mail, deps: MailDeps) => Promise<Addressed | undefined>;

const writers: Readonly<Record<Exclude<MailKind, NoticeKind>, Writer>> = {
  "password-link": passwordLink,
  "user-names": userNames,
  registration,
  invitation,
  "address-check": addressCheck,
  "sign-in-code": signInCode,
  "sign-in-link": signInLink,
};

async function passwordLink(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const { tenant, about, flow } = mail;
  const user = await meantUser(tenant, about, deps);
  const to = user && mailAddressOf(user);
  if (!to || !mayRecover(user)) return undefined;
  const { link, ready } = await newLink(
    { purpose: "password-link", path: recoveryPaths.reset, user, to, flow },
    mail,
    deps,
  );
  const language = languageOfMail(mail, user);
  const minutes = LINK_SECONDS["password-link"] / 60;
  return {
    to,
    ready,
    language,
    sinceMs: sinceMs(user, to),
    letter: letters[language].passwordLink({ ...account(user, mail, deps), link, minutes }),
  };
}

async function userNames(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const { tenant, about } = mail;
  const read = readAddress(about.trim());
  if ("problem" in read) return undefined;
  const users = (await usersAt(tenant, read.address, deps)).filter(maySignIn);
  const [first] = users;
  if (!first) return undefined;
  const names = users.map(qualifiedName);
  const language = languageOfMail(mail, first);
  const letter = letters[language].userNames({ service: serviceOf(tenant, deps), userNames: names });
  return { to: read.address, letter, language, sinceMs: sinceMs(first, read.address) };
}

/**
 * The link of a registration goes to an address of no user. A person who has an account gets the names of it instead,
 * if it is the primary address there; one who may not sign in gets nothing.
 */
async function registration(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const { tenant, about, language: asked } = mail;
  const read = readAddress(about.trim());
  if ("problem" in read) return undefined;
  const to = read.address;
  if (await isAddressTaken(deps.users, tenant, to)) return userNames(mail, deps);
  const nowMs = deps.clock.now();
  const { handle, step } = addingLink({
    ...{ purpose: "registration", tenant, userId: "", address: addressDigest(to), registers: to },
    ...{ issuedAtSeconds: Math.floor(nowMs / 1_000), issuedMs: nowMs },
  });
  const language = languageOf(asked, undefined);
  const link = `${deps.origin}${pathOf(recoveryPaths.registered, tenant)}?code=${handle}`;
  const hours = LINK_SECONDS.registration / 3_600;
  const letter = letters[language].registration({ service: serviceOf(tenant, deps), link, hours });
  return { to, language, letter, sinceMs: nowMs - STRANGER_MARKED_MS, ready: () => deps.table.write(step) };
}

/** An invitation counts until the user has a password. */
async function invitation(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const user = await deps.users.find(mail.tenant, mail.about);
  const to = user && mailAddressOf(user);
  if (!to || !waitsForPassword(user) || !maySignIn(user)) return undefined;
  const { link, ready } = await newLink({ purpose: "invitation", path: recoveryPaths.reset, user, to }, mail, deps);
  const language = languageOfMail(mail, user);
  const hours = LINK_SECONDS.invitation / 3_600;
  const letter = letters[language].invitation({ ...account(user, mail, deps), link, hours });
  return { to, ready, language, letter, sinceMs: sinceMs(user, to) };
}

/** Goes to the address that is checked, as long as the user has it. */
async function addressCheck(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const user = await deps.users.find(mail.tenant, mail.about);
  const { address = "" } = mail;
  const to = asSent(address);
  if (!user || to === undefined || !maySignIn(user)) return undefined;
  if (!addressesIn(user.profile).some((each) => foldName(each) === foldName(address))) return undefined;
  const { link, ready } = await newLink({ purpose: "address-check", path: recoveryPaths.verify, user, to }, mail, deps);
  const language = languageOfMail(mail, user);
  const hours = LINK_SECONDS["address-check"] / 3_600;
  const letter = letters[language].addressCheck({ ...account(user, mail, deps), link, hours });
  return { to, ready, language, letter, sinceMs: sinceMs(user, to) };
}

/** A code of eight digits, which counts with the form that waits for it. */
async function signInCode(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const { flow = "" } = mail;
  const digits = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0");
  const found = await signInProof(mail, { purpose: "sign-in-code" }, codeHandle(flow, digits), deps);
  if (!found) return undefined;
  const code = `${digits.slice(0, CODE_DIGITS / 2)} ${digits.slice(CODE_DIGITS / 2)}`;
  const { about, minutes, ...rest } = found;
  return { ...rest, letter: letters[rest.language].signInCode({ ...about, code, minutes }) };
}

/** A link, which counts in the browser that asked for it. */
async function signInLink(mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const { flow = "", page, pageTenant = mail.tenant } = mail;
  const found = await signInProof(mail, { purpose: "sign-in-link", flow: digestOf(flow), page }, undefined, deps);
  if (!found) return undefined;
  const link = `${deps.origin}${pathOf(MAIL_LINK_PATH, pageTenant)}?code=${found.handle}`;
  const { about, minutes, ...rest } = found;
  return { ...rest, letter: letters[rest.language].signInLink({ ...about, link, minutes }) };
}

/** Whom a mail of a sign-in goes to, and what stores what it proves. One round trip for the last. */
async function signInProof(
  mail: Mail,
  proof: Pick<MailLink, "purpose" | "flow" | "page">,
  given: string | undefined,
  deps: MailDeps,
) {
  const { tenant } = mail;
  const user = await meantUser(tenant, mail.about, deps);
  const to = user && mailAddressOf(user);
  if (!to || !maySignIn(user)) return undefined;
  const times = await linkTimes(deps.table, tenant, user, deps.clock.now());
  const link = { ...proof, tenant, userId: user.id, address: addressDigest(to), ...times };
  const { handle, step } = addingLink(link, given);
  const minutes = LINK_SECONDS[proof.purpose] / 60;
  const language = languageOfMail(mail, user);
  const ready = () => deps.table.write(step);
  return { to, language, handle, minutes, sinceMs: sinceMs(user, to), about: account(user, mail, deps), ready };
}

/** Tells a person what has happened to the account, at the address that counted before. */
async function notice(kind: NoticeKind, mail: Mail, deps: MailDeps): Promise<Addressed | undefined> {
  const { tenant, about, address, askedMs, sourceIp, userAgent, userName } = mail;
  if (userName === undefined || address === undefined) return undefined;
  const user = await deps.users.find(tenant, about);
  const language = languageOfMail(mail, user);
  const time = `${new Date(askedMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const link = `${deps.origin}${pathOf(recoveryPaths.forgot, tenant)}`;
  const text = letters[language];
  // What a browser calls itself could be a sentence of a thief.
  const device = knownDeviceOf(userAgent, text.device) ?? text.device.unknown;
  const letter = text.notice({ kind, service: serviceOf(tenant, deps), userName, time, sourceIp, device, link });
  return { to: address, language, letter, sinceMs: user ? sinceMs(user, address) : 0 };
}

/** A new link of a user, and what stores what it is for. One round trip each. */
async function newLink(
  {
    purpose,
    path,
    user,
    to,
    flow,
  }: {
    readonly purpose: LinkPurpose;
    readonly path: string;
    readonly user: User;
    readonly to: string;
    readonly flow?: string | undefined;
  },
  { tenant }: Mail,
  { table, clock, origin }: MailDeps,
) {
  const times = await linkTimes(table, tenant, user, clock.now());
  const { handle, step } = addingLink({
    ...{ purpose, tenant, userId: user.id, address: addressDigest(to), ...times },
    ...(flow !== undefined && { flow }),
  });
  return { link: `${origin}${pathOf(path, tenant)}?code=${handle}`, ready: () => table.write(step) };
}

function account(user: User, { tenant }: Mail, deps: MailDeps) {
  return { service: serviceOf(tenant, deps), userName: qualifiedName(user) };
}

/** The language of the page that a mail was asked for on; otherwise that of the person. */
function languageOfMail({ language }: Mail, user: User | undefined): Language {
  // Of a deleted account, the mail has what the profile said.
  if (!user) return languageOf(undefined, language);
  const own = user.profile.preferredLanguage ?? user.profile.locale;
  return languageOf(language, typeof own === "string" ? own : undefined);
}

/** The user that somebody means: with that name, or else the only one with that address. */
async function meantUser(tenant: string, about: string, deps: MailDeps): Promise<User | undefined> {
  const id = await deps.users.idOf(nameIn(tenant, about));
  if (id !== undefined) return deps.users.find(tenant, id);
  const read = readAddress(about.trim());
  if ("problem" in read) return undefined;
  const users = await usersAt(tenant, read.address, deps);
  return users.length === 1 ? users[0] : undefined;
}

/** The users whose address for mail is this one. */
async function usersAt(tenant: string, address: string, { users }: MailDeps): Promise<readonly User[]> {
  const ids = await users.idsBy(tenant, { attribute: "emails", value: address }, SHARED_MAX);
  const found = await users.findMany(tenant, ids.slice(0, SHARED_MAX));
  return found.filter((user): user is User => {
    const own = user && mailAddressOf(user);
    return own !== undefined && foldName(own) === foldName(address);
  });
}

/** A user without a password has none to recover, unless an invitation waits: others sign in elsewhere. */
function mayRecover(user: User): boolean {
  return (user.hasPassword || waitsForPassword(user)) && maySignIn(user);
}

function serviceOf(tenant: string, { brandOf }: MailDeps): string {
  return brandOf(tenant).name ?? tenant;
}
