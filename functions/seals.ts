/** The seals of functions, from the keys of their environment: apart from env.ts, which every function loads. */
import type { ProtocolSupport } from "#core/applications/protocols/configure.ts";
import { systemClock } from "#core/kernel/clock.ts";
import { canarySecretOf, eventSigningKeysOf, logoutKeyOf, newSeal, type Seal, samlKeysOf } from "#core/kernel/seal.ts";
import type { Deployment } from "#core/service/settings/deployment.ts";
import {
  cursorKey,
  deliveringKeys,
  eventKey,
  factorKeys,
  fetchExempt,
  formKey,
  logoutKey,
  samlKeys,
  sealingKeys,
} from "./env.ts";

/** The seal of the deployment. It also opens values that were sealed under former keys. */
export function seal(environment?: NodeJS.ProcessEnv): Seal {
  const { key, former } = sealingKeys(environment);
  return newSeal(bytes(key), former.map(bytes));
}

/** The seal of cursors. It opens no secret. */
export function cursorSeal(): Seal {
  return newSeal(bytes(cursorKey()));
}

/** The seal of forms of sign-in. It opens no secret. */
export function formSeal(): Seal {
  return newSeal(bytes(formKey()));
}

/** Seals and opens secrets of one-time codes, also those sealed under former keys. It opens no other secret. */
export function factorSeal(): Seal {
  return sealOf(factorKeys());
}

/** Seals and opens the private keys that sign SAML assertions. It opens no other secret. */
export function samlSeal(): Seal {
  return sealOf(samlKeys());
}

/** The same from the sealing key. */
export function samlSealOf({ key, former }: ReturnType<typeof sealingKeys>): Seal {
  return sealOf(samlKeysOf(key, former.join(",")).split(","));
}

/** Seals secrets for receivers of events. It opens no other secret. */
export function eventSeal(): Seal {
  return newSeal(bytes(eventKey()));
}

/** Opens secrets for receivers of events, also those that were sealed under former keys. It opens no other secret. */
export function eventSealOfDelivery(): Seal {
  return sealOf(deliveringKeys().receivers);
}

/** Opens the private keys that sign events. It opens no other secret. */
export function eventSigningSeal(): Seal {
  return sealOf(deliveringKeys().signing);
}

/** The same from the sealing key. */
export function eventSigningSealOf({ key, former }: ReturnType<typeof sealingKeys>): Seal {
  return sealOf(eventSigningKeysOf(key, former.join(",")).split(","));
}

/** The seal of orders of messages about ended sessions. It opens no secret. */
export function logoutSeal(): Seal {
  return newSeal(bytes(logoutKey()));
}

/** The same from the sealing key. */
export function logoutSealOf({ key }: ReturnType<typeof sealingKeys>): Seal {
  return newSeal(bytes(logoutKeyOf(key)));
}

/** The secret of the client of the synthetic check, where the sealing key is known. */
export function canarySecret(): string {
  return canarySecretOf(sealingKeys().key);
}

/** What inbound protocols need besides the table. */
export function protocolSupport({
  customProtocols,
  clients,
  clientSecretsShownTo,
}: Pick<Deployment, "customProtocols" | "clients" | "clientSecretsShownTo">): ProtocolSupport {
  return {
    seal: seal(),
    limits: clients,
    clock: systemClock,
    customKinds: customProtocols,
    clientSecretsShownTo,
    metadataExempt: fetchExempt(),
  };
}

function sealOf([key = "", ...former]: readonly string[]): Seal {
  return newSeal(bytes(key), former.map(bytes));
}

function bytes(key: string): Buffer {
  return Buffer.from(key, "base64");
}
