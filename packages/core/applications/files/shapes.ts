/** The settings of an application as a file carries them: those of a new application, and what only exists already. */
import * as z from "zod";
import { InboundProtocolsBody, OidcBody } from "../protocols/shapes.ts";
import { editable } from "../registry/shapes.ts";

const OTHER_ENTRIES_MAX = 50;

const CarriedClient = OidcBody.extend({ state: z.enum(["ACTIVE", "REVOKED"]).optional() });

/** Settings of a file, with the limits that hold for every caller. */
export const FileSettings = z.object({
  ...editable,
  isManagementApp: z.boolean().optional(),
  inboundProtocolConfiguration: InboundProtocolsBody.extend({ oidc: CarriedClient.optional() }).optional(),
  /** Protocols that a file names and that nobody here can be configured for. */
  otherEntries: z
    .array(z.object({ type: z.string().min(1).max(255), key: z.string().max(2_048) }))
    .max(OTHER_ENTRIES_MAX)
    .optional(),
});
