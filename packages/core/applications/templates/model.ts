/** Application templates, and how a new application starts from one. Pure. */
import type * as z from "zod";
import type { NewTemplate } from "./shapes.ts";

/** The members of a template that a caller sends. */
export type TemplateFields = z.output<typeof NewTemplate>;

export type Template = TemplateFields & { readonly id: string };

/** A template in a list: without its application. */
export type TemplateSummary = Omit<Template, "application">;

/** Settings of any kind, by name. */
export type Settings = Readonly<Record<string, unknown>>;

/** Parts of an application are merged one level deep: a claim or a certificate is never mixed from two. */
const PART_LEVELS = 1;
/** Protocols are merged by protocol, by setting, and inside a group of settings such as `pkce`. */
const PROTOCOL_LEVELS = 2;

/** The ways to describe a SAML service provider; a body has exactly one (AM-109). */
const samlMethods = ["metadataFile", "metadataURL", "manualConfiguration"];

const mergeRules = { inboundProtocolConfiguration: protocolsOf, authenticationSequence: sequenceOf };

export function isSettings(value: unknown): value is Settings {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * Merges the body of a new application into a template's application, member by member. Lists are replaced.
 * `templateId` is the template's id unless the body has one.
 */
export function overTemplate({ id, application }: Template, body: Settings): Settings {
  return {
    ...overlay({ ...application, templateId: id }, body, PART_LEVELS),
    ...Object.fromEntries(
      Object.entries(mergeRules)
        .filter(([name]) => isSettings(body[name]))
        .map(([name, rule]) => [name, rule(part(application, name), part(body, name))]),
    ),
  };
}

/** Merges two objects; members that are settings in both are merged too, `levels` deep. */
function overlay(under: Settings, over: Settings, levels: number): Settings {
  const merged = (name: string, value: unknown) =>
    levels > 0 && isSettings(value) ? overlay(part(under, name), value, levels - 1) : value;
  const given = Object.entries(over).filter(([, value]) => value !== undefined);
  return { ...under, ...Object.fromEntries(given.map(([name, value]) => [name, merged(name, value)])) };
}

/** The member of that name if it is settings, else none. */
function part(settings: Settings, name: string): Settings {
  const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
  return isSettings(value) ? value : {};
}

function protocolsOf(under: Settings, over: Settings): Settings {
  const method = samlMethods.find((name) => name in part(over, "saml"));
  const others = samlMethods.filter((name) => method && name !== method);
  const saml = others.length > 0 ? { saml: without(part(under, "saml"), others) } : {};
  return overlay({ ...under, ...saml }, over, PROTOCOL_LEVELS);
}

/** The type of the template's sequence does not apply to steps of the body. */
function sequenceOf(under: Settings, over: Settings): Settings {
  return overlay(over.steps === undefined ? under : without(under, ["type"]), over, 0);
}

function without(settings: Settings, names: readonly string[]): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));
}
