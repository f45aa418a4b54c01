/** The settings in a file: those of a new application, and those that only an existing one has. */
import * as z from "../../kernel/zod.ts";
import { InboundProtocolsBody, OidcBody } from "../protocols/shapes.ts";
import { editable, fixedSwitches } from "../registry/shapes.ts";
import { AssociatedRoles } from "../registry/shapes-roles.ts";
import { fileSecrets } from "./secrets.ts";

const OTHER_ENTRIES_MAX = 50;
const ROLES_MAX = 100;

const FileClient = OidcBody.extend({ state: z.enum(["ACTIVE", "REVOKED"]).optional(), ...fileSecrets });

const FileRoles = AssociatedRoles.extend({
  roles: z
    .array(z.object({ id: z.string().max(255).optional(), name: z.string().max(255).optional() }))
    .max(ROLES_MAX)
    .optional(),
});

/** The settings of a file, with the limits of every request body. */
export const FileSettings = z.object({
  ...editable,
  ...fixedSwitches,
  /** An id of another server is looked up by its name. */
  associatedRoles: FileRoles.optional(),
  inboundProtocolConfiguration: InboundProtocolsBody.extend({ oidc: FileClient.optional() }).optional(),
  /** Protocols of the file that this deployment cannot configure. */
  otherEntries: z
    .array(z.object({ type: z.string().min(1).max(255), key: z.string().max(2_048) }))
    .max(OTHER_ENTRIES_MAX)
    .optional(),
});
