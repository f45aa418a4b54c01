/** The shapes of an application template (spec, "ApplicationTemplate"; reference application-api.md section 8). */
import * as z from "zod";
import { withoutNulls } from "../../platform/management-api.ts";
import { editable } from "../registry/shapes.ts";

const TYPES_MAX = 50;

/** The id of a template: opaque, so anything that fits a key may be asked for. */
export const TemplateId = z.string().min(1).max(255);

const settings = z.record(z.string().max(255), z.unknown());

/** A secret belongs to one application: in a template it would be readable by all who may read templates. */
const oidcSettings = settings.transform(({ clientSecret: _, ...rest }) => rest);

/**
 * An application in a template is judged when an application is made of it. Protocol settings are kept as they are sent,
 * because a template may leave out what each application must bring itself.
 */
const TemplateApplication = z
  .object({
    ...editable,
    isManagementApp: z.boolean().optional(),
    inboundProtocolConfiguration: z
      .object({
        saml: settings.optional(),
        oidc: oidcSettings.optional(),
        passiveSts: settings.optional(),
        wsTrust: settings.optional(),
        custom: z.array(settings).max(100).optional(),
      })
      .optional(),
  })
  .meta({ id: "TemplateApplication" });

/** Body of add and of update. Whether the name is blank is judged in rules.ts, with upstream's code. */
export const NewTemplate = z.preprocess(
  withoutNulls,
  z
    .object({
      name: text(255),
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

/** Read shapes have no limits: a limit that is tightened later must not make what was kept before unreadable. */
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

/** A template as it is read. Its application is what was sent of it, which its own shape let in. */
export const Template = z
  .object({ ...shown, application: z.looseObject({ name: z.string() }) })
  .meta({ id: "ApplicationTemplate" });

/** The list. */
export const TemplateList = z
  .object({
    templates: z.array(z.object({ ...shown, self: z.string() }).meta({ id: "ApplicationTemplateListItem" })),
  })
  .meta({ id: "ApplicationTemplateList" });

function text(most: number) {
  return z.string().max(most);
}
