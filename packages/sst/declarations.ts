/** What a program declares, as its provider gets it: plain values. */
import type { BodyOf } from "../client/client.ts";

/** The members of an application that the API takes. */
export type ApplicationMembers = BodyOf<"POST /api/server/v1/applications">;

/** The members of an API resource that the API takes. */
export type ApiResourceMembers = BodyOf<"POST /api/server/v1/api-resources">;

/** An API that an application may call. */
export interface AuthorizedApi {
  readonly identifier: string;
  readonly scopes: readonly string[];
  /** `RBAC`, which is the default, or `No Policy`. It cannot change. */
  readonly policyIdentifier?: string | undefined;
}

/** The same, with the scopes that an API resource of the same program declares: they may not exist yet. */
export interface DeclaredApi extends AuthorizedApi {
  readonly offered?: readonly string[] | undefined;
}

/** What becomes a resource in place of a new one. */
interface Imported {
  readonly importId?: string | undefined;
}

export type ApplicationInputs = ApplicationMembers & Imported & { readonly authorizedApis?: readonly DeclaredApi[] };

export type ApiResourceInputs = ApiResourceMembers & Imported;

/** A fingerprint of what the service showed of each declared part after the last deployment. */
export type Shown = Readonly<Record<string, string>>;

export type ApplicationOutputs = ApplicationInputs & {
  readonly applicationId: string;
  /** Absent without OpenID Connect. */
  readonly clientId?: string;
  /** Absent without OpenID Connect, and where the credential of the deployment may not see it. */
  readonly clientSecret?: string;
  readonly shown: Shown;
};

export type ApiResourceOutputs = ApiResourceInputs & { readonly apiResourceId: string; readonly shown: Shown };
