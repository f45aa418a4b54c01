/** The application of a service, and the request that a client makes with it. */
import { type CasService, casOf } from "../../applications/protocols/cas.ts";
import { claimsOn, isClaimed, readServiceUrl } from "../../applications/protocols/service-urls.ts";
import { findInbounds } from "../../applications/registry/inbound-store.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import type { CasAsked } from "../flow/cas/asked.ts";
import { casClientId } from "../flow/cas/service.ts";
import { tenantOf } from "../sso/context.ts";
import type { CasContext } from "./context.ts";

/** A service that an application has claimed. */
export interface Registered {
  readonly application: Application;
  /** What it says about its services. */
  readonly cas: CasService;
  /** As a browser is sent there. */
  readonly href: string;
}

/** A service, or why it is none: the end of a sentence that begins with its address. */
export type Found = Registered | { readonly problem: string };

/**
 * The application of a service: the one that has claimed its very address, else the longest directory of it. Two round
 * trips at most, whatever number of applications there is. Whether people can sign in is not looked at.
 */
export async function registeredService(address: string, kind: string, context: CasContext): Promise<Found> {
  const read = readServiceUrl(address);
  if ("problem" in read) return read;
  const tenant = tenantOf(context);
  const [[id], owner] = await Promise.all([
    findInbounds(context.table, tenant, "CAS", claimsOn(read)),
    context.tenants.find(tenant),
  ]);
  const application = id === undefined ? undefined : await context.applications.find(tenant, id);
  const cas = application && casOf(application.inbound, kind);
  const isOurs = owner?.active && cas && isClaimed(read, cas.claim);
  return isOurs ? { application, cas, href: read.href } : { problem: "is no service of an application here" };
}

/** The request of a client, as the sign-in knows it. */
export function requestOf(
  { tenant, applicationId, href }: Pick<AuthorizationRequest, "tenant" | "applicationId"> & { readonly href: string },
  cas: CasAsked,
  {
    mode = "query",
    prompts = [],
  }: { readonly mode?: "query" | "form_post"; readonly prompts?: readonly string[] } = {},
): AuthorizationRequest {
  return {
    tenant,
    clientId: casClientId(applicationId),
    applicationId,
    to: { redirectUri: href, mode },
    cas,
    isRedirectSent: true,
    scopes: [],
    resources: [],
    prompts,
  };
}
