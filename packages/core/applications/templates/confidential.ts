/** Removes confidential values from templates: a caller that may read templates can read all of them. */
import type { CustomProtocolKind } from "../protocols/custom-kind.ts";
import { isSettings, type Settings, type TemplateFields } from "./model.ts";

/** The template without the values of custom protocols that are declared confidential. */
export function withoutConfidential<F extends TemplateFields>(fields: F, kinds: readonly CustomProtocolKind[]): F {
  const { inboundProtocolConfiguration: inbound } = fields.application;
  if (!inbound?.custom) return fields;
  const custom = inbound.custom.map((protocol) => withoutValues(protocol, kinds));
  return { ...fields, application: { ...fields.application, inboundProtocolConfiguration: { ...inbound, custom } } };
}

function withoutValues(protocol: Settings, kinds: readonly CustomProtocolKind[]): Settings {
  const kind = kinds.find(({ name }) => name === protocol.name);
  const confidential = new Set(kind?.properties.filter(({ isConfidential }) => isConfidential).map(({ name }) => name));
  if (confidential.size === 0 || !Array.isArray(protocol.properties)) return protocol;
  const properties = protocol.properties.map((property: unknown) => {
    if (!isSettings(property) || !confidential.has(String(property.key))) return property;
    const { value: _, ...named } = property;
    return named;
  });
  return { ...protocol, properties };
}
