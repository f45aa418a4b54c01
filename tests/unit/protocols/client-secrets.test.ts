/** Rotation of the secrets of a client: every state that they can be in (decision 0079). */
import { describe, expect, test } from "vitest";
import { withFurtherSecret, withoutSecret } from "#core/applications/client-secrets/rules.ts";
import { type ClientSecret, isExpired, secretsOf, withSecrets } from "#core/applications/protocols/client-secrets.ts";
import type { OidcClient } from "#core/applications/protocols/model.ts";
import { Fault } from "#core/kernel/faults.ts";

const NOW_SECONDS = 2_000_000_000;
const nowMs = NOW_SECONDS * 1_000;
const MOST = [1, 2, 3, 10];

const secret = (secretId: string, expiresAtSeconds?: number): ClientSecret => ({
  secretId,
  sealedSecret: `sealed ${secretId}`,
  createdAtSeconds: NOW_SECONDS - 100,
  ...(expiresAtSeconds !== undefined && { expiresAtSeconds }),
});
const clientWith = (secrets: readonly [ClientSecret, ...ClientSecret[]]) =>
  withSecrets({ clientId: "c", sealedSecret: "" } as unknown as OidcClient, secrets);
const validIn = (client: OidcClient) => secretsOf(client).filter((each) => !isExpired(each, nowMs));

/** Every state of 1 to `count` secrets: each valid or expired, the newest first. */
const states = (count: number): (readonly [ClientSecret, ...ClientSecret[]])[] =>
  Array.from({ length: count }, (_, at) => at + 1).flatMap((length) =>
    Array.from({ length: 2 ** length }, (_, bits) => {
      const secrets = Array.from({ length }, (_, at) =>
        secret(`s${at}`, bits & (1 << at) ? NOW_SECONDS - 10 - at : at % 2 ? NOW_SECONDS + 60 : undefined),
      );
      return secrets as unknown as readonly [ClientSecret, ...ClientSecret[]];
    }),
  );
const cases = MOST.flatMap((most) => states(5).map((secrets) => ({ most, secrets })));
const shown = ({ most, secrets }: (typeof cases)[number]) =>
  `${secrets.map((each) => (isExpired(each, nowMs) ? "expired" : "valid")).join(", ")}; at most ${most}`;

/** The client after a step, or undefined where it is refused. */
const attempt = (step: () => OidcClient): OidcClient | undefined => {
  try {
    return step();
  } catch (error) {
    if (error instanceof Fault && error.row.status === 409) return undefined;
    throw error;
  }
};

describe("from every state of the secrets of a client", () => {
  test.each(cases.map((each) => [shown(each), each] as const))("%s", (_, { most, secrets }) => {
    const client = clientWith(secrets);
    const valid = validIn(client);
    const fresh = secret("new");
    const added = attempt(() => withFurtherSecret(client, fresh, { most, nowMs }));
    // A new secret is refused only for valid ones.
    expect(added === undefined).toBe(valid.length >= most);
    if (added) {
      const [latest, ...former] = secretsOf(added);
      expect(latest.secretId).toBe("new");
      expect(former.length).toBeLessThan(most);
      // No valid secret is lost: there is no downtime.
      expect(validIn(added)).toEqual([fresh, ...valid]);
    }
    // Each expired secret can be deleted, unless it is the only one.
    for (const each of secrets) {
      const removed = attempt(() => withoutSecret(client, each.secretId, nowMs));
      const isLatest = each === secrets[0];
      const mayGo = secrets.length > 1 && (isExpired(each, nowMs) || !isLatest);
      expect(removed !== undefined).toBe(mayGo);
      if (removed) expect(secretsOf(removed).map(({ secretId }) => secretId)).not.toContain(each.secretId);
    }
    // The owner reaches one valid secret, with a valid one at each step where there was one before.
    let at: OidcClient = client;
    if (valid.length === 0) at = withFurtherSecret(at, fresh, { most, nowMs });
    for (const each of secretsOf(at).filter((one) => isExpired(one, nowMs)))
      at = withoutSecret(at, each.secretId, nowMs);
    for (const { secretId } of secretsOf(at).slice(1)) {
      at = withoutSecret(at, secretId, nowMs);
      expect(validIn(at).length).toBeGreaterThan(0);
    }
    expect(secretsOf(at)).toHaveLength(1);
    expect(validIn(at)).toHaveLength(1);
  });
});
