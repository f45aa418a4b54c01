/** The handlers of the application operations. */

import type { RoleStore } from "../../directory/roles/store.ts";
import type { UserStore } from "../../directory/users/store.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import { later } from "../../kernel/later.ts";
import type { Principal } from "../../kernel/operation/context.ts";
import type { Handlers } from "../../kernel/operation/operation.ts";
import { allTogether, checking, checkTogether } from "../../kernel/together.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import { freshApplication, mergeApplication, mergeProvisioning, withCertificate } from "../registry/model.ts";
import { presentApplication, presentAuthenticators, presentProvisioning, selfOf } from "../registry/present.ts";
import { namedRoles, withRoleNames } from "../registry/role-rules.ts";
import {
  checkApplication,
  checkBody,
  checkNewName,
  checkRename,
  checkResident,
  notFound,
  SCRIPT_FAILED,
  withScript,
} from "../registry/rules.ts";
import { type ApplicationStore, TAKES_ONLY } from "../registry/store.ts";
import type { TemplateStore } from "../templates/store.ts";
import { fromTemplate } from "../templates/use.ts";
import type { applicationOperations } from "./contract.ts";
import { type GroupSource, listDiscoverableGroups } from "./groups.ts";
import { listApplications } from "./list.ts";

/** The dependencies of these handlers. */
export interface ApplicationStores extends GroupSource {
  readonly applications: ApplicationStore;
  readonly templates: TemplateStore;
  readonly users: UserStore;
  readonly roles: Pick<RoleStore, "findMany">;
  readonly protocols: ProtocolSupport;
}

const { configureNew } = later(() => import("../protocols/configure.ts"), "configureNew");

const CREATE_FAILED = "Error creating application.";

export const applicationHandlers: Handlers<typeof applicationOperations, ApplicationStores> = {
  async listApplications({ query }, { tenant, applications }) {
    if (query.sortBy !== undefined || query.sortOrder !== undefined) {
      throw new Fault(
        "application.sorting",
        "Sorting is not supported in this version of the API: remove sortBy and sortOrder.",
      );
    }
    return listApplications(applications, tenant, query);
  },

  async createApplication({ query, body: given }, context) {
    const { tenant, principal, scopes, applications, templates, protocols, roles } = context;
    const body = await fromTemplate(templates, tenant, query.template, given);
    const { isManagementApp = false, isB2BSelfServiceApp, inboundProtocolConfiguration = {}, ...settings } = body;
    const id = newId();
    const [, , { inbound, certificate }] = await allTogether([
      checking(() => checkNewName(settings.name, tenant)),
      checking(() => checkBody(settings)),
      configureNew(inboundProtocolConfiguration, tenant, id, protocols),
    ]);
    if (inbound.saml && settings.advancedConfigurations?.useExternalConsentPage) {
      throw new Fault(
        "application.property_unsupported",
        "useExternalConsentPage cannot be set for a SAML application.",
      );
    }
    const fresh = {
      ...freshApplication(id, settings.name, ownerOf(principal), isManagementApp),
      ...(isB2BSelfServiceApp && { isB2BSelfServiceApp }),
      inbound,
    };
    const merged = mergeApplication(withCertificate(fresh, certificate), settings);
    checkApplication(merged, tenant, CREATE_FAILED);
    const named = await roles.findMany(tenant, namedRoles(settings));
    await applications.add(tenant, withRoleNames(merged, named, CREATE_FAILED), scopes);
    return { location: selfOf(tenant, id) };
  },

  async getApplication({ params }, { tenant, applications }) {
    const application = await applications.find(tenant, params.applicationId);
    if (!application) throw notFound(params.applicationId, tenant);
    return presentApplication(tenant, application);
  },

  async patchApplication({ params, body }, { tenant, scopes, applications, roles }) {
    const named = await roles.findMany(tenant, namedRoles(body));
    await applications.update(tenant, params.applicationId, scopes, (before) => {
      checkTogether(
        () => body.name !== undefined && checkRename(before, body.name),
        () => checkBody(body),
      );
      const after = mergeApplication(before, body);
      const message = `Error patching application with id: ${before.id}`;
      checkApplication(after, tenant, message);
      return body.associatedRoles ? withRoleNames(after, named, message) : after;
    });
    return undefined;
  },

  async deleteApplication({ params }, { tenant, applications }) {
    await applications.remove(tenant, params.applicationId);
    return undefined;
  },

  async changeApplicationOwner({ params, body }, { tenant, applications, users }) {
    const owner = await users.find(tenant, body.id);
    await applications.update(tenant, params.applicationId, TAKES_ONLY, (before) => {
      // Checked here, so that an unknown application is reported before an unknown user.
      if (!owner) throw new Fault("application.owner_unknown", `No user of tenant ${tenant} has the id ${body.id}.`);
      return { ...before, ownerId: owner.id };
    });
    return undefined;
  },

  async getApplicationAuthenticators({ params }, { tenant, applications }) {
    const application = await applications.find(tenant, params.applicationId);
    if (!application) throw notFound(params.applicationId, tenant);
    return presentAuthenticators(application);
  },

  async updateAuthenticationScript({ params, body }, { tenant, scopes, applications }) {
    await applications.update(tenant, params.applicationId, scopes, (before) => {
      const after = withScript(before, body.script);
      if (after !== before) checkApplication(after, tenant, SCRIPT_FAILED);
      return after;
    });
    return undefined;
  },

  listDiscoverableGroups: ({ query }, context) => listDiscoverableGroups(context, query),

  async getResidentApplication(_, { tenant, applications }) {
    return { provisioningConfigurations: presentProvisioning(await applications.resident(tenant)) };
  },

  async updateResidentApplication({ body }, { tenant, applications }) {
    const settings = await applications.updateResident(tenant, (before) => {
      const after = mergeProvisioning(before, body);
      checkResident(after);
      return after;
    });
    return { provisioningConfigurations: presentProvisioning(settings) };
  },
};

/** The user who creates an application owns it. One that a client creates has no owner until it gets one. */
function ownerOf(principal: Principal): string {
  return principal.kind === "user" ? principal.subject : "";
}
