/** Takes what comes to the address of the identity provider: each message goes to what answers it. */
import { Fault } from "../../kernel/faults.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import type { SamlContext } from "./context.ts";
import { beginLogout, takeLogoutRequest, takeLogoutResponse, takeSoapLogout } from "./logout.ts";
import { type Binding, messageIn } from "./message.ts";
import type { Headers, Message, SamlParameters } from "./provider.ts";
import type { MessageParameter } from "./request-signature.ts";
import { bodyOf } from "./soap.ts";
import { beginSignIn, takeRequest } from "./take-request.ts";
import { readTree } from "./tree.ts";

/**
 * Takes a message by redirect or form, or a request without one. Throws `request.invalid`, which is shown to the
 * person, where no answer may be sent.
 */
export async function takeMessage(
  parameters: SamlParameters,
  binding: Exclude<Binding, "SOAP">,
  headers: Headers,
  context: SamlContext,
): Promise<PageResult> {
  const { SAMLRequest, SAMLResponse, SAMLEncoding, spEntityID, slo } = parameters;
  const messageOf = (parameter: MessageParameter, encoded: string): Message => {
    const xml = messageIn(encoded, binding, SAMLEncoding);
    return { parameter, xml, root: readTree(xml) };
  };
  if (SAMLRequest !== undefined && SAMLResponse !== undefined) throw new Fault("request.invalid", ONE);
  if (SAMLResponse !== undefined) {
    return takeLogoutResponse(messageOf("SAMLResponse", SAMLResponse), binding, context);
  }
  if (SAMLRequest !== undefined) {
    const message = messageOf("SAMLRequest", SAMLRequest);
    const take = message.root.name === "LogoutRequest" ? takeLogoutRequest : takeRequest;
    return take(message, parameters, binding, headers, context);
  }
  if (slo !== undefined) return beginLogout(parameters, binding, context);
  if (spEntityID === undefined) throw new Fault("request.invalid", ONE);
  return beginSignIn(spEntityID, parameters, binding, context);
}

/** Takes a message by SOAP. Throws `request.invalid`. */
export async function takeSoap(
  envelope: string,
  parameters: Pick<SamlParameters, "spQualifier">,
  context: SamlContext,
): Promise<PageResult> {
  const xml = bodyOf(envelope);
  return takeSoapLogout({ parameter: "SAMLRequest", xml, root: readTree(xml) }, parameters, context);
}

const ONE =
  "Send SAMLRequest or SAMLResponse; or spEntityID for a sign-in that begins here, or slo=true for a logout that does.";
