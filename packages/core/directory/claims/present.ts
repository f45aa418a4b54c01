/** The representation of claims. Pure; loaded with the first request for claims. */
import type * as z from "zod";
import { PRIMARY } from "../../kernel/domain/username.ts";
import type { DialectShown, ExternalClaimShown, LocalClaimShown } from "./contract.ts";
import { type Dialect, dialects, IDENTITY, LOCAL_DIALECT, localRows, multiValued } from "./model.ts";

/** The id of the dialect of local claims. */
const LOCAL = "local";

/** All dialects, the local one first. */
export async function presentDialects(tenant: string): Promise<z.input<typeof DialectShown>[]> {
  return [LOCAL_DIALECT, ...dialects.map(({ uri }) => uri)].map((uri) => {
    const id = dialectIdOf(uri);
    const href = `/t/${tenant}/api/server/v1/claim-dialects/${id}/claims`;
    return { id, dialectURI: uri, link: { href, rel: "claims" as const } };
  });
}

/** All local claims. */
export async function presentLocalClaims(): Promise<z.input<typeof LocalClaimShown>[]> {
  return localRows.map(([name, displayName, attribute, flags = ""]) => {
    const claimURI = uriOf(name);
    return {
      id: idOf(claimURI),
      claimURI,
      dialectURI: LOCAL_DIALECT,
      displayName,
      description: displayName,
      displayOrder: 0,
      readOnly: flags.includes("O"),
      required: flags.includes("R"),
      supportedByDefault: flags.includes("S"),
      multiValued: multiValued.has(name),
      dataType: "string" as const,
      uniquenessScope: "NONE" as const,
      subAttributes: [],
      canonicalValues: [],
      attributeMapping: [{ mappedAttribute: attribute, userstore: PRIMARY }],
      properties: [],
    };
  });
}

/** The claims of a dialect by its id; `undefined` where there is none. */
export async function presentExternalClaims(
  dialectId: string,
): Promise<z.input<typeof ExternalClaimShown>[] | undefined> {
  const dialect = dialects.find(({ uri }) => dialectIdOf(uri) === dialectId);
  return dialect && Object.entries(dialect.claims).map(([name, local]) => presentExternal(dialect, name, local));
}

/** Whether a claim is about the state of an account. */
export function isIdentityClaim(uri: string): boolean {
  return uri.startsWith(uriOf(IDENTITY));
}

function presentExternal({ uri, prefix }: Dialect, name: string, local: string): z.input<typeof ExternalClaimShown> {
  const claimURI = `${prefix}${name}`;
  return {
    id: idOf(claimURI),
    claimURI,
    claimDialectURI: uri,
    mappedLocalClaimURI: uriOf(local),
    properties: [],
  };
}

function dialectIdOf(uri: string): string {
  return uri === LOCAL_DIALECT ? LOCAL : idOf(uri);
}

function uriOf(name: string): string {
  return `${LOCAL_DIALECT}/${name}`;
}

function idOf(uri: string): string {
  return Buffer.from(uri, "utf8").toString("base64url");
}
