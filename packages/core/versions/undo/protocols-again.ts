/**
 * Inbound protocols as they were, checked as their own updates are. Secrets stay as they are now: those of a client,
 * with whether it is revoked, and confidential properties. A client that was deleted since gets a new secret.
 */
import { newSecret, secretsOf, storedSecrets } from "../../applications/protocols/client-secrets.ts";
import { type ProtocolSupport, passiveSts } from "../../applications/protocols/configure.ts";
import { customKindOf, customSettings } from "../../applications/protocols/custom.ts";
import { withoutOthers } from "../../applications/protocols/kinds.ts";
import { type InboundProtocols, type OidcClient, ownerOf } from "../../applications/protocols/model.ts";
import { checkOidc, presentOidc } from "../../applications/protocols/oidc.ts";
import { OidcBody } from "../../applications/protocols/shapes.ts";

/** From the protocols of today to those that they become. */
export type Inbound = (before: InboundProtocols) => InboundProtocols;

/** The protocols of an application as they were. Throws the faults of each protocol. */
export async function inboundAgain(
  { custom, ...was }: InboundProtocols,
  tenant: string,
  applicationId: string,
  support: ProtocolSupport,
): Promise<Inbound> {
  const owner = ownerOf(tenant, applicationId);
  const oidc = was.oidc && (await clientAgain(was.oidc, owner, support));
  if (was.passiveSts) passiveSts(was.passiveSts, undefined);
  const kinds = await Promise.all(
    Object.values(custom ?? {}).map(async ({ name, configName, properties }) => {
      const kind = customKindOf(name, support.customKinds);
      // A confidential property that is named without a value keeps the one of today.
      const given = properties.map(({ key, value, isSealed }) => ({ key, ...(!isSealed && { value }) }));
      return [
        kind.name,
        await customSettings(kind, { name, configName, properties: given }, support.seal, owner),
      ] as const;
    }),
  );
  return (before) =>
    withoutOthers({
      ...was,
      ...(oidc && { oidc: oidc(before.oidc) }),
      ...(kinds.length > 0 && {
        custom: Object.fromEntries(kinds.map(([name, settings]) => [name, settings(before.custom?.[name])])),
      }),
    });
}

/** Only one of the protocols as it was; it is removed where it was not there. */
export async function protocolAgain(
  was: InboundProtocols,
  segment: { readonly member?: keyof InboundProtocols; readonly custom?: string },
  tenant: string,
  applicationId: string,
  support: ProtocolSupport,
): Promise<Inbound> {
  const { member, custom = "" } = segment;
  // The name of the path: it could be that of something that every object has.
  if (member === undefined) customKindOf(custom, support.customKinds);
  const former = member === undefined ? was.custom?.[custom] : was[member];
  const alone: InboundProtocols =
    former === undefined ? {} : member === undefined ? { custom: { [custom]: former } as never } : { [member]: former };
  const again = await inboundAgain(alone, tenant, applicationId, support);
  return (before) => {
    const restored = again(before);
    if (member !== undefined) {
      const { [member]: _, ...rest } = before;
      return withoutOthers({ ...rest, ...restored });
    }
    const { [custom]: _, ...others } = before.custom ?? {};
    const all = { ...others, ...restored.custom };
    const { custom: __, ...rest } = before;
    return withoutOthers({ ...rest, ...(Object.keys(all).length > 0 && { custom: all }) });
  };
}

async function clientAgain(was: OidcClient, owner: string, { seal, limits, clock }: ProtocolSupport) {
  await checkOidc(OidcBody.parse(presentOidc(was)), limits);
  const { sealedSecret: _, latestSecret: __, formerSecrets: ___, ...settings } = was;
  return (before: OidcClient | undefined): OidcClient => {
    if (before) return { ...settings, ...storedSecrets(secretsOf(before)), state: before.state };
    const secret = newSecret({ createdAtSeconds: Math.floor(clock.now() / 1_000) }, seal, owner);
    return { ...settings, ...storedSecrets([secret]) };
  };
}
