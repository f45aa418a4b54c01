/**
 * The requests by which WSO2's command-line tool (identity-tools-cli) exports applications of one server and imports
 * them twice into another, as it sends them since it stopped using files: how a client authenticates and which roles
 * count arrive. Requests for roles, which the tool also sends, and a claim with an empty uri are not part of it.
 */
import { beforeAll, expect, test } from "vitest";
import { inline, keyFor } from "#tests/support/client-keys.ts";
import { APPLICATIONS, type World, world } from "#tests/support/world.ts";

const [from, to] = [world(), world()];
const below = (path: string) => `/t/carbon.super${path}`;
const clientAuthentication = {
  tokenEndpointAuthMethod: "private_key_jwt",
  tokenEndpointAuthSigningAlg: "ES256",
  tokenEndpointAllowReusePvtKeyJwt: true,
};

let [roleThere, roleHere] = ["", ""];

const addRole = async (api: World): Promise<string> => {
  const role = { displayName: "dispatcher", permissions: [{ value: "internal_user_mgt_list" }] };
  return (await api.ask("POST", "/scim2/v2/Roles", { body: role })).body.id;
};

/** What the tool writes into its file: the application with its protocols, and without their list. */
const exportedFrom = async (api: World) => {
  const { body: list } = await api.ask("GET", below(`${APPLICATIONS}?limit=10&offset=0`));
  const { id } = list.applications.find(({ name }: { readonly name: string }) => name === "Billing");
  const { inboundProtocols, ...application } = (await api.ask("GET", below(`${APPLICATIONS}/${id}`))).body;
  expect(inboundProtocols).toHaveLength(1);
  const { body: oidc } = await api.ask("GET", below(`${APPLICATIONS}/${id}/inbound-protocols/oidc`));
  return { application, oidc };
};

beforeAll(async () => {
  [roleHere, roleThere] = [await addRole(from), await addRole(to)];
  await from.create({
    name: "Billing",
    associatedRoles: { allowedAudience: "ORGANIZATION", roles: [{ id: roleHere }] },
    advancedConfigurations: { certificate: inline(keyFor("ES256")) },
    inboundProtocolConfiguration: { oidc: { grantTypes: ["client_credentials"], clientAuthentication } },
  });
});

test("clientAuthentication and associatedRoles are kept by export, import and a second import", async () => {
  const file = await exportedFrom(from);
  expect(file.oidc.clientAuthentication).toEqual(clientAuthentication);
  expect(file.application.advancedConfigurations.certificate).toMatchObject({ type: "JWKS" });
  expect(file.application.associatedRoles.roles).toEqual([{ id: roleHere, name: "dispatcher" }]);

  // The tool leaves the roles out when it creates an application: it imports roles after applications.
  const { id: _id, clientId: _clientId, realm: _realm, issuer: _issuer, ...application } = file.application;
  const { applicationVersion: _version, ...rest } = application;
  const { additionalSpProperties: _none, ...advancedConfigurations } = rest.advancedConfigurations;
  const created = await to.ask("POST", below(APPLICATIONS), {
    body: {
      ...rest,
      advancedConfigurations,
      associatedRoles: { allowedAudience: application.associatedRoles.allowedAudience },
      inboundProtocolConfiguration: { oidc: file.oidc },
    },
  });
  expect([created.status, created.text]).toEqual([201, ""]);
  const first = await exportedFrom(to);
  expect(first.oidc).toEqual(file.oidc);
  expect(first.application.advancedConfigurations).toEqual(file.application.advancedConfigurations);
  expect(first.application.associatedRoles).toEqual({ allowedAudience: "ORGANIZATION" });

  // The second import names the roles by their ids there.
  const path = below(`${APPLICATIONS}/${created.headers.get("location")?.split("/").at(-1)}`);
  const { isManagementApp: _fixed, ...changes } = application;
  const patched = await to.ask("PATCH", path, {
    body: {
      ...changes,
      advancedConfigurations,
      associatedRoles: { ...application.associatedRoles, roles: [{ id: roleThere, name: "dispatcher" }] },
    },
  });
  const put = await to.ask("PUT", `${path}/inbound-protocols/oidc`, { body: file.oidc });
  expect([patched.status, put.status, patched.text + put.text]).toEqual([200, 200, ""]);
  const second = await exportedFrom(to);
  expect(second.oidc).toEqual(file.oidc);
  expect(second.application.associatedRoles.roles).toEqual([{ id: roleThere, name: "dispatcher" }]);
});
