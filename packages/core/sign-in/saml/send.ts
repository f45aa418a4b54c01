/** Composes answers with the settings of an application, and sends them through the browser. */
import { randomBytes } from "node:crypto";
import { digests, isKnown, SAFE, signatures } from "../../applications/protocols/saml-algorithms.ts";
import type { Application } from "../../applications/registry/model.ts";
import type { Canonical } from "../../kernel/canonical-xml.ts";
import { later } from "../../kernel/later.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { formTargetOf } from "../flow/answers.ts";
import type { AuthorizationRequest } from "../flow/authorization-request.ts";
import { localesIn } from "../flow/cookies.ts";
import { samlOf } from "../flow/saml/claims.ts";
import { encryptionCertificateOf } from "../flow/saml/keys.ts";
import { languageOf } from "../pages/language.ts";
import { formPostPage } from "../pages/pages.ts";
import { entityIdOf, type SamlContext, tenantOf } from "./context.ts";
import { type Answering, type Asserted, assertionOf, responseWith, responseWithout } from "./response.ts";
import type { Signer } from "./sign.ts";
import type { SamlRefusal } from "./status.ts";

// A setting asks for it, and it brings a parser.
const { encryptAssertion } = later(() => import("./encrypt.ts"), "encryptAssertion");

/** What an answer is to. */
export interface AnsweredRequest {
  readonly application: Application;
  readonly to: AuthorizationRequest["to"];
  /** The ID of the request. */
  readonly id?: string | undefined;
}

interface Headers {
  readonly "accept-language"?: string | undefined;
}

/** Sends an assertion. No round trip while the keys of the tenant are known. */
export async function sendAssertion(
  asserted: Asserted,
  answered: AnsweredRequest,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { application } = answered;
  const saml = samlOf(application.inbound);
  const signer = await signerFor(application, tenantOf(context), context);
  const answering = answeringTo(answered, context);
  const { enabled, assertionEncryptionAlgorithm, keyEncryptionAlgorithm } =
    saml.singleSignOnProfile.assertion.encryption;
  const certificate = enabled ? encryptionCertificateOf(application)?.toString() : undefined;
  if (enabled && certificate === undefined) throw new Error("a provider without a certificate was not refused");
  const response = await responseWith(assertionOf(asserted, answering, signer), answering, {
    signer: saml.responseSigning.enabled ? signer : undefined,
    ...(enabled && {
      encrypt: (assertion: Canonical) =>
        encryptAssertion(assertion, {
          certificate: certificate ?? "",
          algorithm: assertionEncryptionAlgorithm,
          keyAlgorithm: keyEncryptionAlgorithm,
        }),
    }),
  });
  return post(response, answered, headers, context);
}

/** Tells a service provider why there is no assertion. */
export async function sendRefusal(
  refusal: SamlRefusal,
  answered: AnsweredRequest,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { application } = answered;
  const { responseSigning } = samlOf(application.inbound);
  const signer = responseSigning.enabled ? await signerFor(application, tenantOf(context), context) : undefined;
  return post(responseWithout(refusal, answeringTo(answered, context), signer), answered, headers, context);
}

/** What signs for an application of a tenant. No round trip while the keys of the tenant are known. */
export async function signerFor(
  { inbound }: Application,
  tenant: string,
  { tools, table, now }: SamlContext,
): Promise<Signer> {
  const { responseSigning, singleSignOnProfile } = samlOf(inbound);
  const { signingAlgorithm } = responseSigning;
  // A refusal or a logout is sent whatever the settings are.
  const isSecure = isKnown(signatures, signingAlgorithm);
  return {
    ...(await tools.keys.signer(table, tenant, now)),
    algorithm: isSecure ? signingAlgorithm : SAFE.signature,
    digest: isKnown(digests, singleSignOnProfile.assertion.digestAlgorithm)
      ? singleSignOnProfile.assertion.digestAlgorithm
      : SAFE.digest,
  };
}

/** What answers to a request have in common. */
function answeringTo({ application, to, id }: AnsweredRequest, context: SamlContext): Answering {
  const { idpEntityIdAlias } = samlOf(application.inbound);
  return {
    issuer: idpEntityIdAlias || entityIdOf(tenantOf(context), context),
    inResponseTo: id,
    address: to.redirectUri,
    nowMs: context.now,
    newId,
  };
}

/** An ID: it begins with a letter or "_" (SAML Core 2.0 section 1.3.4), and has 160 bits. */
export function newId(): string {
  return `_${randomBytes(20).toString("hex")}`;
}

function post(
  response: Canonical,
  { to }: AnsweredRequest,
  headers: Headers,
  { cookies, tools, ...of }: SamlContext,
): PageResult {
  const { redirectUri, state } = to;
  const fields = {
    SAMLResponse: Buffer.from(response, "utf8").toString("base64"),
    ...(state !== undefined && { RelayState: state }),
  };
  const language = languageOf(localesIn(cookies), headers["accept-language"]);
  const shown = { language, brand: tools.settings.brandOf(tenantOf(of)) };
  return formPostPage(redirectUri, fields, shown, { cookies: [], formTarget: formTargetOf(redirectUri) });
}
