/** Gives a service provider the response of its artifact, once (SAML Profiles 2.0 section 5; decision 0204). */
import type { PageResult } from "../../kernel/operation/operation.ts";
import { samlOf } from "../flow/saml/claims.ts";
import { samlClientId, samlProblemOf } from "../flow/saml/provider.ts";
import { handleIn } from "./artifact.ts";
import { readCommon } from "./authn-request.ts";
import { endpointOf, paths, type SamlContext, tenantOf } from "./context.ts";
import { takeKept } from "./kept-store.ts";
import type { SamlParameters } from "./provider.ts";
import { artifactResponse, hasAssertion } from "./response.ts";
import { issuerFor, newId, signerFor } from "./send.ts";
import { soapAnswer } from "./soap.ts";
import { soapRequest } from "./soap-request.ts";
import { childOf, refuse, textOf } from "./tree.ts";

/**
 * Answers an ArtifactResolve. The answer is empty for an artifact that is not known, was resolved or is over, and for
 * one of another service provider, which stays. Four round trips. Throws `request.invalid`.
 */
export async function resolveArtifact(
  envelope: string,
  parameters: Pick<SamlParameters, "spQualifier">,
  context: SamlContext,
): Promise<PageResult> {
  const { application, root } = await soapRequest(envelope, ["ArtifactResolve"], parameters, context);
  const tenant = tenantOf(context);
  const destination = endpointOf(tenant, context, paths.artifacts);
  // By SOAP a Destination may be absent: an artifact says itself whose it is, and counts once.
  const inResponseTo = readCommon(root, { destination, isSigned: false, nowMs: context.now });
  const artifact = childOf(root, "protocol", "Artifact");
  if (!artifact) throw refuse("It has no Artifact.");
  const issuer = issuerFor(application, tenant, context);
  const handle = handleIn(textOf(artifact), issuer);
  const place = { kind: "response", clientId: samlClientId(application.id), name: handle ?? "" } as const;
  const kept = handle === undefined ? undefined : await takeKept(place, context);
  // It could have been switched off a moment ago.
  const isOff = samlProblemOf(application, context.sendsMail) !== undefined;
  const response = kept !== undefined && isOff && hasAssertion(kept) ? undefined : kept;
  const { responseSigning } = samlOf(application.inbound);
  const signer = responseSigning.enabled ? await signerFor(application, tenant, context) : undefined;
  return soapAnswer(artifactResponse(response, { issuer, inResponseTo, nowMs: context.now, newId }, signer));
}
