/** Which profile of SCIM 2.0 a request gets: that of the deployment, or the one that its media types ask for. */

/** Like WSO2 Identity Server, or by the letter of the RFC. */
export type ScimProfile = "wso2" | "rfc7644";

/** The setting `[scim2] profile`: `negotiate` gives each request the profile of its media types. */
export type ScimProfileSetting = ScimProfile | "negotiate";

const SCIM_JSON = "application/scim+json";
const REFUSED = /^q=0(?:\.0{1,3})?$/;

/** What the profile depends on, as a value of the header `Vary`. */
export const PROFILE_HEADERS = "Accept, Content-Type";

/**
 * The profile of a request: with `negotiate`, `rfc7644` where `Accept` or `Content-Type` names `application/scim+json`
 * (RFC 7644 section 8.1), as clients that follow the RFC do, and otherwise `wso2`.
 */
export function profileOf(
  setting: ScimProfileSetting,
  headers: Readonly<Record<string, string | undefined>>,
): ScimProfile {
  if (setting !== "negotiate") return setting;
  return [headers.accept, headers["content-type"]].some(namesScim) ? "rfc7644" : "wso2";
}

function namesScim(header: string | undefined): boolean {
  return (header ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === SCIM_JSON && !parameters.some((parameter) => REFUSED.test(parameter));
  });
}
