/** The shapes of user stores, as in WSO2's User Store API v1. */

import { withoutNulls } from "../platform/management-api.ts";
import * as z from "../platform/zod.ts";

const Property = z.object({ name: z.string(), value: z.string() }).meta({ id: "UserStoreProperty" });

export const UserStoreListItem = z
  .object({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    description: z.string(),
    isLocal: z.boolean(),
    typeName: z.string(),
    self: z.string(),
    properties: z.array(Property).optional(),
  })
  .meta({ id: "UserStoreListItem" });

export const UserStoreShown = z
  .object({
    typeName: z.string(),
    typeId: z.string(),
    name: z.string(),
    description: z.string(),
    className: z.string(),
    isLocal: z.boolean(),
    properties: z.array(Property).meta({ description: "Never with the password of a directory" }),
    claimAttributeMappings: z.array(z.object({ claimURI: z.string(), mappedAttribute: z.string() })),
  })
  .meta({ id: "UserStore" });

const optional = (description: string) => z.string().max(1_024).optional().meta({ description });

/** Body of a test. rules.ts refuses the rest of Identity Server's members, with sentences of its own. */
export const ConnectionTest = z.preprocess(
  withoutNulls,
  z
    .object({
      connectionURL: z
        .string()
        .min(1)
        .max(1_024)
        .meta({ description: "The `url` of a declared directory. The service connects to no other" }),
      username: optional("The `bind_dn` of the directory. The service signs in as no other"),
      connectionPassword: optional("Refused: the deployment has the password").meta({ writeOnly: true }),
      driverName: optional("Refused: there are no databases behind user stores"),
    })
    .meta({ id: "UserStoreConnectionTest" }),
);

export const ConnectionResult = z.object({ connection: z.boolean() }).meta({ id: "UserStoreConnection" });
