/** The representation of user stores. Pure; no password reaches it. */
import type * as z from "zod";
import { attributeClaims, LOCAL_DIALECT, localRows } from "../claims/model.ts";
import type { DirectorySettings } from "../ldap/model.ts";
import type { UserStoreListItem, UserStoreShown } from "./contract.ts";
import { type DeclaredStore, storeIdOf } from "./model.ts";

/** The package of the classes of Identity Server that serve a directory. */
const LDAP_PACKAGE = "org.wso2.carbon.user.core.ldap";

type Properties = z.input<typeof UserStoreShown>["properties"];

/** A store as lists show it, with those properties that are asked for. */
export async function presentStores(
  tenant: string,
  stores: readonly DeclaredStore[],
  requested: readonly string[],
): Promise<z.input<typeof UserStoreListItem>[]> {
  return stores.map((store) => {
    const id = storeIdOf(store);
    const properties = propertiesOf(store).filter(({ name }) => requested.includes(name));
    return {
      id,
      name: store.domain,
      enabled: true,
      description: store.description,
      isLocal: true,
      typeName: typeNameOf(store),
      self: `/t/${tenant}/api/server/v1/userstores/${id}`,
      ...(requested.length > 0 && { properties }),
    };
  });
}

/** A store with its properties, and the claims that its attributes hold. */
export async function presentStore(store: DeclaredStore): Promise<z.input<typeof UserStoreShown>> {
  const typeName = typeNameOf(store);
  return {
    typeName,
    typeId: Buffer.from(typeName, "utf8").toString("base64url"),
    name: store.domain,
    description: store.description,
    className: store.directory ? `${LDAP_PACKAGE}.${typeName}` : typeName,
    isLocal: true,
    properties: propertiesOf(store),
    claimAttributeMappings: store.directory ? mappingsOf(store.directory) : tableMappings(),
  };
}

/** A directory has the name of what serves it in Identity Server; nothing there serves this service's table. */
function typeNameOf({ directory }: DeclaredStore): string {
  if (!directory) return "DynamoDBUserStoreManager";
  return directory.isReadOnly ? "UniqueIDReadOnlyLDAPUserStoreManager" : "UniqueIDReadWriteLDAPUserStoreManager";
}

/** By the names that Identity Server gives them. */
function propertiesOf({ directory }: DeclaredStore): Properties {
  if (!directory) return [];
  const { url, bindDn, baseDn, usernameAttribute, idAttribute, objectClasses } = directory;
  return Object.entries({
    ConnectionURL: url,
    ConnectionName: bindDn,
    UserSearchBase: baseDn,
    UserEntryObjectClass: objectClasses.join(","),
    UserNameAttribute: usernameAttribute,
    UserIDAttribute: idAttribute,
    ReadOnly: String(directory.isReadOnly),
    StartTLSEnabled: String(directory.startTls),
    LDAPConnectionTimeout: String(directory.connectTimeoutMs),
    ReadTimeout: String(directory.timeoutMs),
  }).map(([name, value]) => ({ name, value }));
}

function tableMappings() {
  return localRows.map(([name, , mappedAttribute]) => ({ claimURI: uriOf(name), mappedAttribute }));
}

/** The attributes of the directory for the claims that it holds. */
function mappingsOf({ attributes, usernameAttribute, idAttribute }: DirectorySettings) {
  const held = { ...attributes, userName: usernameAttribute, id: idAttribute };
  return Object.entries(held).flatMap(([attribute, mappedAttribute]) => {
    const claim = attributeClaims.get(attribute);
    return claim === undefined ? [] : [{ claimURI: uriOf(claim), mappedAttribute }];
  });
}

function uriOf(claim: string): string {
  return `${LOCAL_DIALECT}/${claim}`;
}
