/** Applications: members, inbound protocols, and the APIs that they may call. */
import { isFault } from "../../client/client.ts";
import type { ApplicationInputs, ApplicationMembers } from "../declarations.ts";
import { type AuthorizedNow, apiChanges, apisPart, authorized, checkApi } from "./authorized-apis.ts";
import { type Change, hasUnknown, type Members, membersOf, type Part } from "./declared.ts";
import { type ProtocolNow, protocolChanges, protocolParts, protocolsNow, withProtocols } from "./protocols.ts";
import { type Definition, resourceOf } from "./resource.ts";

const BASE = "/api/server/v1/applications";

interface Now {
  readonly members: Members;
  readonly etag: string | undefined;
  readonly protocols: ReadonlyMap<string, ProtocolNow>;
  readonly apis: AuthorizedNow;
}

/** Members that PATCH does not take. */
const fixed = ["isManagementApp", "isB2BSelfServiceApp"] as const;

const pathOf = (id: string): `/${string}` => `${BASE}/${encodeURIComponent(id)}`;

/** The members of the application itself: those that PATCH takes, and the fixed ones. */
function plainOf({ inboundProtocolConfiguration: _, authorizedApis: __, importId: ___, ...plain }: ApplicationInputs) {
  const { applicationId, clientId, clientSecret, shown, ...members } = plain as Members;
  return members;
}

const definition: Definition<ApplicationInputs, Now> = {
  kind: "application",
  idOutput: "applicationId",
  nameOf: ({ name }) => String(name),
  pathOf,

  async find(api, id, inputs, before) {
    try {
      const { body, etag } = await api.request("GET /api/server/v1/applications/{applicationId}", {
        params: { applicationId: id },
      });
      const [protocols, apis] = await Promise.all([protocolsNow(api, pathOf(id), inputs, before), authorized(api, id)]);
      return { members: membersOf(body), etag, protocols, apis };
    } catch (error) {
      if (isFault(error, "notFound")) return undefined;
      throw error;
    }
  },

  async rehearse(api, inputs, isReplaced) {
    if (hasUnknown(inputs.name) || isReplaced) return;
    await api.request("POST /api/server/v1/applications", { body: knownOf(inputs), dryRun: true });
    for (const each of inputs.authorizedApis ?? []) await checkApi(api, each);
  },

  async make(api, inputs) {
    for (const each of inputs.authorizedApis ?? []) await checkApi(api, { ...each, offered: undefined });
    const { id } = await api.request("POST /api/server/v1/applications", { body: bodyOf(inputs) });
    try {
      const apis = await authorized(api, id);
      const changes = await apiChanges(api, pathOf(id), apis, inputs.authorizedApis ?? [], []);
      for (const { method, path, body } of changes) await api.send(method, path, { body });
      return id;
    } catch (error) {
      // Otherwise the next deployment would find the name taken, by an application that Pulumi does not know.
      await api.send("DELETE", pathOf(id));
      throw error;
    }
  },

  async holderOf(api, { name }) {
    const all = await api.list("GET /api/server/v1/applications", { query: { filter: `name eq ${name}` } }).all();
    return all.find((each) => each.name === name)?.id;
  },

  parts(now, inputs, before) {
    const earlier = plainOf(before as ApplicationInputs);
    const plain = Object.entries(plainOf(inputs)).map(
      ([key, declared]): Part => ({ key, declared, before: earlier[key], now: now.members[key] }),
    );
    const apis = inputs.authorizedApis ? [apisPart(inputs.authorizedApis, before.authorizedApis, now.apis)] : [];
    return [...plain, ...protocolParts(now.protocols, inputs, before), ...apis];
  },

  replaces: (now, inputs) =>
    fixed.filter((name) => inputs[name] !== undefined && inputs[name] !== (now.members[name] ?? false)),

  async changes(api, id, now, differing, inputs, before) {
    const path = pathOf(id);
    const plain = differing.filter(({ key }) => key in plainOf(inputs));
    const patch: Change[] =
      plain.length === 0
        ? []
        : [
            {
              keys: plain.map(({ key }) => key),
              method: "PATCH",
              path,
              body: Object.fromEntries(plain.map(({ key, declared }) => [key, declared])),
              ifMatch: now.etag,
            },
          ];
    const wanted = inputs.authorizedApis ?? (before.authorizedApis ? [] : undefined);
    return [
      ...patch,
      ...protocolChanges(path, now.protocols, differing, inputs, before),
      ...(wanted
        ? await apiChanges(api, path, now.apis, wanted, inputs.authorizedApis ? undefined : before.authorizedApis)
        : []),
    ];
  },

  inputsOf(values) {
    const members = new Map(values);
    const authorizedApis = members.get("authorizedApis");
    members.delete("authorizedApis");
    return { ...withProtocols(members), ...(authorizedApis !== undefined && { authorizedApis }) };
  },

  madeOf(now, before) {
    const oidc = membersOf(now.protocols.get("oidc")?.body);
    return {
      ...(typeof oidc.clientId === "string" && { clientId: oidc.clientId }),
      // Without the right to see the secret, the one of before stays: it may be right.
      ...(oidc.clientId !== undefined && { clientSecret: oidc.clientSecret ?? before.clientSecret }),
    };
  },
};

export const application = resourceOf(definition);

function bodyOf({ authorizedApis: _, importId: __, ...body }: ApplicationInputs): ApplicationMembers {
  return body;
}

/** The body of a rehearsal. What a template adds is unknown with the template, so then only the name is tried. */
function knownOf(inputs: ApplicationInputs): ApplicationMembers {
  const body = bodyOf(inputs);
  if (hasUnknown(body.templateId)) return { name: body.name };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !hasUnknown(value))) as ApplicationMembers;
}
