/** The functions behind the operations on application files. What they read and write files with is loaded when it is needed. */

import type { RequestContext } from "../../operation/context.ts";
import type { Handlers } from "../../operation/operation.ts";
import { Fault } from "../../platform/faults.ts";
import { newId } from "../../platform/ids.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import { checkCredential } from "../registry/authorization-rules.ts";
import type { Application } from "../registry/model.ts";
import { selfOf } from "../registry/present.ts";
import { checkNewName, checkSpelling, notFound } from "../registry/rules.ts";
import type { ApplicationStore } from "../registry/store.ts";
import type { Imported, Importer } from "./apply.ts";
import type { transferOperations } from "./contract.ts";
import { SECRET_SCOPES } from "./contract-secrets.ts";

/** What these handlers use. */
export interface TransferStores {
  readonly applications: ApplicationStore;
  readonly protocols: ProtocolSupport;
}

const IMPORT_FAILED = "Error importing application from file.";

export const transferHandlers: Handlers<typeof transferOperations, TransferStores> = {
  async importApplication({ body }, context) {
    const { tenant, applications, protocols } = context;
    const { readFile, prepareImport, asImportFault } = await load();
    const { root, settings } = readFile(body.file.content, protocols.customKinds);
    checkNewName(settings.name, tenant);
    if (await applications.entry(tenant, settings.name)) throw nameTaken(settings.name, tenant);
    try {
      const make = await prepareImport(root, settings, importerOf(context, newId()), protocols);
      const imported = make(undefined);
      await applications.add(tenant, imported.application);
      return answerOf(tenant, imported);
    } catch (error) {
      throw asImportFault(error);
    }
  },

  async updateApplicationFromFile({ body }, context) {
    const { tenant, applications, protocols } = context;
    const { readFile, prepareImport, asImportFault } = await load();
    const { root, settings } = readFile(body.file.content, protocols.customKinds);
    checkSpelling(settings.name, IMPORT_FAILED);
    const entry = await applications.entry(tenant, settings.name);
    if (!entry) throw nameUnknown(settings.name, tenant);
    try {
      const make = await prepareImport(root, settings, importerOf(context, entry.id), protocols);
      let imported: Imported | undefined;
      const replaced = (before: Application): Application => {
        // Renamed a moment ago: the file names nobody now.
        if (before.name !== settings.name) throw nameUnknown(settings.name, tenant);
        imported = make(before);
        return imported.application;
      };
      await applications.update(tenant, entry.id, replaced, (authorizations) =>
        checkCredential(authorizations, context.scopes),
      );
      if (!imported) throw nameUnknown(settings.name, tenant);
      return answerOf(tenant, imported);
    } catch (error) {
      throw asImportFault(error);
    }
  },

  async exportApplication({ params, query }, { tenant, scopes, applications, protocols }) {
    const application = await applications.find(tenant, params.applicationId);
    if (!application) throw notFound(params.applicationId, tenant);
    const { fileOf } = await load();
    const mayHaveSecrets = SECRET_SCOPES.some((scope) => scopes.has(scope));
    const secrets = query.exportSecrets ? (mayHaveSecrets ? "told" : "withheld") : "left out";
    const content = fileOf(application, tenant, protocols, secrets);
    return { content, fileName: `${application.name}.xml` };
  },
};

async function load() {
  const [{ readFile, fileOf }, { prepareImport, asImportFault }] = await Promise.all([
    import("./file.ts"),
    import("./apply.ts"),
  ]);
  return { readFile, fileOf, prepareImport, asImportFault };
}

function nameTaken(name: string, tenant: string): Fault {
  return new Fault(
    "application.name_taken",
    `An application with name: '${name}' already exists in tenantDomain: ${tenant}`,
    {
      message: IMPORT_FAILED,
    },
  );
}

function importerOf({ tenant, principal }: RequestContext, applicationId: string): Importer {
  return {
    tenant,
    ownerId: principal.kind === "user" ? principal.subject : undefined,
    applicationId,
  };
}

function answerOf(tenant: string, { application, notices }: Imported) {
  return {
    location: selfOf(tenant, application.id),
    body: { applicationId: application.id, name: application.name, notHonoured: [...notices] },
  };
}

function nameUnknown(name: string, tenant: string): Fault {
  return new Fault(
    "application.not_found",
    `No application of tenant ${tenant} has the name '${name}' that the file gives.`,
  );
}
