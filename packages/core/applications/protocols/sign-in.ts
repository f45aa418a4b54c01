/**
 * OpenID Connect settings of the sign-in side: what is checked of a body, and what is kept (decision 0075). Pure. The
 * rules are those of WSO2 Identity Server.
 */
import type * as z from "zod";
import { Fault } from "../../kernel/faults.ts";
import { checkTogether } from "../../kernel/together.ts";
import { readAddress, shownAddress, storedAddress } from "./addresses.ts";
import { cibaChannels, fapiOptions, hybridResponseTypes, oidcOptions } from "./options.ts";
import type { OidcBody } from "./shapes.ts";
import { signInMembers } from "./shapes-sign-in.ts";

type Body = z.output<typeof OidcBody>;
type SignInMember = keyof typeof signInMembers;

/** More than all response types together have. */
const RESPONSE_TYPES_LENGTH_MAX = 255;

/** Throws `client.invalid`, `client.hybrid_missing` and `client.hybrid_unknown`, which name the field. */
export function checkSignIn(body: Body): void {
  checkTogether(
    () => checkRefused(body),
    () => checkAlgorithms(body),
    () => checkHybridFlow(body.hybridFlow ?? {}),
    () => checkSubject(body),
    () => checkCiba(body.cibaAuthenticationRequest ?? {}),
    ...(body.isFAPIApplication ? fapiProblems(body) : []).map((problem) => () => {
      throw refuse(problem);
    }),
  );
}

/** The members of a checked body that are kept as they were written, except for the spelling of an address. */
export function signInSettings(body: Body): Pick<Body, SignInMember> {
  const names = Object.keys(signInMembers) as SignInMember[];
  const kept: Pick<Body, SignInMember> = Object.fromEntries(
    names.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  );
  const { sectorIdentifierUri: address } = kept.subject ?? {};
  if (address === undefined) return kept;
  return { ...kept, subject: { ...kept.subject, sectorIdentifierUri: storedAddress(address, "endpoint") } };
}

/** Settings that this service does not have. */
function checkRefused({ issuer = {} }: Body): void {
  const [name] = Object.entries(issuer).find(([, value]) => value !== undefined && value !== "") ?? [];
  if (name !== undefined) {
    throw refuse(`issuer.${name} is not supported: tokens have the issuer of their tenant. Leave it out.`);
  }
}

function checkAlgorithms({ idToken, requestObject: { requestObjectSigningAlg, encryption = {} } = {} }: Body): void {
  const given = [
    ["idToken.idTokenSignedResponseAlg", idToken?.idTokenSignedResponseAlg, oidcOptions.idTokenSignatureAlgorithm],
    ["requestObject.requestObjectSigningAlg", requestObjectSigningAlg, oidcOptions.requestObjectSignatureAlgorithm],
    ["requestObject.encryption.algorithm", encryption.algorithm, oidcOptions.requestObjectEncryptionAlgorithm],
    ["requestObject.encryption.method", encryption.method, oidcOptions.requestObjectEncryptionMethod],
  ] as const;
  checkTogether(
    ...given.map(([field, value = "", { options }]) => () => {
      if (value === "" || (options as readonly string[]).includes(value)) return;
      throw refuse(`${field}: '${shown(value)}' is not allowed. Use one of ${options.join(", ")}.`);
    }),
    () => {
      if (Boolean(encryption.algorithm) === Boolean(encryption.method)) return;
      throw refuse("requestObject.encryption needs an algorithm and a method, or neither.");
    },
  );
}

function checkHybridFlow({ enable, responseType = "" }: NonNullable<Body["hybridFlow"]>): void {
  const types = responseType.split(",").map((type) => type.trim());
  const known = hybridResponseTypes.join(", ");
  if (enable && responseType.trim() === "") {
    throw new Fault("client.hybrid_missing", `hybridFlow.responseType is required with hybridFlow.enable: ${known}.`);
  }
  const wrong = responseType === "" ? undefined : types.find((type) => !hybridResponseTypes.includes(type));
  if (wrong !== undefined) {
    throw new Fault("client.hybrid_unknown", `hybridFlow.responseType: '${shown(wrong)}' is not one of ${known}.`);
  }
  if (responseType.length > RESPONSE_TYPES_LENGTH_MAX) {
    throw refuse(`hybridFlow.responseType has more than ${RESPONSE_TYPES_LENGTH_MAX} characters. Name each type once.`);
  }
}

function checkSubject({ subject: { subjectType, sectorIdentifierUri = "" } = {}, callbackURLs = [] }: Body): void {
  const read = readAddress(sectorIdentifierUri, "endpoint");
  if (sectorIdentifierUri !== "" && "problem" in read) {
    throw refuse(`subject.sectorIdentifierUri: '${shownAddress(sectorIdentifierUri)}' ${read.problem}.`);
  }
  if (sectorIdentifierUri !== "" && !isHttps(sectorIdentifierUri)) {
    throw refuse("subject.sectorIdentifierUri must be an https URL (OpenID Connect Core 1.0 section 8.1).");
  }
  if (subjectType !== "pairwise" || sectorIdentifierUri !== "") return;
  const hosts = new Set(callbackURLs.map((callback) => (URL.canParse(callback) ? new URL(callback).host : callback)));
  if (hosts.size > 1) {
    throw refuse("subject.sectorIdentifierUri is required for pairwise subjects where callbacks have several hosts.");
  }
}

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === "https:";
}

function checkCiba(ciba: NonNullable<Body["cibaAuthenticationRequest"]>): void {
  const { notificationChannels = [], skipUserValidation, allowFederatedUsers } = ciba;
  const wrong = notificationChannels.find((channel) => !cibaChannels.some(({ name }) => name === channel));
  if (wrong !== undefined) {
    const known = cibaChannels.map(({ name }) => name).join(", ");
    throw refuse(`cibaAuthenticationRequest.notificationChannels: '${shown(wrong)}' is not one of ${known}.`);
  }
  if (allowFederatedUsers && !skipUserValidation) {
    throw refuse("cibaAuthenticationRequest.allowFederatedUsers needs skipUserValidation.");
  }
}

/** Whether the FAPI 2.0 Security Profile applies to a client. */
export function isFapi2({
  isFAPIApplication,
  fapiProfile,
}: {
  readonly isFAPIApplication?: boolean | undefined;
  readonly fapiProfile?: string | undefined;
}): boolean {
  return isFAPIApplication === true && fapiProfile === "FAPI2_SECURITY";
}

/** What a client must have that claims a FAPI profile. */
interface FapiSettings {
  readonly fapiProfile?: string | undefined;
  readonly accessToken?: { readonly bindingType?: string | undefined } | undefined;
  readonly idToken?:
    | {
        readonly idTokenSignedResponseAlg?: string | undefined;
        readonly encryption?:
          | { readonly enabled?: boolean | undefined; readonly algorithm?: string | undefined }
          | undefined;
      }
    | undefined;
  readonly requestObject?:
    | {
        readonly requestObjectSigningAlg?: string | undefined;
        readonly encryption?: { readonly algorithm?: string | undefined } | undefined;
      }
    | undefined;
  readonly clientAuthentication?:
    | {
        readonly tokenEndpointAuthMethod?: string | undefined;
        readonly tokenEndpointAuthSigningAlg?: string | undefined;
      }
    | undefined;
}

/** Why the settings of a client are not those of its FAPI profile, with the field paths. */
export function fapiProblems(settings: FapiSettings): readonly string[] {
  const { fapiProfile, accessToken, idToken, requestObject, clientAuthentication } = settings;
  const { signatureAlgorithms, encryptionAlgorithms, authenticationMethods, bindings } = fapiOptions;
  const allowedBindings = fapiProfile === "FAPI2_SECURITY" ? bindings : bindings.filter((each) => each !== "DPoP");
  const isEncrypted = idToken?.encryption?.enabled === true;
  const rules: readonly (readonly [
    field: string,
    value: string | undefined,
    options: readonly string[],
    isNeeded: boolean,
  ])[] = [
    [
      "clientAuthentication.tokenEndpointAuthMethod",
      clientAuthentication?.tokenEndpointAuthMethod,
      authenticationMethods,
      true,
    ],
    [
      "clientAuthentication.tokenEndpointAuthSigningAlg",
      clientAuthentication?.tokenEndpointAuthSigningAlg,
      signatureAlgorithms,
      false,
    ],
    ["accessToken.bindingType", accessToken?.bindingType, allowedBindings, true],
    ["idToken.idTokenSignedResponseAlg", idToken?.idTokenSignedResponseAlg, signatureAlgorithms, false],
    [
      "idToken.encryption.algorithm",
      isEncrypted ? idToken.encryption?.algorithm : undefined,
      encryptionAlgorithms,
      false,
    ],
    ["requestObject.requestObjectSigningAlg", requestObject?.requestObjectSigningAlg, signatureAlgorithms, false],
    ["requestObject.encryption.algorithm", requestObject?.encryption?.algorithm, encryptionAlgorithms, false],
  ];
  return rules
    .filter(([, value = "", options, isNeeded]) => (value === "" ? isNeeded : !options.includes(value)))
    .map(([field, , options]) => `${field} of a FAPI application must be one of ${options.join(", ")}.`);
}

/** The beginning of a value of a caller, for a message. */
function shown(value: string): string {
  return value.slice(0, 200);
}

function refuse(description: string): Fault {
  return new Fault("client.invalid", description);
}
