/** The owner of a tenant: the user who was created with it. */
import type * as z from "zod";
import { SUPER_TENANT, type Tenant } from "../../kernel/domain/tenant.ts";
import { Fault } from "../../kernel/faults.ts";
import { checkEach } from "../../kernel/together.ts";
import type { JsonObject, Resource } from "../../scim/protocol/schema/attribute.ts";
import { type Caller, checkAccountChange } from "../provisioning/escalation.ts";
import { readdresses } from "../provisioning/mails.ts";
import { type ChangeContext, changeUser, type UserStores } from "../provisioning/users.ts";
import { qualifiedName, type User } from "../users/model.ts";
import { checkEmail, checkPlain } from "./rules.ts";
import type { OwnerDetails, OwnerUpdate } from "./shapes.ts";

/** What reads and changes of owners use. */
export interface OwnerStores extends Omit<UserStores, "userStores"> {
  /** The user stores of a tenant. */
  userStoresOf(tenant: string): readonly string[];
}

const DIALECT = "http://wso2.org/claims/";

/** The claims that a request can name, with the attributes of the user: those with one text. */
const attributes: ReadonlyMap<string, string> = new Map([
  ["middleName", "name.middleName"],
  ["formattedName", "name.formatted"],
  ["honorificPrefix", "name.honorificPrefix"],
  ["honorificSuffix", "name.honorificSuffix"],
  ["displayName", "displayName"],
  ["nickname", "nickName"],
  ["url", "profileUrl"],
  ["title", "title"],
  ["userType", "userType"],
  ["preferredLanguage", "preferredLanguage"],
  ["local", "locale"],
  ["timeZone", "timezone"],
]);

/** Throws `tenant.owner_foreign` for an id that is not that of the tenant's owner. */
export function checkOwner({ administrator, domain }: Tenant, ownerId: string): void {
  if (ownerId === administrator) return;
  throw new Fault(
    "tenant.owner_foreign",
    `The user is not an owner of the tenant ${domain}. GET .../owners lists them.`,
  );
}

/** The fault for an owner who does not exist. */
export function ownerNotFound(id: string): Fault {
  return new Fault("tenant.owner_not_found", `Tenant owner cannot be found for the provided id: ${id.slice(0, 100)}.`);
}

/** An owner with those of some claims that have a value. */
export function presentOwner(user: User, claims: readonly string[]): z.input<typeof OwnerDetails> {
  const { givenName, familyName } = objectOf(user.profile.name);
  const [email] = emailsOf(user.profile);
  return {
    id: user.id,
    username: qualifiedName(user),
    ...(typeof email?.value === "string" && { email: email.value }),
    ...(typeof givenName === "string" && { firstname: givenName }),
    ...(typeof familyName === "string" && { lastname: familyName }),
    additionalClaims: claims.flatMap((claim) => {
      const path = attributeOf(claim);
      const value = path === undefined ? undefined : valueAt(user.profile, path);
      return typeof value === "string" ? [{ claim, value }] : [];
    }),
  };
}

/**
 * Changes the owner of a tenant, all of it or nothing. A new password or address needs a caller who could set
 * that of the administrator of the super tenant: a right on tenants must not become all rights in another tenant
 * (decision 0052).
 * Throws `tenant.parameter_missing`, `tenant.invalid`, `tenant.owner_not_found`, `scim.forbidden`, and what
 * `changeUser` throws.
 */
export async function updateOwner(
  stores: OwnerStores,
  { domain, administrator }: Tenant,
  body: z.output<typeof OwnerUpdate>,
  caller: ChangeContext,
): Promise<void> {
  const { email, firstname, lastname, password, additionalClaims = [] } = body;
  checkEach(Object.entries({ email, firstname, lastname }), ([name, value]) => {
    if (value?.trim()) {
      if (name === "email") checkEmail(value, name);
      return;
    }
    throw new Fault("tenant.parameter_missing", `Required parameter ${name} is not specified.`);
  });
  if (password !== undefined) checkPlain(password, "password");
  const claimed = additionalClaims.map(({ claim, value }) => [knownAttribute(claim), value] as const);
  const owner = await stores.users.find(domain, administrator);
  if (!owner) throw ownerNotFound(administrator);
  // The link of a mail sets a password, too. What owners enter of themselves counts for nothing until it is verified.
  const after = { ...owner, profile: { ...owner.profile, emails: withEmail(owner.profile, email ?? "") } as Resource };
  const isReaddressed = caller.subject !== administrator && readdresses(owner, after);
  if (password !== undefined || isReaddressed) await checkTakeover(stores, caller);
  const named = { "name.givenName": firstname ?? "", "name.familyName": lastname ?? "" };
  const texts = [...Object.entries(named), ...claimed];
  await changeUser(
    { ...stores, userStores: stores.userStoresOf(domain) },
    // In the tenant of the caller, the owner can be the caller itself, with the rules for the own account.
    domain === caller.tenant ? caller : { tenant: domain, now: caller.now },
    administrator,
    {
      change: (before) => ({
        ...texts.reduce((resource, [path, value]) => withValue(resource, path, value), before),
        emails: withEmail(before, email ?? ""),
        ...(password !== undefined && { password }),
      }),
    },
  );
}

/** Throws `scim.forbidden` unless the caller could take over the administrator of the super tenant. */
async function checkTakeover(stores: OwnerStores, caller: Caller): Promise<void> {
  const tenant = await stores.tenants.find(SUPER_TENANT);
  const highest = tenant && (await stores.users.find(SUPER_TENANT, tenant.administrator));
  if (!highest) throw new Error("the super tenant has no administrator");
  await checkAccountChange(stores, caller, highest, { takesOver: true });
}

function knownAttribute(claim: string): string {
  const path = attributeOf(claim);
  if (path !== undefined) return path;
  const known = [...attributes.keys()].join(", ");
  throw new Fault(
    "tenant.invalid",
    `additionalClaims: ${claim.slice(0, 100)} cannot be set here. Use ${DIALECT} with one of ${known}; or SCIM in the tenant.`,
  );
}

function attributeOf(claim: string): string | undefined {
  return claim.startsWith(DIALECT) ? attributes.get(claim.slice(DIALECT.length)) : undefined;
}

/** The e-mail addresses, the primary one first. */
function emailsOf({ emails }: Resource): readonly JsonObject[] {
  const all = Array.isArray(emails) ? emails.map(objectOf) : [];
  return [...all].sort((a, b) => Number(b.primary === true) - Number(a.primary === true));
}

/** The addresses with another primary one. */
function withEmail(before: Resource, email: string): Resource[string] {
  const [former, ...others] = emailsOf(before);
  return [
    { ...former, value: email, primary: true },
    ...others.filter(({ value }) => value !== email).map((one) => ({ ...one })),
  ];
}

function valueAt(resource: Resource, path: string): unknown {
  const [first = "", second] = path.split(".");
  return second === undefined ? resource[first] : objectOf(resource[first])[second];
}

function withValue(resource: Resource, path: string, value: string): Resource {
  const [first = "", second] = path.split(".");
  return { ...resource, [first]: second === undefined ? value : { ...objectOf(resource[first]), [second]: value } };
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
