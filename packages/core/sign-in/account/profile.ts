/**
 * The own profile: what the form shows, and the change that it asks for. The change is a PATCH of `/scim2/Me`, so that
 * the same attributes can be written, in the same forms.
 */
import { systemAttributes, type User } from "../../directory/users/model.ts";
import { isObject } from "../../kernel/json.ts";
import { applyPatch } from "../../scim/protocol/patch/apply.ts";
import { readPatch } from "../../scim/protocol/patch/read.ts";
import type { Resource } from "../../scim/protocol/schema/attribute.ts";
import { userType } from "../../scim/protocol/schema/resource-types.ts";
import { LISTED_MAX, profileTexts } from "./contract.ts";

const nameTexts = ["givenName", "familyName"] as const;
const lists = { email: "emails", phone: "phoneNumbers" } as const;

/** The fields of the form. */
export interface ProfileFields
  extends Readonly<Partial<Record<(typeof profileTexts)[number] | (typeof nameTexts)[number], string | undefined>>> {
  readonly email?: readonly string[] | undefined;
  readonly phone?: readonly string[] | undefined;
}

/** One text of the profile, by the name of its attribute. */
export interface ProfileText {
  readonly name: (typeof profileTexts)[number] | (typeof nameTexts)[number];
  readonly value: string;
}

/** The texts of a profile, in the order of the form. */
export function textsOf({ profile }: Pick<User, "profile">): readonly ProfileText[] {
  const name = isObject(profile.name) ? profile.name : {};
  return [
    ...nameTexts.map((each) => ({ name: each, value: textIn(name[each]) })),
    ...profileTexts.map((each) => ({ name: each, value: textIn(profile[each]) })),
  ];
}

/** The addresses or numbers of a profile, as many as the form takes. */
export function listOf({ profile }: Pick<User, "profile">, kind: keyof typeof lists): readonly string[] {
  return elementsOf(profile, kind).map(({ value }) => textIn(value));
}

/** The addresses and numbers that are verified. */
export function verifiedOf({ profile }: Pick<User, "profile">): ReadonlySet<string> {
  const { verifiedEmailAddresses, verifiedMobileNumbers, emailVerified, phoneVerified } = systemAttributes(profile);
  const listed = [verifiedEmailAddresses, verifiedMobileNumbers].flatMap((list) => (Array.isArray(list) ? list : []));
  const best = [
    ...(isTrue(emailVerified) ? [bestOf(profile, "email")] : []),
    ...(isTrue(phoneVerified) ? [bestOf(profile, "phone")] : []),
  ];
  return new Set([...listed, ...best].filter((value): value is string => typeof value === "string"));
}

/** What is wrong with the fields, where the person can see it; `undefined` for nothing. */
export function problemIn({ email = [] }: ProfileFields): "emailWrong" | undefined {
  const isWrong = email.some((one) => one.trim() !== "" && !EMAIL.test(one.trim()));
  return isWrong ? "emailWrong" : undefined;
}

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;

/** The resource after the form. Fields that were not sent stay. Throws as a PATCH of `/scim2/Me` does. */
export function withFields(before: Resource, fields: ProfileFields): Resource {
  const texts = profileTexts.flatMap((name) => textChange(name, fields[name]));
  const ofName = nameTexts.flatMap((part) => textChange(`name.${part}`, fields[part]));
  const ofLists = Object.entries(lists).flatMap(([kind, attribute]) => {
    const sent = fields[kind as keyof typeof lists];
    return sent === undefined ? [] : listChange(attribute, elementsOf(before, kind as keyof typeof lists), sent);
  });
  const Operations = [...texts, ...ofName, ...ofLists];
  if (Operations.length === 0) return before;
  const body = { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations };
  return applyPatch(userType, before, readPatch(userType, body, { selfService: true }));
}

function textChange(path: string, sent: string | undefined): readonly object[] {
  if (sent === undefined) return [];
  const value = sent.trim();
  return [value === "" ? { op: "remove", path } : { op: "replace", path, value }];
}

/** The elements with other values, in their order: an empty one goes, and one more than there are is new. */
function listChange(path: string, before: readonly Element[], sent: readonly string[]): readonly object[] {
  const changed = sent.flatMap((text, at) => {
    const value = text.trim();
    const { display: _, ...element } = before[at] ?? {};
    if (value === "") return [];
    return [before[at]?.value === value ? before[at] : { ...element, value }];
  });
  const value = [...changed, ...before.slice(sent.length)];
  if (JSON.stringify(value) === JSON.stringify(before)) return [];
  return [value.length === 0 ? { op: "remove", path } : { op: "replace", path, value }];
}

type Element = Readonly<Record<string, unknown>>;

function elementsOf(profile: Resource, kind: keyof typeof lists): readonly Element[] {
  const value = profile[lists[kind]];
  return (Array.isArray(value) ? value.filter(isObject) : []).slice(0, LISTED_MAX - 1);
}

function bestOf(profile: Resource, kind: keyof typeof lists): unknown {
  const all = elementsOf(profile, kind);
  return (all.find(({ primary }) => primary === true) ?? all[0])?.value;
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isTrue(value: unknown): boolean {
  return value === true || value === "true";
}
