/**
 * Applications and APIs as resources of SST and Pulumi: declared next to the infrastructure that uses them, compared
 * and rehearsed at the service before each deployment (docs/sst.md, decision 0112).
 */
import { all, type CustomResourceOptions, dynamic, type Input, type Output, output } from "@pulumi/pulumi";
import type { ApiResourceMembers, ApplicationMembers, AuthorizedApi, DeclaredApi } from "./declarations.ts";
import { providerOf } from "./provider.ts";

/** A value in which every part may be the output of another resource. */
export type Declared<T> = Input<
  T extends readonly (infer Element)[]
    ? readonly Declared<Element>[]
    : T extends object
      ? { readonly [Name in keyof T]: Declared<T[Name]> }
      : T
>;

/** The members of an application, and the APIs that it may call. Protocols are in `inboundProtocolConfiguration`. */
export type ApplicationArgs = {
  readonly [Name in keyof ApplicationMembers as Name extends "name" ? never : Name]: Declared<ApplicationMembers[Name]>;
} & {
  /** Default: the name of the resource. */
  readonly name?: Input<string>;
  /** The whole list: an API that is not in it is not authorised. Without the member the service keeps its own. */
  readonly authorizedApis?: readonly (Declared<AuthorizedApi> | AuthorizedResource)[];
};

/** An API that the same program declares. */
export interface AuthorizedResource {
  readonly api: ApiResource;
  readonly scopes: readonly Input<string>[];
  readonly policyIdentifier?: Input<string>;
}

/** The members of an API resource. */
export type ApiResourceArgs = { readonly [Name in keyof ApiResourceMembers]: Declared<ApiResourceMembers[Name]> };

/** An application of the tenant of the deployment. Its name is `args.name`, or else the name of the resource. */
export class Application extends dynamic.Resource {
  declare readonly applicationId: Output<string>;
  /** Of OpenID Connect; `undefined` without it. */
  declare readonly clientId: Output<string | undefined>;
  /** A secret in the state. `undefined` where the credential of the deployment may not see it. */
  declare readonly clientSecret: Output<string | undefined>;

  constructor(name: string, args: ApplicationArgs = {}, options: CustomResourceOptions = {}) {
    const { authorizedApis, ...members } = args;
    const inputs = {
      ...members,
      name: args.name ?? name,
      ...imported(options),
      ...(authorizedApis && { authorizedApis: all(authorizedApis.map(apiOf)) }),
      ...{ applicationId: undefined, clientId: undefined, clientSecret: undefined, shown: undefined },
    };
    super(providerOf("application"), name, inputs, secretly(options, "clientSecret"));
  }
}

/** An API of the tenant of the deployment, with its scopes. */
export class ApiResource extends dynamic.Resource {
  declare readonly apiResourceId: Output<string>;
  declare readonly identifier: Output<string>;
  declare readonly scopes: Output<readonly { readonly name: string }[] | undefined>;

  constructor(name: string, args: ApiResourceArgs, options: CustomResourceOptions = {}) {
    const inputs = { ...args, ...imported(options), apiResourceId: undefined, shown: undefined };
    super(providerOf("apiResource"), name, inputs, secretly(options));
  }
}

/** Dynamic resources cannot be imported: the provider takes an existing resource over when it is created. */
function imported({ import: importId }: CustomResourceOptions) {
  return importId === undefined ? {} : { importId };
}

function secretly(
  { import: _, ...options }: CustomResourceOptions,
  ...names: readonly string[]
): CustomResourceOptions {
  return { ...options, additionalSecretOutputs: [...(options.additionalSecretOutputs ?? []), ...names] };
}

/** What the provider gets of an authorised API: the scopes of a declared one may not exist before the deployment. */
function apiOf(each: Declared<AuthorizedApi> | AuthorizedResource): Output<DeclaredApi> {
  if (!isResource(each)) return output(each) as Output<DeclaredApi>;
  const { api, scopes, policyIdentifier } = each;
  return all([api.identifier, api.scopes, all([...scopes]), policyIdentifier]).apply(
    ([identifier, offered, named, policy]) => ({
      identifier,
      scopes: named,
      offered: (offered ?? []).map((scope) => scope.name),
      ...(policy !== undefined && { policyIdentifier: policy }),
    }),
  );
}

function isResource(each: Declared<AuthorizedApi> | AuthorizedResource): each is AuthorizedResource {
  return "api" in each && each.api instanceof ApiResource;
}
