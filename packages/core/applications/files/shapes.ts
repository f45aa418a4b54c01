/** The settings in a file: those of a new application, and those that only an existing one has. */
import * as z from "../../platform/zod.ts";
import { InboundProtocolsBody, OidcBody } from "../protocols/shapes.ts";
import { editable } from "../registry/shapes.ts";
import { fileSecrets } from "./secrets.ts";

const OTHER_ENTRIES_MAX = 50;

const FileClient = OidcBody.extend({ state: z.enum(["ACTIVE", "REVOKED"]).optional(), ...fileSecrets });

/** The settings of a file, with the limits of every request body. */
export const FileSettings = z.object({
  ...editable,
  isManagementApp: z.boolean().optional(),
  inboundProtocolConfiguration: InboundProtocolsBody.extend({ oidc: FileClient.optional() }).optional(),
  /** Protocols of the file that this deployment cannot configure. */
  otherEntries: z
    .array(z.object({ type: z.string().min(1).max(255), key: z.string().max(2_048) }))
    .max(OTHER_ENTRIES_MAX)
    .optional(),
});
