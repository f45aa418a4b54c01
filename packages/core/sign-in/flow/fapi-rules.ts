/**
 * What the FAPI 2.0 Security Profile demands of an authorization request (section 5.3.2.2). What it demands of the
 * settings is checked when they are saved; the rest is in the token endpoint. Pure.
 */
import { isFapi2 } from "../../applications/protocols/sign-in.ts";
import type { Application } from "../../applications/registry/model.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { ResponseType } from "./response-types.ts";

type Client = NonNullable<Application["inbound"]["oidc"]>;

/** What is known of a request. */
interface FapiRequest {
  readonly isPushed: boolean;
  readonly types: readonly ResponseType[];
  readonly redirectUri: string;
  readonly isRedirectSent: boolean;
  readonly method: "S256" | "plain" | undefined;
}

/** Throws `AuthorizationError` for a request of a FAPI application that the profile forbids. */
export function checkFapi(client: Client, request: FapiRequest): void {
  if (!isFapi2(client)) return;
  const { isPushed, types, redirectUri, isRedirectSent, method } = request;
  const refuse = (why: string) => new AuthorizationError("invalid_request", `FAPI 2.0: ${why}.`);
  if (!isPushed) throw refuse("push the request to the endpoint for that, and send its request_uri");
  if (types.length > 1 || types[0] !== "code") throw refuse("use response_type=code");
  if (!isRedirectSent) throw refuse("redirect_uri is required");
  if (!redirectUri.startsWith("https://") || !client.callbackURLs.includes(redirectUri)) {
    throw refuse("redirect_uri must be an https address that is one of the callbackURLs as it stands");
  }
  if (method !== "S256") throw refuse("code_challenge is required, with the method S256");
}
