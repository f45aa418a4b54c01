/** The section `[scim2]` of deployment.toml. */
import * as z from "../../kernel/zod.ts";
import { section } from "./section.ts";
import { table } from "./shared.ts";

export interface Scim2Settings {
  /**
   * `wso2`: as WSO2 Identity Server; `rfc7644`: strictly RFC 7644, for Okta, Entra ID and conformance suites;
   * `negotiate`: as the media types of each request ask for.
   */
  readonly profile: "negotiate" | "wso2" | "rfc7644";
  /** Whether a list shows a user of several user stores once. */
  readonly removesDuplicateUsers: boolean;
  /** Whether totals count all matches of a directory, instead of those of the page. */
  readonly countsDirectories: boolean;
}

const Scim2 = table({
  profile: z.enum(["negotiate", "wso2", "rfc7644"]).default("negotiate"),
  remove_duplicate_users_in_users_response: z.boolean().default(false),
  consider_total_records_for_total_results_of_ldap: z.boolean().default(false),
  // indexes.ts reads it, for the functions that need it.
  index: z.unknown().optional(),
});

/** How SCIM 2.0 behaves. */
export const scim2Section = section({ scim2: Scim2.prefault({}) }, ({ scim2 }): { readonly scim2: Scim2Settings } => ({
  scim2: {
    profile: scim2.profile,
    removesDuplicateUsers: scim2.remove_duplicate_users_in_users_response,
    countsDirectories: scim2.consider_total_records_for_total_results_of_ldap,
  },
}));
