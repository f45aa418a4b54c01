/** Handlers of application files. The modules that read and write files are loaded with the first file. */
import type { RoleStore } from "../../directory/roles/store.ts";
import { Fault } from "../../kernel/faults.ts";
import { newId } from "../../kernel/ids.ts";
import type { RequestContext, ScopedContext } from "../../kernel/operation/context.ts";
import type { FileResult, Handlers } from "../../kernel/operation/operation.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import { seesSecrets } from "../protocols/contract-secrets.ts";
import type { Application } from "../registry/model.ts";
import { selfOf } from "../registry/present.ts";
import { checkNewName, checkSpelling, notFound } from "../registry/rules.ts";
import type { ApplicationStore } from "../registry/store.ts";
import type { Imported, ImportTarget } from "./apply.ts";
import type { applicationFileOperations } from "./contract.ts";
import type { FileFormat } from "./tree.ts";

/** The dependencies of these handlers. */
export interface ApplicationFileStores {
  readonly applications: ApplicationStore;
  readonly roles: Pick<RoleStore, "findMany" | "all">;
  readonly protocols: ProtocolSupport;
}

const IMPORT_FAILED = "Error importing application from file.";

export const applicationFileHandlers: Handlers<typeof applicationFileOperations, ApplicationFileStores> = {
  async importApplication({ body }, context) {
    const { tenant, scopes, applications, protocols, roles } = context;
    const { readFile, formatOf, prepareImport, asImportFault } = await load();
    const { root, settings } = await readFile(body.file.content, formatOf(body.file), protocols.customKinds);
    checkNewName(settings.name, tenant);
    if (await applications.entry(tenant, settings.name)) throw nameTaken(settings.name, tenant);
    try {
      const importOver = await prepareImport(root, settings, targetOf(context, newId()), { ...protocols, roles });
      const imported = importOver(undefined);
      await applications.add(tenant, imported.application, scopes);
      return resultOf(tenant, imported);
    } catch (error) {
      throw asImportFault(error);
    }
  },

  async updateApplicationFromFile({ body }, context) {
    const { tenant, applications, protocols, roles } = context;
    const { readFile, formatOf, prepareImport, asImportFault } = await load();
    const { root, settings } = await readFile(body.file.content, formatOf(body.file), protocols.customKinds);
    checkSpelling(settings.name, IMPORT_FAILED);
    const entry = await applications.entry(tenant, settings.name);
    if (!entry) throw nameUnknown(settings.name, tenant);
    try {
      const importOver = await prepareImport(root, settings, targetOf(context, entry.id), { ...protocols, roles });
      let imported: Imported | undefined;
      const replaced = (before: Application): Application => {
        // The application was renamed after its name was looked up.
        if (before.name !== settings.name) throw nameUnknown(settings.name, tenant);
        imported = importOver(before);
        return imported.application;
      };
      await applications.update(tenant, entry.id, context.scopes, replaced);
      if (!imported) throw nameUnknown(settings.name, tenant);
      return resultOf(tenant, imported);
    } catch (error) {
      throw asImportFault(error);
    }
  },

  exportApplication: ({ params, query }, context) =>
    exported(context, params.applicationId, query.exportSecrets ?? false, "xml"),

  async exportApplicationFile({ params, query, headers }, context) {
    const { acceptedFormat } = await load();
    return exported(context, params.applicationId, query.exportSecrets ?? false, acceptedFormat(headers.accept));
  },
};

async function exported(
  { tenant, scopes, applications, protocols }: ScopedContext & ApplicationFileStores,
  applicationId: string,
  hasSecrets: boolean,
  format: FileFormat,
): Promise<FileResult> {
  const application = await applications.find(tenant, applicationId);
  if (!application) throw notFound(applicationId, tenant);
  const { fileOf, extensions } = await load();
  const mayHaveSecrets = seesSecrets(protocols.clientSecretsShownTo, scopes);
  const secrets = hasSecrets ? (mayHaveSecrets ? "included" : "withheld") : "omitted";
  const content = await fileOf(application, tenant, protocols, secrets, format);
  return { content, fileName: `${application.name}.${extensions[format]}` };
}

async function load() {
  const [file, apply, formats] = await Promise.all([import("./file.ts"), import("./apply.ts"), import("./formats.ts")]);
  return { ...file, ...apply, ...formats };
}

function nameTaken(name: string, tenant: string): Fault {
  const description = `An application with name: '${name}' already exists in tenantDomain: ${tenant}`;
  return new Fault("application.name_taken", description, { message: IMPORT_FAILED });
}

function targetOf({ tenant, principal }: RequestContext, applicationId: string): ImportTarget {
  return {
    tenant,
    ownerId: principal.kind === "user" ? principal.subject : undefined,
    applicationId,
  };
}

function resultOf(tenant: string, { application, notices }: Imported) {
  return {
    location: selfOf(tenant, application.id),
    body: { applicationId: application.id, name: application.name, notHonoured: [...notices] },
  };
}

function nameUnknown(name: string, tenant: string): Fault {
  return new Fault(
    "application.not_found",
    `Tenant ${tenant} has no application with the name '${name}' of the file. Use POST to create it.`,
  );
}
