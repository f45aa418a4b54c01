/**
 * The resources of SCIM 2.0 as types (RFC 7643, and the extensions of this service). The catalogue leaves them to the
 * schemas that the service publishes at `/scim2/Schemas`; tests/http/client/scim.test.ts holds both together.
 */

/** RFC 7643 section 3.1. */
export interface ScimMeta {
  readonly resourceType?: string;
  readonly created?: string;
  readonly lastModified?: string;
  readonly location?: string;
  readonly version?: string;
}

/** An element of most lists of a user. */
export interface ScimValue {
  readonly value?: string;
  readonly display?: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** Another resource. */
export interface ScimReference {
  readonly value: string;
  readonly display?: string;
  readonly $ref?: string;
  readonly type?: string;
}

export interface ScimName {
  readonly formatted?: string;
  readonly familyName?: string;
  readonly givenName?: string;
  readonly middleName?: string;
  readonly honorificPrefix?: string;
  readonly honorificSuffix?: string;
}

export interface ScimAddress {
  readonly formatted?: string;
  readonly streetAddress?: string;
  readonly locality?: string;
  readonly region?: string;
  readonly postalCode?: string;
  readonly country?: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** A role of a user, with the audience that this service adds. */
export interface ScimUserRole extends ScimValue {
  readonly $ref?: string;
  readonly audienceValue?: string;
  readonly audienceDisplay?: string;
  readonly audienceType?: string;
}

/** The enterprise extension (RFC 7643 section 4.3). */
export interface ScimEnterpriseUser {
  readonly employeeNumber?: string;
  readonly costCenter?: string;
  readonly organization?: string;
  readonly division?: string;
  readonly department?: string;
  readonly manager?: { readonly value?: string; readonly $ref?: string; readonly displayName?: string };
}

/** What a user can have, in requests and in answers (RFC 7643 section 4.1). */
interface UserAttributes {
  readonly schemas?: readonly string[];
  readonly externalId?: string;
  readonly name?: ScimName;
  readonly displayName?: string;
  readonly nickName?: string;
  readonly profileUrl?: string;
  readonly title?: string;
  readonly userType?: string;
  readonly preferredLanguage?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly active?: boolean;
  readonly emails?: readonly ScimValue[];
  readonly phoneNumbers?: readonly ScimValue[];
  readonly ims?: readonly ScimValue[];
  readonly photos?: readonly ScimValue[];
  readonly addresses?: readonly ScimAddress[];
  readonly entitlements?: readonly ScimValue[];
  readonly roles?: readonly ScimUserRole[];
  readonly x509Certificates?: readonly ScimValue[];
  readonly "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"?: ScimEnterpriseUser;
  /** The state of the account, and further attributes of WSO2 Identity Server. */
  readonly "urn:scim:wso2:schema"?: { readonly [attribute: string]: unknown };
}

/** A user to create, or to put in the place of another. */
export interface NewUser extends UserAttributes {
  readonly userName: string;
  readonly password?: string;
}

/** A user in an answer. Which attributes it has, the request decides. */
export interface ScimUser extends UserAttributes {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly userName?: string;
  /** The name with its user store, such as `PRIMARY/kim`. */
  readonly username?: string;
  readonly groups?: readonly ScimReference[];
  readonly meta?: ScimMeta;
}

export interface NewGroup {
  readonly schemas?: readonly string[];
  readonly displayName: string;
  readonly externalId?: string;
  readonly members?: readonly ScimReference[];
}

export interface ScimGroup extends Partial<NewGroup> {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly roles?: readonly Partial<ScimReference>[];
  readonly meta?: ScimMeta;
  /** In place of members that do not fit one answer. */
  readonly "urn:scim:identity-admin:schema:GroupMembers"?: {
    readonly membersOmitted?: boolean;
    readonly memberCount?: number;
    readonly membersRef?: string;
  };
}

export interface NewRole {
  readonly schemas?: readonly string[];
  readonly displayName: string;
  readonly externalId?: string;
  /** The organization by default; or an application, by its id. */
  readonly audience?: {
    readonly type?: "organization" | "application";
    readonly value?: string;
    readonly display?: string;
  };
  readonly permissions?: readonly Omit<ScimReference, "$ref">[];
  readonly users?: readonly ScimReference[];
  readonly groups?: readonly ScimReference[];
}

export interface ScimRole extends Partial<NewRole> {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly associatedApplications?: readonly ScimReference[];
  readonly meta?: ScimMeta;
}

/** A PATCH (RFC 7644 section 3.5.2). */
export interface ScimPatch {
  readonly schemas?: readonly string[];
  readonly Operations: readonly {
    readonly op: "add" | "replace" | "remove";
    readonly path?: string;
    readonly value?: unknown;
  }[];
}

/** A search (RFC 7644 section 3.4.3). */
export interface ScimSearch {
  readonly schemas?: readonly string[];
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
  readonly filter?: string;
  readonly domain?: string;
  readonly sortBy?: string;
  readonly sortOrder?: "ascending" | "descending";
  readonly startIndex?: number;
  readonly count?: number;
  readonly cursor?: string;
}

/** Several changes in one request (RFC 7644 section 3.7). */
export interface ScimBulk {
  readonly schemas?: readonly string[];
  readonly failOnErrors?: number;
  readonly Operations: readonly {
    readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
    readonly path: string;
    readonly bulkId?: string;
    readonly version?: string;
    readonly data?: unknown;
  }[];
}

/** An attribute of a schema (RFC 7643 section 7). */
export interface ScimSchemaAttribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "decimal" | "integer" | "dateTime" | "reference" | "complex" | "binary";
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly canonicalValues?: readonly string[];
  readonly caseExact: boolean;
  readonly mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly";
  readonly returned: "always" | "never" | "default" | "request";
  readonly uniqueness: "none" | "server" | "global";
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly ScimSchemaAttribute[];
}

export interface ScimSchema {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly ScimSchemaAttribute[];
  readonly meta: ScimMeta;
}

/** A page of a list (RFC 7644 section 3.4.2, RFC 9865). */
export interface ScimPage<T> {
  readonly schemas: readonly string[];
  readonly totalResults: number;
  readonly startIndex?: number;
  readonly itemsPerPage: number;
  readonly previousCursor?: string;
  readonly nextCursor?: string;
  readonly Resources: readonly T[];
}

type Endpoint<Path extends string, Shown, Sent> = {
  readonly [R in `GET ${Path}`]: { readonly answer: ScimPage<Shown> };
} & { readonly [R in `POST ${Path}/.search`]: { readonly body: ScimSearch; readonly answer: ScimPage<Shown> } } & {
  readonly [R in `POST ${Path}`]: { readonly body: Sent; readonly answer: Shown };
} & { readonly [R in `GET ${Path}/{id}`]: { readonly answer: Shown } } & {
  readonly [R in `PUT ${Path}/{id}`]: { readonly body: Sent; readonly answer: Shown };
} & { readonly [R in `PATCH ${Path}/{id}`]: { readonly body: ScimPatch; readonly answer: Shown } };

/** The types of the routes whose shapes are schemas of SCIM. */
export type ScimRoutes = Endpoint<"/scim2/Users", ScimUser, NewUser> &
  Endpoint<"/scim2/Groups", ScimGroup, NewGroup> &
  Endpoint<"/scim2/v2/Roles", ScimRole, NewRole> & {
    readonly "GET /scim2/Schemas": { readonly answer: ScimPage<ScimSchema> };
    readonly "GET /scim2/Schemas/{id}": { readonly answer: ScimSchema };
    readonly "GET /scim2/Me": { readonly answer: ScimUser };
    readonly "PUT /scim2/Me": { readonly body: NewUser; readonly answer: ScimUser };
    readonly "PATCH /scim2/Me": { readonly body: ScimPatch; readonly answer: ScimUser };
    readonly "POST /scim2/Bulk": { readonly body: ScimBulk };
    readonly "POST /scim2/.search": {
      readonly body: ScimSearch;
      readonly answer: ScimPage<ScimUser | ScimGroup>;
    };
    readonly "GET /scim2": { readonly answer: ScimPage<ScimUser | ScimGroup> };
  };
