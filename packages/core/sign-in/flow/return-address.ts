/** Where the answer to a request goes. */
import { isReadableByOthers } from "../../applications/protocols/addresses.ts";
import { Fault } from "../../kernel/faults.ts";
import type { ReturnAddress } from "./authorization-request.ts";
import { one, type Parameters } from "./parameters.ts";
import { onlyAddress, registeredAddress } from "./redirects.ts";
import { defaultMode } from "./response-types.ts";

/** Characters of `state`, encoded for an address. */
const STATE_MAX = 4_096;

/**
 * The address of a request, with the mode that it has without a word about it. Throws `request.invalid`, which is shown
 * to the person: the browser must not be sent to an address that is not registered.
 */
export async function returnAddressOf(
  parameters: Parameters,
  callbackURLs: readonly string[],
): Promise<{ readonly to: ReturnAddress; readonly isRedirectSent: boolean }> {
  const sent = one(parameters, "redirect_uri");
  const asked = sent ?? onlyAddress(callbackURLs);
  if (asked === undefined) throw new Fault("request.invalid", "The parameter redirect_uri is required.");
  const redirectUri = await registeredAddress(asked, callbackURLs);
  if (redirectUri === undefined) {
    throw new Fault(
      "request.invalid",
      isReadableByOthers(asked) && callbackURLs.includes(asked)
        ? "redirect_uri has http, which others on the way can read: no answer goes there. Register an https address."
        : "redirect_uri is not one of the callbackURLs of the application: it must be the same, character by character.",
    );
  }
  const state = one(parameters, "state");
  // It comes back in an address, and the gateway sends at most 10,240 bytes of headers.
  if (state !== undefined && encodeURIComponent(state.toWellFormed()).length > STATE_MAX) {
    throw new Fault("request.invalid", `state is longer than ${STATE_MAX} characters in an address.`);
  }
  const to = { redirectUri, mode: defaultMode(parameters), ...(state !== undefined && { state }) };
  return { to, isRedirectSent: sent !== undefined };
}
