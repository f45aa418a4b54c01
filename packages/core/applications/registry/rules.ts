/** Rules for the name and settings of an application. Pure; faults have the codes of WSO2 Identity Server. */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { checkTogether } from "../../kernel/together.ts";
import { readAddress, shownAddress } from "../protocols/addresses.ts";
import { clientTaken } from "../protocols/kinds.ts";
import { LOCAL_IDP, localAuthenticators, requestPathAuthenticators } from "./authenticators.ts";
import { isInline, pemCertificate, problemOfInline } from "./client-keys.ts";
import { APPLICATION_VERSION, type Application, type ProvisioningSettings } from "./model.ts";
import type { AdvancedConfigurations } from "./shapes.ts";
import type { ClaimConfiguration } from "./shapes-claims.ts";

const NAME_LENGTH_MAX = 255;
const NAME = /^[a-zA-Z0-9 ._-]*$/;
/** Names of the portals of WSO2 Identity Server. */
const PORTALS: ReadonlySet<string> = new Set(["Console", "My Account"]);
/** The internal name of the resident application. */
const RESIDENT_NAME = "wso2carbon-local-sp";
/** The internal name of the default authentication sequence. */
const DEFAULT_NAME = "default";

/** The message of a script that is refused. */
export const SCRIPT_FAILED = "Error updating the authentication script.";

/** Bytes of an application as JSON. A row holds 400 KB. */
const APPLICATION_BYTES_MAX = 300_000;

type Body = {
  readonly applicationVersion?: string | undefined;
  readonly advancedConfigurations?: z.output<typeof AdvancedConfigurations> | undefined;
  readonly claimConfiguration?: z.output<typeof ClaimConfiguration> | undefined;
} & { readonly [Name in (typeof links)[number]]?: string | undefined };

/** Members that people follow. An empty text is none. */
const links = ["imageUrl", "accessUrl", "logoutReturnUrl"] as const;

/**
 * The fault for a new application whose name is in use. An OAuth client has the name of its application and its own
 * code.
 */
export function nameTaken({ name, inbound }: Pick<Application, "name" | "inbound">, tenant: string): Fault {
  return inbound.oidc
    ? clientTaken(`Error when adding the application. An application with the same name already exists: '${name}'.`)
    : new Fault(
        "application.name_taken",
        `An application with name: '${name}' already exists in tenantDomain: ${tenant}`,
      );
}

/** The fault for a rename to a name that is in use. */
export function renameTaken(id: string, name: string): Fault {
  return new Fault("application.name_taken", `Updated application name '${name}' already exists.`, {
    message: `Error patching application with id: ${id}`,
  });
}

/** The fault for an id that no application of the tenant has. */
export function notFound(id: string, tenant: string): Fault {
  return new Fault(
    "application.not_found",
    `Application cannot be found for the provided id: ${id} in tenantDomain: ${tenant}.`,
  );
}

/** Checks the length and characters of a name. Throws `application.invalid` with `message`. */
export function checkSpelling(name: string, message: string): void {
  const refuse = (description: string) => new Fault("application.invalid", description, { message });
  if (name.trim() === "") throw refuse("Application name cannot be empty.");
  if (name.length > NAME_LENGTH_MAX)
    throw refuse(`Application name cannot be longer than ${NAME_LENGTH_MAX} characters.`);
  if (!NAME.test(name)) {
    throw refuse(`The Application name '${name}' is not valid. Use letters, digits, spaces, '.', '_' and '-'.`);
  }
}

/** Throws `application.invalid`, `application.name_reserved` or `application.name_taken`. */
export function checkNewName(name: string, tenant: string): void {
  if (PORTALS.has(name))
    throw new Fault("application.name_reserved", `The name '${name}' is reserved for a system portal.`);
  checkSpelling(name, "Error creating application.");
  if (name === RESIDENT_NAME || name === DEFAULT_NAME) throw nameTaken({ name, inbound: {} }, tenant);
}

/** Throws `application.invalid`, `.rename_reserved`, `.protected` or `.name_taken`. The current name passes. */
export function checkRename(before: Application, name: string): void {
  if (name === before.name) return;
  const message = `Error patching application with id: ${before.id}`;
  if (PORTALS.has(name))
    throw new Fault("application.rename_reserved", `The name '${name}' is reserved for a system portal.`);
  if (name === RESIDENT_NAME) {
    throw new Fault("application.protected", `An application cannot be renamed to '${name}'.`, { message });
  }
  checkSpelling(name, message);
  if (name === DEFAULT_NAME) throw renameTaken(before.id, name);
}

/**
 * The application with another script; without one where it is blank. Throws `application.invalid` where there are no
 * steps that a script could decide about.
 */
export function withScript(before: Application, script: string): Application {
  const { script: former, ...sequence } = before.authenticationSequence;
  if (script.trim() === "") return former === undefined ? before : { ...before, authenticationSequence: sequence };
  if (sequence.type === "DEFAULT" || sequence.steps.length === 0) {
    throw new Fault(
      "application.invalid",
      "script: the application has the default authentication sequence. Define its steps first.",
      { message: SCRIPT_FAILED },
    );
  }
  return former === script ? before : { ...before, authenticationSequence: { ...sequence, script } };
}

/** Checks what does not depend on the application. */
export function checkBody(body: Body): void {
  checkTogether(() => checkSettings(body), ...links.map((member) => () => checkLink(member, body[member])));
}

function checkLink(member: string, address = ""): void {
  const read = readAddress(address, "link");
  if (address.trim() === "" || "address" in read) return;
  throw new Fault("application.invalid", `${member}: '${shownAddress(address)}' ${read.problem}.`);
}

function checkSettings(body: Body): void {
  const { applicationVersion = APPLICATION_VERSION } = body;
  const { advancedConfigurations, claimConfiguration } = body;
  checkTogether(
    () => {
      if (applicationVersion === APPLICATION_VERSION) return;
      throw new Fault(
        "application.property_unsupported",
        `applicationVersion: the server manages it. Leave it out, or send '${APPLICATION_VERSION}'.`,
      );
    },
    () => {
      if (!advancedConfigurations?.additionalSpProperties?.length) return;
      throw new Fault(
        "application.property_unsupported",
        "advancedConfigurations.additionalSpProperties: not supported. Remove it or send an empty list.",
      );
    },
    () => {
      const { subject } = claimConfiguration ?? {};
      if (subject?.useMappedLocalSubject !== false || subject.mappedLocalSubjectMandatory !== true) return;
      throw new Fault(
        "application.subject_contradiction",
        "claimConfiguration.subject: mappedLocalSubjectMandatory cannot be true while useMappedLocalSubject is false.",
      );
    },
  );
}

/** Checks the settings of the resident application. Throws `application.invalid`. */
export function checkResident(settings: ProvisioningSettings): void {
  const [problem] = size(settings);
  if (problem) throw new Fault("application.invalid", problem, { message: "Error updating the resident application." });
}

/** Checks an application as a whole. Throws `application.invalid` with `message` and the first ten problems. */
export function checkApplication(application: Application, tenant: string, message: string): void {
  const problems = [discoverability, claims, steps, certificate, size].flatMap((check) => check(application));
  if (problems.length === 0) return;
  throw new Fault(
    "application.invalid",
    `Invalid application configuration for application: '${application.name}' of tenantDomain: ${tenant}. ${problems.slice(0, 10).join(" ")}`,
    { message },
  );
}

function discoverability({ advancedConfigurations, accessUrl }: Application): string[] {
  return advancedConfigurations.discoverableByEndUsers && !accessUrl
    ? ["A valid accessURL needs to be defined if an application is marked as discoverable."]
    : [];
}

function claims({ name, claimConfiguration }: Application): string[] {
  const { dialect, claimMappings, subject, role } = claimConfiguration;
  const problems: string[] = [];
  const mapped = new Set<string>();
  for (const { applicationClaim } of claimMappings) {
    if (mapped.has(applicationClaim))
      problems.push(`Application claim '${applicationClaim}' is mapped more than once.`);
    mapped.add(applicationClaim);
  }
  if (dialect === "CUSTOM") {
    for (const claim of [subject.claim, role.claim]) {
      const uri = claim?.uri ?? claim?.id;
      if (uri && !mapped.has(uri))
        problems.push(`Application Claim URI '${uri}' is not defined for application:${name}.`);
    }
  }
  return problems;
}

function steps({ authenticationSequence }: Application): string[] {
  const { type, steps, requestPathAuthenticators: onPath } = authenticationSequence;
  const problems = onPath
    .filter((authenticator) => !requestPathAuthenticators.has(authenticator))
    .map((authenticator) => `Authenticator ${authenticator} is not available in the server.`);
  if (type === "DEFAULT") return problems;
  if (steps.length === 0) {
    return [...problems, `Authentication steps cannot be empty for user defined authentication type: ${type}`];
  }
  if (steps.some(({ id }, index) => id !== index + 1)) {
    problems.push("Step ids need to be consecutive in the authentication sequence steps, beginning with 1.");
  }
  const options = steps.flatMap((step) => step.options);
  for (const { idp, authenticator } of options) {
    if (idp === LOCAL_IDP && !localAuthenticators.has(authenticator)) {
      problems.push(`Authenticator ${authenticator} is not available in the server.`);
    }
  }
  const onlyPrepares = ({ idp, authenticator }: (typeof options)[number]) =>
    idp === LOCAL_IDP && localAuthenticators.get(authenticator)?.isHandler === true;
  if (options.every(onlyPrepares)) problems.push("No authenticator have been registered in the authentication flow.");
  return problems;
}

function certificate({ advancedConfigurations: { certificate: given } }: Application): string[] {
  if (given?.type === "PEM" && !pemCertificate(given.value)) return ["The certificate is not a valid PEM certificate."];
  if (given?.type !== "JWKS") return [];
  if (isInline(given.value)) {
    const problem = problemOfInline(given.value);
    return problem === undefined ? [] : [`The JWK set of the certificate cannot be used: ${problem}.`];
  }
  const read = readAddress(given.value, "endpoint");
  return "address" in read
    ? []
    : [`The JWKS endpoint of the certificate (advancedConfigurations.certificate.value) ${read.problem}.`];
}

function size(settings: unknown): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(settings), "utf8");
  return bytes > APPLICATION_BYTES_MAX
    ? [`The settings take ${bytes} bytes; at most ${APPLICATION_BYTES_MAX} are allowed.`]
    : [];
}
