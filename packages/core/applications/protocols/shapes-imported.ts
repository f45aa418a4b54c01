/** The shape of what SAML metadata says beyond the settings of WSO2 Identity Server (decision 0199). */
import * as z from "../../kernel/zod.ts";

const LIST_MAX = 100;
const KEYS_MAX = 10;
/** The most of xs:unsignedShort. */
export const INDEX_MAX = 65_535;

const url = z.string().min(1).max(2_048);
const location = url.meta({ description: "The address of the endpoint" });
const index = z.int().min(0).max(INDEX_MAX);
const binding = z
  .string()
  .min(1)
  .max(255)
  .meta({ description: "The end of a URI of SAML 2.0, such as HTTP-POST or SOAP; others are URIs" });

export const SamlImported = z
  .object({
    metadataURL: url.optional().meta({ description: "Where the metadata was read. PUT with it reads it again" }),
    validUntil: z.iso
      .datetime()
      .optional()
      .meta({ description: "When the metadata ends. Sign-ins go on, and the log says so" }),
    cacheDuration: z
      .string()
      .max(60)
      .optional()
      .meta({ description: "How often its owner wants it to be read again, such as PT1H" }),
    assertionConsumerServices: z
      .array(
        z.object({ binding, location, index: index.optional().meta({ description: "What a request names it by" }) }),
      )
      .max(LIST_MAX)
      .optional()
      .meta({ description: "What AssertionConsumerServiceIndex of a request chooses from" }),
    singleLogoutServices: z
      .array(
        z.object({
          binding,
          location,
          responseLocation: url.optional().meta({ description: "Where answers go; else to location" }),
        }),
      )
      .max(LIST_MAX)
      .optional()
      .meta({ description: "Where a logout is told, for bindings that singleLogoutProfile does not name" }),
    attributeConsumingServiceIndexes: z
      .array(index)
      .max(LIST_MAX)
      .optional()
      .meta({ description: "With which AttributeConsumingServiceIndex a request gets attributes" }),
    keys: z
      .array(
        z.object({
          use: z
            .enum(["signing", "encryption"])
            .optional()
            .meta({ description: "signing: it verifies requests; encryption: assertions are for it. Absent: both" }),
          certificate: z.string().max(8_192).meta({ description: "DER in Base64" }),
        }),
      )
      .max(KEYS_MAX)
      .optional()
      .meta({ description: "Keys besides the certificate of the application" }),
  })
  .meta({ id: "SAML2Imported" });
