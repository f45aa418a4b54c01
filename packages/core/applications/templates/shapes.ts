/** The shapes of application templates. */

import { withoutNulls } from "../../kernel/management-api.ts";
import * as z from "../../kernel/zod.ts";
import { editable, fixedSwitches, protocolBodies } from "../registry/shapes.ts";

const TYPES_MAX = 50;

/** The id of a template: opaque text that fits a key. */
export const TemplateId = z.string().min(1).max(255);

const settings = z
  .record(z.string().max(255), z.unknown())
  .refine((given) => !hasNull(given), "a list must not contain null");

/**
 * A secret belongs to one application, with its expiry. In a template, every caller that may read templates could read
 * it.
 */
const oidcSettings = settings.transform(({ clientSecret: _, clientSecretExpiresAt: __, ...rest }) => rest);

/**
 * Protocol settings are stored as sent and checked when an application is created from the template: a template may
 * omit what each application must have for itself.
 */
const TemplateApplication = z
  .object({
    ...editable,
    ...fixedSwitches,
    inboundProtocolConfiguration: z
      .object({
        saml: settings.optional(),
        oidc: oidcSettings.optional(),
        passiveSts: settings.optional(),
        wsTrust: settings.optional(),
        custom: z.array(settings).max(100).optional(),
      })
      .optional()
      .meta({
        description: "Each member is like the body of its own PUT; any of its members may be absent",
        properties: protocolBodies,
      }),
  })
  .meta({ id: "TemplateApplication" });

/** Body of add and update. rules.ts refuses a blank name, with a code of its own. */
export const NewTemplate = z.preprocess(
  withoutNulls,
  z
    .object({
      name: z.string().trim().max(255),
      description: text(1024).optional(),
      image: text(1024).optional(),
      authenticationProtocol: text(255).optional(),
      types: z.array(text(255)).max(TYPES_MAX).optional(),
      category: z.enum(["DEFAULT", "VENDOR"]).optional(),
      templateGroup: text(255).optional(),
      displayOrder: z.int().optional(),
      application: TemplateApplication,
    })
    .meta({ id: "NewApplicationTemplate" }),
);

/** Shapes of responses have no limits: a later, lower limit must not make stored data unreadable. */
const shown = {
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  image: z.string().optional(),
  authenticationProtocol: z.string().optional(),
  types: z.array(z.string()).optional(),
  category: z.enum(["DEFAULT", "VENDOR"]).optional(),
  templateGroup: z.string().optional(),
  displayOrder: z.int().optional(),
};

/** A template in a response. Its application has the members that were sent. */
export const Template = z
  .object({ ...shown, application: z.looseObject({ name: z.string() }) })
  .meta({ id: "ApplicationTemplate" });

export const TemplateList = z
  .object({
    templates: z.array(z.object({ ...shown, self: z.string() }).meta({ id: "ApplicationTemplateListItem" })),
  })
  .meta({ id: "ApplicationTemplateList" });

/** Whether a list in it contains null. Members that are null have been removed before. */
function hasNull(given: unknown): boolean {
  if (typeof given !== "object" || given === null) return given === null;
  return Object.values(given).some(hasNull);
}

function text(most: number) {
  return z.string().max(most);
}
