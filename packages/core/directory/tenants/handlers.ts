/** The handlers of the tenant operations. */

import type * as z from "zod";
import { SUPER_TENANT, type Tenant } from "../../kernel/domain/tenant.ts";
import { PRIMARY } from "../../kernel/domain/username.ts";
import { Fault } from "../../kernel/faults.ts";
import { matches, parseFilter } from "../../kernel/filter/filter.ts";
import { trimName } from "../../kernel/fold.ts";
import { LIMIT_DEFAULTS, type ListQuery, type PageLink, pageOf } from "../../kernel/management-api.ts";
import { callerId } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { checkTogether } from "../../kernel/together.ts";
import { changingTenant } from "../../tokens/revocation-store.ts";
import type { PasswordLimits } from "../credentials/password-limits.ts";
import { checkPassword } from "../credentials/password-rules.ts";
import type { TenantStore } from "../tenant-store.ts";
import { checkName, type UserNameRules } from "../users/rules.ts";
import type { UserStore } from "../users/store.ts";
import type { Administrator } from "./bootstrap.ts";
import type { tenantOperations } from "./contract.ts";
import { checkOwner, type OwnerStores, ownerNotFound, presentOwner, updateOwner } from "./owner.ts";
import {
  checkCaller,
  checkDomain,
  checkEmail,
  checkPlain,
  domainNotFound,
  domainTaken,
  tenantNotFound,
} from "./rules.ts";
import type { NewTenant } from "./shapes.ts";

/** The dependencies of these handlers. */
export interface TenantStores extends OwnerStores {
  readonly tenants: TenantStore;
  readonly users: UserStore;
  /** Creates a tenant with its roles and administrator; `undefined` if it exists. */
  create(domain: string, administrator: Administrator, nowMs: number): Promise<Tenant | undefined>;
}

const BASE = "/api/server/v1/tenants";

const vocabulary = {
  attributes: ["domainName"],
  names: ["domainName"],
  unknownAttribute: "filter.attribute",
  example: "domainName co example",
} as const;

export const tenantHandlers: Handlers<typeof tenantOperations, TenantStores> = {
  async listTenants({ query }, context) {
    checkCaller(context.tenant);
    checkPage(query);
    const { limit, offset } = pageOf(query, LIMIT_DEFAULTS.administration);
    const filter = query.filter === undefined ? undefined : parseFilter(query.filter, vocabulary);
    const all = (await context.tenants.listed()).filter((domain) => !filter || matches(filter, { domainName: domain }));
    if (isDescending(query.sortBy, query.sortOrder)) all.reverse();
    const tenants = await context.tenants.findMany(all.slice(offset, offset + limit));
    const link = (rel: PageLink["rel"], start: number): PageLink => ({
      rel,
      href: `${BASE}?limit=${limit}&offset=${start}${query.filter === undefined ? "" : `&filter=${encodeURIComponent(query.filter)}`}`,
    });
    return {
      totalResults: all.length,
      startIndex: offset + 1,
      count: tenants.length,
      links: [
        ...(limit > 0 && offset + limit < all.length ? [link("next", offset + limit)] : []),
        ...(limit > 0 && offset > 0 ? [link("previous", Math.max(0, offset - limit))] : []),
      ],
      tenants: await Promise.all(tenants.map((tenant) => presentTenant(context, tenant))),
    };
  },

  async createTenant({ body }, context) {
    checkCaller(context.tenant);
    const owner = ownerIn(body);
    checkTogether(
      () => checkDomain(body.domain),
      () => passwordOf(owner, body.domain, context.passwords, context.nameRules),
      () => owner.email !== undefined && checkEmail(owner.email, "owners[0].email"),
    );
    const password = passwordOf(owner, body.domain, context.passwords, context.nameRules);
    const { email, firstname, lastname } = owner;
    const name = {
      ...(firstname !== undefined && { givenName: firstname }),
      ...(lastname !== undefined && { familyName: lastname }),
    };
    const tenant = await context.create(
      body.domain,
      {
        username: ownerName(owner.username, body.domain, context.nameRules),
        password,
        profile: {
          ...(Object.keys(name).length > 0 && { name }),
          ...(email !== undefined && { emails: [{ value: email, primary: true }] }),
        },
      },
      context.now,
    );
    if (!tenant) throw domainTaken(body.domain);
    return { location: `${BASE}/${tenant.id}` };
  },

  async getTenant({ params }, context) {
    checkCaller(context.tenant);
    return presentTenant(context, await byId(context, params.tenantId));
  },

  async getTenantByDomain({ params }, context) {
    checkCaller(context.tenant);
    return presentTenant(context, await byDomain(context, params.domain));
  },

  async listTenantOwners({ params }, context) {
    checkCaller(context.tenant);
    return (await presentTenant(context, await byId(context, params.tenantId))).owners;
  },

  async getTenantOwner({ params, query }, context) {
    checkCaller(context.tenant);
    const tenant = await byId(context, params.tenantId);
    checkOwner(tenant, params.ownerId);
    const owner = await context.users.find(tenant.domain, params.ownerId);
    if (!owner) throw ownerNotFound(params.ownerId);
    const claims = (query.additionalClaims ?? "").split(",").flatMap((claim) => claim.trim() || []);
    return presentOwner(owner, claims);
  },

  async updateTenantOwner({ params, body }, context) {
    checkCaller(context.tenant);
    const tenant = await byId(context, params.tenantId);
    checkOwner(tenant, params.ownerId);
    const { tenants, users, groups, roles, userStoresOf, passwords, scopes, now, principal, proof } = context;
    const stores = { tenants, users, groups, roles, userStoresOf, passwords };
    const caller = { tenant: context.tenant, subject: callerId(principal), scopes, now, proof };
    await updateOwner(stores, tenant, body, caller);
    return undefined;
  },

  async deleteTenantMetadata({ params }, context) {
    checkCaller(context.tenant);
    const tenant = await byId(context, params.tenantId);
    await context.tenants.leaveOut(tenant.domain, {
      absent: () => tenantNotFound(params.tenantId),
      active: () => new Fault("tenant.invalid", "The tenant is active. Deactivate it first."),
    });
    return undefined;
  },

  async updateTenantStatus({ params, body }, context) {
    checkCaller(context.tenant);
    const tenant = await byId(context, params.tenantId);
    if (tenant.domain === SUPER_TENANT && !body.activated) {
      throw new Fault("tenant.invalid", "The super tenant cannot be deactivated.");
    }
    await context.tenants.setActive(tenant.domain, body.activated, {
      known: tenant.active,
      absent: () => tenantNotFound(params.tenantId),
      telling: () => [changingTenant(tenant.domain)],
    });
    return presentTenant(context, { ...tenant, active: body.activated });
  },
};

function checkPage({ limit = 0, offset = 0 }: ListQuery): void {
  if (limit < 0) throw new Fault("tenant.limit_invalid", "Limit should not be negative.");
  if (offset < 0) throw new Fault("tenant.offset_invalid", "Offset should not be negative.");
}

function isDescending(sortBy: string | undefined, sortOrder: string | undefined): boolean {
  if (sortBy !== undefined && sortBy !== "domainName") {
    throw new Fault("request.invalid", "sortBy: tenants can be sorted by domainName only.");
  }
  const order = sortOrder?.toUpperCase() ?? "ASC";
  if (order !== "ASC" && order !== "DESC") throw new Fault("request.invalid", "sortOrder must be ASC or DESC.");
  return order === "DESC";
}

async function presentTenant({ users }: TenantStores, { id, domain, active, createdMs, administrator }: Tenant) {
  const owner = await users.find(domain, administrator);
  return {
    id,
    domain,
    owners: owner ? [{ id: owner.id, username: owner.userName }] : [],
    createdDate: new Date(createdMs).toISOString(),
    lifecycleStatus: { activated: active },
  };
}

type Owner = z.output<typeof NewTenant>["owners"][number];

function ownerIn({ owners: [owner] }: z.output<typeof NewTenant>): Owner {
  if (owner) return owner;
  throw new Fault("tenant.owner_missing", "Required parameter owner is not specified.");
}

/** The password of a new owner, which is the only way to create one. Throws `tenant.*` and `request.invalid`. */
function passwordOf(owner: Owner, domain: string, limits: PasswordLimits, names: UserNameRules | undefined): string {
  if (owner.provisioningMethod !== "inline-password") {
    throw new Fault(
      "tenant.invalid",
      "owners[0].provisioningMethod: only inline-password is supported; owners of tenants get no invitations.",
    );
  }
  if (owner.password === undefined) {
    throw new Fault(
      "tenant.parameter_missing",
      "Required parameter password is not specified. Send it as owners[0].password.",
    );
  }
  checkPassword(
    owner.password,
    { tenant: domain, userStore: PRIMARY, name: ownerName(owner.username, domain, names) },
    limits,
  );
  checkPlain(owner.password, "owners[0].password");
  return owner.password;
}

/** The user name of an owner. It may be sent with the tenant, as `name@domain`. */
function ownerName(username: string, domain: string, rules: UserNameRules | undefined): string {
  const end = `@${domain}`;
  const given = trimName(username);
  const name = trimName(given.toLowerCase().endsWith(end) ? given.slice(0, -end.length) : given);
  checkName(name, rules);
  return name;
}

async function byId(stores: TenantStores, id: string): Promise<Tenant> {
  const domain = await stores.tenants.domainOf(id);
  const tenant = domain === undefined ? undefined : await stores.tenants.find(domain);
  if (!tenant) throw tenantNotFound(id);
  return tenant;
}

async function byDomain(stores: TenantStores, domain: string): Promise<Tenant> {
  const tenant = await stores.tenants.find(domain);
  if (!tenant) throw domainNotFound(domain);
  return tenant;
}
