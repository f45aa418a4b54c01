/** The handlers of the operations on client secrets. */
import type * as z from "zod";
import type { Handlers } from "../../kernel/operation/operation.ts";
import type { Seal } from "../../kernel/seal.ts";
import { type ClientSecret, checkExpiry, isExpired, newSecret, secretsOf } from "../protocols/client-secrets.ts";
import type { ProtocolSupport } from "../protocols/configure.ts";
import { ownerOf } from "../protocols/model.ts";
import type { Application } from "../registry/model.ts";
import { selfOf } from "../registry/present.ts";
import { checkApplication, notFound } from "../registry/rules.ts";
import { type SecretUseStore, type SecretUses, startOfDay, useKeyOf } from "../registry/secret-use-store.ts";
import { type ApplicationStore, TAKES_ONLY } from "../registry/store.ts";
import type { ClientSecretShown, clientSecretOperations } from "./contract.ts";
import { clientIn, messages, secretWithId, withFurtherSecret, withoutSecret } from "./rules.ts";

/** The dependencies of these handlers. */
export interface ClientSecretStores {
  readonly applications: ApplicationStore;
  readonly secretUses: SecretUseStore;
  readonly protocols: ProtocolSupport;
}

export const clientSecretHandlers: Handlers<typeof clientSecretOperations, ClientSecretStores> = {
  async listClientSecrets({ params }, { tenant, applications, secretUses, protocols, now }) {
    const { id, inbound } = await read(applications, tenant, params.applicationId);
    const client = clientIn({ id, inbound }, messages.list);
    const secrets = secretsOf(client);
    const uses = await secretUses.find(client.clientId);
    const shown = { seal: protocols.seal, owner: ownerOf(tenant, id), latest: secrets[0], uses, now };
    return { count: secrets.length, list: secrets.map((secret) => present(secret, shown)) };
  },

  async createClientSecret({ params, body = {} }, { tenant, scopes, applications, protocols, now }) {
    const { applicationId } = params;
    const { seal, limits } = protocols;
    checkExpiry(body.expiresAt, now, "expiresAt", messages.create);
    const owner = ownerOf(tenant, applicationId);
    const { expiresAt: expiresAtSeconds, description } = body;
    const createdAtSeconds = Math.floor(now / 1_000);
    const secret = newSecret({ createdAtSeconds, expiresAtSeconds, description }, seal, owner);
    await applications.update(tenant, applicationId, scopes, (before) => {
      const room = { most: limits.clientSecretsMax, nowMs: now };
      const oidc = withFurtherSecret(clientIn(before, messages.create), secret, room);
      const after = { ...before, inbound: { ...before.inbound, oidc } };
      checkApplication(after, tenant, messages.create);
      return after;
    });
    return {
      location: `${selfOf(tenant, applicationId)}/inbound-protocols/oidc/secrets/${secret.secretId}`,
      body: present(secret, { seal, owner, latest: secret, uses: new Map(), now }),
    };
  },

  async getClientSecret({ params }, { tenant, applications, secretUses, protocols, now }) {
    const { id, inbound } = await read(applications, tenant, params.applicationId);
    const client = clientIn({ id, inbound }, messages.retrieve);
    const secret = secretWithId(client, params.secretId, messages.retrieve);
    const uses = await secretUses.find(client.clientId);
    return present(secret, {
      seal: protocols.seal,
      owner: ownerOf(tenant, id),
      latest: secretsOf(client)[0],
      uses,
      now,
    });
  },

  async deleteClientSecret({ params }, { tenant, applications, now }) {
    await applications.update(tenant, params.applicationId, TAKES_ONLY, (before) => {
      const oidc = withoutSecret(clientIn(before, messages.delete), params.secretId, now);
      return { ...before, inbound: { ...before.inbound, oidc } };
    });
    return undefined;
  },
};

async function read(applications: ApplicationStore, tenant: string, id: string): Promise<Application> {
  const application = await applications.find(tenant, id);
  if (!application) throw notFound(id, tenant);
  return application;
}

/** What a secret is shown with. */
interface Showing {
  readonly seal: Seal;
  readonly owner: string;
  readonly latest: ClientSecret;
  readonly uses: SecretUses;
  readonly now: number;
}

function present(secret: ClientSecret, { seal, owner, latest, uses, now }: Showing): z.input<typeof ClientSecretShown> {
  const { secretId, sealedSecret, createdAtSeconds, expiresAtSeconds = 0, description } = secret;
  const day = uses.get(useKeyOf(secret));
  return {
    secretId,
    secretValue: seal.open(sealedSecret, owner),
    expiresAt: expiresAtSeconds,
    createdAt: createdAtSeconds,
    status: isExpired(secret, now) ? "EXPIRED" : "ACTIVE",
    latest: secretId === latest.secretId,
    ...(description !== undefined && { description }),
    ...(day !== undefined && { lastUsedAt: startOfDay(day) }),
  };
}
